//! A row a cell, with all that is known of it.

use super::TableForm;
use super::cell::{SweepCell, shown};
use super::figure::Figure;
use super::sweep::{Place, Sweep};
use crate::report::sheet::{Align, Sheet};
use crate::result::Activity;

/// The table.
pub(super) fn text(sweep: &Sweep, form: TableForm) -> String {
    let columns = Columns::of(sweep, form);
    let mut sheet = Sheet::default();
    // What all cells have in common stands above the table; programs read nothing there.
    let several = |&axis: &usize| form == TableForm::Csv || sweep.axes[axis].has_several();
    let axes: Vec<usize> = (0..sweep.axes.len()).filter(several).collect();
    for &axis in &axes {
        sheet.column(sweep.axes[axis].kind.to_string(), Align::Left);
    }
    columns.headings(&mut sheet, form);
    for place in places(sweep) {
        let values = axes.iter().map(|&axis| sweep.value(&place, axis).to_owned());
        let cell = columns.row(sweep.cells.get(&place), form);
        sheet.row(values.chain(cell).collect());
    }
    sheet.text(form)
}

/// All cells, in the order typed.
pub(super) fn places(sweep: &Sweep) -> Vec<Place> {
    let all: Vec<usize> = (0..sweep.axes.len()).collect();
    let sections = sweep.sections(&all);
    sections
        .iter()
        .flat_map(|section| sweep.rows(section, &all))
        .collect()
}

struct Columns {
    main: Figure,
    /// Several runs a cell: their range, and how they vary.
    spread: bool,
    others: Vec<Figure>,
    marks: bool,
}

impl Columns {
    fn of(sweep: &Sweep, form: TableForm) -> Columns {
        let has = |figure: Figure| sweep.has_figure(|one| one == figure);
        let main = if has(Figure::Megabytes) || !has(Figure::Operations) {
            Figure::Megabytes
        } else {
            Figure::Operations
        };
        let bystander = Activity::ALL
            .into_iter()
            .flat_map(|activity| [Figure::Bystander(activity), Figure::BystanderFactor(activity)]);
        let others = [Figure::Synced, Figure::Operations, Figure::P99]
            .into_iter()
            .filter(|figure| *figure != main && (*figure != Figure::Synced || has(Figure::Synced)));
        let marked = sweep.cells.values().any(|cell| !cell.marks.is_empty());
        Columns {
            main,
            spread: sweep.cells.values().any(|cell| cell.completed > 1),
            others: others.chain(bystander.filter(|figure| has(*figure))).collect(),
            marks: marked || form == TableForm::Csv,
        }
    }

    fn headings(&self, sheet: &mut Sheet, form: TableForm) {
        if form == TableForm::Csv {
            sheet.column("completed", Align::Right);
        }
        sheet.column("runs", Align::Right);
        sheet.column(self.main.heading(), Align::Right);
        if self.spread {
            for heading in ["min", "max", "CV %"] {
                sheet.column(heading, Align::Right);
            }
        }
        for figure in &self.others {
            sheet.column(figure.heading(), Align::Right);
        }
        if self.marks {
            sheet.column("marks", Align::Left);
        }
    }

    fn row(&self, cell: Option<&SweepCell>, form: TableForm) -> Vec<String> {
        // Marks have a column of their own here.
        let plain = |figure: Figure| {
            let text = shown(cell, figure, TableForm::Csv, |value| figure.text(value));
            if text.is_empty() { form.absent() } else { text }
        };
        let or_absent = |text: Option<String>| text.unwrap_or_else(|| form.absent());
        let mut row: Vec<String> = match form {
            TableForm::Markdown => vec![or_absent(cell.map(runs))],
            TableForm::Csv => [|cell: &SweepCell| cell.completed, |cell: &SweepCell| cell.runs]
                .map(|count| cell.map(|cell| count(cell).to_string()).unwrap_or_default())
                .to_vec(),
        };
        row.push(plain(self.main));
        if self.spread {
            let summary = cell
                .and_then(|cell| cell.summary(self.main))
                .filter(|summary| summary.runs > 1);
            let of = |figure: f64| self.main.text(figure);
            row.push(or_absent(summary.map(|summary| of(summary.min))));
            row.push(or_absent(summary.map(|summary| of(summary.max))));
            let variation = summary.and_then(|summary| summary.coefficient_of_variation);
            row.push(or_absent(
                variation.map(|variation| format!("{:.2}", variation * 100.0)),
            ));
        }
        row.extend(self.others.iter().map(|figure| {
            let failed = cell.is_some_and(SweepCell::has_failed);
            if failed { form.absent() } else { plain(*figure) }
        }));
        if self.marks {
            let marks = cell.map(|cell| match form {
                TableForm::Markdown => cell.symbols(),
                TableForm::Csv => cell.words(),
            });
            row.push(marks.unwrap_or_default());
        }
        row
    }
}

/// How many runs count, of how many.
fn runs(cell: &SweepCell) -> String {
    if cell.completed == cell.runs {
        return cell.completed.to_string();
    }
    format!("{} of {}", cell.completed, cell.runs)
}
