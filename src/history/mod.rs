//! The nights of a cell: tonight's gate, and where its figures changed. Reads results only.

mod advice;
mod agreement;
mod check;
mod nights;
mod series;

pub use check::{CheckSettings, Checked, IdentityConflict, check};
pub use series::LEAST_FRESH;

use crate::compare::Metric;
use serde::{Deserialize, Serialize};

/// What became of all cells and metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryCheck {
    pub series: Vec<Series>,
    /// What is to be known or done.
    pub notes: Vec<String>,
}

/// One metric of one cell on one machine, night by night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// As in a comparison's rows: `client 4 clients on ext4`.
    pub cell: String,
    /// The first digits of the machine's hashed id.
    pub machine: String,
    pub metric: Metric,
    /// Whether it decides (exit code).
    pub gated: bool,
    /// The oldest first.
    pub nights: Vec<Night>,
    pub change_points: Vec<DatedChange>,
    /// Absent where there are too few nights before, or none tonight.
    pub tonight: Option<Tonight>,
}

/// One night: the median over its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Night {
    /// `2026-03-01`: the tag `night` of its runs, or the date in UTC.
    pub date: String,
    /// In the metric's base unit.
    pub median: f64,
    pub runs: u32,
    /// `--label` of its runs, or the kernel's release.
    pub build: Option<String>,
}

/// A night from which on figures lie elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatedChange {
    /// Number in [`Series::nights`] of the first night at the new level, from 0.
    pub night: u32,
    pub date: String,
    pub build: Option<String>,
    /// Median after / median before - 1; an amount where the metric is told by differences.
    pub size: f64,
    pub p: f64,
    /// Whether it is for the worse.
    pub worse: bool,
    /// Whether only tonight's figures show it.
    pub new_tonight: bool,
}

/// Tonight beside what was to be expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tonight {
    /// The prediction interval (99 %), and its middle, in the metric's base unit.
    pub expected: f64,
    pub low: f64,
    pub high: f64,
    pub p: f64,
    /// From how many nights since the last change point.
    pub nights: u32,
    pub verdict: TonightVerdict,
}

/// What became of tonight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TonightVerdict {
    /// As expected.
    Steady,
    /// Worse than expected, beyond the floor: fresh runs are asked for.
    SuspectedWorse,
    /// Better than expected, beyond the floor: fresh runs are asked for.
    SuspectedBetter,
    /// Fresh runs say so too.
    ConfirmedWorse,
    ConfirmedBetter,
    /// Fresh runs do not say so.
    NotConfirmed,
}
