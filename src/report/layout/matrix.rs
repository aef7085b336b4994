//! Tables of two axes: rows and columns.

use super::cell::{SweepCell, shown};
use super::figure::Figure;
use super::sweep::{Place, Section, Sweep};
use super::{Layout, LayoutError, TableForm};
use crate::report::sheet::{Align, Sheet};

/// Most cells of all tables of a layout: more would be no table, and a file can ask for any number.
const MOST_CELLS: usize = 1_000_000;

/// Which axes are rows and columns, by their places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix<'s> {
    pub(super) sweep: &'s Sweep,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) align: Align,
}

impl<'s> Matrix<'s> {
    /// The axes that it shows.
    pub(super) fn axes(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// Its sections.
    ///
    /// # Errors
    /// They would have too many cells.
    pub(super) fn sections(&self, layout: Layout) -> Result<Vec<Section<'s>>, LayoutError> {
        let sections = self.sweep.sections(&self.axes());
        let values = |axis: usize| self.sweep.axes[axis].values.len();
        let rows = sections.len().saturating_mul(values(self.rows));
        let cells = rows.saturating_mul(values(self.columns));
        if cells > MOST_CELLS {
            return Err(LayoutError::TooLarge { layout, cells });
        }
        Ok(sections)
    }

    /// A table of one figure of a section.
    pub(super) fn markdown(
        &self,
        section: &Section<'_>,
        corner: String,
        figure: Figure,
        text: impl Fn(f64) -> String,
    ) -> String {
        let mut sheet = Sheet::default();
        sheet.column(corner, self.align);
        self.value_columns(&mut sheet);
        let cell = |place: &Place| shown(self.sweep.cells.get(place), figure, TableForm::Markdown, &text);
        for row in self.lines(section, cell) {
            sheet.row(row);
        }
        sheet.text(TableForm::Markdown)
    }

    /// An empty table for programs, which takes those of all sections and figures: columns for what a row is of, then
    /// those of the values.
    pub(super) fn csv(&self) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.column("figure", Align::Left);
        for axis in self.sweep.others(&self.axes()) {
            sheet.column(self.sweep.axes[axis].kind.to_string(), Align::Left);
        }
        sheet.column(self.corner(), Align::Left);
        self.value_columns(&mut sheet);
        sheet
    }

    /// What stands where the names of rows and columns meet.
    pub(super) fn corner(&self) -> String {
        let name = |axis: usize| &self.sweep.axes[axis].kind;
        format!("{} \\ {}", name(self.rows), name(self.columns))
    }

    /// The rows of a section for programs; none where all cells are empty.
    pub(super) fn csv_rows(
        &self,
        sheet: &mut Sheet,
        name: &str,
        section: &Section<'_>,
        cell: impl Fn(&Place) -> String,
    ) {
        let lines = self.lines(section, cell);
        if lines.iter().all(|line| line[1..].iter().all(String::is_empty)) {
            return;
        }
        for line in lines {
            let of = std::iter::once(name.to_owned()).chain(section.values.clone());
            sheet.row(of.chain(line).collect());
        }
    }

    /// The rows of a figure.
    pub(super) fn csv_figure(
        &self,
        sheet: &mut Sheet,
        section: &Section<'_>,
        figure: Figure,
        text: impl Fn(f64) -> String,
    ) {
        let cell = |place: &Place| shown(self.sweep.cells.get(place), figure, TableForm::Csv, &text);
        self.csv_rows(sheet, &figure.heading(), section, cell);
    }

    /// The rows of marks.
    pub(super) fn csv_marks(&self, sheet: &mut Sheet, section: &Section<'_>) {
        let words = |place: &Place| {
            let cell = self.sweep.cells.get(place);
            cell.map(SweepCell::words).unwrap_or_default()
        };
        self.csv_rows(sheet, "marks", section, words);
    }

    fn value_columns(&self, sheet: &mut Sheet) {
        for value in &self.sweep.axes[self.columns].values {
            sheet.column(value.clone(), self.align);
        }
    }

    /// For each row its value, then its cells.
    fn lines(&self, section: &Section<'_>, cell: impl Fn(&Place) -> String) -> Vec<Vec<String>> {
        let [rows, columns] = self.axes().map(|axis| &self.sweep.axes[axis].values);
        let mut place = section.fixed.clone();
        let mut lines = Vec::with_capacity(rows.len());
        for (row, value) in rows.iter().enumerate() {
            place[self.rows] = row;
            let mut line = vec![value.clone()];
            for column in 0..columns.len() {
                place[self.columns] = column;
                line.push(cell(&place));
            }
            lines.push(line);
        }
        lines
    }
}

/// The line before a section's tables; empty where there is only one.
pub(super) fn heading(section: &Section<'_>) -> String {
    if section.heading.is_empty() {
        return String::new();
    }
    format!("### {}\n\n", section.heading)
}
