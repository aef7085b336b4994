//! Adding runs.

use super::record::Record;
use super::{Store, StoreError};
use crate::result::RunResult;

/// What became of a run that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is there now, under this number.
    New(i64),
    /// It was there already, under this number.
    Known(i64),
}

/// How many of the runs that were added together are new, and how many were there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    pub new: u64,
    pub known: u64,
}

impl Store {
    /// Adds a run. When this returns, it is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, run: &RunResult) -> Result<Added, StoreError> {
        let text = serde_json::to_string(run).map_err(StoreError::Json)?;
        let record = Record::of(run, &text).map_err(StoreError::Json)?;
        let transaction = self.writing()?;
        let (id, is_new) = record.insert(&transaction).map_err(|error| self.failed(error))?;
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(if is_new { Added::New(id) } else { Added::Known(id) })
    }

    /// Adds runs with their JSON as it was read: all of them, or none.
    ///
    /// # Errors
    /// They cannot be written, or `runs` ends with an error.
    pub fn import<'t, E: From<StoreError>>(
        &self,
        runs: impl Iterator<Item = Result<(RunResult, &'t str), E>>,
    ) -> Result<Imported, E> {
        let transaction = self.writing()?;
        let mut imported = Imported::default();
        for run in runs {
            let (run, text) = run?;
            let record = Record::of(&run, text).map_err(StoreError::Json)?;
            let (_, is_new) = record.insert(&transaction).map_err(|error| self.failed(error))?;
            match is_new {
                true => imported.new += 1,
                false => imported.known += 1,
            }
        }
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(imported)
    }
}
