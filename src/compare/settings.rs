//! What is compared, and how.

use super::{CellKey, Gate, Metric, Observation};
use crate::stats::FLOOR;
use std::fmt;

/// The runs of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct SideRuns {
    /// For people: the file, or what was selected in the store.
    pub name: String,
    pub runs: Vec<Observation>,
}

/// How two sides are compared.
#[derive(Clone, Copy)]
pub struct Settings<'s> {
    /// Which metrics decide.
    pub gate: &'s Gate,
    /// `--floor`, as a share; absent: [`FLOOR`].
    pub floor: Option<f64>,
    /// Compare what is not comparable, with a footnote.
    pub force: bool,
    /// What must agree differs between the sides by intention: it is told as what is varied, and refuses nothing. Sides
    /// that took turns in a campaign are always compared so. Differences within a side stay what they are.
    pub sides_differ_by_intention: bool,
    /// By how much equal runs of a cell differ, one figure for each comparison of equal sides: absolute logarithms of
    /// ratios, or amounts, as [`Metric::scale`] says.
    pub equal_runs: Option<EqualRuns<'s>>,
}

/// Answers by how much equal runs of a cell differ in a metric.
pub type EqualRuns<'s> = &'s dyn Fn(&CellKey, Metric) -> Vec<f64>;

impl<'s> Settings<'s> {
    /// As a comparison is made when nothing is asked for beyond the metrics that decide.
    pub fn new(gate: &'s Gate) -> Settings<'s> {
        Settings {
            gate,
            floor: None,
            force: false,
            sides_differ_by_intention: false,
            equal_runs: None,
        }
    }

    /// The effect floor that was asked for, as a share.
    pub fn floor(&self) -> f64 {
        self.floor.unwrap_or(FLOOR)
    }
}

impl fmt::Debug for Settings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("gate", &self.gate)
            .field("floor", &self.floor)
            .field("force", &self.force)
            .field("sides_differ_by_intention", &self.sides_differ_by_intention)
            .finish_non_exhaustive()
    }
}
