//! Finding runs.

use super::nights::NIGHTLY;
use super::record::{parsed, unpacked};
use super::{Selector, Store, StoreError};
use crate::result::RunResult;
use rusqlite::types::Value;

/// The runs of a pin are those that it was given last.
const PINNED: &str =
    "SELECT run_id FROM pinned_runs WHERE pin_id = (SELECT max(id) FROM pins WHERE name = ?1)";

impl Store {
    /// The runs that are meant, the oldest first; none where there are none.
    ///
    /// # Errors
    /// The store or a result in it cannot be read.
    pub fn select(&self, selector: &Selector) -> Result<Vec<RunResult>, StoreError> {
        let numbers = self.numbers(selector)?;
        numbers.into_iter().map(|number| self.run(number)).collect()
    }

    /// The numbers of the runs that are meant, the oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn numbers(&self, selector: &Selector) -> Result<Vec<i64>, StoreError> {
        let pinned = format!("id IN ({PINNED})");
        let nightly = format!("night = ?1 AND {NIGHTLY}");
        let (condition, values): (&str, Vec<Value>) = match selector {
            Selector::Number(number) => ("id = ?1", vec![(*number).into()]),
            Selector::Label(label) => ("label = ?1", vec![label.clone().into()]),
            Selector::Pin(name) => (&pinned, vec![name.clone().into()]),
            Selector::Night(night) => (&nightly, vec![night.clone().into()]),
            Selector::Fresh(night) => ("night = ?1 AND fresh", vec![night.clone().into()]),
            Selector::Tag { name, value } => (
                "id IN (SELECT run_id FROM tags WHERE name = ?1 AND value = ?2)",
                vec![name.clone().into(), value.clone().into()],
            ),
        };
        let text = format!("SELECT id FROM runs WHERE {condition} ORDER BY started_at, id");
        self.column(&text, values)
    }

    /// The numbers of all runs, in the order in which they were added.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn all_numbers(&self) -> Result<Vec<i64>, StoreError> {
        self.column("SELECT id FROM runs ORDER BY id", Vec::new())
    }

    /// A run, by its number.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn run(&self, number: i64) -> Result<RunResult, StoreError> {
        let text = self.text(number)?;
        parsed(&text).map_err(|why| self.unreadable(number, why))
    }

    /// The JSON of a run, on one line, as it was added.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn text(&self, number: i64) -> Result<String, StoreError> {
        let mut found = self
            .connection
            .prepare_cached("SELECT result FROM runs WHERE id = ?1")
            .map_err(|error| self.failed(error))?;
        let packed: Vec<u8> = found
            .query_row([number], |row| row.get(0))
            .map_err(|error| self.failed(error))?;
        unpacked(&packed).map_err(|why| self.unreadable(number, why))
    }

    fn unreadable(&self, run: i64, why: String) -> StoreError {
        StoreError::Result {
            path: self.file.clone(),
            run,
            why,
        }
    }

    /// The first column of a query.
    pub(super) fn column<T: rusqlite::types::FromSql>(
        &self,
        text: &str,
        values: Vec<Value>,
    ) -> Result<Vec<T>, StoreError> {
        let failed = |error| self.failed(error);
        let mut statement = self.connection.prepare_cached(text).map_err(failed)?;
        let rows = statement
            .query_map(rusqlite::params_from_iter(values), |row| row.get(0))
            .map_err(failed)?;
        rows.collect::<rusqlite::Result<_>>().map_err(failed)
    }
}
