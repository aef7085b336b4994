//! A comparison.

use super::super::comparison::figure::{change, p, runs, sample};
use super::super::picture::{self, Picture, legible};
use super::parts::{figure, headings, table};
use crate::compare::{Comparison, Row};
use crate::stats::Verdict;
use maud::{Markup, html};

type Compared = Result<Comparison, Vec<String>>;

/// Rows that a page has room for.
const MOST_ROWS: usize = 2000;

pub(super) fn picture(comparison: &Comparison) -> Picture {
    picture::deltas(comparison)
}

/// What is worse, by name.
pub(super) fn headline(compared: &Compared) -> Markup {
    let comparison = match compared {
        Ok(comparison) => comparison,
        Err(_) => {
            return html! { p.verdict.unclear { strong { "? Not comparable" } ": see below what differs." } };
        }
    };
    let of = |verdict: Verdict| -> Vec<String> {
        let rows = comparison.rows.iter().filter(|row| row.gated);
        let found = rows.filter(|row| {
            row.judgement
                .is_some_and(|judgement| judgement.verdict == verdict)
        });
        found
            .map(|row| format!("{} of {} {}", row.metric, row.cell, change(row, false)))
            .collect()
    };
    let (worse, better) = (of(Verdict::Regressed), of(Verdict::Improved));
    let beside = format!("{} beside {}", comparison.candidate.name, comparison.base.name);
    html! {
        @if !worse.is_empty() {
            p.verdict.worse { strong { "▼ " (legible(&beside)) " has regressed" } ": " (legible(&worse.join("; "))) }
        } @else if comparison.is_inconclusive() {
            p.verdict.unclear { strong { "? " (legible(&beside)) ": no regression was found, but not everything can be told" } }
        } @else {
            p.verdict.fine { strong { "● " (legible(&beside)) ": no regression" } }
        }
        @if !better.is_empty() { p.verdict.fine { strong { "▲ Improved" } ": " (legible(&better.join("; "))) } }
    }
}

pub(super) fn section(compared: &Compared) -> Markup {
    let comparison = match compared {
        Ok(comparison) => comparison,
        Err(lines) => return html! { @for line in lines { p { (legible(line)) } } },
    };
    let shown: Vec<&Row> = comparison.rows.iter().take(MOST_ROWS).collect();
    let varied: Vec<Vec<String>> = comparison
        .varied
        .iter()
        .map(|(name, base, candidate)| vec![name.clone(), base.clone(), candidate.clone()])
        .collect();
    let columns = headings(&[
        "metric",
        "decides",
        "base",
        "candidate",
        "change",
        "p",
        "adjusted p",
        "n",
        "verdict",
        "notes",
    ]);
    html! {
        p {
            "Base: " (legible(&comparison.base.name)) ", " (comparison.base.runs) " runs. Candidate: "
            (legible(&comparison.candidate.name)) ", " (comparison.candidate.runs) " runs"
            @if comparison.paired { ", compared pair by pair" }
            ". Differences below " (format!("{:.0} %", comparison.floor * 100.0)) " do not matter."
        }
        @if !varied.is_empty() { (table("What was varied", &headings(&["", "base", "candidate"]), &varied)) }
        (figure(&picture(comparison)))
        @for rows in shown.chunk_by(|a, b| a.cell == b.cell) {
            @if let Some(first) = rows.first() {
                (table(&first.cell, &columns, &rows.iter().map(|row| cells(row, comparison.paired)).collect::<Vec<_>>()))
            }
        }
        @if comparison.rows.len() > MOST_ROWS { p { "The first " (MOST_ROWS) " of " (comparison.rows.len()) " rows." } }
        @if !comparison.notes.is_empty() {
            h3 { "Notes" }
            ol { @for note in &comparison.notes { li { (legible(&note.text)) } } }
        }
    }
}

fn cells(row: &Row, paired: bool) -> Vec<String> {
    let notes: Vec<String> = row.notes.iter().map(|note| format!("({note})")).collect();
    vec![
        row.metric.to_string(),
        if row.gated { "yes" } else { "no" }.to_owned(),
        sample(row.metric, &row.base),
        sample(row.metric, &row.candidate),
        change(row, false),
        p(row.judgement.and_then(|judgement| judgement.p)),
        p(row.judgement.and_then(|judgement| judgement.adjusted_p)),
        runs(row, paired),
        row.judgement
            .map_or("-".to_owned(), |judgement| verdict(judgement.verdict)),
        notes.join(" "),
    ]
}

/// In a word and a sign.
fn verdict(verdict: Verdict) -> String {
    let sign = match verdict {
        Verdict::Regressed => "▼",
        Verdict::Improved => "▲",
        Verdict::Unchanged | Verdict::Small => "●",
        Verdict::Inconclusive | Verdict::Insufficient => "?",
    };
    format!("{sign} {verdict}")
}
