//! Results as rows of CSV (RFC 4180, but lines end in `\n`). The columns are fixed; what was not measured is empty.

mod bystander;
mod operations;
mod runs;
mod series;

use super::kind::OutputKind;
use crate::result::{End, RunResult};
use crate::units::nanos;
use std::time::Duration;

/// A column: its name, with the unit, and what stands in it.
struct Column<R> {
    name: &'static str,
    value: fn(&R) -> Option<String>,
}

fn column<R>(name: &'static str, value: fn(&R) -> Option<String>) -> Column<R> {
    Column { name, value }
}

/// The header of a kind of table, without the end of the line; None for what is no table.
pub fn header(kind: OutputKind) -> Option<String> {
    let names: Vec<&str> = match kind {
        OutputKind::Json | OutputKind::JsonLines => return None,
        OutputKind::Csv => runs::columns().iter().map(|column| column.name).collect(),
        OutputKind::OperationsCsv => operations::columns().iter().map(|column| column.name).collect(),
        OutputKind::SeriesCsv => series::columns().iter().map(|column| column.name).collect(),
    };
    Some(names.join(","))
}

/// A run's rows, each with the end of its line; None for what is no table.
pub fn rows(kind: OutputKind, run: &RunResult) -> Option<String> {
    match kind {
        OutputKind::Json | OutputKind::JsonLines => None,
        OutputKind::Csv => Some(text(&runs::columns(), &[run])),
        OutputKind::OperationsCsv => Some(text(&operations::columns(), &operations::rows(run))),
        OutputKind::SeriesCsv => Some(text(&series::columns(), &series::rows(run))),
    }
}

fn text<R>(columns: &[Column<R>], rows: &[R]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cells = columns
            .iter()
            .map(|column| (column.value)(row).unwrap_or_default());
        // Memory takes everything, and all rows have as many cells.
        let _ = writer.write_record(cells);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn started_at(run: &RunResult) -> Option<String> {
    Some(run.info.started_at.to_string())
}

fn label(run: &RunResult) -> Option<String> {
    run.info.label.clone()
}

fn run_number(run: &RunResult) -> Option<String> {
    Some(run.info.run_number.to_string())
}

/// How the run ended.
fn end(run: &RunResult) -> Option<String> {
    let end = match run.end {
        End::Completed => "completed",
        End::Interrupted(_) => "interrupted",
        End::Failed(_) => "failed",
    };
    Some(end.to_owned())
}

/// Any number.
fn number(number: impl ToString) -> Option<String> {
    Some(number.to_string())
}

/// A number that may be absent, or be none.
fn fraction(number: Option<f64>) -> Option<String> {
    Some(number.filter(|number| number.is_finite())?.to_string())
}

fn nanoseconds(duration: Duration) -> Option<String> {
    Some(nanos::whole(duration).to_string())
}
