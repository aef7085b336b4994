//! A comparison as text, Markdown, CSV and JSON.

mod csv;
pub(super) mod figure;
mod json;
pub(super) mod markdown;
mod text;
mod words;

pub use self::csv::comparison_csv;
pub use json::{COMPARISON_SCHEMA_VERSION, comparison_json};
pub use markdown::comparison_markdown;
pub use text::comparison_text;

use crate::compare::{Comparison, Note, Row};
use crate::stats::Verdict;
use std::collections::BTreeSet;

/// What of a comparison people are shown, and how. (Programs are given everything.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ComparisonView {
    /// The candidate as a multiple of the baseline, in place of the difference in percent.
    pub ratio: bool,
    /// Also metrics that do not decide and show no significant change.
    pub all: bool,
}

impl ComparisonView {
    fn shows(self, row: &Row) -> bool {
        let changes = [Verdict::Regressed, Verdict::Improved, Verdict::Small];
        let changed = |verdict| changes.contains(&verdict);
        self.all || row.gated || row.judgement.is_some_and(|judgement| changed(judgement.verdict))
    }

    /// The rows that are shown, cell by cell.
    fn cells(self, comparison: &Comparison) -> Vec<(&str, Vec<&Row>)> {
        let mut cells: Vec<(&str, Vec<&Row>)> = Vec::new();
        for row in &comparison.rows {
            if cells.last().is_none_or(|(cell, _)| *cell != row.cell) {
                cells.push((&row.cell, Vec::new()));
            }
            if let Some((_, rows)) = cells.last_mut().filter(|_| self.shows(row)) {
                rows.push(row);
            }
        }
        cells
    }

    /// The footnotes, but for those of rows that are not shown.
    fn footnotes(self, comparison: &Comparison) -> Footnotes<'_> {
        let of_rows = |shown: bool| -> BTreeSet<u32> {
            let rows = comparison.rows.iter().filter(|row| self.shows(row) == shown);
            rows.flat_map(|row| row.notes.iter().copied()).collect()
        };
        let (shown, hidden) = (of_rows(true), of_rows(false));
        let numbered = (1..).zip(&comparison.notes);
        Footnotes {
            notes: numbered
                .filter(|(number, _)| shown.contains(number) || !hidden.contains(number))
                .collect(),
        }
    }

    /// How many rows are not shown, in words.
    fn left_out(self, comparison: &Comparison) -> Option<String> {
        let count = comparison.rows.iter().filter(|row| !self.shows(row)).count();
        match count {
            0 => None,
            1 => Some("1 other metric without a significant change is left out: --all shows it".to_owned()),
            count => Some(format!(
                "{count} other metrics without a significant change are left out: --all shows them"
            )),
        }
    }
}

/// The footnotes that are shown, numbered from 1.
struct Footnotes<'c> {
    /// Behind their numbers in the comparison.
    notes: Vec<(u32, &'c Note)>,
}

impl Footnotes<'_> {
    /// Those of a row, by their numbers as shown.
    fn of(&self, row: &Row) -> Vec<usize> {
        let shown = |number: &u32| self.notes.iter().position(|(one, _)| one == number);
        row.notes
            .iter()
            .filter_map(shown)
            .map(|index| index + 1)
            .collect()
    }

    /// Their texts, by number.
    fn texts(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.notes.iter().map(|(_, note)| note.text.as_str()))
    }
}
