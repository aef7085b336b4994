//! How long operations took.

use super::canvas::{At, Canvas, Caption, Scale, WIDTH, cut, picture, short, width_of};
use super::ink::{FAINT, INK, RULE, SERIES};
use super::{FigureTable, Latencies, Picture};

/// Pixels from one kind to the next.
const STEP: i32 = 24;
const TOP: i32 = 58;

/// A row a kind: the median, the 95th and 99th percentiles and the longest, by decades.
pub fn latencies(title: &str, kinds: &[Latencies]) -> Picture {
    let longest = kinds.iter().max_by(|a, b| a.p99.total_cmp(&b.p99));
    let description = longest.map_or(String::new(), |kind| {
        format!(
            "{} kinds of operation; the highest 99th percentile is that of {}, {} ms",
            kinds.len(),
            kind.name,
            short(kind.p99)
        )
    });
    let row = |kind: &Latencies| {
        let figures = [kind.p50, kind.p95, kind.p99, kind.max].map(short);
        [kind.name.clone(), kind.count.to_string()]
            .into_iter()
            .chain(figures)
            .collect()
    };
    let caption = Caption {
        name: "latencies".into(),
        title: title.to_owned(),
        description,
        table: Some(FigureTable {
            headings: ["operation", "count", "p50 ms", "p95 ms", "p99 ms", "longest ms"]
                .map(str::to_owned)
                .to_vec(),
            rows: kinds.iter().map(row).collect(),
        }),
    };
    let height = TOP + STEP * i32::try_from(kinds.len()).unwrap_or(100).clamp(1, 100) + 46;
    picture(caption, height, |canvas| draw_ranges(canvas, kinds, height))
}

const POINTS: [&str; 4] = ["p50", "p95", "p99", "longest"];

fn draw_ranges(canvas: &Canvas<'_>, kinds: &[Latencies], height: i32) {
    let names: Vec<String> = kinds.iter().take(100).map(|kind| cut(&kind.name, 24)).collect();
    let left = names.iter().map(|name| width_of(name)).max().unwrap_or(0) + 20;
    let of = |kind: &Latencies| [kind.p50, kind.p95, kind.p99, kind.max];
    let across = Scale::logarithmic(kinds.iter().flat_map(of), (left, WIDTH - 30));
    decades(canvas, &across, (TOP - 10, height - 44));
    for (index, point) in POINTS.iter().enumerate() {
        let x = left + 110 * i32::try_from(index).unwrap_or(0);
        canvas.mark((x, 20), index, SERIES[index], 4);
        canvas.text(point, (x + 12, 20), At::Left, INK);
    }
    for (index, (kind, name)) in kinds.iter().zip(&names).enumerate() {
        let y = TOP + 6 + STEP * i32::try_from(index).unwrap_or(0);
        canvas.text(name, (left - 10, y), At::Right, INK);
        let at = of(kind).map(|figure| across.pixel(figure));
        canvas.line(vec![(at[0], y), (at[3], y)], FAINT, 1);
        for (shape, &x) in at.iter().enumerate().rev() {
            canvas.mark((x, y), shape, SERIES[shape], 4);
        }
    }
    canvas.text("ms", (WIDTH - 30, height - 8), At::Right, INK);
}

/// Lines at powers of ten.
fn decades(canvas: &Canvas<'_>, across: &Scale, (top, bottom): (i32, i32)) {
    for tick in across.ticks(8) {
        let x = across.pixel(tick);
        canvas.line(vec![(x, top), (x, bottom)], RULE, 1);
        canvas.text(&short(tick), (x, bottom + 16), At::Middle, FAINT);
    }
}

const CURVES_HEIGHT: i32 = 340;

/// Which share of the operations took at most so long, a curve a kind; of more than four those that took the most time.
pub fn latency_curves(kinds: &[Latencies]) -> Picture {
    let mut most: Vec<&Latencies> = kinds.iter().filter(|kind| !kind.curve.is_empty()).collect();
    let time = |kind: &Latencies| kind.count as f64 * (kind.p50 + kind.p99) / 2.0;
    most.sort_by(|a, b| time(b).total_cmp(&time(a)));
    most.truncate(SERIES.len());
    let names: Vec<&str> = most.iter().map(|kind| kind.name.as_str()).collect();
    let caption = Caption {
        name: "latency-curves".into(),
        title: "Share of operations by latency".into(),
        description: format!("cumulative curves of {}", names.join(", ")),
        table: None,
    };
    picture(caption, CURVES_HEIGHT, |canvas| draw_curves(canvas, &most))
}

fn draw_curves(canvas: &Canvas<'_>, kinds: &[&Latencies]) {
    let (left, right, bottom, top) = (70, WIDTH - 30, CURVES_HEIGHT - 50, 50);
    let figures = kinds
        .iter()
        .flat_map(|kind| kind.curve.iter().map(|point| point.0));
    let across = Scale::logarithmic(figures, (left, right));
    let up = Scale::linear([0.0, 1.0], (bottom, top));
    decades(canvas, &across, (top, bottom));
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let y = up.pixel(share);
        canvas.line(vec![(left, y), (right, y)], RULE, 1);
        canvas.text(
            &format!("{:.0} %", share * 100.0),
            (left - 8, y),
            At::Right,
            FAINT,
        );
    }
    let mut x = left;
    for (index, kind) in kinds.iter().enumerate() {
        let colour = SERIES[index % SERIES.len()];
        let name = cut(&kind.name, 22);
        canvas.mark((x + 6, 20), index, colour, 4);
        canvas.text(&name, (x + 16, 20), At::Left, colour);
        x += width_of(&name) + 40;
        let points: Vec<(i32, i32)> = kind
            .curve
            .iter()
            .map(|&(at, share)| (across.pixel(at), up.pixel(share)))
            .collect();
        if points.len() > 1 {
            canvas.line(points.clone(), colour, 2);
        }
        for point in points.iter().step_by((points.len() / 10).max(1)) {
            canvas.mark(*point, index, colour, 3);
        }
    }
    canvas.text("ms", (right, CURVES_HEIGHT - 8), At::Right, INK);
}
