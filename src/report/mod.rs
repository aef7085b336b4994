//! From a [`RunResult`] to the text that dbench's users and the programs that read its output know.
//!
//! Pure functions: nothing is measured, read or written here. Every text ends in a newline, or is empty.
//! [`summary`] goes to stdout and ends in the line that says the throughput. [`diagnostics`] goes to stderr and is to
//! be printed *before* the summary: harnesses that join the two streams take the last line with that word.

mod bystander;
mod campaign;
mod check;
mod client;
mod comparison;
mod counters;
mod dbench1;
mod dbench4;
mod dbench5;
mod history;
mod interference;
mod layout;
mod loads;
mod machine;
mod outcome;
pub mod page;
pub mod picture;
mod printable;
mod rates;
mod sheet;
mod table;
mod tick;

use crate::result::{PassEnd, RunResult, SlowOperation};
use crate::units::milliseconds;
pub use campaign::{FinishedRun, campaign, result_header, run_header, turn_header};
pub use check::{CheckParam, CheckReport, CheckWarning, OperationCount};
pub use comparison::{
    COMPARISON_SCHEMA_VERSION, ComparisonView, comparison_csv, comparison_json, comparison_markdown,
    comparison_text,
};
pub use dbench1::started;
pub use history::{
    HISTORY_SCHEMA_VERSION, cells, history_csv, history_json, history_markdown, history_text, stored_runs,
};
pub use interference::{Interference, InterferenceFigure, InterferenceGroup};
pub use layout::{Layout, LayoutError, SweepTable, TableForm, ratio};
pub use loads::{ListedLoad, ListedParam};
pub use outcome::diagnostics;
pub use printable::printable;
use std::time::Duration;
pub use tick::tick;

/// Whose output a run's output looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Style {
    /// dbench 1 to 3: a line of throughput alone.
    Dbench1,
    /// dbench 4.0: a line each second, a table of operations under short names, a line of throughput.
    Dbench4,
    /// dbench 5.0: as dbench4, with a table in its order and with the names of the loadfile.
    Dbench5,
}

/// What of a result is shown, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportOptions {
    pub style: Style,
    /// `--machine-readable`: dbench 5's lines for programs in place of those for people.
    pub machine_readable: bool,
    /// `--per-client-results`.
    pub per_client: bool,
    /// The table of operations in the dbench1 style too; the others always have it.
    pub show_table: bool,
    /// `-s`: files were opened with O_SYNC.
    pub sync_open: bool,
    /// `-S`: directories were synced.
    pub sync_dirs: bool,
    /// `--show-execute-time`: a line for each finished pass.
    pub show_execute_time: bool,
    /// `--counters`, `--vmstat`: what the run used, and the machine around it.
    pub counters: bool,
    /// `--slowest`: the ten slowest operations.
    pub slowest: bool,
}

impl ReportOptions {
    /// A style with nothing asked for beyond it.
    pub fn new(style: Style) -> ReportOptions {
        ReportOptions {
            style,
            machine_readable: false,
            per_client: false,
            show_table: false,
            sync_open: false,
            sync_dirs: false,
            show_execute_time: false,
            counters: false,
            slowest: false,
        }
    }

    fn has_table(&self) -> bool {
        self.show_table || self.style != Style::Dbench1
    }

    /// The words for -s and -S behind a throughput, with a blank before each.
    fn sync_marks(&self) -> String {
        let open = if self.sync_open { " (sync open)" } else { "" };
        let dirs = if self.sync_dirs { " (sync dirs)" } else { "" };
        format!("{open}{dirs}")
    }
}

/// What a run measured, for stdout: finished passes and the table as asked for, the line of throughput last.
///
/// An interrupted run has the same lines. A failed one has no rates and no throughput, as they would mean nothing.
pub fn summary(result: &RunResult, options: &ReportOptions) -> String {
    let mut text = String::new();
    if options.show_execute_time {
        text.extend(result.passes.iter().map(pass));
    }
    if options.machine_readable {
        text.push_str(&machine::summary(result, options));
        return text;
    }
    let meaningful = result.has_throughput();
    // Our own lines stand before the table: mmtests reads the 99 lines that follow its header.
    if meaningful {
        text.push_str(&rates::line(result).unwrap_or_default());
        text.push_str(&rates::outcomes(result).unwrap_or_default());
        text.push_str(&rates::verification(result).unwrap_or_default());
        text.push_str(&rates::lag(result).unwrap_or_default());
        text.push_str(&rates::durability(result).unwrap_or_default());
        text.push_str(&rates::completions(result).unwrap_or_default());
    }
    if let Some(probe) = result.probe.as_ref().filter(|_| meaningful) {
        text.push_str(&bystander::lines(probe));
    }
    if options.slowest {
        text.extend(result.slowest.iter().map(slowest));
    }
    if options.counters {
        text.push_str(&counters::lines(result));
    }
    let layout = options.style.layout();
    let stopped_early = !meaningful && result.operations.is_empty();
    if options.has_table() && !stopped_early {
        text.push_str(&format!("\n{}\n", layout.operations(&result.operations)));
    }
    if options.per_client {
        let table = options.has_table().then_some(layout);
        text.push_str(&client::results(&result.per_client, table));
    }
    if meaningful {
        text.push_str(&throughput(&Figures::of(result), options));
    }
    text
}

/// The line of throughput in the style that was asked for.
fn throughput(figures: &Figures, options: &ReportOptions) -> String {
    match options.style {
        _ if options.machine_readable => machine::throughput(figures),
        Style::Dbench1 => dbench1::throughput(figures.bytes_per_second, options),
        Style::Dbench4 | Style::Dbench5 => dbench4::throughput(figures, options),
    }
}

/// What a line of throughput tells.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Figures {
    bytes_per_second: f64,
    max_latency: Duration,
    clients: u32,
    processes: u32,
}

impl Figures {
    fn of(result: &RunResult) -> Figures {
        Figures {
            bytes_per_second: result.bytes_per_second,
            max_latency: result.max_latency(),
            clients: result.clients,
            processes: result.processes,
        }
    }
}

/// One of the slowest operations.
fn slowest(one: &SlowOperation) -> String {
    let (latency, at) = (milliseconds(one.latency), one.at.as_secs_f64());
    let (file, line, path) = (printable(&one.loadfile), one.line, printable(&one.path));
    let (client, kind) = (one.client, one.kind);
    format!("slow {latency:10.3} ms at {at:.3} s  client {client}  {file}:{line} {kind} {path}\n")
}

/// A finished pass, in milliseconds (the form of mmtests' dbench).
fn pass(pass: &PassEnd) -> String {
    let (took, at) = (pass.took.as_millis(), pass.at.as_millis());
    format!("{:4} completed in {took} ms at time {at} ms\n", pass.client)
}

impl Style {
    /// The style of a run that asked for none.
    pub fn default_of(machine_readable: bool, run_once: bool, time_limit: bool) -> Style {
        if machine_readable || run_once {
            Style::Dbench5
        } else if time_limit {
            Style::Dbench4
        } else {
            Style::Dbench1
        }
    }

    /// The layout of its table; dbench 1 had none, so that it gets the one with the loadfile's names.
    fn layout(self) -> &'static table::Layout {
        match self {
            Style::Dbench4 => &dbench4::LAYOUT,
            Style::Dbench1 | Style::Dbench5 => &dbench5::LAYOUT,
        }
    }
}
