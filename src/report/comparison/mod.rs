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

use crate::compare::{Comparison, Row};
use crate::stats::Verdict;

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
