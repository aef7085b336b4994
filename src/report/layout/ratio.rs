//! Two sweeps with the same cells: how many times the one's figures are the other's.

use super::axes::Axis;
use super::cell::{SweepCell, shown};
use super::figure::Figure;
use super::mark::Mark;
use super::sweep::{Place, Sweep};
use super::{Layout, LayoutError, SweepTable, TableForm, choice, grid, iops, long, matrix, tio};
use crate::report::printable;
use crate::report::sheet::{Align, Sheet};
use std::collections::{BTreeMap, BTreeSet};

/// The candidate's figure over the base's in each cell, laid out as a sweep; without a layout, as the axes suggest.
///
/// # Errors
/// A sweep has no run; they have other axes; the layout needs other axes; the table would be too large.
pub fn ratio(
    base: &SweepTable,
    candidate: &SweepTable,
    layout: Option<Layout>,
    form: TableForm,
) -> Result<String, LayoutError> {
    if base.is_empty() || candidate.is_empty() {
        return Err(LayoutError::Empty);
    }
    let (base, candidate) = (base.sweep(), candidate.sweep());
    let axes = common_axes(&base, &candidate)?;
    let layout = layout.unwrap_or_else(|| choice::default_layout(&axes));
    let both = Both::new(&base, &candidate, axes, layout);
    choice::check(layout, &both.sweep)?;
    let tables = match layout {
        Layout::Grid => in_grid(&both.sweep, form)?,
        Layout::Iops => iops::tables(&both.sweep, form, Figure::Ratio, |ratio| {
            Figure::Ratio.text(ratio)
        })?,
        Layout::Tio => in_tio(&both.sweep, form),
        Layout::Affinity => by_rows(&both.sweep, form),
        Layout::Long => by_rows(&both.sweep, form),
    };
    if form == TableForm::Csv {
        return Ok(tables);
    }
    Ok(format!(
        "Base: {}\n\nCandidate: {}\n\n{}, candidate / base, > 1 is better:\n\n{tables}{}{}",
        base.title(),
        candidate.title(),
        both.figure.heading(),
        both.sweep.footnotes(),
        both.not_divided()
    ))
}

/// The axes of both: those of the base, with the values that only the candidate has behind them. An axis with a single
/// value in each is none that tells cells apart, and may differ.
fn common_axes(base: &Sweep, candidate: &Sweep) -> Result<Vec<Axis>, LayoutError> {
    let mut differences = Vec::new();
    for (of, other, name) in [(base, candidate, "base"), (candidate, base, "candidate")] {
        for axis in of.axes.iter().filter(|axis| axis.has_several()) {
            if other.axis(&axis.kind).is_none() {
                differences.push(printable(&format!("{} is an axis of the {name} only", axis.kind)));
            }
        }
    }
    let mut axes = base.axes.clone();
    for axis in &mut axes {
        let Some(other) = candidate.axis(&axis.kind).map(|other| &candidate.axes[other]) else {
            continue;
        };
        if !axis.has_several() && !other.has_several() {
            let values = axis.values.first().zip(other.values.first());
            if let Some((value, other)) = values.filter(|(value, other)| value != other) {
                axis.values = vec![changed(value, other)];
            }
            continue;
        }
        if !axis.values.iter().any(|value| other.position(value).is_some()) {
            differences.push(printable(&format!("{} has no value in both", axis.kind)));
        }
        for value in &other.values {
            if axis.position(value).is_none() {
                axis.values.push(value.clone());
            }
        }
    }
    if differences.is_empty() {
        Ok(axes)
    } else {
        Err(LayoutError::OtherAxes(differences))
    }
}

/// A value that the base has and another that the candidate has in its place.
fn changed(base: &str, candidate: &str) -> String {
    format!("{base} -> {candidate}")
}

/// Two sweeps in one, whose figures are ratios.
struct Both {
    sweep: Sweep,
    /// What was divided.
    figure: Figure,
    /// Cells without a ratio, and why.
    missing: Vec<String>,
}

impl Both {
    fn new(base: &Sweep, candidate: &Sweep, axes: Vec<Axis>, layout: Layout) -> Both {
        let rates = |sweep: &Sweep| sweep.has_figure(|figure| figure == Figure::Megabytes);
        let figure = if layout == Layout::Iops || !(rates(base) && rates(candidate)) {
            Figure::Operations
        } else {
            Figure::Megabytes
        };
        let (of_base, of_candidate) = (placed(base, &axes), placed(candidate, &axes));
        let mut both = Both {
            sweep: Sweep {
                axes,
                cells: BTreeMap::new(),
                total: base.total,
                started_at: None,
                directory: if base.directory == candidate.directory {
                    base.directory.clone()
                } else {
                    changed(&base.directory, &candidate.directory)
                },
            },
            figure,
            missing: Vec::new(),
        };
        let places: BTreeSet<&Place> = of_base.keys().chain(of_candidate.keys()).collect();
        for place in places {
            let pair = (of_base.get(place).copied(), of_candidate.get(place).copied());
            both.add(place, pair);
        }
        both
    }

