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
}
