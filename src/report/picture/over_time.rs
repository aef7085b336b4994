//! Throughput, second by second.

use super::canvas::{At, Canvas, Caption, Scale, WIDTH, axes, cut, picture, short, width_of};
use super::ink::{BAND, FAINT, SERIES};
use super::{FigureTable, Line, Picture};

/// Lines that can be told from one another.
pub const MOST_LINES: usize = 8;
/// Points of a line that its picture can show.
const MOST_POINTS: usize = 300;
const HEIGHT: i32 = 320;

/// MB per second over time, a line a run; of more than [`MOST_LINES`] the first.
pub fn throughput(lines: &[Line]) -> Picture {
    let shown = &lines[..lines.len().min(MOST_LINES)];
    let caption = Caption {
        name: "throughput-over-time".into(),
        title: "Throughput over time".into(),
        description: description(shown),
        table: Some(table(shown)),
    };
    picture(caption, HEIGHT, |canvas| draw(canvas, shown))
}

fn description(lines: &[Line]) -> String {
    let told = lines.iter().map(|line| {
        let rates = line.points.iter().map(|point| point.1);
        let least = rates.clone().fold(f64::INFINITY, f64::min);
        let most = rates.fold(f64::NEG_INFINITY, f64::max);
        format!("{}: from {} to {} MB/sec", line.name, short(least), short(most))
    });
    told.collect::<Vec<_>>().join("; ")
}

fn table(lines: &[Line]) -> FigureTable {
    let headings = ["run", "seconds", "least MB/sec", "median MB/sec", "most MB/sec"];
    let row = |line: &Line| {
        let mut rates: Vec<f64> = line.points.iter().map(|point| point.1).collect();
        rates.sort_by(f64::total_cmp);
        let at = |index: usize| rates.get(index).map_or("-".to_owned(), |&rate| short(rate));
        vec![
            line.name.clone(),
            rates.len().to_string(),
            at(0),
            at(rates.len() / 2),
            at(rates.len().saturating_sub(1)),
        ]
    };
    FigureTable {
        headings: headings.map(str::to_owned).to_vec(),
        rows: lines.iter().map(row).collect(),
    }
}

fn draw(canvas: &Canvas<'_>, lines: &[Line]) {
    let names: Vec<String> = lines.iter().map(|line| cut(&line.name, 24)).collect();
    let widest = names.iter().map(|name| width_of(name)).max().unwrap_or(0);
    let right = WIDTH - 24 - widest;
    let points = || lines.iter().flat_map(|line| &line.points);
    let across = Scale::linear(points().map(|point| point.0).chain([0.0]), (70, right));
    let up = Scale::linear(points().map(|point| point.1).chain([0.0]), (HEIGHT - 50, 40));
    let warm_up = lines.iter().filter_map(|line| line.warm_up).reduce(f64::max);
    if let Some(end) = warm_up.filter(|&end| end > 0.0) {
        canvas.fill((across.pixel(0.0), 40), (across.pixel(end), HEIGHT - 50), BAND);
        canvas.text("warm-up", (across.pixel(0.0) + 2, 28), At::Left, FAINT);
    }
    axes(canvas, &across, &up, ("seconds", "MB/sec"));
    let mut free_from = i32::MIN;
    let mut ends: Vec<(i32, usize)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let points = thinned(&line.points);
        let drawn: Vec<(i32, i32)> = points
            .iter()
            .map(|&(at, rate)| (across.pixel(at), up.pixel(rate)))
            .collect();
        let colour = SERIES[index % SERIES.len()];
        if drawn.len() > 1 {
            canvas.line(drawn.clone(), colour, if index < SERIES.len() { 2 } else { 1 });
        }
        let every = (drawn.len() / 12).max(1);
        for point in drawn.iter().step_by(every) {
            canvas.mark(*point, index, colour, 3);
        }
        ends.extend(drawn.last().map(|&(_, y)| (y, index)));
    }
    // Names beside the ends of their lines, moved apart.
    ends.sort_unstable();
    for (y, index) in ends {
        let y = y.max(free_from);
        free_from = y + 16;
        let colour = SERIES[index % SERIES.len()];
        canvas.mark((right + 10, y), index, colour, 3);
        canvas.text(&names[index], (right + 18, y), At::Left, colour);
    }
}

/// As many points as can be told apart; of those that fall together the least and the greatest are kept.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let together = points.len().div_ceil(MOST_POINTS).max(1);
    if together == 1 {
        return points.to_vec();
    }
    let ends = points.chunks(together * 2).flat_map(|some| {
        let by_rate = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let mut ends: Vec<(f64, f64)> = [some.iter().min_by(by_rate), some.iter().max_by(by_rate)]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        ends
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_is_thinned_and_keeps_its_extremes() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|second| (f64::from(second), 100.0)).collect();
        points[1234].1 = 1.0;
        points[8765].1 = 900.0;
        let thinned = thinned(&points);
        assert!(thinned.len() <= 2 * MOST_POINTS, "{}", thinned.len());
        assert!(thinned.contains(&(1234.0, 1.0)) && thinned.contains(&(8765.0, 900.0)));
    }
}