    fn add(&mut self, place: &Place, (base, candidate): (Option<&SweepCell>, Option<&SweepCell>)) {
        let figure = |cell: Option<&SweepCell>| cell.and_then(|cell| cell.median(self.figure));
        let ratio = figure(base)
            .zip(figure(candidate))
            .map(|(base, candidate)| candidate / base)
            .filter(|ratio| ratio.is_finite());
        let mut cell = ratio.map_or_else(SweepCell::default, |ratio| {
            let marks = [base, candidate]
                .into_iter()
                .flatten()
                .flat_map(|cell| &cell.marks);
            let mut marks: BTreeSet<Mark> = marks.copied().collect();
            let loads = |cell: Option<&SweepCell>| -> Vec<String> {
                let loads = cell.into_iter().flat_map(|cell| &cell.loads);
                loads.map(|load| load.sha256.clone()).collect()
            };
            if loads(base) != loads(candidate) {
                marks.insert(Mark::OtherLoads);
            }
            SweepCell::with(Figure::Ratio, ratio, marks)
        });
        if let Some(like) = base.or(candidate) {
            cell.clients = like.clients;
            cell.loads = like.loads.clone();
        }
        self.sweep.cells.insert(place.clone(), cell);
        if ratio.is_none() {
            let why = [("base", base), ("candidate", candidate)].map(|(name, cell)| {
                let why = lacking(cell, self.figure)?;
                Some(format!("{why} in the {name}"))
            });
            let why: Vec<String> = why.into_iter().flatten().collect();
            self.missing
                .push(format!("{} ({})", self.name(place), why.join(", ")));
        }
    }

    /// A cell's values on the axes with several.
    fn name(&self, place: &Place) -> String {
        let axes = self
            .sweep
            .axes
            .iter()
            .enumerate()
            .filter(|(_, axis)| axis.has_several());
        let values: Vec<String> = axes
            .map(|(index, axis)| format!("{} {}", axis.kind, self.sweep.value(place, index)))
            .collect();
        printable(&values.join(", "))
    }

    /// The cells that have no ratio; empty where all have one.
    fn not_divided(&self) -> String {
        if self.missing.is_empty() {
            return String::new();
        }
        format!("\n`-` has no ratio: {}\n", self.missing.join("; "))
    }
}

/// Why a cell has nothing to divide, or to divide by; absent where it has.
fn lacking(cell: Option<&SweepCell>, figure: Figure) -> Option<&'static str> {
    match cell {
        None => Some("not"),
        Some(cell) if cell.has_failed() => Some("failed"),
        Some(cell) => match cell.median(figure) {
            Some(0.0) => Some("0"),
            Some(_) => None,
            None => Some("no figure"),
        },
    }
}

/// A sweep's cells by their places on other axes. On an axis of a single value the place is the first, whatever it is.
fn placed<'s>(sweep: &'s Sweep, axes: &[Axis]) -> BTreeMap<Place, &'s SweepCell> {
    let cells = sweep.cells.iter().map(|(place, cell)| {
        let at = axes.iter().map(|axis| {
            let own = sweep.axis(&axis.kind);
            let value = own.map(|own| sweep.value(place, own));
            value.and_then(|value| axis.position(value)).unwrap_or(0)
        });
        (at.collect(), cell)
    });
    cells.collect()
}

fn in_grid(sweep: &Sweep, form: TableForm) -> Result<String, LayoutError> {
    let matrix = grid::matrix(sweep);
    let sections = matrix.sections(Layout::Grid)?;
    let [rows, columns] = matrix.axes().map(|axis| &sweep.axes[axis].kind);
    let text = |ratio: f64| Figure::Ratio.text(ratio);
    if form == TableForm::Csv {
        let mut sheet = matrix.csv();
        for section in &sections {
            matrix.csv_figure(&mut sheet, section, Figure::Ratio, text);
            matrix.csv_marks(&mut sheet, section);
        }
        return Ok(sheet.text(form));
    }
    let texts: Vec<String> = sections
        .iter()
        .map(|section| {
            let table = matrix.markdown(section, format!("{rows} \\ {columns}"), Figure::Ratio, text);
            format!("{}{table}", matrix::heading(section))
        })
        .collect();
    Ok(texts.join("\n"))
}

/// A row a cell, of all axes that vary, in one sweep or between the two.
fn by_rows(sweep: &Sweep, form: TableForm) -> String {
    let mut sheet = Sheet::default();
    for axis in &sweep.axes {
        sheet.column(axis.kind.to_string(), Align::Left);
    }
    sheet.column(Figure::Ratio.heading(), Align::Right);
    if form == TableForm::Csv {
        sheet.column("marks", Align::Left);
    }
    for place in long::places(sweep) {
        let cell = sweep.cells.get(&place);
        let values = (0..sweep.axes.len()).map(|axis| sweep.value(&place, axis).to_owned());
        let mut row: Vec<String> = values.collect();
        row.push(shown(cell, Figure::Ratio, form, |ratio| {
            Figure::Ratio.text(ratio)
        }));
        if form == TableForm::Csv {
            row.push(cell.map(SweepCell::words).unwrap_or_default());
        }
        sheet.row(row);
    }
    sheet.text(form)
}

/// The rows of tiobench, and the four loads' ratios.
fn in_tio(sweep: &Sweep, form: TableForm) -> String {
    let axes = tio::shown_axes(sweep);
    let others = sweep.others(&axes);
    let mut sheet = Sheet::default();
    for axis in others {
        sheet.column(sweep.axes[axis].kind.to_string(), Align::Left);
    }
    for label in ["Dir", "File Size", "Block Size", "Thr"] {
        sheet.column(label, Align::Left);
    }
    for (_, name) in tio::PATTERNS {
        sheet.column(name, Align::Right);
    }
    for section in sweep.sections(&axes) {
        for row in tio::rows(sweep, &section) {
            let labels = section.values.iter().cloned().chain(row.labels(form));
            let ratios = row
                .cells
                .map(|cell| shown(cell, Figure::Ratio, form, |ratio| Figure::Ratio.text(ratio)));
            sheet.row(labels.chain(ratios).collect());
        }
    }
    sheet.text(form)
}
