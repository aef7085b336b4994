//! A metric from night to night.

use super::canvas::{At, Canvas, Caption, Scale, WIDTH, cut, labelled, picture, short, width_of};
use super::ink::{BAND, BETTER, FAINT, INK, RULE, SERIES, WORSE};
use super::{FigureTable, Picture};
use crate::compare::Metric;
use crate::history::{Series, TonightVerdict};
use plotters::style::RGBColor;

const HEIGHT: i32 = 300;
/// The nights of the table; the store has the others.
const MOST_ROWS: usize = 90;

/// The median of each night, where it changed, and what was expected tonight.
pub fn history(series: &Series) -> Picture {
    let (factor, unit) = unit(series.metric);
    let dated: Vec<String> = series
        .change_points
        .iter()
        .map(|change| format!("{:+.1} % on {}", change.size * 100.0, change.date))
        .collect();
    let changes = if dated.is_empty() {
        "no change was found".to_owned()
    } else {
        format!("changes: {}", dated.join(", "))
    };
    let tonight = series.tonight.as_ref().map_or(String::new(), |tonight| {
        format!("; tonight {}", word(tonight.verdict))
    });
    let caption = Caption {
        name: format!("history-{}-{}", series.cell, series.metric),
        title: format!("{} of {}", series.metric, series.cell),
        description: format!("{} nights; {changes}{tonight}", series.nights.len()),
        table: Some(table(series, factor, unit)),
    };
    picture(caption, HEIGHT, |canvas| draw(canvas, series, factor, unit))
}

/// What a verdict is called.
pub fn word(verdict: TonightVerdict) -> &'static str {
    match verdict {
        TonightVerdict::Steady => "as expected",
        TonightVerdict::SuspectedWorse => "suspected to have regressed",
        TonightVerdict::SuspectedBetter => "suspected to have improved",
        TonightVerdict::ConfirmedWorse => "regressed, confirmed by fresh runs",
        TonightVerdict::ConfirmedBetter => "improved, confirmed by fresh runs",
        TonightVerdict::NotConfirmed => "not confirmed by fresh runs",
    }
}

/// By what a figure is multiplied for people, and its unit then.
pub fn unit(metric: Metric) -> (f64, &'static str) {
    match metric {
        Metric::Throughput | Metric::ThroughputWithSync => (1e-6, "MB/sec"),
        Metric::Operations | Metric::MetadataOperations => (1.0, "ops/sec"),
        Metric::Latency { .. } | Metric::Bystander { .. } => (1e3, "ms"),
        Metric::Processor => (1e6, "us/op"),
        Metric::Differed => (100.0, "%"),
    }
}

fn table(series: &Series, factor: f64, unit: &str) -> FigureTable {
    let from = series.nights.len().saturating_sub(MOST_ROWS);
    let row = |night: &crate::history::Night| {
        vec![
            night.date.clone(),
            short(night.median * factor),
            night.runs.to_string(),
            night.build.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    };
    FigureTable {
        headings: vec!["night".into(), unit.to_owned(), "runs".into(), "build".into()],
        rows: series.nights.iter().skip(from).map(row).collect(),
    }
}

fn draw(canvas: &Canvas<'_>, series: &Series, factor: f64, unit: &str) {
    let nights = &series.nights;
    let (bottom, top) = (HEIGHT - 40, 56);
    let medians = nights.iter().map(|night| night.median * factor);
    let expected = series
        .tonight
        .iter()
        .flat_map(|tonight| [tonight.low * factor, tonight.high * factor]);
    let up = Scale::linear(medians.chain(expected), (bottom, top));
    let last = nights.len().saturating_sub(1) as f64;
    let (left, right) = (76, WIDTH - 40);
    let x_of = |night: usize| {
        let share = if last > 0.0 { night as f64 / last } else { 1.0 };
        left + (f64::from(right - left) * share).round() as i32
    };
    for (tick, label) in labelled(up.ticks(5)) {
        let y = up.pixel(tick);
        canvas.line(vec![(left, y), (right, y)], RULE, 1);
        canvas.text(&label, (left - 10, y), At::Right, FAINT);
    }
    canvas.text(unit, (8, 14), At::Left, INK);
    dates(canvas, series, &x_of, bottom);
    changes(canvas, series, &x_of, (top, bottom));
    if let Some(tonight) = &series.tonight {
        let x = x_of(nights.len().saturating_sub(1));
        let (low, high) = (up.pixel(tonight.low * factor), up.pixel(tonight.high * factor));
        canvas.fill((x - 12, high), (x + 12, low), BAND);
        canvas.frame((x - 12, high), (x + 12, low), FAINT, 1);
    }
    let points: Vec<(i32, i32)> = nights
        .iter()
        .enumerate()
        .map(|(night, one)| (x_of(night), up.pixel(one.median * factor)))
        .collect();
    if points.len() > 1 {
        canvas.line(points.clone(), SERIES[0], 1);
    }
    for point in &points {
        canvas.mark(*point, 0, SERIES[0], 2);
    }
    if let (Some(tonight), Some(&point)) = (&series.tonight, points.last()) {
        let (colour, shape) = look(tonight.verdict);
        canvas.mark(point, shape, colour, 5);
    }
}

fn look(verdict: TonightVerdict) -> (RGBColor, usize) {
    match verdict {
        TonightVerdict::Steady | TonightVerdict::NotConfirmed => (SERIES[0], 0),
        TonightVerdict::SuspectedWorse | TonightVerdict::ConfirmedWorse => (WORSE, 3),
        TonightVerdict::SuspectedBetter | TonightVerdict::ConfirmedBetter => (BETTER, 2),
    }
}

/// As many dates as have room below the picture.
fn dates(canvas: &Canvas<'_>, series: &Series, x_of: &dyn Fn(usize) -> i32, bottom: i32) {
    let every = series.nights.len().div_ceil(6).max(1);
    for (night, one) in series.nights.iter().enumerate().step_by(every) {
        let x = x_of(night);
        canvas.line(vec![(x, bottom), (x, bottom + 5)], FAINT, 1);
        canvas.text(&cut(&one.date, 12), (x, bottom + 16), At::Middle, FAINT);
    }
}

/// A dashed line a change, with its date and size; names one below the other where they would meet.
fn changes(canvas: &Canvas<'_>, series: &Series, x_of: &dyn Fn(usize) -> i32, (top, bottom): (i32, i32)) {
    let mut free_from = [i32::MIN; 2];
    for change in &series.change_points {
        let x = x_of(usize::try_from(change.night).unwrap_or(0)) - 3;
        let colour = if change.worse { WORSE } else { BETTER };
        canvas.dashes((x, top - 8), (x, bottom), colour);
        let text = format!("{} {:+.1} %", change.date, change.size * 100.0);
        let width = width_of(&text);
        let from = (x - width / 2).clamp(60, WIDTH - width - 4);
        if let Some(row) = free_from.iter().position(|&free| from > free) {
            let y = if row == 0 { 14 } else { 34 };
            free_from[row] = from + width + 6;
            canvas.text(&text, (from, y), At::Left, colour);
        }
    }
}
