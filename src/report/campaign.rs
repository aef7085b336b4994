//! Several runs together: each run's figures, the median, the range, the coefficient of variation.

use super::printable::printable;
use super::{Figures, ReportOptions, throughput};
use crate::result::{End, RunResult, Turn, TurnSide};
use crate::stats::Summary;
use crate::units::{General, megabytes, milliseconds};
use std::time::Duration;

/// What a campaign keeps of a run: its result holds megabytes of histograms.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedRun {
    number: u32,
    runs: u32,
    completed: bool,
    label: Option<String>,
    figures: Figures,
    operations_per_second: Option<f64>,
    p99: Option<Duration>,
    bytes_per_second_with_sync: Option<f64>,
}

impl From<&RunResult> for FinishedRun {
    fn from(result: &RunResult) -> FinishedRun {
        let sync = result.durability.and_then(|durability| durability.final_sync);
        FinishedRun {
            number: result.info.run_number,
            runs: result.info.runs,
            completed: result.end == End::Completed,
            label: result.info.label.clone(),
            figures: Figures::of(result),
            operations_per_second: result.operations_per_second(),
            p99: result.percentile(0.99),
            bytes_per_second_with_sync: sync.map(|sync| sync.bytes_per_second_with_sync),
        }
    }
}

/// A column of the table; it is left out where no run has a figure for it.
struct Column {
    heading: &'static str,
    width: usize,
    figure: fn(&FinishedRun) -> Option<f64>,
    text: fn(f64) -> String,
}

const COLUMNS: [Column; 5] = [
    Column {
        heading: "MB/sec",
        width: 10,
        figure: |run| Some(megabytes(run.figures.bytes_per_second)),
        text: |rate| General(rate).to_string(),
    },
    Column {
        heading: "with sync",
        width: 10,
        figure: |run| run.bytes_per_second_with_sync.map(megabytes),
        text: |rate| General(rate).to_string(),
    },
    Column {
        heading: "operations/sec",
        width: 15,
        figure: |run| run.operations_per_second,
        text: |rate| format!("{rate:.1}"),
    },
    Column {
        heading: "P99 ms",
        width: 10,
        figure: |run| run.p99.map(milliseconds),
        text: |latency| format!("{latency:.3}"),
    },
    Column {
        heading: "max ms",
        width: 10,
        figure: |run| Some(milliseconds(run.figures.max_latency)),
        text: |latency| format!("{latency:.3}"),
    },
];

/// The line before each run of a campaign.
pub fn run_header(number: u32, runs: u32) -> String {
    format!("run {number} of {runs}\n")
}

/// The line before a run of `rbench ab`: which it was.
pub fn turn_header(turn: &Turn, pairs: u32) -> String {
    let side = match turn.side {
        TurnSide::A => "A",
        TurnSide::B => "B",
    };
    let fresh = if turn.confirms { " (fresh)" } else { "" };
    format!(
        "pair {}{fresh} of {pairs}, {side}: {}\n",
        turn.pair,
        printable(&turn.what)
    )
}

/// The line before each result where several files are shown: file, label, start, kernel.
pub fn result_header(file: &str, result: &RunResult) -> String {
    let mut header = format!("{}:", printable(file));
    let environment = result.environment.as_ref();
    let kernel = environment.and_then(|environment| environment.axis.kernel_release.as_deref());
    let started = result.info.started_at.to_string();
    let parts = [result.info.label.as_deref(), Some(&started), kernel];
    for part in parts.into_iter().flatten() {
        header.push_str("  ");
        header.push_str(&printable(part));
    }
    header.push('\n');
    header
}

/// The runs that ended well, a line each, how they vary, and the line of throughput with their median; empty when none
/// did. For programs only the last.
pub fn campaign(runs: &[FinishedRun], options: &ReportOptions) -> String {
    let completed: Vec<&FinishedRun> = runs.iter().filter(|run| run.completed).collect();
    let rates: Vec<f64> = completed.iter().map(|run| run.figures.bytes_per_second).collect();
    let (Some(&last), Some(summary)) = (completed.last(), Summary::of(&rates)) else {
        return String::new();
    };
    let slowest = completed.iter().map(|run| run.figures.max_latency).max();
    let median = Figures {
        bytes_per_second: summary.median,
        max_latency: slowest.unwrap_or(Duration::ZERO),
        ..last.figures
    };
    let line = throughput(&median, options);
    if options.machine_readable {
        return line;
    }
    let label = last.label.as_deref().map(printable).unwrap_or_default();
    let separator = if label.is_empty() { "" } else { "  " };
    let header = format!(
        "{} of {} runs completed, {} clients{separator}{label}\n",
        completed.len(),
        last.runs,
        last.figures.clients
    );
    format!("\n{header}{}{line}", table(&completed))
}

fn table(runs: &[&FinishedRun]) -> String {
    let has_figures = |column: &&Column| runs.iter().any(|&run| (column.figure)(run).is_some());
    let columns: Vec<&Column> = COLUMNS.iter().filter(has_figures).collect();
    let row = |name: &str, cells: &mut dyn Iterator<Item = Option<String>>| row(name, &columns, cells);
    let mut text = row(
        "run",
        &mut columns.iter().map(|column| Some(column.heading.to_owned())),
    );
    for &run in runs {
        let mut cells = columns.iter().map(|column| (column.figure)(run).map(column.text));
        text.push_str(&row(&run.number.to_string(), &mut cells));
    }
    let summaries: Vec<(&Column, Option<Summary>)> = columns
        .iter()
        .map(|&column| {
            let figures: Vec<f64> = runs.iter().filter_map(|&run| (column.figure)(run)).collect();
            (column, Summary::of(&figures))
        })
        .collect();
    let which: [fn(&Summary) -> f64; 3] = [|of| of.median, |of| of.min, |of| of.max];
    for (name, which) in ["median", "least", "most"].into_iter().zip(which) {
        let mut cells = summaries
            .iter()
            .map(|(column, summary)| summary.as_ref().map(|summary| (column.text)(which(summary))));
        text.push_str(&row(name, &mut cells));
    }
    let mut variations = summaries.iter().map(|(_, summary)| {
        let variation = summary.as_ref()?.coefficient_of_variation?;
        Some(format!("{:.2} %", variation * 100.0))
    });
    text.push_str(&row("CV", &mut variations));
    text
}

/// A line of the table; what is absent is a dash.
fn row(name: &str, columns: &[&Column], cells: &mut dyn Iterator<Item = Option<String>>) -> String {
    let mut text = format!("{name:>6}");
    for (column, cell) in columns.iter().zip(cells) {
        let cell = cell.unwrap_or_else(|| "-".to_owned());
        text.push_str(&format!(" {cell:>width$}", width = column.width));
    }
    text.push('\n');
    text
}
