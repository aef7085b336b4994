//! A cell of a sweep: its runs in one figure.

use super::TableForm;
use super::figure::Figure;
use super::mark::Mark;
use super::run::{CellRun, Ended};
use crate::result::LoadInfo;
use crate::stats::Summary;
use std::collections::BTreeSet;

/// A cell of which there is a run.
#[derive(Debug, Clone, Default)]
pub(super) struct SweepCell {
    pub(super) completed: u32,
    failed: u32,
    /// How many runs the cell is to have.
    pub(super) runs: u32,
    pub(super) clients: u32,
    pub(super) loads: Vec<LoadInfo>,
    /// Over the runs that completed.
    figures: Vec<(Figure, Summary)>,
    pub(super) marks: BTreeSet<Mark>,
}

impl SweepCell {
    pub(super) fn of(runs: &[&CellRun]) -> SweepCell {
        let count = |ended| runs.iter().filter(|run| run.ended == ended).count();
        let count = |ended| u32::try_from(count(ended)).unwrap_or(u32::MAX);
        let (completed, failed) = (count(Ended::Completed), count(Ended::Failed));
        let mut marks: BTreeSet<Mark> = runs.iter().flat_map(|run| &run.marks).copied().collect();
        if completed > 0 && failed > 0 {
            marks.insert(Mark::SomeFailed);
        }
        let mut kinds: Vec<Figure> = Vec::new();
        for (figure, _) in runs.iter().flat_map(|run| &run.figures) {
            if !kinds.contains(figure) {
                kinds.push(*figure);
            }
        }
        let over_runs = |figure: Figure| {
            let all = runs.iter().flat_map(|run| &run.figures);
            let values: Vec<f64> = all
                .filter(|(of, _)| *of == figure)
                .map(|(_, value)| *value)
                .collect();
            Some((figure, Summary::of(&values)?))
        };
        let first = runs.first();
        SweepCell {
            completed,
            failed,
            runs: runs.iter().map(|run| run.runs).max().unwrap_or(0),
            clients: first.map_or(0, |run| run.clients),
            loads: first.map_or_else(Vec::new, |run| run.loads.clone()),
            figures: kinds.into_iter().filter_map(over_runs).collect(),
            marks,
        }
    }

    /// A cell with this one figure.
    pub(super) fn with(figure: Figure, value: f64, marks: BTreeSet<Mark>) -> SweepCell {
        SweepCell {
            completed: 1,
            figures: Summary::of(&[value])
                .into_iter()
                .map(|summary| (figure, summary))
                .collect(),
            marks,
            ..SweepCell::default()
        }
    }

    /// How a figure lies over the runs; absent where none has it.
    pub(super) fn summary(&self, figure: Figure) -> Option<&Summary> {
        self.figures
            .iter()
            .find(|(of, _)| *of == figure)
            .map(|(_, summary)| summary)
    }

    /// The median over the runs.
    pub(super) fn median(&self, figure: Figure) -> Option<f64> {
        self.summary(figure).map(|summary| summary.median)
    }

    /// Whether runs failed and none completed.
    pub(super) fn has_failed(&self) -> bool {
        self.completed == 0 && self.failed > 0
    }

    pub(super) fn has_figure(&self, which: impl Fn(Figure) -> bool) -> bool {
        self.figures.iter().any(|(figure, _)| which(*figure))
    }

    /// A parameter of its loads, where they agree on it.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        let mut values = self.loads.iter().filter_map(|load| load.params.get(name));
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }

    /// The symbols of its marks.
    pub(super) fn symbols(&self) -> String {
        self.marks.iter().map(|mark| mark.symbol()).collect()
    }

    /// The same for programs.
    pub(super) fn words(&self) -> String {
        let words: Vec<&str> = self.marks.iter().map(|mark| mark.word()).collect();
        words.join("; ")
    }
}

/// A cell's median as text: with its marks, but for programs; `failed`; absent.
pub(super) fn shown(
    cell: Option<&SweepCell>,
    figure: Figure,
    form: TableForm,
    text: impl Fn(f64) -> String,
) -> String {
    let Some(cell) = cell else {
        return form.absent();
    };
    match cell.median(figure) {
        Some(median) if form == TableForm::Markdown => format!("{}{}", text(median), cell.symbols()),
        Some(median) => text(median),
        None if cell.has_failed() => "failed".to_owned(),
        None => form.absent(),
    }
}
