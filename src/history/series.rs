//! One metric of one cell, night by night: what is expected of tonight, and where the figures changed.

use super::nights::CellNight;
use super::{DatedChange, Night, Series, Tonight, TonightVerdict};
use crate::compare::{CellKey, Metric};
use crate::stats::{Better, ChangePoint, Prediction, Scale, Summary, change_points};

/// So many fresh runs at least confirm what a night has flagged: fewer scatter more than the median of a night does.
pub const LEAST_FRESH: usize = 3;
/// A change point that moves by so many nights when tonight is added is the same one.
const SAME_CHANGE: usize = 3;

/// What a series is judged by.
pub(super) struct Rule<'n> {
    pub(super) metric: Metric,
    pub(super) gated: bool,
    /// A share, or an amount where the scale is a difference.
    pub(super) floor: f64,
    /// The name of tonight; absent where this cell's tonight must not be judged by the nights before.
    pub(super) tonight: Option<&'n str>,
}

/// The series of a metric over these nights, the oldest first.
pub(super) fn series(key: &CellKey, nights: &[CellNight<'_>], rule: &Rule<'_>) -> Series {
    let with_figures: Vec<(&CellNight<'_>, Night)> = nights
        .iter()
        .filter_map(|night| Some((night, one(night, rule.metric)?)))
        .collect();
    let medians: Vec<f64> = with_figures.iter().map(|(_, night)| night.median).collect();
    let tonight = with_figures
        .last()
        .filter(|(night, _)| Some(night.name) == rule.tonight);
    let scale = rule.metric.scale();
    let (before, figure) = match (tonight, medians.split_last()) {
        (Some(_), Some((figure, before))) => (before, Some(*figure)),
        _ => (medians.as_slice(), None),
    };
    let changed_before = change_points(before, scale, rule.floor);
    let changed = match figure {
        Some(_) => change_points(&medians, scale, rule.floor),
        None => changed_before.clone(),
    };
    let level = changed_before.last().map_or(0, |change| change.night);
    let judged = tonight.zip(figure).and_then(|((night, _), figure)| {
        let prediction = Prediction::of(&before[level..], figure, scale)?;
        let fresh = night.fresh_figures(rule.metric);
        Some(Tonight {
            expected: prediction.expected,
            low: prediction.low,
            high: prediction.high,
            p: prediction.p,
            nights: prediction.nights,
            verdict: verdict(&prediction, figure, &fresh, rule),
        })
    });
    let nights: Vec<Night> = with_figures.into_iter().map(|(_, night)| night).collect();
    let dated = changed
        .iter()
        .filter_map(|change| dated(change, &nights, &changed_before, rule.metric));
    Series {
        cell: key.name.clone(),
        machine: key.machine.clone(),
        metric: rule.metric,
        gated: rule.gated,
        change_points: dated.collect(),
        nights,
        tonight: judged,
    }
}

/// A night's median; absent where no run has the figure.
fn one(night: &CellNight<'_>, metric: Metric) -> Option<Night> {
    let summary = Summary::of(&night.figures(metric))?;
    Some(Night {
        date: night.name.to_owned(),
        median: summary.median,
        runs: summary.runs,
        build: night.build(),
    })
}

/// Tonight is suspected where it lies outside the interval and beyond the floor. It is confirmed where the median of the
/// fresh runs does so too, on the same side.
fn verdict(prediction: &Prediction, tonight: f64, fresh: &[f64], rule: &Rule<'_>) -> TonightVerdict {
    let scale = rule.metric.scale();
    if !prediction.is_missed_by(tonight, scale, rule.floor) {
        return TonightVerdict::Steady;
    }
    let is_lower = tonight < prediction.expected;
    let is_worse = is_lower == (rule.metric.better() == Better::Higher);
    let confirmed = Summary::of(fresh)
        .filter(|_| fresh.len() >= LEAST_FRESH)
        .map(|fresh| lies_outside(prediction, fresh.median, is_lower, scale, rule.floor));
    match (confirmed, is_worse) {
        (None, true) => TonightVerdict::SuspectedWorse,
        (None, false) => TonightVerdict::SuspectedBetter,
        (Some(true), true) => TonightVerdict::ConfirmedWorse,
        (Some(true), false) => TonightVerdict::ConfirmedBetter,
        (Some(false), _) => TonightVerdict::NotConfirmed,
    }
}

fn lies_outside(prediction: &Prediction, figure: f64, below: bool, scale: Scale, floor: f64) -> bool {
    let floor = match scale {
        Scale::Ratio => floor * prediction.expected.abs(),
        Scale::Difference => floor,
    };
    match below {
        true => figure < prediction.low && prediction.expected - figure > floor,
        false => figure > prediction.high && figure - prediction.expected > floor,
    }
}

fn dated(
    change: &ChangePoint,
    nights: &[Night],
    before: &[ChangePoint],
    metric: Metric,
) -> Option<DatedChange> {
    let night = nights.get(change.night)?;
    let known = before
        .iter()
        .any(|other| other.night.abs_diff(change.night) <= SAME_CHANGE);
    Some(DatedChange {
        night: u32::try_from(change.night).ok()?,
        date: night.date.clone(),
        build: night.build.clone(),
        size: change.size,
        p: change.p,
        worse: (change.size < 0.0) == (metric.better() == Better::Higher),
        new_tonight: !known,
    })
}
