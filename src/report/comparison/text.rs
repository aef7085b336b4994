//! A comparison for a terminal, in the manner of benchstat (golang.org/x/perf/cmd/benchstat).

use super::{ComparisonView, Footnotes, figure, words};
use crate::compare::{Comparison, Row};
use crate::report::printable;

const HEADINGS: [&str; 9] = [
    "",
    "base",
    "candidate",
    "change",
    "p",
    "adjusted p",
    "n",
    "verdict",
    "",
];
/// Columns that are filled up on the left.
const NUMBERS: [usize; 3] = [4, 5, 6];

/// The whole: what is compared, a table for each cell, footnotes, and the verdict as the last line.
pub fn comparison_text(comparison: &Comparison, view: ComparisonView) -> String {
    let mut lines = vec![
        format!("base       {}", words::side(&comparison.base)),
        format!("candidate  {}", words::side(&comparison.candidate)),
    ];
    lines.extend(
        words::varied(comparison)
            .iter()
            .map(|one| format!("varied     {one}")),
    );
    let cells = view.cells(comparison);
    let footnotes = view.footnotes(comparison);
    let tables: Vec<Vec<[String; 9]>> = cells
        .iter()
        .map(|(_, rows)| table(rows, comparison.paired, view, &footnotes))
        .collect();
    let widths = widths(tables.iter().flatten());
    for ((cell, _), table) in cells.iter().zip(&tables) {
        lines.push(String::new());
        lines.push((*cell).to_owned());
        lines.extend(table.iter().map(|row| line(row, &widths)));
    }
    lines.push(String::new());
    lines.extend(view.left_out(comparison));
    lines.extend(
        footnotes
            .texts()
            .map(|(number, text)| format!("({number}) {text}")),
    );
    lines.push(words::conclusion(comparison));
    let lines = lines.iter().map(|line| format!("{}\n", printable(line)));
    lines.collect()
}

/// The rows of a cell below headings: metrics that decide, then the others.
fn table(rows: &[&Row], paired: bool, view: ComparisonView, footnotes: &Footnotes<'_>) -> Vec<[String; 9]> {
    let mut all = Vec::new();
    for (gated, heading) in [(true, "gated metric"), (false, "other metric")] {
        let of_part: Vec<&&Row> = rows.iter().filter(|row| row.gated == gated).collect();
        if of_part.is_empty() {
            continue;
        }
        if !all.is_empty() {
            all.push(HEADINGS.map(|_| String::new()));
        }
        let mut headings = HEADINGS.map(str::to_owned);
        heading.clone_into(&mut headings[0]);
        all.push(headings);
        all.extend(of_part.iter().map(|row| cells(row, paired, view, footnotes)));
    }
    all
}

fn cells(row: &Row, paired: bool, view: ComparisonView, footnotes: &Footnotes<'_>) -> [String; 9] {
    let judgement = row.judgement;
    let marks: String = footnotes
        .of(row)
        .iter()
        .map(|number| format!("({number})"))
        .collect();
    [
        row.metric.to_string(),
        figure::sample(row.metric, &row.base),
        figure::sample(row.metric, &row.candidate),
        figure::change(row, view.ratio),
        figure::p(judgement.and_then(|judgement| judgement.p)),
        figure::p(judgement.and_then(|judgement| judgement.adjusted_p)),
        figure::runs(row, paired),
        words::verdict(row),
        marks,
    ]
}

fn widths<'t>(rows: impl Iterator<Item = &'t [String; 9]>) -> [usize; 9] {
    rows.fold([0; 9], |mut widths, row| {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
        widths
    })
}

fn line(row: &[String; 9], widths: &[usize; 9]) -> String {
    let cells = row.iter().zip(widths).enumerate();
    let padded: Vec<String> = cells
        .map(|(column, (cell, &width))| match NUMBERS.contains(&column) {
            true => format!("{cell:>width$}"),
            false => format!("{cell:<width$}"),
        })
        .collect();
    format!("  {}", padded.join("  ")).trim_end().to_owned()
}
