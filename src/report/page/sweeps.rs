//! Sweeps.

use super::super::picture::{self, Picture};
use super::parts::{figure, table};
use crate::report::{Layout, SweepTable, TableForm};
use crate::result::Activity;
use maud::{Markup, html};

/// Rows of a sweep's table that a page has room for.
const MOST_ROWS: usize = 500;

/// The pictures of a sweep.
pub(super) fn pictures(sweep: &SweepTable, bystander: Activity) -> Vec<Picture> {
    let mut all: Vec<Picture> = sweep.grids(bystander).iter().map(picture::heat_map).collect();
    let plane = sweep.plane(bystander);
    if plane.spots.len() > 1 {
        all.push(picture::sweet_spot(&plane));
    }
    all
}

pub(super) fn section(sweeps: &[SweepTable], bystander: Activity) -> Markup {
    html! {
        @for sweep in sweeps {
            h3 { (picture::legible(&sweep.title())) }
            @for one in pictures(sweep, bystander) { (figure(&one)) }
            (cells(sweep, bystander))
        }
    }
}

/// A row a cell, with all its figures.
fn cells(sweep: &SweepTable, bystander: Activity) -> Markup {
    let text = sweep.text(Some(Layout::Long), TableForm::Csv, bystander);
    let text = match text {
        Ok(text) => text,
        Err(error) => return html! { p { (error.to_string()) } },
    };
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let fields = |record: &csv::StringRecord| -> Vec<String> { record.iter().map(str::to_owned).collect() };
    let headings = reader.headers().map(fields).unwrap_or_default();
    let rows: Vec<Vec<String>> = reader.records().flatten().map(|record| fields(&record)).collect();
    let shown = &rows[..rows.len().min(MOST_ROWS)];
    html! {
        (table("All cells", &headings, shown))
        @if rows.len() > MOST_ROWS { p { "The first " (MOST_ROWS) " of " (rows.len()) " cells." } }
    }
}
