//! Removing old runs.

use super::{Store, StoreError};
use crate::store::record::nanoseconds;

/// What is, or would be, removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    pub removed: u64,
    /// As old, but pinned.
    pub pinned: u64,
    /// What stays, those that are pinned among it.
    pub left: u64,
}

/// The runs of each pin, as it was given last.
const PINNED: &str =
    "SELECT run_id FROM pinned_runs WHERE pin_id IN (SELECT max(id) FROM pins GROUP BY name)";

impl Store {
    /// Removes the runs that were started before, but for those that a pin names. With `dry_run` nothing is removed.
    ///
    /// # Errors
    /// The store cannot be read, or written.
    pub fn prune(&self, before: jiff::Timestamp, dry_run: bool) -> Result<Pruned, StoreError> {
        let failed = |error| self.failed(error);
        let before = nanoseconds(before);
        let transaction = match dry_run {
            true => self.reading()?,
            false => self.writing()?,
        };
        let count = |condition: &str| -> Result<u64, StoreError> {
            let text = format!("SELECT count(*) FROM runs WHERE {condition}");
            let counted: i64 = transaction
                .query_row(&text, [before], |row| row.get(0))
                .map_err(failed)?;
            Ok(counted.unsigned_abs())
        };
        let removed = count(&format!("started_at < ?1 AND id NOT IN ({PINNED})"))?;
        let pinned = count(&format!("started_at < ?1 AND id IN ({PINNED})"))?;
        let all = count("?1 IS NOT NULL")?;
        if !dry_run {
            let text = format!("DELETE FROM runs WHERE started_at < ?1 AND id NOT IN ({PINNED})");
            transaction.execute(&text, [before]).map_err(failed)?;
            transaction
                .execute(
                    "DELETE FROM facts WHERE id NOT IN (SELECT facts_id FROM runs WHERE facts_id IS NOT NULL)",
                    [],
                )
                .map_err(failed)?;
            transaction.commit().map_err(failed)?;
            if removed > 0 {
                // The room goes back to the file system; where there is none to do it in, it is used again later.
                let _ = self.connection.execute_batch("VACUUM");
            }
        }
        Ok(Pruned {
            removed,
            pinned,
            left: all - removed,
        })
    }
}
