//! Tables of sweeps, in the forms that people publish. docs/tables.md tells how each looks and how its figures are made.

mod affinity;
mod axes;
mod cell;
mod choice;
mod error;
mod figure;
mod grid;
mod iops;
mod long;
mod mark;
mod matrix;
mod pictures;
mod ratio;
mod run;
mod sweep;
mod sweet_spot;
mod tio;

use crate::result::{Activity, AxisKind, RunResult};
use axes::Axis;
pub use error::LayoutError;
pub use ratio::ratio;
use run::{CellRun, RunKey};
use rustc_hash::FxHashSet;
use std::fmt;
use sweep::Sweep;

/// How a sweep is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Layout {
    /// Two axes as rows and columns: throughput, the bystander, the sweet spot
    Grid,
    /// As tiobench: rates and processor time of sequential and random reads and writes
    Tio,
    /// Operations per second by block size and clients
    Iops,
    /// Pinning and completion of requests: throughput, latency, local and remote completions
    Affinity,
    /// A row a cell
    Long,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::Grid => "grid",
            Layout::Tio => "tio",
            Layout::Iops => "iops",
            Layout::Affinity => "affinity",
            Layout::Long => "long",
        })
    }
}

/// In which form a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, clap::ValueEnum)]
pub enum TableForm {
    #[default]
    Markdown,
    Csv,
}

impl TableForm {
    /// What stands where there is no figure.
    pub(super) fn absent(self) -> String {
        match self {
            TableForm::Markdown => "-".to_owned(),
            TableForm::Csv => String::new(),
        }
    }
}

/// The runs of one sweep, of which only what the tables need is kept: a result holds megabytes of histograms.
#[derive(Debug, Clone, Default)]
pub struct SweepTable {
    /// Of the first run: which sweep it is.
    of: Option<Identity>,
    /// What was given to [`SweepTable::with_axes`].
    axes: Option<Vec<Axis>>,
    runs: Vec<CellRun>,
    known: FxHashSet<RunKey>,
}

/// Which sweep the runs are of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    started_at: jiff::Timestamp,
    cells: u32,
    kinds: Vec<AxisKind>,
    /// What `-D` was given.
    directory: String,
}

impl SweepTable {
    /// A sweep of which nothing is known yet. Its axes, and the order of their values, are found out from the numbers of
    /// the cells.
    pub fn new() -> SweepTable {
        SweepTable::default()
    }

    /// A sweep whose axes are known, with all their values in the order typed: cells that were not run are in its table
    /// too.
    pub fn with_axes(axes: impl IntoIterator<Item = (AxisKind, Vec<String>)>) -> SweepTable {
        let axes = axes.into_iter().map(|(kind, values)| Axis { kind, values });
        SweepTable {
            axes: Some(axes.collect()),
            ..SweepTable::default()
        }
    }

    /// Adds a run; answers whether it belongs to the sweep, which is that of the first run added. A run that is there
    /// already is not added again.
    pub fn add(&mut self, result: &RunResult) -> bool {
        let Some(cell) = &result.info.cell else {
            return false;
        };
        let identity = Identity {
            started_at: cell.sweep_started_at,
            cells: cell.cells,
            kinds: cell.coordinates.iter().map(|at| at.axis.clone()).collect(),
            directory: tio::directory_typed(&cell.sweep_command),
        };
        match &self.of {
            None => {
                let known = self.axes.iter().flatten().map(|axis| &axis.kind);
                if self.axes.is_some() && !known.eq(&identity.kinds) {
                    return false;
                }
                self.of = Some(identity);
            }
            Some(of) if of.started_at == identity.started_at && of.kinds == identity.kinds => {}
            Some(_) => return false,
        }
        let run = CellRun::new(result, cell);
        if self.known.insert(run.key()) {
            // One that had failed and was made again counts as it is now.
            self.runs.retain(|earlier| !run.replaces(earlier));
            self.runs.push(run);
        }
        true
    }

    /// Whether there is no run yet.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The layout that the axes suggest.
    pub fn default_layout(&self) -> Layout {
        choice::default_layout(&self.sweep().axes)
    }

    /// Whether a layout fits the axes.
    ///
    /// # Errors
    /// It needs axes that the sweep has not.
    pub fn check(&self, layout: Layout) -> Result<(), LayoutError> {
        choice::check(layout, &self.sweep())
    }

    /// The tables. Without a layout, the one that the axes suggest.
    ///
    /// # Errors
    /// There is no run; the layout needs axes that the sweep has not; the table would be too large.
    pub fn text(
        &self,
        layout: Option<Layout>,
        form: TableForm,
        bystander: Activity,
    ) -> Result<String, LayoutError> {
        if self.is_empty() {
            return Err(LayoutError::Empty);
        }
        let sweep = self.sweep();
        let layout = layout.unwrap_or_else(|| choice::default_layout(&sweep.axes));
        choice::check(layout, &sweep)?;
        let tables = match layout {
            Layout::Grid => grid::text(&sweep, form, bystander)?,
            Layout::Tio => tio::text(&sweep, form),
            Layout::Iops => iops::text(&sweep, form)?,
            Layout::Affinity => affinity::text(&sweep, form),
            Layout::Long => long::text(&sweep, form),
        };
        Ok(match form {
            TableForm::Markdown => format!("{}\n\n{tables}{}", sweep.title(), sweep.footnotes()),
            TableForm::Csv => tables,
        })
    }

    fn sweep(&self) -> Sweep {
        Sweep::new(self.of.as_ref(), self.axes.as_deref(), &self.runs)
    }
}
