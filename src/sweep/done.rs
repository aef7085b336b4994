//! What of a sweep is done, from its stored results.

use super::{Grid, Turn};
use crate::result::{Cell, Coordinate, End, RunResult};
use std::collections::{BTreeMap, BTreeSet};

/// Why stored results are not those of one sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DoneError {
    #[error(
        "cell {cell} in it is not cell {cell} of the sweep that its command makes: it was changed; start a new sweep"
    )]
    OtherGrid { cell: u32 },
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
    /// Each cell's number, how many there were to be, and where it is.
    cells: BTreeMap<u32, (u32, Vec<Coordinate>)>,
    /// Those that have failed, and not been made well since.
    failed: BTreeSet<Turn>,
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
        let turn = Turn {
            cell: cell.number,
            run: run.info.run_number,
        };
        self.turns.insert(turn);
        let place = || (cell.cells, cell.coordinates.clone());
        self.cells.entry(cell.number).or_insert_with(place);
        match run.end {
            End::Completed => self.failed.remove(&turn),
            _ => self.failed.insert(turn),
        };
        for load in &run.loadfiles {
            self.loads.insert(load.name.clone(), load.sha256.clone());
        }
        Ok(())
    }

    /// The sweep, as the first of its runs tells it; absent where there is none.
    pub fn sweep(&self) -> Option<&Cell> {
        self.sweep.as_ref()
    }

    /// Whether a run has failed, and was not made well since.
    pub fn has_failed(&self, turn: Turn) -> bool {
        self.failed.contains(&turn)
    }

    /// How many runs have failed, and were not made well since.
    pub fn failed(&self) -> usize {
        self.failed.len()
    }

    /// Whether a run is done.
    pub fn has(&self, turn: Turn) -> bool {
        self.turns.contains(&turn)
    }

    /// Refuses cells that are not those of the sweep's grid.
    ///
    /// # Errors
    /// [`DoneError::OtherGrid`].
    pub fn check_grid(&self, grid: &Grid) -> Result<(), DoneError> {
        for (&number, (cells, coordinates)) in &self.cells {
            let within = (1..=grid.cells()).contains(&number) && *cells == grid.cells();
            if !within || *coordinates != grid.coordinates(number) {
                return Err(DoneError::OtherGrid { cell: number });
            }
        }
        Ok(())
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
