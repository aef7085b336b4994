//! Which cell of a sweep a run belongs to.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What an axis of a sweep varies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum AxisKind {
    /// How many clients.
    Clients,
    /// The loadfile, or bundled load.
    Load,
    /// The directory that is worked in.
    Directory,
    /// Which processors the clients are bound to.
    Pin,
    /// A parameter of the loadfile: its name.
    Parameter(String),
    /// A kernel setting below /proc/sys: its dotted name.
    Sysctl(String),
    /// A kernel setting below /sys: its path from there.
    Sysfs(String),
    /// An option of a run: its long name, without dashes.
    Option(String),
}

/// The name that tables show.
impl fmt::Display for AxisKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AxisKind::Clients => "clients",
            AxisKind::Load => "load",
            AxisKind::Directory => "dir",
            AxisKind::Pin => "pin",
            AxisKind::Parameter(name)
            | AxisKind::Sysctl(name)
            | AxisKind::Sysfs(name)
            | AxisKind::Option(name) => name,
        })
    }
}

/// The value of one axis in a cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Coordinate {
    pub axis: AxisKind,
    /// As typed.
    pub value: String,
}

/// The cell of a sweep that a run belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// When the sweep was started: RFC 3339, UTC. The same for all its runs, also those after `--resume`.
    pub sweep_started_at: jiff::Timestamp,
    /// What was typed after `rbench sweep`, from which it is resumed.
    pub sweep_command: Vec<String>,
    /// Where it was started: relative paths in the command are from there.
    pub sweep_directory: String,
    /// From 1, in the order of the typed values, the last axis fastest.
    pub number: u32,
    /// How many cells the sweep has.
    pub cells: u32,
    /// One for each axis, in the order typed; axes of a single value too.
    pub coordinates: Vec<Coordinate>,
}

impl Cell {
    /// The value of an axis.
    pub fn value(&self, axis: &AxisKind) -> Option<&str> {
        let found = self.coordinates.iter().find(|at| at.axis == *axis);
        found.map(|at| at.value.as_str())
    }
}
