//! What is to be known of a cell beside its figures, and what to do.

use super::agreement::Agreeing;
use super::nights::CellNight;
use super::series::LEAST_FRESH;
use super::{Series, TonightVerdict};
use crate::compare::{CellKey, Difference};
use crate::stats::LEAST_NIGHTS;
use crate::store::NightStart;
use jiff::SignedDuration;

/// A cell that has not run for longer was given up, and is not missed.
const MISSED_FOR: SignedDuration = SignedDuration::from_hours(14 * 24);

/// What is known of a cell when it is judged.
pub(super) struct CellCheck<'c> {
    pub(super) key: &'c CellKey,
    pub(super) nights: &'c [CellNight<'c>],
    pub(super) ran_tonight: bool,
    pub(super) is_conflict: bool,
    pub(super) is_forced: bool,
    pub(super) agreeing: &'c Agreeing,
    pub(super) series: &'c [Series],
}

/// Notes on a cell.
pub(super) fn notes(cell: &CellCheck<'_>, tonight: &NightStart) -> Vec<String> {
    let all = [
        missing(cell, tonight),
        conflict(cell),
        too_few(cell, tonight),
        fresh(cell, tonight),
    ];
    all.into_iter().flatten().collect()
}

/// It did not run, or all its runs failed.
fn missing(cell: &CellCheck<'_>, tonight: &NightStart) -> Option<String> {
    let last = cell.nights.last().filter(|_| !cell.ran_tonight)?;
    let at = last.runs.first()?.started_at;
    (tonight.started_at.duration_since(at) <= MISSED_FOR).then(|| {
        format!(
            "{}: has no completed run of night {}; its last is of {}",
            cell.key.name, tonight.night, last.name
        )
    })
}

/// Something else than what it ran on before.
fn conflict(cell: &CellCheck<'_>) -> Option<String> {
    let first = cell.nights.get(cell.agreeing.first)?;
    let before = cell.nights.get(cell.agreeing.first.checked_sub(1)?)?;
    let told: Vec<String> = cell.agreeing.differences.iter().map(difference).collect();
    if told.is_empty() {
        return None;
    }
    let (name, told) = (&cell.key.name, told.join("; "));
    Some(if cell.is_conflict {
        format!(
            "{name}: not judged: {} ran on something else than {}: {told}: judge it all the same with --force, or begin a series of its own with --tag cell=NAME",
            first.name, before.name
        )
    } else if cell.is_forced {
        format!("{name}: up to {} it ran on something else: {told}", before.name)
    } else {
        format!(
            "{name}: nights up to {} are left out, as they ran on something else: {told}",
            before.name
        )
    })
}

fn difference(of: &Difference) -> String {
    format!("{}: {} before, then {}", of.name, of.base, of.candidate)
}

/// Too few nights since the last change, or at all.
fn too_few(cell: &CellCheck<'_>, tonight: &NightStart) -> Option<String> {
    let untold: Vec<_> = cell
        .series
        .iter()
        .filter(|series| series.tonight.is_none() && !cell.is_conflict)
        .filter(|series| {
            series
                .nights
                .last()
                .is_some_and(|night| night.date == tonight.night)
        })
        .collect();
    let since = |series: &&Series| {
        let level = series
            .change_points
            .iter()
            .rfind(|change| !change.new_tonight)
            .map_or(0, |change| change.night as usize);
        series.nights.len().saturating_sub(1).saturating_sub(level)
    };
    let least = untold.iter().map(since).min()?;
    let metrics: Vec<String> = untold.iter().map(|series| series.metric.to_string()).collect();
    Some(format!(
        "{}: too few nights to tell what is expected of {}: at least {LEAST_NIGHTS} before tonight since the last change (there are {least})",
        cell.key.name,
        metrics.join(", ")
    ))
}

/// What was flagged, and how it is confirmed.
fn fresh(cell: &CellCheck<'_>, tonight: &NightStart) -> Option<String> {
    let suspected = [TonightVerdict::SuspectedWorse, TonightVerdict::SuspectedBetter];
    let flagged: Vec<String> = cell
        .series
        .iter()
        .filter(|series| {
            let tonight = series.tonight.as_ref();
            tonight.is_some_and(|tonight| suspected.contains(&tonight.verdict))
        })
        .map(|series| series.metric.to_string())
        .collect();
    if flagged.is_empty() {
        return None;
    }
    let there = cell.nights.last().map_or(0, |night| night.fresh.len());
    let so_far = match there {
        0 => String::new(),
        1 => " (there is 1)".to_owned(),
        count => format!(" (there are {count})"),
    };
    let night = &tonight.night;
    Some(format!(
        "{}: {} not as expected: make at least {LEAST_FRESH} fresh runs{so_far} with the options of that night's runs and --runs 5 --store --tag night={night} --tag fresh=1, then rbench history check --night {night}",
        cell.key.name,
        flagged.join(", "),
    ))
}
