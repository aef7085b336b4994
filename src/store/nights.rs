//! The nights of the cells, as they are judged.

use super::list::timestamp;
use super::record::nanoseconds;
use super::{Store, StoreError};
use crate::compare::{CellKey, Figure, Metric, Observation};
use crate::result::{Environment, Identity, LoadInfo, RunInfo, RunOptions, RunResult};
use jiff::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// A cell with the runs of its last nights.
#[derive(Debug, Clone, PartialEq)]
pub struct NightlyCell {
    pub key: CellKey,
    /// Completed, and of no campaign; the oldest first.
    pub runs: Vec<NightlyRun>,
}

/// A run of a night.
#[derive(Debug, Clone, PartialEq)]
pub struct NightlyRun {
    pub night: String,
    pub started_at: Timestamp,
    /// Whether it is to confirm what the others of that night have flagged (`--tag fresh=1`).
    pub fresh: bool,
    /// `--label`, or the kernel's release.
    pub build: Option<String>,
    /// What must agree: number of [`Facts`], for [`Store::facts`]; absent where the store does not know it.
    pub facts: Option<i64>,
    pub figures: Vec<Figure>,
}

/// A night, and when its first run was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NightStart {
    pub night: String,
    pub started_at: Timestamp,
}

/// What must agree between runs, as it was found: kept apart from results, because most runs have the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    clients: u32,
    loads: Vec<LoadInfo>,
    options: RunOptions,
    identity: Option<Identity>,
}

impl Facts {
    pub(super) fn of(run: &RunResult) -> Facts {
        let identity = run.environment.as_ref();
        Facts {
            clients: run.clients,
            loads: run.loadfiles.clone(),
            options: run.info.options.clone(),
            identity: identity.map(|environment| environment.identity.clone()),
        }
    }

    /// A run of which nothing else is known.
    pub fn observation(&self) -> Observation {
        let info = RunInfo::now(self.options.clone());
        let mut run = RunResult::not_made(info, self.clients, String::new());
        run.loadfiles = self.loads.clone();
        run.environment = self.identity.clone().map(|identity| Environment {
            identity,
            ..Environment::default()
        });
        Observation::from(&run)
    }
}

/// Runs of nights: neither fresh ones nor those of campaigns.
pub(super) const NIGHTLY: &str = "NOT fresh AND id NOT IN (SELECT run_id FROM turns)";

const FIGURES: &str = "
SELECT r.id, r.night, r.started_at, r.fresh, r.build, r.facts_id, f.metric, f.value, f.share
FROM runs r JOIN figures f ON f.run_id = r.id
WHERE r.cell_sha256 = ?1 AND r.started_at >= ?2 AND r.completed AND r.id NOT IN (SELECT run_id FROM turns)
ORDER BY r.started_at, r.id
";

