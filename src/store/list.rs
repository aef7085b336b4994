//! What is in a store.

use super::{Store, StoreError};
use crate::compare::{CellKey, tell_apart};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A stored run, without its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunListing {
    pub number: i64,
    pub started_at: Timestamp,
    pub night: String,
    pub cell: String,
    /// 64 hexadecimal digits: two cells may have the same name.
    pub cell_sha256: String,
    /// The first digits of the machine's hashed id; absent where it is not known.
    pub machine: Option<String>,
    pub label: Option<String>,
    pub completed: bool,
    /// Whether it is to confirm what other runs of that night have flagged.
    pub fresh: bool,
    /// Which side of a campaign it is: `a`, `b`.
    pub side: Option<String>,
    /// Absent where it was not completed, or has none.
    pub bytes_per_second: Option<f64>,
    /// Pins that name it.
    pub pins: Vec<String>,
    /// Its `--tag`s, by their names.
    pub tags: BTreeMap<String, String>,
}

/// The stored runs of a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellListing {
    pub cell: String,
    pub cell_sha256: String,
    pub machine: Option<String>,
    /// As tonight is judged by: nights with completed runs that are neither fresh nor of a campaign.
    pub nights: u32,
    pub first_night: String,
    pub last_night: String,
    pub runs: u32,
    pub completed: u32,
    pub labels: Vec<String>,
    pub pins: Vec<String>,
}

const RUNS: &str = "
SELECT r.id, r.started_at, r.night, r.cell_name, r.cell_sha256, r.machine, r.label, r.completed, r.fresh, t.side, f.value
FROM runs r
LEFT JOIN turns t ON t.run_id = r.id
LEFT JOIN figures f ON f.run_id = r.id AND f.metric = 'throughput'
ORDER BY r.started_at, r.id
";

impl Store {
    /// All runs, the oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn list_runs(&self) -> Result<Vec<RunListing>, StoreError> {
        let failed = |error| self.failed(error);
        let mut pins = self.pins_of_runs()?;
        let mut tags = self.tags_of_runs()?;
        let mut statement = self.connection.prepare_cached(RUNS).map_err(failed)?;
        let rows = statement
            .query_map([], |row| {
                let number = row.get(0)?;
                Ok(RunListing {
                    number,
                    started_at: timestamp(row.get(1)?),
                    night: row.get(2)?,
                    cell: row.get(3)?,
                    cell_sha256: row.get(4)?,
                    machine: Some(row.get(5)?).filter(|machine: &String| !machine.is_empty()),
                    label: row.get(6)?,
                    completed: row.get(7)?,
                    fresh: row.get(8)?,
                    side: row.get(9)?,
                    bytes_per_second: row.get(10)?,
                    pins: pins.remove(&number).unwrap_or_default(),
                    tags: tags.remove(&number).unwrap_or_default(),
                })
            })
            .map_err(failed)?;
        rows.collect::<rusqlite::Result<_>>().map_err(failed)
    }

    /// All cells, by their names.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn list_cells(&self) -> Result<Vec<CellListing>, StoreError> {
        let mut of_cells: BTreeMap<String, Vec<RunListing>> = BTreeMap::new();
        for run in self.list_runs()? {
            of_cells.entry(run.cell_sha256.clone()).or_default().push(run);
        }
        let mut keys = self.cells()?;
        tell_apart(keys.iter_mut().collect());
        let listed = keys.into_iter().filter_map(|key| {
            let runs = of_cells.remove(&key.sha256)?;
            listing(key, &runs)
        });
        Ok(listed.collect())
    }

    /// The names that pins give to runs now.
    fn pins_of_runs(&self) -> Result<BTreeMap<i64, Vec<String>>, StoreError> {
        let failed = |error| self.failed(error);
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT run_id, name FROM pins JOIN pinned_runs ON pin_id = id \
                 WHERE id IN (SELECT max(id) FROM pins GROUP BY name) ORDER BY name",
            )
            .map_err(failed)?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(failed)?;
        let mut pins: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for row in rows {
            let (run, name) = row.map_err(failed)?;
            pins.entry(run).or_default().push(name);
        }
        Ok(pins)
    }

    fn tags_of_runs(&self) -> Result<BTreeMap<i64, BTreeMap<String, String>>, StoreError> {
        let failed = |error| self.failed(error);
        let mut statement = self
            .connection
            .prepare_cached("SELECT run_id, name, value FROM tags")
            .map_err(failed)?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))
            .map_err(failed)?;
        let mut tags: BTreeMap<i64, BTreeMap<String, String>> = BTreeMap::new();
        for row in rows {
            let (run, (name, value)) = row.map_err(failed)?;
            tags.entry(run).or_default().insert(name, value);
        }
        Ok(tags)
    }
}

/// Of the runs of one cell, the oldest first.
fn listing(key: CellKey, runs: &[RunListing]) -> Option<CellListing> {
    let (first, last) = (runs.first()?, runs.last()?);
    let count = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
    let nightly = runs
        .iter()
        .filter(|run| run.completed && !run.fresh && run.side.is_none());
    let nights: BTreeSet<&str> = nightly.map(|run| run.night.as_str()).collect();
    let mut labels: Vec<String> = Vec::new();
    let mut pins = BTreeSet::new();
    for run in runs {
        labels.extend(
            run.label
                .iter()
                .filter(|&label| !labels.contains(label))
                .cloned()
                .collect::<Vec<_>>(),
        );
        pins.extend(run.pins.iter().cloned());
    }
    Some(CellListing {
        cell: key.name,
        cell_sha256: key.sha256,
        machine: first.machine.clone(),
        nights: count(nights.len()),
        first_night: first.night.clone(),
        last_night: last.night.clone(),
        runs: count(runs.len()),
        completed: count(runs.iter().filter(|run| run.completed).count()),
        labels,
        pins: pins.into_iter().collect(),
    })
}

/// A stored moment. (All that are stored are within what a timestamp can hold.)
pub(super) fn timestamp(nanoseconds: i64) -> Timestamp {
    Timestamp::from_nanosecond(nanoseconds.into()).unwrap_or_default()
}
