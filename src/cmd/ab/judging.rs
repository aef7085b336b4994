//! From the runs of a campaign to a verdict and an exit code.

use super::super::Failure;
use super::super::compare::{refused, settings, told};
use crate::cli::AbArgs;
use crate::compare::{Comparison, Gate, Metric, Observation, Settings, compare_turns};
use crate::report::ComparisonView;

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

    /// Whether --gate was typed.
    pub fn gate_is_typed(&self) -> bool {
        self.args.judge.gate.is_some()
    }

    /// `--floor`, as a share.
    pub fn floor(&self) -> Option<f64> {
        self.settings().floor
    }

    fn settings(&self) -> Settings<'_> {
        Settings {
            sides_differ_by_intention: true,
            ..settings(&self.args.judge, &self.gate)
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
        let judged = compare_turns(runs, &self.settings(), self.args.confirm);
        judged.map_err(|refusal| refused(&refusal))
    }

    /// The exit code that tells it.
    pub fn code(&self, comparison: &Comparison) -> u8 {
        comparison.exit_code(self.args.judge.strict)
    }

    /// As `rbench compare` tells it.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn text(&self, comparison: &Comparison) -> Result<String, Failure> {
        let view = ComparisonView {
            ratio: self.args.ratio,
            all: self.args.all,
        };
        told(comparison, self.args.form, view)
    }
}
