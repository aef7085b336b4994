//! What is in a store, as tables.

use crate::compare::Metric;
use crate::report::TableForm;
use crate::report::comparison::figure;
use crate::report::sheet::{Align, Sheet};
use crate::store::{CellListing, RunListing};

/// A row a cell.
pub fn cells(cells: &[CellListing]) -> String {
    let mut sheet = Sheet::default();
    for (heading, align) in [
        ("cell", Align::Left),
        ("machine", Align::Left),
        ("nights", Align::Right),
        ("first", Align::Left),
        ("last", Align::Left),
        ("runs", Align::Right),
        ("completed", Align::Right),
        ("labels", Align::Left),
        ("pins", Align::Left),
    ] {
        sheet.column(heading, align);
    }
    for cell in cells {
        sheet.row(vec![
            cell.cell.clone(),
            cell.machine.clone().unwrap_or_default(),
            cell.nights.to_string(),
            cell.first_night.clone(),
            cell.last_night.clone(),
            cell.runs.to_string(),
            cell.completed.to_string(),
            cell.labels.join(", "),
            cell.pins.join(", "),
        ]);
    }
    sheet.text(TableForm::Markdown)
}

/// A row a run.
pub fn stored_runs(runs: &[RunListing]) -> String {
    let mut sheet = Sheet::default();
    for (heading, align) in [
        ("run", Align::Right),
        ("started (UTC)", Align::Left),
        ("night", Align::Left),
        ("cell", Align::Left),
        ("machine", Align::Left),
        ("label", Align::Left),
        ("throughput", Align::Right),
        ("is", Align::Left),
        ("pins", Align::Left),
    ] {
        sheet.column(heading, align);
    }
    for run in runs {
        let rate = run.bytes_per_second;
        sheet.row(vec![
            run.number.to_string(),
            run.started_at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            run.night.clone(),
            run.cell.clone(),
            run.machine.clone().unwrap_or_default(),
            run.label.clone().unwrap_or_default(),
            rate.map(|rate| figure::amount(Metric::Throughput, rate))
                .unwrap_or_default(),
            kind(run),
            run.pins.join(", "),
        ]);
    }
    sheet.text(TableForm::Markdown)
}

/// What is to be known of a run: `not completed`, `fresh`, `ab: a`.
fn kind(run: &RunListing) -> String {
    let mut kinds = Vec::new();
    if !run.completed {
        kinds.push("not completed".to_owned());
    }
    if run.fresh {
        kinds.push("fresh".to_owned());
    }
    kinds.extend(run.side.as_ref().map(|side| format!("ab: {side}")));
    kinds.join(", ")
}
