//! What the store adds to comparisons: runs by their names, and what equal runs differ by.

use crate::cmd::{Failure, tell};
use crate::compare::{CellKey, Metric, Observation};
use crate::report::printable;
use crate::store::{Selector, Store, StoreError};
use anyhow::anyhow;
use jiff::Timestamp;
use std::cell::Cell;
use std::path::Path;

/// The store, where there is one.
pub(in crate::cmd) struct Stored {
    /// Without one, why.
    store: Result<Store, StoreError>,
    /// Whether it was told that it cannot be read.
    is_told: Cell<bool>,
}

impl Stored {
    /// Looks for it. Comparisons of files need none, so that it need not be there unless it was named.
    ///
    /// # Errors
    /// The one that was named is not there, or cannot be opened (exit 2).
    pub(in crate::cmd) fn find(place: Option<&Path>) -> Result<Stored, Failure> {
        match Store::open_existing(place) {
            Err(error) if place.is_some() => Err(unusable(&error)),
            store => Ok(Stored::new(store)),
        }
    }

    /// Looks for the one that runs are to be added to: the first of them makes it.
    ///
    /// # Errors
    /// It is there, and cannot be opened (exit 2).
    pub(in crate::cmd) fn find_to_add(place: Option<&Path>) -> Result<Stored, Failure> {
        match Store::open_existing(place) {
            Err(error) if place.is_some() && !matches!(error, StoreError::Missing { .. }) => {
                Err(unusable(&error))
            }
            store => Ok(Stored::new(store)),
        }
    }

    fn new(store: Result<Store, StoreError>) -> Stored {
        Stored {
            store,
            is_told: Cell::new(false),
        }
    }

    /// The runs that a name selects.
    ///
    /// # Errors
    /// There is no store, it cannot be read, or holds none of that name (exit 2).
    pub(super) fn selected(&self, name: &str) -> Result<Vec<Observation>, Failure> {
        let no_such = |error: &dyn std::fmt::Display| {
            let text = format!("{name}: there is no such file, and stored runs cannot be meant: {error}");
            Failure::usage(anyhow!("{}", printable(&text)))
        };
        let store = self.store.as_ref().map_err(|error| no_such(error))?;
        let Ok(selector) = name.parse::<Selector>();
        let numbers = store.numbers(&selector).map_err(|error| no_such(&error))?;
        if numbers.is_empty() {
            return Err(no_such(&store.nothing(&selector)));
        }
        // One after the other: each holds megabytes of which only a part is kept.
        let runs = numbers
            .into_iter()
            .map(|number| store.run(number).map(|run| Observation::from(&run)));
        runs.collect::<Result<_, _>>().map_err(|error| no_such(&error))
    }

    /// What equal runs of a cell differ by: nothing where there is no store. One that cannot be read is told once.
    /// Campaigns of `except`, by when they were started, do not count.
    pub(in crate::cmd) fn equal_runs(
        &self,
        cell: &CellKey,
        metric: Metric,
        except: &[Timestamp],
    ) -> Vec<f64> {
        let differences = match &self.store {
            Ok(store) => store
                .aa_differences(cell, metric, except)
                .map_err(|error| error.to_string()),
            Err(StoreError::Missing { .. } | StoreError::NoHome) => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        };
        differences.unwrap_or_else(|error| {
            if !self.is_told.replace(true) {
                let error = printable(&error);
                tell(format_args!(
                    "warning: what equal runs differ by is not known: {error}"
                ));
            }
            Vec::new()
        })
    }
}

fn unusable(error: &StoreError) -> Failure {
    Failure::usage(anyhow!("{}", printable(&error.to_string())))
}

/// The campaigns of `rbench ab` that runs belong to, by when they were started.
pub(in crate::cmd) fn campaigns<'r>(runs: impl IntoIterator<Item = &'r Observation>) -> Vec<Timestamp> {
    let turns = runs.into_iter().filter_map(|run| run.turn.as_ref());
    let mut started: Vec<Timestamp> = turns.map(|turn| turn.campaign_started_at).collect();
    started.sort_unstable();
    started.dedup();
    started
}
