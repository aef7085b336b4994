//! A comparison as GitHub's Markdown.

use super::{ComparisonView, Footnotes, figure, words};
use crate::compare::{Comparison, Row};
use crate::report::sheet::{Align, Sheet};
use crate::report::{TableForm, printable};

/// Characters that mean something in Markdown (CommonMark 2.4), and may stand in names.
const MEANINGFUL: &str = "\\`*_{}[]<>#|~&";

/// The whole: what is compared, a table for each cell, footnotes, and the verdict as the last line.
pub fn comparison_markdown(comparison: &Comparison, view: ComparisonView) -> String {
    let mut text = String::new();
    let mut facts = vec![
        format!("base: {}", words::side(&comparison.base)),
        format!("candidate: {}", words::side(&comparison.candidate)),
    ];
    facts.extend(
        words::varied(comparison)
            .iter()
            .map(|one| format!("varied: {one}")),
    );
    for fact in facts {
        text += &format!("- {}\n", plain(&fact));
    }
    let footnotes = view.footnotes(comparison);
    for (cell, rows) in view.cells(comparison) {
        text += &format!("\n### {}\n\n", plain(cell));
        text += &sheet(&rows, comparison.paired, view, &footnotes).text(TableForm::Markdown);
    }
    text.push('\n');
    if let Some(left_out) = view.left_out(comparison) {
        text += &format!("{}\n\n", plain(&left_out));
    }
    let mut listed = String::new();
    for (number, note) in footnotes.texts() {
        listed += &format!("{number}. {}\n", plain(note));
    }
    if !listed.is_empty() {
        text += &format!("{listed}\n");
    }
    text + &format!("**{}**\n", words::conclusion(comparison))
}

fn sheet(rows: &[&Row], paired: bool, view: ComparisonView, footnotes: &Footnotes<'_>) -> Sheet {
    let mut sheet = Sheet::default();
    for (heading, align) in [
        ("metric", Align::Left),
        ("gated", Align::Left),
        ("base", Align::Right),
        ("candidate", Align::Right),
        ("change", Align::Right),
        ("p", Align::Right),
        ("adjusted p", Align::Right),
        ("n", Align::Right),
        ("verdict", Align::Left),
        ("notes", Align::Left),
    ] {
        sheet.column(heading, align);
    }
    for row in rows {
        let judgement = row.judgement;
        let marks: Vec<String> = footnotes.of(row).iter().map(usize::to_string).collect();
        sheet.row(vec![
            row.metric.to_string(),
            if row.gated { "yes" } else { "no" }.to_owned(),
            figure::sample(row.metric, &row.base),
            figure::sample(row.metric, &row.candidate),
            figure::change(row, view.ratio),
            figure::p(judgement.and_then(|judgement| judgement.p)),
            figure::p(judgement.and_then(|judgement| judgement.adjusted_p)),
            figure::runs(row, paired),
            words::verdict(row),
            marks.join(", "),
        ]);
    }
    sheet
}

/// A text in which no name is taken for Markdown, or for HTML.
pub(in crate::report) fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        if MEANINGFUL.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
