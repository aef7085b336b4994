//! Names for runs that stay.

use super::{Selector, Store, StoreError};
use crate::store::record::nanoseconds;
use rusqlite::params;

impl Store {
    /// Gives runs a name. Of several times that a name was given, the last counts. Answers how many runs there are.
    ///
    /// # Errors
    /// The name cannot be typed as `pin:NAME`, no run is meant, or the store cannot be written.
    pub fn pin(&self, name: &str, selector: &Selector) -> Result<u64, StoreError> {
        let allowed = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
        if name.is_empty() || !name.chars().all(allowed) {
            return Err(StoreError::PinName {
                name: name.escape_debug().to_string(),
            });
        }
        let failed = |error| self.failed(error);
        let transaction = self.writing()?;
        let runs = self.numbers(selector)?;
        if runs.is_empty() {
            return Err(self.nothing(selector));
        }
        let now = nanoseconds(jiff::Timestamp::now());
        transaction
            .execute(
                "INSERT INTO pins (name, pinned_at) VALUES (?1, ?2)",
                params![name, now],
            )
            .map_err(failed)?;
        let pin = transaction.last_insert_rowid();
        for run in &runs {
            transaction
                .execute(
                    "INSERT INTO pinned_runs (pin_id, run_id) VALUES (?1, ?2)",
                    params![pin, run],
                )
                .map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
        Ok(runs.len() as u64)
    }

    /// That nothing is meant by a selector.
    pub fn nothing(&self, selector: &Selector) -> StoreError {
        StoreError::NothingSelected {
            path: self.file.clone(),
            selector: selector.to_string(),
        }
    }
}
