//! Operations per second by block size and clients: a table a load.

use super::figure::Figure;
use super::matrix::Matrix;
use super::sweep::{Section, Sweep};
use super::{Layout, LayoutError, TableForm, tio};
use crate::report::sheet::Align;
use crate::result::AxisKind;

/// Rows are block sizes, columns are clients.
fn matrix(sweep: &Sweep) -> Matrix<'_> {
    Matrix {
        sweep,
        rows: sweep.axis(&tio::block()).unwrap_or(0),
        columns: sweep.axis(&AxisKind::Clients).unwrap_or(0),
        align: Align::Left,
    }
}

/// The tables.
///
/// # Errors
/// They would be too large.
pub(super) fn text(sweep: &Sweep, form: TableForm) -> Result<String, LayoutError> {
    let tables = tables(sweep, form, Figure::Operations, |rate| format!("{rate:.0}"))?;
    Ok(match form {
        TableForm::Markdown => {
            let rate = Figure::Operations.heading();
            format!("{rate}; rows: block, columns: clients:\n\n{tables}")
        }
        TableForm::Csv => tables,
    })
}

/// The tables of a figure.
///
/// # Errors
/// They would be too large.
pub(super) fn tables(
    sweep: &Sweep,
    form: TableForm,
    figure: Figure,
    text: impl Fn(f64) -> String,
) -> Result<String, LayoutError> {
    let matrix = matrix(sweep);
    let sections = matrix.sections(Layout::Iops)?;
    if form == TableForm::Csv {
        let mut sheet = matrix.csv();
        for section in &sections {
            matrix.csv_figure(&mut sheet, section, figure, &text);
            matrix.csv_marks(&mut sheet, section);
        }
        return Ok(sheet.text(form));
    }
    let texts: Vec<String> = sections
        .iter()
        .map(|section| {
            let table = matrix.markdown(section, corner(sweep, section), figure, &text);
            format!("{}{table}", heading(sweep, section))
        })
        .collect();
    Ok(texts.join("\n"))
}

/// The load, as in the published tables; `block` where it is not known.
fn corner(sweep: &Sweep, section: &Section<'_>) -> String {
    if let Some(axis) = sweep.axis(&AxisKind::Load) {
        return tio::pattern_name(sweep.value(&section.fixed, axis)).to_owned();
    }
    let loads = sweep.cells.values().map(|cell| &cell.loads[..]);
    let mut loads = loads.filter(|loads| !loads.is_empty());
    match loads.next() {
        Some([load]) => load.name.clone(),
        _ => "block".to_owned(),
    }
}

/// What a table is of beside its load, which stands in its corner.
fn heading(sweep: &Sweep, section: &Section<'_>) -> String {
    let matrix = matrix(sweep);
    let others = sweep.others(&matrix.axes());
    let beside = others.iter().any(|&axis| sweep.axes[axis].kind != AxisKind::Load);
    if beside {
        super::matrix::heading(section)
    } else {
        String::new()
    }
}
