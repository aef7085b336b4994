//! Several runs together: each run's figures, the median, the range, the coefficient of variation.

use super::{ReportOptions, throughput};
use crate::result::{End, RunResult};
use crate::stats::Summary;
use crate::units::{General, megabytes, milliseconds};
use std::time::Duration;

/// A column of the table.
struct Column {
    heading: &'static str,
    width: usize,
    figure: fn(&RunResult) -> Option<f64>,
    text: fn(f64) -> String,
}

const COLUMNS: [Column; 4] = [
    Column {
        heading: "MB/sec",
        width: 10,
        figure: |result| Some(megabytes(result.bytes_per_second)),
        text: |rate| General(rate).to_string(),
    },
    Column {
        heading: "operations/sec",
        width: 15,
        figure: RunResult::operations_per_second,
        text: |rate| format!("{rate:.1}"),
    },
    Column {
        heading: "P99 ms",
        width: 10,
        figure: |result| result.percentile(0.99).map(milliseconds),
        text: |latency| format!("{latency:.3}"),
    },
    Column {
        heading: "max ms",
        width: 10,
        figure: |result| Some(milliseconds(result.max_latency())),
        text: |latency| format!("{latency:.3}"),
    },
];

/// The line before each run of a campaign.
pub fn run_header(number: u32, runs: u32) -> String {
    format!("run {number} of {runs}\n")
}

/// The runs that ended well, a line each, how they vary, and the line of throughput with their median; empty when none
/// did. For programs only the last.
pub fn campaign(results: &[RunResult], options: &ReportOptions) -> String {
    let completed = results.iter().filter(|result| result.end == End::Completed);
    let completed: Vec<&RunResult> = completed.collect();
    let rates: Vec<f64> = completed.iter().map(|result| result.bytes_per_second).collect();
    let (Some(&last), Some(summary)) = (completed.last(), Summary::of(&rates)) else {
        return String::new();
    };
    let slowest = completed.iter().map(|result| result.max_latency()).max();
    let line = throughput(last, summary.median, slowest.unwrap_or(Duration::ZERO), options);
    if options.machine_readable {
        return line;
    }
    format!("\n{}{line}", table(&completed))
}

fn table(results: &[&RunResult]) -> String {
    let mut text = row(
        "run",
        COLUMNS.iter().map(|column| Some(column.heading.to_owned())),
    );
    for &result in results {
        let cells = COLUMNS
            .iter()
            .map(|column| (column.figure)(result).map(column.text));
        text.push_str(&row(&result.info.run_number.to_string(), cells));
    }
    let summaries: Vec<(&Column, Option<Summary>)> = COLUMNS
        .iter()
        .map(|column| {
            let figures: Vec<f64> = results
                .iter()
                .filter_map(|&result| (column.figure)(result))
                .collect();
            (column, Summary::of(&figures))
        })
        .collect();
    let which: [fn(&Summary) -> f64; 3] = [|of| of.median, |of| of.min, |of| of.max];
    for (name, which) in ["median", "least", "most"].into_iter().zip(which) {
        let cells = summaries
            .iter()
            .map(|(column, summary)| summary.as_ref().map(|summary| (column.text)(which(summary))));
        text.push_str(&row(name, cells));
    }
    let variations = summaries.iter().map(|(_, summary)| {
        let variation = summary.as_ref()?.coefficient_of_variation?;
        Some(format!("{:.2} %", variation * 100.0))
    });
    text.push_str(&row("CV", variations));
    text
}

/// A line of the table; what is absent is a dash.
fn row(name: &str, cells: impl Iterator<Item = Option<String>>) -> String {
    let mut text = format!("{name:>6}");
    for (column, cell) in COLUMNS.iter().zip(cells) {
        let cell = cell.unwrap_or_else(|| "-".to_owned());
        text.push_str(&format!(" {cell:>width$}", width = column.width));
    }
    text.push('\n');
    text
}
