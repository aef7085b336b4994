//! What is kept of a run of a sweep.

use super::figure::{Figure, figures};
use super::mark::Mark;
use crate::result::{AxisKind, Cell, End, LoadInfo, RunResult, Warning};
use std::collections::{BTreeMap, BTreeSet};

/// A run of a cell.
#[derive(Debug, Clone)]
pub(super) struct CellRun {
    /// The cell's number.
    pub(super) cell: u32,
    /// A value for each axis.
    pub(super) values: Vec<String>,
    /// Which run of the cell, of how many.
    number: u32,
    pub(super) runs: u32,
    started_at: jiff::Timestamp,
    pub(super) ended: Ended,
    pub(super) clients: u32,
    pub(super) loads: Vec<LoadInfo>,
    /// Empty unless it completed.
    pub(super) figures: Vec<(Figure, f64)>,
    pub(super) marks: BTreeSet<Mark>,
}

/// The cell's number, the run's, and when it was started.
pub(super) type RunKey = (u32, u32, jiff::Timestamp);

/// How a run of a cell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Completed,
    /// It is as if it had not been run: a resumed sweep makes it again.
    Interrupted,
    Failed,
}

impl CellRun {
    pub(super) fn new(result: &RunResult, cell: &Cell) -> CellRun {
        let ended = match result.end {
            End::Completed => Ended::Completed,
            End::Interrupted(_) => Ended::Interrupted,
            End::Failed(_) => Ended::Failed,
        };
        let completed = ended == Ended::Completed;
        CellRun {
            cell: cell.number,
            values: cell.coordinates.iter().map(|at| at.value.clone()).collect(),
            number: result.info.run_number,
            runs: result.info.runs,
            started_at: result.info.started_at,
            ended,
            clients: result.clients,
            loads: result.loadfiles.clone(),
            figures: if completed { figures(result) } else { Vec::new() },
            marks: if completed {
                marks(result, cell)
            } else {
                BTreeSet::new()
            },
        }
    }

    /// By which a run that is read twice is known.
    pub(super) fn key(&self) -> RunKey {
        (self.cell, self.number, self.started_at)
    }

    /// Whether it is the same run of the same cell, made again.
    pub(super) fn replaces(&self, earlier: &CellRun) -> bool {
        let same = (self.cell, self.number) == (earlier.cell, earlier.number);
        same && earlier.ended != Ended::Completed
    }
}

fn marks(result: &RunResult, cell: &Cell) -> BTreeSet<Mark> {
    let corrupt = result
        .verification
        .as_ref()
        .is_some_and(|found| found.corrupt_reads > 0);
    let differed = result.outcomes.differed > 0 && !result.outcomes.ignored;
    let mut probed = result.probe.iter().flat_map(|probe| &probe.activities);
    let lost = result.completions.is_some_and(|completions| completions.lost > 0);
    let marks = [
        (
            Mark::BackgroundLimit,
            background_not_below_limit(result, cell) || result.warnings.iter().any(is_background_doubt),
        ),
        (Mark::Differed, corrupt || differed),
        (Mark::BystanderFailed, probed.any(|one| one.errors > 0)),
        (Mark::CompletionsLost, lost),
    ];
    marks
        .into_iter()
        .filter_map(|(mark, is)| is.then_some(mark))
        .collect()
}

fn is_background_doubt(warning: &Warning) -> bool {
    matches!(warning, Warning::BackgroundNotBelow { .. })
}

/// Whether the background limit is not below the limit, in the cell or, what is no axis, on the machine. Such limits
/// are allowed; mm/page-writeback.c then takes half of the limit in place of the background limit
/// (domain_dirty_limits).
fn background_not_below_limit(result: &RunResult, cell: &Cell) -> bool {
    let none = BTreeMap::new();
    let machine = result.environment.as_ref();
    let machine = machine.map_or(&none, |environment| &environment.nuisance.sysctls);
    let value = |name: &str| -> Option<u64> {
        let typed = cell.value(&AxisKind::Sysctl(name.to_owned()));
        typed
            .or_else(|| machine.get(name).map(String::as_str))?
            .trim()
            .parse()
            .ok()
    };
    let varies = |name: &str| cell.value(&AxisKind::Sysctl(name.to_owned())).is_some();
    let pairs = [
        ("vm.dirty_background_ratio", "vm.dirty_ratio"),
        ("vm.dirty_background_bytes", "vm.dirty_bytes"),
    ];
    pairs.into_iter().any(|(background, limit)| {
        if !varies(background) && !varies(limit) {
            return false;
        }
        // 0 is what the one of bytes and ratio says that is not in use.
        match (value(background), value(limit)) {
            (Some(background), Some(limit)) => limit > 0 && background >= limit,
            _ => false,
        }
    })
}
