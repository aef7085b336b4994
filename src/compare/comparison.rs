//! What became of a candidate beside its baseline.

use super::Metric;
use crate::stats::{Judgement, Verdict};
use serde::{Deserialize, Serialize};

/// Two sets of runs, compared: what tables, pages and programs are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub base: Side,
    pub candidate: Side,
    /// Interleaved runs are compared pair by pair.
    pub paired: bool,
    /// The effect floor that was asked for, as a share; rows have their own.
    pub floor: f64,
    /// What differs by intention (kernel, version, label …): name, baseline's value, candidate's.
    pub varied: Vec<(String, String, String)>,
    /// Cell by cell, in each the gated metrics first.
    pub rows: Vec<Row>,
    pub notes: Vec<Note>,
}

/// One of the two sets of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The file, or what was selected in the store.
    pub name: String,
    /// How many runs are compared.
    pub runs: u32,
    pub first_started_at: Option<jiff::Timestamp>,
    pub last_started_at: Option<jiff::Timestamp>,
}

/// One metric of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Load, clients, and what else tells it from the others: `client 4 clients on ext4`.
    pub cell: String,
    pub metric: Metric,
    /// Whether it decides (exit code).
    pub gated: bool,
    pub base: Sample,
    pub candidate: Sample,
    /// The effect floor of this row: a share of the baseline, or an amount where the scale is a difference.
    pub floor: f64,
    /// Absent for what is shown and never tested.
    pub judgement: Option<Judgement>,
    /// Numbers of [`Comparison::notes`], from 1.
    pub notes: Vec<u32>,
}

/// The figures of one metric on one side, in its base unit: bytes per second, operations per second, seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub values: Vec<f64>,
    pub median: Option<f64>,
    /// Half the width of the exact interval of the median (at least 95 %), as a share of it; absent where there are too few.
    pub spread: Option<f64>,
}

/// A footnote; the text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub kind: NoteKind,
    pub text: String,
}

/// Why there is a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// What must agree differs, and `--force` was given.
    Identity,
    /// What disturbs differs.
    Nuisance,
    /// All runs of one side came before those of the other.
    Drift,
    /// Too few runs.
    Insufficient,
    /// The floor was raised to what differs between equal runs.
    Floor,
    /// Runs were left out, or have warnings of their own.
    Runs,
    /// Whether fresh runs confirm what others have flagged.
    Confirmation,
    /// What else is to be known or done.
    Advice,
}

impl Comparison {
    /// Whether a gated metric is worse.
    pub fn has_regressed(&self) -> bool {
        self.gated_verdicts().any(|verdict| verdict == Verdict::Regressed)
    }

    /// Whether a gated metric cannot be told, or there is none.
    pub fn is_inconclusive(&self) -> bool {
        let unclear = [Verdict::Inconclusive, Verdict::Insufficient];
        self.gated_verdicts().next().is_none()
            || self.gated_verdicts().any(|verdict| unclear.contains(&verdict))
    }

    /// What the process ends with: 1 where a gated metric is worse; 3 where one cannot be told (or there is none) and that is to count
    /// (`--strict`); otherwise 0.
    pub fn exit_code(&self, strict: bool) -> u8 {
        match (self.has_regressed(), strict && self.is_inconclusive()) {
            (true, _) => 1,
            (false, true) => 3,
            (false, false) => 0,
        }
    }

    fn gated_verdicts(&self) -> impl Iterator<Item = Verdict> {
        let gated = self.rows.iter().filter(|row| row.gated);
        gated.filter_map(|row| row.judgement.map(|judgement| judgement.verdict))
    }
}
