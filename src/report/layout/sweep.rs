//! A sweep with its cells in their places.

use super::Identity;
use super::axes::{Axis, Numbered, axes};
use super::cell::SweepCell;
use super::figure::Figure;
use super::mark::Mark;
use super::run::CellRun;
use crate::report::printable;
use crate::result::AxisKind;
use std::collections::{BTreeMap, BTreeSet};

/// With more cells, only those that were run are rows.
const MOST_ROWS: usize = 10_000;

/// Where a cell stands: for each axis, the place of its value.
pub(super) type Place = Vec<usize>;

/// A sweep with its cells in their places.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    pub(super) axes: Vec<Axis>,
    pub(super) cells: BTreeMap<Place, SweepCell>,
    /// How many cells it has, run or not.
    pub(super) total: u32,
    pub(super) started_at: Option<jiff::Timestamp>,
    /// What `-D` was given.
    pub(super) directory: String,
}

/// What one of several tables is of: the values of the axes that it does not show.
#[derive(Debug, Clone)]
pub(super) struct Section<'s> {
    /// The places on those axes; elsewhere 0.
    pub(super) fixed: Place,
    /// Their values.
    pub(super) values: Vec<String>,
    /// `dir /mnt, vm.dirty_ratio 10`; empty where there is only one table.
    pub(super) heading: String,
    /// Its cells, in the order typed.
    pub(super) cells: Vec<(&'s Place, &'s SweepCell)>,
}

impl Sweep {
    pub(super) fn new(of: Option<&Identity>, known: Option<&[Axis]>, runs: &[CellRun]) -> Sweep {
        let seen: Vec<Numbered<'_>> = runs.iter().map(|run| (run.cell, &run.values[..])).collect();
        let (kinds, total) = of.map_or((&[][..], 0), |of| (&of.kinds[..], of.cells));
        let mut axes = known.map_or_else(|| axes(kinds, total, &seen), <[Axis]>::to_vec);
        let mut by_place: BTreeMap<Place, Vec<&CellRun>> = BTreeMap::new();
        for run in runs {
            let values = axes.iter_mut().zip(&run.values);
            let place = values.map(|(axis, value)| {
                axis.position(value).unwrap_or_else(|| {
                    axis.values.push(value.clone());
                    axis.values.len() - 1
                })
            });
            by_place.entry(place.collect()).or_default().push(run);
        }
        Sweep {
            cells: by_place
                .into_iter()
                .map(|(place, runs)| (place, SweepCell::of(&runs)))
                .collect(),
            axes,
            total,
            started_at: of.map(|of| of.started_at),
            directory: of.map_or_else(String::new, |of| of.directory.clone()),
        }
    }

    /// Which axis is of a kind.
    pub(super) fn axis(&self, kind: &AxisKind) -> Option<usize> {
        self.axes.iter().position(|axis| axis.kind == *kind)
    }

    /// The value of an axis at a place.
    pub(super) fn value(&self, place: &[usize], axis: usize) -> &str {
        let found = self.axes.get(axis).zip(place.get(axis));
        found
            .and_then(|(axis, &at)| axis.values.get(at))
            .map_or("", String::as_str)
    }

    /// The axes that several tables are of: all with several values but these.
    pub(super) fn others(&self, shown: &[usize]) -> Vec<usize> {
        let several = (0..self.axes.len()).filter(|&axis| self.axes[axis].has_several());
        several.filter(|axis| !shown.contains(axis)).collect()
    }

    /// One for each combination of the other axes' values of which there is a cell, in the order typed.
    pub(super) fn sections(&self, shown: &[usize]) -> Vec<Section<'_>> {
        let others = self.others(shown);
        let mut by_others: BTreeMap<Vec<usize>, Vec<(&Place, &SweepCell)>> = BTreeMap::new();
        for (place, cell) in &self.cells {
            let at = others.iter().map(|&axis| place[axis]).collect();
            by_others.entry(at).or_default().push((place, cell));
        }
        by_others
            .into_iter()
            .map(|(at, cells)| {
                let mut fixed = vec![0; self.axes.len()];
                for (&axis, place) in others.iter().zip(at) {
                    fixed[axis] = place;
                }
                let values: Vec<String> = others
                    .iter()
                    .map(|&axis| self.value(&fixed, axis).to_owned())
                    .collect();
                let parts: Vec<String> = others
                    .iter()
                    .zip(&values)
                    .map(|(&axis, value)| printable(&format!("{} {value}", self.axes[axis].kind)))
                    .collect();
                Section {
                    fixed,
                    values,
                    heading: parts.join(", "),
                    cells,
                }
            })
            .collect()
    }

    /// The places of a section's cells, in the order typed: all that there can be, run or not.
    pub(super) fn rows(&self, section: &Section<'_>, shown: &[usize]) -> Vec<Place> {
        let lengths = shown.iter().map(|&axis| self.axes[axis].values.len());
        let all = lengths.fold(1usize, |product, length| product.saturating_mul(length));
        if all > MOST_ROWS {
            let present = section.cells.iter();
            return present.map(|&(place, _)| place.clone()).collect();
        }
        let mut places = vec![section.fixed.clone()];
        for &axis in shown {
            places = places
                .into_iter()
                .flat_map(|place| {
                    (0..self.axes[axis].values.len()).map(move |value| {
                        let mut place = place.clone();
                        place[axis] = value;
                        place
                    })
                })
                .collect();
        }
        places
    }

    /// Whether any cell has such a figure.
    pub(super) fn has_figure(&self, which: impl Fn(Figure) -> bool) -> bool {
        self.cells.values().any(|cell| cell.has_figure(&which))
    }

    /// Which sweep it is, how much of it is there, and what all its cells have in common.
    pub(super) fn title(&self) -> String {
        let started = self
            .started_at
            .map(|at| format!(" of {}", at.strftime("%Y-%m-%d %H:%M:%S UTC")))
            .unwrap_or_default();
        let run = self
            .cells
            .values()
            .filter(|cell| cell.completed > 0 || cell.has_failed());
        let runs = self.cells.values().map(|cell| cell.runs).max().unwrap_or(1);
        let medians = if runs > 1 {
            format!(", medians of {runs} runs")
        } else {
            String::new()
        };
        let single = self.axes.iter().filter(|axis| !axis.has_several());
        let common: String = single
            .filter_map(|axis| Some(format!(", {} {}", axis.kind, axis.values.first()?)))
            .collect();
        printable(&format!(
            "Sweep{started}: {} of {} cells{medians}{common}",
            run.count(),
            self.total
        ))
    }

    /// All marks that are there, with what they mean; empty where there are none.
    pub(super) fn footnotes(&self) -> String {
        let marks: BTreeSet<Mark> = self
            .cells
            .values()
            .flat_map(|cell| &cell.marks)
            .copied()
            .collect();
        marks
            .into_iter()
            .map(|mark| format!("\n`{}` {}\n", mark.symbol(), mark.footnote()))
            .collect()
    }
}
