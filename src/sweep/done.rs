//! What of a sweep is done, from its stored results.

use super::Turn;
use crate::result::{Cell, RunResult};
use std::collections::{BTreeMap, BTreeSet};

/// Why stored results are not those of one sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DoneError {
    #[error("holds a run that belongs to no sweep: name a file that `rbench sweep` has written")]
    NoSweep,
    #[error("holds runs of several sweeps ({first} and {other}): name a file that holds one")]
    Several {
        first: jiff::Timestamp,
        other: jiff::Timestamp,
    },
    #[error(
        "the loadfile `{name}` is not what it was when the sweep was started (SHA-256 {now}, was {was}): put the old one back, or start a new sweep"
    )]
    OtherLoad { name: String, was: String, now: String },
}

/// The runs of a sweep that are done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Done {
    sweep: Option<Cell>,
    turns: BTreeSet<Turn>,
    /// SHA-256 by the loadfile's name.
    loads: BTreeMap<String, String>,
}

impl Done {
    /// Adds a stored run.
    ///
    /// # Errors
    /// It belongs to no sweep, or to another one.
    pub fn add(&mut self, run: &RunResult) -> Result<(), DoneError> {
        let cell = run.info.cell.as_ref().ok_or(DoneError::NoSweep)?;
        let first = self.sweep.get_or_insert_with(|| cell.clone());
        if first.sweep_started_at != cell.sweep_started_at {
            return Err(DoneError::Several {
                first: first.sweep_started_at,
                other: cell.sweep_started_at,
            });
        }
        self.turns.insert(Turn {
            cell: cell.number,
            run: run.info.run_number,
        });
        for load in &run.loadfiles {
            self.loads.insert(load.name.clone(), load.sha256.clone());
        }
        Ok(())
    }

    /// The sweep, as the first of its runs tells it; absent where there is none.
    pub fn sweep(&self) -> Option<&Cell> {
        self.sweep.as_ref()
    }

    /// Whether a run is done.
    pub fn has(&self, turn: Turn) -> bool {
        self.turns.contains(&turn)
    }

    /// Refuses a loadfile that has changed since.
    ///
    /// # Errors
    /// [`DoneError::OtherLoad`].
    pub fn check_load(&self, name: &str, sha256: &str) -> Result<(), DoneError> {
        match self.loads.get(name) {
            Some(was) if was != sha256 => Err(DoneError::OtherLoad {
                name: name.to_owned(),
                was: was.clone(),
                now: sha256.to_owned(),
            }),
            _ => Ok(()),
        }
    }
}
