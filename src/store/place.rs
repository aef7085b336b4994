//! Where a store is.

use super::StoreError;
use std::env;
use std::path::{Path, PathBuf};
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

/// The file that a place stands for: the one that is named, else `$XDG_DATA_HOME/rbench/history.db`, else
/// `~/.local/share/rbench/history.db` (XDG Base Directory Specification 0.8: a path that is not absolute is ignored).
///
/// # Errors
/// None is named, and there is no home directory.
pub(super) fn file(named: Option<&Path>) -> Result<PathBuf, StoreError> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let absolute = |name: &str| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    Ok(data.ok_or(StoreError::NoHome)?.join("rbench/history.db"))
}
