//! Why runs are not compared.

use super::property::{Difference, Mixture};

/// Why two sides are not compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines().join("\n"))]
pub enum Refusal {
    /// A side has no run that was completed.
    NoRuns {
        side: String,
        /// So many failed, or were interrupted.
        left_out: u32,
    },
    /// The sides took turns, and of no pair both runs were completed.
    NoPairs { base: String, candidate: String },
    /// No cell has runs on both sides.
    NoCommonCell {
        base: String,
        candidate: String,
        /// The cells of each, by name.
        of_base: Vec<String>,
        of_candidate: Vec<String>,
    },
    /// What must agree does not.
    Identity {
        base: String,
        candidate: String,
        conflicts: Vec<Conflict>,
    },
}

/// What must agree and does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// Between the sides; with the cells, where not all are concerned.
    Between {
        difference: Difference,
        cells: Vec<String>,
    },
    /// Between the runs of one side.
    Within {
        side: String,
        mixture: Mixture,
        cells: Vec<String>,
    },
}

/// How many cells are named.
const NAMED: usize = 5;

impl Refusal {
    /// What happened and what to do, line by line. Names stand in them as they are: whoever prints them makes them safe.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Refusal::NoRuns { side, left_out: 0 } => vec![format!("{side}: there are no runs to compare")],
            Refusal::NoRuns { side, left_out } => vec![format!(
                "{side}: there are no runs to compare: {} failed or {} interrupted; run again",
                super::notes::runs(*left_out),
                if *left_out == 1 { "was" } else { "were" },
            )],
            Refusal::NoPairs { base, candidate } => vec![format!(
                "{base}, {candidate}: of no pair both runs were completed; run again"
            )],
            Refusal::NoCommonCell {
                base,
                candidate,
                of_base,
                of_candidate,
            } => vec![
                "no cell has runs on both sides: compare runs of the same load with as many clients"
                    .to_owned(),
                format!("  {base} has {}", named(of_base)),
                format!("  {candidate} has {}", named(of_candidate)),
            ],
            Refusal::Identity {
                base,
                candidate,
                conflicts,
            } => {
                let mut lines = vec!["these runs must not be compared, because they differ in".to_owned()];
                lines.extend(
                    conflicts
                        .iter()
                        .map(|one| format!("  {}", one.text(base, candidate))),
                );
                lines.push(
                    "make runs that agree in this, or compare all the same with --force, at the price of a footnote"
                        .to_owned(),
                );
                lines
            }
        }
    }
}

impl Conflict {
    /// On one line.
    pub fn text(&self, base: &str, candidate: &str) -> String {
        match self {
            Conflict::Between { difference, cells } => {
                let Difference {
                    name,
                    base: of_base,
                    candidate: of_candidate,
                } = difference;
                format!(
                    "{name}: {base}: {of_base}; {candidate}: {of_candidate}{}",
                    of_cells(cells)
                )
            }
            Conflict::Within { side, mixture, cells } => format!(
                "{}: within {side}: {}{}",
                mixture.name,
                mixture.values.join(" and "),
                of_cells(cells)
            ),
        }
    }
}

fn of_cells(cells: &[String]) -> String {
    match cells {
        [] => String::new(),
        cells => format!(" ({})", named(cells)),
    }
}

/// The first names, and how many there are beyond them.
pub(super) fn named(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
