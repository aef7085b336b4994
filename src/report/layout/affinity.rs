//! Where clients run and where requests are completed: throughput, latency, completions on the submitting processor
//! and on others.

use super::TableForm;
use super::cell::{SweepCell, shown};
use super::choice::is_affinity;
use super::figure::Figure;
use super::matrix::heading;
use super::sweep::{Place, Section, Sweep};
use crate::report::sheet::{Align, Sheet};

/// Significant digits that the smallest figure of a column is to have.
const SIGNIFICANT: i32 = 2;

/// The axes that a table shows.
pub(super) fn shown_axes(sweep: &Sweep) -> Vec<usize> {
    let all = 0..sweep.axes.len();
    all.filter(|&axis| is_affinity(&sweep.axes[axis].kind)).collect()
}

/// A column of figures, with its decimals.
struct Column {
    figure: Figure,
    heading: &'static str,
    decimals: usize,
}

/// The columns: those of completions only where they were counted.
fn columns(sweep: &Sweep) -> Vec<Column> {
    let column = |figure, heading, decimals| Column {
        figure,
        heading,
        decimals,
    };
    let mut columns = vec![
        match sweep.has_figure(|figure| figure == Figure::Megabytes) {
            true => column(Figure::Megabytes, "MBPS", 1),
            false => column(Figure::Operations, "operations/sec", 1),
        },
        column(Figure::Mean, "Avg Lat", decimals(sweep, Figure::Mean, 6)),
        column(Figure::Deviation, "StdDev", decimals(sweep, Figure::Deviation, 4)),
    ];
    if sweep.has_figure(|figure| matches!(figure, Figure::Local | Figure::Remote)) {
        columns.push(column(Figure::Local, "C-local", 1));
        columns.push(column(Figure::Remote, "C-remote", 1));
    }
    columns
}

/// The published decimals, or more where latencies are so short that they would look like none.
fn decimals(sweep: &Sweep, figure: Figure, published: usize) -> usize {
    let figures = sweep.cells.values().filter_map(|cell| cell.median(figure));
    let smallest = figures
        .filter(|figure| *figure > 0.0)
        .fold(f64::INFINITY, f64::min);
    if !smallest.is_finite() {
        return published;
    }
    let needed = SIGNIFICANT - 1 - smallest.log10().floor() as i32;
    // Nanoseconds are what is measured.
    published.max(usize::try_from(needed).unwrap_or(0).min(9))
}

/// The tables.
pub(super) fn text(sweep: &Sweep, form: TableForm) -> String {
    let axes = shown_axes(sweep);
    let columns = columns(sweep);
    let sections = sweep.sections(&axes);
    let table = Table {
        sweep,
        axes,
        columns,
        form,
    };
    if form == TableForm::Csv {
        let mut sheet = table.sheet(&table.sweep.others(&table.axes));
        for section in &sections {
            table.rows(section, &section.values, &mut sheet);
        }
        return sheet.text(form);
    }
    let texts: Vec<String> = sections
        .iter()
        .map(|section| {
            let mut sheet = table.sheet(&[]);
            table.rows(section, &[], &mut sheet);
            format!("{}{}", heading(section), sheet.text(form))
        })
        .collect();
    format!("{}\n{}", texts.join("\n"), table.legend())
}

struct Table<'s> {
    sweep: &'s Sweep,
    axes: Vec<usize>,
    columns: Vec<Column>,
    form: TableForm,
}

impl Table<'_> {
    fn sheet(&self, others: &[usize]) -> Sheet {
        let mut sheet = Sheet::default();
        for &axis in others.iter().chain(&self.axes) {
            sheet.column(self.sweep.axes[axis].kind.to_string(), Align::Left);
        }
        for column in &self.columns {
            sheet.column(column.heading, Align::Right);
        }
        if self.form == TableForm::Csv {
            sheet.column("marks", Align::Left);
        }
        sheet
    }

    /// A row a combination, then the means of each value's.
    fn rows(&self, section: &Section<'_>, before: &[String], sheet: &mut Sheet) {
        let places = self.sweep.rows(section, &self.axes);
        for place in &places {
            let cell = self.sweep.cells.get(place);
            let figures = self.columns.iter().map(|column| {
                let text = |value: f64| format!("{value:.0$}", column.decimals);
                shown(cell, column.figure, self.form, text)
            });
            let values = self
                .axes
                .iter()
                .map(|&axis| self.sweep.value(place, axis).to_owned());
            let mut row: Vec<String> = before.iter().cloned().chain(values).chain(figures).collect();
            self.end_row(&mut row, cell);
            sheet.row(row);
        }
        for (&axis, value) in self.several().flat_map(|axis| {
            let values = 0..self.sweep.axes[*axis].values.len();
            values.map(move |value| (axis, value))
        }) {
            let of: Vec<&Place> = places.iter().filter(|place| place[axis] == value).collect();
            let figures = self.columns.iter().map(|column| {
                let mean = self.mean(&of, column.figure);
                mean.map_or_else(
                    || self.form.absent(),
                    |mean| format!("{mean:.0$}", column.decimals),
                )
            });
            let values = self.axes.iter().map(|&of| match of == axis {
                true => self.sweep.axes[axis].values[value].clone(),
                false => "all".to_owned(),
            });
            let mut row: Vec<String> = before.iter().cloned().chain(values).chain(figures).collect();
            self.end_row(&mut row, None);
            sheet.row(row);
        }
    }

    fn end_row(&self, row: &mut Vec<String>, cell: Option<&SweepCell>) {
        if self.form == TableForm::Csv {
            row.push(cell.map(SweepCell::words).unwrap_or_default());
        }
    }

    /// The axes whose values have several rows each.
    fn several(&self) -> impl Iterator<Item = &usize> {
        let several = |axis: &&usize| self.sweep.axes[**axis].has_several();
        let some = self.axes.iter().filter(several).count() > 1;
        self.axes.iter().filter(several).filter(move |_| some)
    }

    /// The mean over cells; absent where one has no figure, as it would be of other combinations than the one beside it.
    fn mean(&self, places: &[&Place], figure: Figure) -> Option<f64> {
        let figures = places
            .iter()
            .map(|place| self.sweep.cells.get(*place)?.median(figure));
        let figures: Vec<f64> = figures.collect::<Option<_>>()?;
        (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
    }

    fn legend(&self) -> String {
        let mut text = "Avg Lat and StdDev: of the latencies of all operations, in seconds.".to_owned();
        if self.several().next().is_some() {
            text.push_str(" all: the mean of the rows with that value; `-` where one of them has no figure.");
        }
        let counted = self.columns.iter().any(|column| column.figure == Figure::Local);
        text.push_str(if counted {
            "\nC-local and C-remote: requests completed on the processor that issued them, and on others, per second.\n"
        } else {
            "\nCompletions of requests were not counted: --completions counts them, as root and where the kernel has tracefs.\n"
        });
        text
    }
}