impl Store {
    /// A night by its name, else the last one: the one whose first run was started last.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn night(&self, name: Option<&str>) -> Result<Option<NightStart>, StoreError> {
        let text = format!(
            "SELECT night, min(started_at) AS first FROM runs WHERE completed AND {NIGHTLY} AND (?1 IS NULL OR night = ?1) \
             GROUP BY night ORDER BY first DESC LIMIT 1"
        );
        let failed = |error| self.failed(error);
        let mut statement = self.connection.prepare_cached(&text).map_err(failed)?;
        let mut rows = statement
            .query_map(params![name], |row| {
                Ok(NightStart {
                    night: row.get(0)?,
                    started_at: timestamp(row.get(1)?),
                })
            })
            .map_err(failed)?;
        rows.next().transpose().map_err(failed)
    }

    /// The cells with the runs of their last nights: `tonight`, and so many that were started before it; and of these
    /// the figures of the metrics that are wanted.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn nightly(
        &self,
        tonight: &NightStart,
        nights: usize,
        wanted: &dyn Fn(Metric) -> bool,
    ) -> Result<Vec<NightlyCell>, StoreError> {
        // What is added meanwhile is of no night here, or of each.
        let transaction = self.reading()?;
        let mut metrics = Metrics {
            wanted,
            known: HashMap::new(),
        };
        let mut cells = Vec::new();
        for key in self.cells()? {
            let starts = self.nights_until(&key, tonight, nights)?;
            let Some(first) = starts.values().min() else {
                continue;
            };
            let runs = self.runs_of(&key, *first, &starts, &mut metrics)?;
            cells.push(NightlyCell { key, runs });
        }
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(cells)
    }

    /// What must agree, by its number; None where it has been removed meanwhile, with the last run that it was of.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn facts(&self, number: i64) -> Result<Option<Facts>, StoreError> {
        let text: Vec<String> = self.column("SELECT text FROM facts WHERE id = ?1", vec![number.into()])?;
        let read = text.first().map(|text| serde_json::from_str(text));
        read.transpose().map_err(|error| StoreError::Facts {
            path: self.file().to_owned(),
            number,
            error,
        })
    }

    /// All cells, by their names.
    pub(super) fn cells(&self) -> Result<Vec<CellKey>, StoreError> {
        let failed = |error| self.failed(error);
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT DISTINCT cell_name, cell_sha256, machine FROM runs ORDER BY cell_name, cell_sha256",
            )
            .map_err(failed)?;
        let rows = statement
            .query_map([], |row| {
                Ok(CellKey {
                    name: row.get(0)?,
                    sha256: row.get(1)?,
                    machine: row.get(2)?,
                })
            })
            .map_err(failed)?;
        rows.collect::<rusqlite::Result<_>>().map_err(failed)
    }

    /// Tonight, and the last nights before it, with their starts.
    fn nights_until(
        &self,
        cell: &CellKey,
        tonight: &NightStart,
        most: usize,
    ) -> Result<BTreeMap<String, Timestamp>, StoreError> {
        let text = format!(
            "SELECT night, min(started_at) AS first FROM runs WHERE cell_sha256 = ?1 AND completed AND {NIGHTLY} \
             GROUP BY night HAVING night = ?2 OR first < ?3 ORDER BY night = ?2 DESC, first DESC LIMIT ?4"
        );
        let failed = |error| self.failed(error);
        let mut statement = self.connection.prepare_cached(&text).map_err(failed)?;
        let most = i64::try_from(most.saturating_add(1)).unwrap_or(i64::MAX);
        let start = nanoseconds(tonight.started_at);
        let rows = statement
            .query_map(params![cell.sha256, tonight.night, start, most], |row| {
                Ok((row.get(0)?, timestamp(row.get(1)?)))
            })
            .map_err(failed)?;
        rows.collect::<rusqlite::Result<_>>().map_err(failed)
    }

    fn runs_of(
        &self,
        cell: &CellKey,
        first: Timestamp,
        nights: &BTreeMap<String, Timestamp>,
        metrics: &mut Metrics<'_>,
    ) -> Result<Vec<NightlyRun>, StoreError> {
        let failed = |error| self.failed(error);
        let mut statement = self.connection.prepare_cached(FIGURES).map_err(failed)?;
        let mut rows = statement
            .query(params![cell.sha256, nanoseconds(first)])
            .map_err(failed)?;
        let mut runs: Vec<NightlyRun> = Vec::new();
        let mut last = None;
        while let Some(row) = rows.next().map_err(failed)? {
            let (id, run, figure) = read(row, metrics, last).map_err(failed)?;
            if last != Some(id) {
                last = Some(id);
                runs.extend(run);
            }
            if let Some(run) = runs.last_mut() {
                run.figures.extend(figure);
            }
        }
        runs.retain(|run| nights.contains_key(&run.night));
        Ok(runs)
    }
}

/// A row: the run's number, the run if it is another than the one before, and a figure if it is wanted.
fn read(
    row: &rusqlite::Row<'_>,
    metrics: &mut Metrics<'_>,
    last: Option<i64>,
) -> rusqlite::Result<(i64, Option<NightlyRun>, Option<Figure>)> {
    let id = row.get(0)?;
    let run = match last == Some(id) {
        true => None,
        false => Some(NightlyRun {
            night: row.get(1)?,
            started_at: timestamp(row.get(2)?),
            fresh: row.get(3)?,
            build: row.get(4)?,
            facts: row.get(5)?,
            figures: Vec::new(),
        }),
    };
    let name = row.get_ref(6)?.as_str().unwrap_or_default();
    let figure = match metrics.of(name) {
        Some(metric) => Some(Figure {
            metric,
            value: row.get(7)?,
            share_of_time: row.get(8)?,
        }),
        None => None,
    };
    Ok((id, run, figure))
}

/// Reads the names of metrics, each once.
struct Metrics<'w> {
    wanted: &'w dyn Fn(Metric) -> bool,
    known: HashMap<String, Option<Metric>>,
}

impl Metrics<'_> {
    /// The metric of a name; None where it is not wanted, or a later version's.
    fn of(&mut self, name: &str) -> Option<Metric> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let metric = name.parse().ok().filter(|&metric| (self.wanted)(metric));
        self.known.insert(name.to_owned(), metric);
        metric
    }
}
