//! From the runs of a campaign to a verdict and an exit code.

use super::super::Failure;
use super::super::compare::{Stored, campaigns, refused, settings, told};
use super::super::run::store_of;
use crate::cli::AbArgs;
use crate::compare::{CellKey, Comparison, Gate, Metric, Observation, Refusal, Settings, compare_turns};
use crate::report::ComparisonView;

/// How the campaign is judged.
pub struct Judging<'a> {
    args: &'a AbArgs,
    gate: Gate,
    /// Where --store adds the runs: it tells what equal runs differ by.
    stored: Option<Stored>,
}

impl<'a> Judging<'a> {
    /// As typed.
    ///
    /// # Errors
    /// The store cannot be opened (exit 2).
    pub fn new(args: &'a AbArgs) -> Result<Judging<'a>, Failure> {
        let place = store_of(&args.base)?;
        let stored = place.map(|place| Stored::find_to_add(place.file.as_deref()));
        Ok(Judging {
            args,
            gate: args.judge.gate.clone().unwrap_or_default(),
            stored: stored.transpose()?,
        })
    }

    /// Whether --gate was typed.
    pub fn gate_is_typed(&self) -> bool {
        self.args.judge.gate.is_some()
    }

    fn compared(&self, runs: &[Observation], confirm: bool) -> Result<Comparison, Refusal> {
        let judged = campaigns(runs);
        let equal = |cell: &CellKey, metric: Metric| {
            let stored = self.stored.as_ref();
            stored.map_or(Vec::new(), |stored| stored.equal_runs(cell, metric, &judged))
        };
        let settings = Settings {
            sides_differ_by_intention: true,
            equal_runs: Some(&equal),
            ..settings(&self.args.judge, &self.gate)
        };
        compare_turns(runs, &settings, confirm)
    }

    /// What the pairs so far flag; nothing where they cannot be compared.
    pub fn flagged(&self, runs: &[Observation]) -> Vec<Metric> {
        self.compared(runs, false)
            .map_or(Vec::new(), |comparison| comparison.flagged())
    }

    /// The verdict; with --confirm only what fresh pairs flag too.
    ///
    /// # Errors
    /// No pair is complete, or they must not be compared (exit 4).
    pub fn judge(&self, runs: &[Observation]) -> Result<Comparison, Failure> {
        let judged = self.compared(runs, self.args.confirm);
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
