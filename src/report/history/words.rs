//! What of a history is told in words.

use crate::history::{Checked, DatedChange, Series, TonightVerdict};
use crate::report::comparison::figure;

/// The headings of the table of tonight.
pub(super) const TONIGHT: [&str; 7] = [
    "metric",
    "tonight",
    "expected",
    "interval (99 %)",
    "p",
    "nights",
    "verdict",
];

/// The cells of a table of tonight.
pub(super) fn tonight(series: &Series, night: &str) -> [String; 7] {
    let metric = series.metric;
    let none = || "-".to_owned();
    let last = series.nights.last().filter(|last| last.date == night);
    let told = last.map_or_else(none, |last| figure::amount(metric, last.median));
    let Some(judged) = &series.tonight else {
        let verdict = if last.is_some() {
            "not judged"
        } else {
            "did not run"
        };
        return [
            metric.to_string(),
            told,
            none(),
            none(),
            none(),
            none(),
            verdict.to_owned(),
        ];
    };
    let [low, high] = [judged.low, judged.high].map(|end| figure::amount(metric, end));
    [
        metric.to_string(),
        told,
        figure::amount(metric, judged.expected),
        format!("{low} to {high}"),
        figure::p(Some(judged.p)),
        judged.nights.to_string(),
        verdict(judged.verdict).to_owned(),
    ]
}

/// A verdict: `suspected worse`.
pub(super) fn verdict(verdict: TonightVerdict) -> &'static str {
    match verdict {
        TonightVerdict::Steady => "steady",
        TonightVerdict::SuspectedWorse => "suspected worse",
        TonightVerdict::SuspectedBetter => "suspected better",
        TonightVerdict::ConfirmedWorse => "confirmed worse",
        TonightVerdict::ConfirmedBetter => "confirmed better",
        TonightVerdict::NotConfirmed => "not confirmed",
    }
}

/// A change point: `throughput -5.1% from 2026-03-01 on (6.9.0), p 0.0010, worse, new tonight`.
pub(super) fn change(series: &Series, change: &DatedChange) -> String {
    let build = change.build.as_deref();
    let build = build.map(|build| format!(" ({build})")).unwrap_or_default();
    format!(
        "{} {} from {} on{build}, p {}, {}{}",
        series.metric,
        figure::shift(series.metric, change.size),
        change.date,
        figure::p(Some(change.p)),
        if change.worse { "worse" } else { "better" },
        if change.new_tonight { ", new tonight" } else { "" },
    )
}

/// The name of a cell, with its machine where there are several.
pub(super) fn cell(checked: &Checked, series: &Series) -> String {
    let all = &checked.check.series;
    let several = all.iter().any(|other| other.machine != series.machine);
    match several && !series.machine.is_empty() {
        true => format!("{} (machine {})", series.cell, series.machine),
        false => series.cell.clone(),
    }
}

/// The series, cell by cell.
pub(super) fn by_cell(checked: &Checked) -> Vec<(String, Vec<&Series>)> {
    let mut cells: Vec<(String, Vec<&Series>)> = Vec::new();
    for series in &checked.check.series {
        let name = cell(checked, series);
        match cells.last_mut().filter(|(last, _)| *last == name) {
            Some((_, of_cell)) => of_cell.push(series),
            None => cells.push((name, vec![series])),
        }
    }
    cells
}

/// The sentence that all comes to.
pub(super) fn conclusion(checked: &Checked) -> String {
    let night = &checked.night;
    let gated: Vec<&Series> = checked
        .check
        .series
        .iter()
        .filter(|series| series.gated)
        .collect();
    let count = |wanted: &dyn Fn(&Series) -> bool| gated.iter().filter(|series| wanted(series)).count();
    let is = |series: &Series, verdict: TonightVerdict| {
        series
            .tonight
            .as_ref()
            .is_some_and(|tonight| tonight.verdict == verdict)
    };
    let parts = [
        (
            count(&|of| is(of, TonightVerdict::ConfirmedWorse)),
            "confirmed worse",
        ),
        (
            count(&|of| is(of, TonightVerdict::SuspectedWorse)),
            "suspected worse",
        ),
        (
            count(&|of| {
                of.change_points
                    .iter()
                    .any(|change| change.worse && change.new_tonight)
            }),
            "with a new change for the worse",
        ),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let conflicts = match checked.conflicts.len() {
        0 => None,
        1 => Some("1 cell ran on something else than before, and is not judged".to_owned()),
        cells => Some(format!(
            "{cells} cells ran on something else than before, and are not judged"
        )),
    };
    if !told.is_empty() {
        let ran = count(&|of| of.nights.last().is_some_and(|last| last.date == *night));
        let besides = conflicts.map_or(String::new(), |text| format!("; {text}"));
        return format!(
            "night {night}: of {ran} gated series {}{besides}",
            told.join(", ")
        );
    }
    if let Some(text) = conflicts {
        return format!("night {night}: {text}");
    }
    let judged = count(&|of| of.tonight.is_some());
    match judged {
        0 => format!("night {night}: nothing is judged"),
        _ => format!("night {night}: nothing is worse in {judged} gated series"),
    }
}
