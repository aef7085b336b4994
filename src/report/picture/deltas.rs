//! What changed, metric by metric.

use super::Picture;
use super::canvas::{At, Canvas, Caption, Scale, WIDTH, cut, picture, width_of};
use super::ink::{BAND, BETTER, FAINT, INK, RULE, WORSE};
use crate::compare::{Comparison, Row};
use crate::stats::{Scale as Told, Verdict};
use plotters::style::RGBColor;

const STEP: i32 = 24;
const TOP: i32 = 50;
/// Rows that are still legible on a page.
const MOST_ROWS: usize = 60;

/// The change of each metric that decides, and of each other that has changed, with its interval, in percent of the
/// baseline; the floor is a band around none. The table of the comparison has the figures.
pub fn deltas(comparison: &Comparison) -> Picture {
    let rows: Vec<Changed<'_>> = comparison
        .rows
        .iter()
        .filter_map(changed)
        .take(MOST_ROWS)
        .collect();
    let told: Vec<String> = rows
        .iter()
        .filter(|row| row.row.gated)
        .map(|row| format!("{} {}", row.row.metric, row.verdict))
        .collect();
    let caption = Caption {
        name: "changes".into(),
        title: format!("{} beside {}", comparison.candidate.name, comparison.base.name),
        description: told.join(", "),
        table: None,
    };
    let cells = rows.chunk_by(|a, b| a.row.cell == b.row.cell).count();
    let lines = i32::try_from(rows.len() + cells).unwrap_or(1000).max(1);
    let height = TOP + STEP * lines + 50;
    picture(caption, height, |canvas| draw(canvas, &rows, height))
}

/// A row that can be drawn, in percent.
struct Changed<'c> {
    row: &'c Row,
    verdict: Verdict,
    point: f64,
    interval: Option<(f64, f64)>,
}

fn changed(row: &Row) -> Option<Changed<'_>> {
    let judgement = row.judgement?;
    let estimate = judgement.estimate?;
    let has_changed = matches!(judgement.verdict, Verdict::Regressed | Verdict::Improved);
    if row.metric.scale() != Told::Ratio || !(row.gated || has_changed) || !estimate.point.is_finite() {
        return None;
    }
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    Some(Changed {
        row,
        verdict: judgement.verdict,
        point: percent(estimate.point),
        interval: estimate.interval.map(|(low, high)| (percent(low), percent(high))),
    })
}

/// Beyond it an interval is cut off: one metric that is nowhere would leave no room for the others.
const WIDEST: f64 = 100.0;

fn draw(canvas: &Canvas<'_>, rows: &[Changed<'_>], height: i32) {
    let names: Vec<String> = rows
        .iter()
        .map(|row| cut(&row.row.metric.to_string(), 26))
        .collect();
    let left = names.iter().map(|name| width_of(name)).max().unwrap_or(0).max(60) + 24;
    let right = WIDTH - 130;
    let ends = rows.iter().flat_map(|row| {
        let (low, high) = row.interval.unwrap_or((row.point, row.point));
        [
            low.max(-WIDEST),
            high.min(WIDEST),
            row.point.clamp(-WIDEST, WIDEST),
        ]
    });
    let floor = rows.iter().map(|row| row.row.floor * 100.0).fold(3.0, f64::min);
    let across = Scale::linear(ends.chain([-floor * 1.5, floor * 1.5]), (left, right));
    let bottom = height - 46;
    for tick in across.ticks(7) {
        let x = across.pixel(tick);
        canvas.line(vec![(x, TOP - 10), (x, bottom)], RULE, 1);
        canvas.text(&format!("{tick:+.0} %"), (x, bottom + 16), At::Middle, FAINT);
    }
    canvas.text(
        "change, with its 95 % interval; shaded: below the floor",
        (left, 14),
        At::Left,
        FAINT,
    );
    let mut y = TOP + 4;
    let mut cell = None;
    for (row, name) in rows.iter().zip(&names) {
        if cell != Some(&row.row.cell) {
            cell = Some(&row.row.cell);
            canvas.text(&cut(&row.row.cell, 80), (8, y), At::Left, INK);
            y += STEP;
        }
        one(canvas, row, name, (&across, left, right), y);
        y += STEP;
    }
    let zero = across.pixel(0.0);
    canvas.line(vec![(zero, TOP - 10), (zero, bottom)], INK, 1);
}

fn one(
    canvas: &Canvas<'_>,
    row: &Changed<'_>,
    name: &str,
    (across, left, right): (&Scale, i32, i32),
    y: i32,
) {
    let band = row.row.floor * 100.0;
    canvas.fill((across.pixel(-band), y - 9), (across.pixel(band), y + 9), BAND);
    let (colour, shape) = look(row.verdict);
    canvas.text(
        name,
        (left - 10, y),
        At::Right,
        if row.row.gated { INK } else { FAINT },
    );
    if let Some((low, high)) = row.interval {
        let (from, to) = (across.pixel(low), across.pixel(high));
        canvas.line(vec![(from, y), (to, y)], colour, 2);
        for end in [from, to] {
            canvas.line(vec![(end, y - 4), (end, y + 4)], colour, 2);
        }
    }
    canvas.mark((across.pixel(row.point), y), shape, colour, 4);
    canvas.text(&row.verdict.to_string(), (right + 14, y), At::Left, colour);
}

/// Told apart by shape and word too.
fn look(verdict: Verdict) -> (RGBColor, usize) {
    match verdict {
        Verdict::Regressed => (WORSE, 3),
        Verdict::Improved => (BETTER, 2),
        Verdict::Unchanged | Verdict::Small => (INK, 0),
        Verdict::Inconclusive | Verdict::Insufficient => (FAINT, 1),
    }
}
