//! Two axes as rows and columns: throughput, what a bystander waited for, and the sweet spot between them.

use super::cell::SweepCell;
use super::figure::Figure;
use super::matrix::{Matrix, heading};
use super::sweep::{Place, Section, Sweep};
use super::sweet_spot::front;
use super::{Layout, LayoutError, TableForm};
use crate::report::sheet::{Align, Sheet};
use crate::result::Activity;

/// The rows and columns of a grid: the first two axes with several values, in the order typed.
pub(super) fn matrix(sweep: &Sweep) -> Matrix<'_> {
    let mut several = (0..sweep.axes.len()).filter(|&axis| sweep.axes[axis].has_several());
    Matrix {
        sweep,
        rows: several.next().unwrap_or(0),
        columns: several.next().unwrap_or(0),
        align: Align::Right,
    }
}

/// The tables.
///
/// # Errors
/// They would be too large.
pub(super) fn text(sweep: &Sweep, form: TableForm, bystander: Activity) -> Result<String, LayoutError> {
    let matrix = matrix(sweep);
    let sections = matrix.sections(Layout::Grid)?;
    let grid = Grid { matrix, bystander };
    Ok(match form {
        TableForm::Markdown => {
            let texts: Vec<String> = sections.iter().map(|section| grid.markdown(section)).collect();
            texts.join("\n")
        }
        TableForm::Csv => {
            let mut sheet = matrix.csv();
            for section in &sections {
                grid.csv(section, &mut sheet);
            }
            sheet.text(form)
        }
    })
}

/// A cell of the sweet spot.
struct Spot<'s> {
    place: &'s Place,
    cell: &'s SweepCell,
    main: f64,
    bystander: f64,
}

/// What is shown of the loads' own work, and what of it stands for all cells.
pub(super) fn main_figures(section: &Section<'_>) -> (Vec<Figure>, Figure) {
    Grid::figures(section)
}

struct Grid<'s> {
    matrix: Matrix<'s>,
    bystander: Activity,
}

impl<'s> Grid<'s> {
    fn waited(&self) -> Figure {
        Figure::Bystander(self.bystander)
    }

    /// What is shown of the loads' own work, and what of it stands for all cells: MB/sec, but where a load moves no data.
    fn figures(section: &Section<'_>) -> (Vec<Figure>, Figure) {
        let mut measured = section
            .cells
            .iter()
            .filter(|(_, cell)| cell.completed > 0)
            .peekable();
        if measured.peek().is_none() {
            return (vec![Figure::Megabytes], Figure::Megabytes);
        }
        let moves = |(_, cell): &&(&Place, &SweepCell)| cell.median(Figure::Megabytes).is_some();
        let synced = |(_, cell): &&(&Place, &SweepCell)| cell.median(Figure::Synced).is_some();
        if measured.clone().filter(synced).count() == measured.clone().count() {
            return (vec![Figure::Megabytes, Figure::Synced], Figure::Synced);
        }
        match measured.clone().filter(moves).count() {
            0 => (vec![Figure::Operations], Figure::Operations),
            some if some == measured.count() => (vec![Figure::Megabytes], Figure::Megabytes),
            _ => (vec![Figure::Megabytes, Figure::Operations], Figure::Operations),
        }
    }

    fn spots<'c>(&self, section: &Section<'c>, main: Figure) -> Vec<Spot<'c>> {
        let cells = section.cells.iter();
        let all: Vec<Spot<'_>> = cells
            .filter_map(|&(place, cell)| {
                Some(Spot {
                    place,
                    cell,
                    main: cell.median(main)?,
                    bystander: cell.median(self.waited())?,
                })
            })
            .collect();
        let points: Vec<(f64, f64)> = all.iter().map(|spot| (spot.main, spot.bystander)).collect();
        let mut all: Vec<Option<Spot<'_>>> = all.into_iter().map(Some).collect();
        front(&points)
            .into_iter()
            .filter_map(|index| all[index].take())
            .collect()
    }

    fn markdown(&self, section: &Section<'_>) -> String {
        let [rows, columns] = self.matrix.axes().map(|axis| &self.matrix.sweep.axes[axis].kind);
        let (mut figures, main) = Grid::figures(section);
        let probed = section
            .cells
            .iter()
            .any(|(_, cell)| cell.has_figure(is_bystander));
        let waited = section
            .cells
            .iter()
            .any(|(_, cell)| cell.median(self.waited()).is_some());
        figures.extend(waited.then_some(self.waited()));
        let tables = figures.into_iter().map(|figure| {
            let table = self
                .matrix
                .markdown(section, format!("{rows} \\ {columns}"), figure, |value| {
                    figure.text(value)
                });
            format!("{}:\n\n{table}", figure.heading())
        });
        let mut parts: Vec<String> = tables.collect();
        if waited {
            parts.push(self.sweet_spot(section, main));
        } else if probed {
            parts.push(format!(
                "The bystander's activity {} has no figures.\n",
                self.bystander
            ));
        }
        format!("{}{}", heading(section), parts.join("\n"))
    }

    fn sweet_spot(&self, section: &Section<'_>, main: Figure) -> String {
        let axes = self.matrix.axes();
        let sweep = self.matrix.sweep;
        let (waited, heading) = (self.waited(), main.heading());
        let mut sheet = Sheet::default();
        for axis in axes {
            sheet.column(sweep.axes[axis].kind.to_string(), Align::Right);
        }
        sheet.column(heading.clone(), Align::Right);
        sheet.column(waited.heading(), Align::Right);
        for spot in self.spots(section, main) {
            let symbols = spot.cell.symbols();
            let values = axes.map(|axis| sweep.value(spot.place, axis).to_owned());
            let figures = [
                format!("{}{symbols}", main.text(spot.main)),
                format!("{}{symbols}", waited.text(spot.bystander)),
            ];
            sheet.row(values.into_iter().chain(figures).collect());
        }
        format!(
            "The sweet spot, cells that no other cell beats on both {heading} and {}:\n\n{}",
            waited.heading(),
            sheet.text(TableForm::Markdown)
        )
    }

    fn csv(&self, section: &Section<'_>, sheet: &mut Sheet) {
        let (mut figures, main) = Grid::figures(section);
        figures.push(self.waited());
        for figure in figures {
            self.matrix
                .csv_figure(sheet, section, figure, |value| figure.text(value));
        }
        let spots: Vec<&Place> = self.spots(section, main).iter().map(|spot| spot.place).collect();
        self.matrix.csv_rows(sheet, "sweet spot", section, |place| {
            let yes = spots.contains(&place);
            if yes { "yes".to_owned() } else { String::new() }
        });
        self.matrix.csv_marks(sheet, section);
    }
}

fn is_bystander(figure: Figure) -> bool {
    matches!(figure, Figure::Bystander(_))
}
