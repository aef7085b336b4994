//! Where results are kept for comparisons and history: one SQLite file, only ever added to.

use std::path::PathBuf;
use std::str::FromStr;

/// Where a store is, as typed: `--store` or `--store=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorePlace {
    /// Absent: `$XDG_DATA_HOME/rbench/history.db`.
    pub file: Option<PathBuf>,
}

impl FromStr for StorePlace {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<StorePlace, Self::Err> {
        let file = (!text.is_empty()).then(|| PathBuf::from(text));
        Ok(StorePlace { file })
    }
}
