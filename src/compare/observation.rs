//! What is kept of a run for comparing it.

use super::axis::axis;
use super::cell::OF_A_MIX;
use super::identity::identity;
use super::nuisance::{moment, nuisance};
use super::property::Property;
use super::{CellKey, Figure, Metric, figures};
use crate::result::{End, RunResult, Turn};
use crate::warning::Warning;
use serde_json::Value;

/// A run as comparisons see it: its figures, and what tells whether they may be compared. (A [`RunResult`] holds megabytes
/// of histograms.)
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    pub cell: CellKey,
    /// As the cell's name, but without the file system, the machine and the options: what is the same where only these
    /// have changed.
    pub load: String,
    /// Its cell's number in a sweep.
    pub number: Option<u32>,
    pub started_at: jiff::Timestamp,
    pub turn: Option<Turn>,
    pub end: End,
    /// None where the run was not completed.
    pub figures: Vec<Figure>,
    /// What must agree.
    pub identity: Vec<Property>,
    /// What is varied.
    pub axis: Vec<Property>,
    /// What should agree: what stays from run to run, and what is another one with each.
    pub nuisance: Vec<Property>,
    pub moment: Vec<Property>,
    /// Kinds of its warnings, as stored: `unsteady`, `other_load`; each once.
    pub warnings: Vec<String>,
}

impl Observation {
    /// A figure of the run; absent where it was not measured.
    pub fn figure(&self, metric: Metric) -> Option<Figure> {
        self.figures
            .iter()
            .find(|figure| figure.metric == metric)
            .copied()
    }
}

impl From<&RunResult> for Observation {
    fn from(run: &RunResult) -> Observation {
        let mut warnings: Vec<String> = run.warnings.iter().filter_map(kind).collect();
        warnings.sort();
        warnings.dedup();
        Observation {
            cell: CellKey::of(run),
            load: load(run),
            number: run.info.cell.as_ref().map(|cell| cell.number),
            started_at: run.info.started_at,
            turn: run.info.turn.clone(),
            end: run.end.clone(),
            figures: figures(run),
            identity: identity(run),
            axis: axis(run),
            nuisance: nuisance(run),
            moment: moment(run),
            warnings,
        }
    }
}

fn kind(warning: &Warning) -> Option<String> {
    if let Warning::Unknown { kind, .. } = warning {
        return Some(kind.clone());
    }
    let value = serde_json::to_value(warning).ok()?;
    value.get("kind").and_then(Value::as_str).map(str::to_owned)
}

fn load(run: &RunResult) -> String {
    let loads = run.loadfiles.iter().map(|load| {
        let parameters = load.params.iter().map(|(name, value)| format!(" {name}={value}"));
        format!("{}{}", load.name, parameters.collect::<String>())
    });
    let loads: Vec<String> = loads.collect();
    let mut text = format!("{}, {} clients", loads.join("+"), run.clients);
    let tags = ["cell"].into_iter().chain(OF_A_MIX);
    for tag in tags.filter_map(|tag| run.info.tags.get(tag)) {
        text += &format!(", {tag}");
    }
    for at in run.info.cell.iter().flat_map(|cell| &cell.coordinates) {
        text += &format!(", {}={}", at.axis, at.value);
    }
    text
}
