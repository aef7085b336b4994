//! From the runs of a campaign to a verdict and an exit code.

use super::super::Failure;
use crate::cli::AbArgs;
use crate::compare::{Comparison, Gate, Metric, Observation, Settings, compare_turns};

/// How the campaign is judged.
pub struct Judging<'a> {
    args: &'a AbArgs,
    gate: Gate,
}

impl<'a> Judging<'a> {
    /// As typed.
    pub fn new(args: &'a AbArgs) -> Judging<'a> {
        Judging {
            args,
            gate: args.judge.gate.clone().unwrap_or_default(),
        }
    }

    /// Which metrics decide.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    fn settings(&self) -> Settings<'_> {
        Settings {
            floor: self.args.judge.floor.map(|share| share.0),
            force: self.args.judge.force,
            sides_differ_by_intention: true,
            ..Settings::new(&self.gate)
        }
    }

    /// What the pairs so far flag; nothing where they cannot be compared.
    pub fn flagged(&self, runs: &[Observation]) -> Vec<Metric> {
        compare_turns(runs, &self.settings(), false).map_or(Vec::new(), |comparison| comparison.flagged())
    }

    /// The verdict; with --confirm only what fresh pairs flag too.
    ///
    /// # Errors
    /// No pair is complete, or they must not be compared (exit 4).
    pub fn judge(&self, runs: &[Observation]) -> Result<Comparison, Failure> {
        compare_turns(runs, &self.settings(), self.args.confirm).map_err(|refusal| Failure {
            code: 4,
            error: refusal.into(),
        })
    }

    /// The exit code that tells it: 1 a regression, 3 it cannot be told (with --strict).
    pub fn code(&self, comparison: &Comparison) -> u8 {
        if comparison.has_regressed() {
            1
        } else if self.args.judge.strict && comparison.is_inconclusive() {
            3
        } else {
            0
        }
    }

    /// As `rbench compare` tells it.
    pub fn text(&self, comparison: &Comparison) -> String {
        let mut text = String::new();
        for row in &comparison.rows {
            let judgement = row.judgement.as_ref();
            let verdict = judgement.map(|judgement| judgement.verdict.to_string());
            text += &format!(
                "{} {} {:?} {:?} {:?} {}\n",
                row.metric,
                if row.gated { "gated" } else { "" },
                row.base.median,
                row.candidate.median,
                judgement.and_then(|j| j.estimate),
                verdict.unwrap_or_default()
            );
        }
        for note in &comparison.notes {
            text += &format!("{}\n", note.text);
        }
        text
    }
}
