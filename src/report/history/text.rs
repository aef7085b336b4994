//! A history for a terminal.

use super::words;
use crate::history::Checked;
use crate::report::printable;

/// The columns of `TONIGHT` that are filled up on the left.
const NUMBERS: [usize; 2] = [4, 5];

/// The whole: a table for each cell with its change points, notes, and what all comes to as the last line.
pub fn history_text(checked: &Checked) -> String {
    let mut lines = Vec::new();
    let cells = words::by_cell(checked);
    let row = |series: &&crate::history::Series| words::tonight(series, &checked.night);
    let rows: Vec<Vec<[String; 7]>> = cells
        .iter()
        .map(|(_, series)| series.iter().map(row).collect())
        .collect();
    let headings = words::TONIGHT.map(str::to_owned);
    let widths = rows
        .iter()
        .flatten()
        .chain([&headings])
        .fold([0; 7], |mut widths, row| {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
            widths
        });
    for ((cell, series), rows) in cells.iter().zip(&rows) {
        lines.push(cell.clone());
        lines.push(line(&headings, &widths));
        lines.extend(rows.iter().map(|row| line(row, &widths)));
        for one in series {
            let changes = one.change_points.iter();
            lines.extend(changes.map(|change| format!("  changed: {}", words::change(one, change))));
        }
        lines.push(String::new());
    }
    lines.extend(checked.check.notes.iter().map(|note| format!("note: {note}")));
    lines.push(words::conclusion(checked));
    let lines = lines.iter().map(|line| format!("{}\n", printable(line)));
    lines.collect()
}

fn line(row: &[String; 7], widths: &[usize; 7]) -> String {
    let cells = row.iter().zip(widths).enumerate();
    let padded: Vec<String> = cells
        .map(|(column, (cell, &width))| match NUMBERS.contains(&column) {
            true => format!("{cell:>width$}"),
            false => format!("{cell:<width$}"),
        })
        .collect();
    format!("  {}", padded.join("  ")).trim_end().to_owned()
}
