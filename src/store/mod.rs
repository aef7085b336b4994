//! Where results are kept for comparisons and history: one SQLite file, only ever added to (but for `history prune`).
//!
//! The results are there as they were written, compressed. What is looked for (cells, nights, figures, tags) stands
//! beside them in columns of its own, so that no question has to read megabytes of JSON.

mod add;
mod equal_runs;
mod error;
mod list;
mod nights;
mod open;
mod pins;
mod place;
mod prune;
mod record;
mod schema;
mod select;
mod selector;

pub use add::{Added, Imported};
pub use error::StoreError;
pub use list::{CellListing, RunListing};
pub use nights::{Facts, NightStart, NightlyCell, NightlyRun};
pub use place::StorePlace;
pub use prune::Pruned;
pub use schema::VERSION;
pub use selector::Selector;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    file: PathBuf,
}

impl Store {
    /// The file that it is.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What went wrong with a statement.
    fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::of(&self.file, error)
    }

    /// Starts to write: others wait until it is committed, or dropped.
    fn writing(&self) -> Result<Transaction<'_>, StoreError> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
            .map_err(|error| self.failed(error))
    }

    /// Starts to read: what others add meanwhile is not seen.
    fn reading(&self) -> Result<Transaction<'_>, StoreError> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
            .map_err(|error| self.failed(error))
    }
}
