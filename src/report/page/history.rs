//! The nights of a store.

use super::super::picture::{self, Picture, legible, short, word};
use super::parts::{figure, headings, table};
use crate::history::{Checked, Series, TonightVerdict};
use maud::{Markup, html};

/// Pictures that a page has room for; the tables have all.
const MOST_PICTURES: usize = 16;

pub(super) fn pictures(checked: &Checked) -> Vec<Picture> {
    shown(checked).map(picture::history).collect()
}

/// Those that decide, what has changed first.
fn shown(checked: &Checked) -> impl Iterator<Item = &Series> {
    let gated = || checked.check.series.iter().filter(|series| series.gated);
    let first = gated().filter(|series| is_worse(series));
    first
        .chain(gated().filter(|series| !is_worse(series)))
        .take(MOST_PICTURES)
}

fn is_worse(series: &Series) -> bool {
    let tonight = series.tonight.as_ref().map(|tonight| tonight.verdict);
    matches!(
        tonight,
        Some(TonightVerdict::SuspectedWorse | TonightVerdict::ConfirmedWorse)
    ) || series
        .change_points
        .iter()
        .any(|change| change.worse && change.new_tonight)
}

/// What is worse tonight, by name.
pub(super) fn headline(checked: &Checked) -> Markup {
    let worse: Vec<String> = checked
        .check
        .series
        .iter()
        .filter(|series| series.gated && is_worse(series))
        .map(|series| format!("{} of {}", series.metric, series.cell))
        .collect();
    html! {
        @if !worse.is_empty() {
            p.verdict.worse {
                strong { "▼ The night of " (checked.night) " has regressed beside the nights before" } ": "
                (legible(&worse.join("; ")))
            }
        } @else if !checked.conflicts.is_empty() {
            p.verdict.unclear { strong { "? The night of " (checked.night) " ran on something else than the nights before" } }
        } @else {
            p.verdict.fine { strong { "● The night of " (checked.night) ": nothing is worse than in the nights before" } }
        }
    }
}

pub(super) fn section(checked: &Checked) -> Markup {
    let gated = checked.check.series.iter().filter(|series| series.gated).count();
    html! {
        @for one in pictures(checked) { (figure(&one)) }
        @if gated > MOST_PICTURES { p { "Pictures of the first " (MOST_PICTURES) " of " (gated) " metrics that decide." } }
        (tonight(checked))
        (changes(checked))
        @for conflict in &checked.conflicts {
            h3 { (legible(&conflict.cell)) " is not comparable" }
            ul { @for difference in &conflict.differences { li { (legible(&difference.name)) ": " (legible(&difference.base)) " before, " (legible(&difference.candidate)) " tonight" } } }
        }
        @if !checked.check.notes.is_empty() {
            h3 { "Notes" }
            ul { @for note in &checked.check.notes { li { (legible(note)) } } }
        }
    }
}

fn tonight(checked: &Checked) -> Markup {
    let row = |series: &Series| {
        let (factor, unit) = picture::unit(series.metric);
        let median = series
            .nights
            .last()
            .map_or("-".to_owned(), |night| short(night.median * factor));
        let told = |figure: Option<f64>| figure.map_or("-".to_owned(), |figure| short(figure * factor));
        let tonight = series.tonight.as_ref();
        vec![
            series.cell.clone(),
            format!("{} ({unit})", series.metric),
            if series.gated { "yes" } else { "no" }.to_owned(),
            median,
            told(tonight.map(|tonight| tonight.expected)),
            told(tonight.map(|tonight| tonight.low)),
            told(tonight.map(|tonight| tonight.high)),
            tonight.map_or("-".to_owned(), |tonight| format!("{:.4}", tonight.p)),
            tonight
                .map_or("too few nights", |tonight| word(tonight.verdict))
                .to_owned(),
        ]
    };
    let columns = [
        "cell",
        "metric",
        "decides",
        "last night",
        "expected",
        "from",
        "to",
        "p",
        "verdict",
    ];
    let rows: Vec<_> = checked.check.series.iter().map(row).collect();
    table(
        &format!("The night of {}", checked.night),
        &headings(&columns),
        &rows,
    )
}

fn changes(checked: &Checked) -> Markup {
    let rows: Vec<Vec<String>> = checked
        .check
        .series
        .iter()
        .flat_map(|series| series.change_points.iter().map(move |change| (series, change)))
        .map(|(series, change)| {
            vec![
                series.cell.clone(),
                series.metric.to_string(),
                change.date.clone(),
                change.build.clone().unwrap_or_else(|| "-".to_owned()),
                format!("{:+.1} %", change.size * 100.0),
                if change.worse { "▼ worse" } else { "▲ better" }.to_owned(),
                format!("{:.4}", change.p),
                if change.new_tonight { "yes" } else { "no" }.to_owned(),
            ]
        })
        .collect();
    if rows.is_empty() {
        return html! { p { "No change was found." } };
    }
    let columns = [
        "cell",
        "metric",
        "since",
        "build",
        "size",
        "direction",
        "p",
        "new",
    ];
    table("Changes", &headings(&columns), &rows)
}
