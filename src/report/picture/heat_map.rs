//! A grid of figures.

use super::canvas::{At, Canvas, Caption, WIDTH, cut, picture, short, width_of};
use super::ink::{COLD, FAINT, HOT, INK, ON_COLD, ON_HOT, RULE, SERIES};
use super::{Grid, Picture};
use plotters::style::RGBColor;

const TOP: i32 = 66;
/// The narrowest cell that a figure fits into, pixels.
const NARROW: i32 = 40;

/// Fields of a grid, darker for more, with the figure in each; the best has a frame.
pub fn heat_map(grid: &Grid) -> Picture {
    let best = best(grid);
    let description = best.map_or(String::new(), |(row, column)| {
        let value = grid
            .values
            .get(row)
            .and_then(|row| row.get(column).copied().flatten());
        format!(
            "{} by {} = {} and {} = {}; the best is {} {} at {} = {}, {} = {}",
            grid.title,
            grid.row_axis,
            grid.rows.join(", "),
            grid.column_axis,
            grid.columns.join(", "),
            value.map_or("-".to_owned(), short),
            grid.unit,
            grid.row_axis,
            grid.rows.get(row).map_or("", String::as_str),
            grid.column_axis,
            grid.columns.get(column).map_or("", String::as_str),
        )
    });
    let caption = Caption {
        name: format!("grid-{}", grid.title),
        title: grid.title.clone(),
        description,
        // The table of the sweep has its figures.
        table: None,
    };
    let rows = i32::try_from(grid.rows.len()).unwrap_or(i32::MAX).clamp(1, 60);
    let height = TOP + rows * 30 + 20;
    picture(caption, height, |canvas| draw(canvas, grid, best))
}

/// Where the best figure stands.
fn best(grid: &Grid) -> Option<(usize, usize)> {
    let sign = if grid.higher_is_better { 1.0 } else { -1.0 };
    let figures = grid.values.iter().enumerate().flat_map(|(row, values)| {
        let cells = values.iter().enumerate();
        cells.filter_map(move |(column, value)| value.map(|value| (value * sign, (row, column))))
    });
    let finite = figures.filter(|(value, _)| value.is_finite());
    finite
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        .map(|(_, at)| at)
}

fn draw(canvas: &Canvas<'_>, grid: &Grid, best: Option<(usize, usize)>) {
    let rows: Vec<String> = grid.rows.iter().take(60).map(|row| cut(row, 20)).collect();
    let row_axis = cut(&grid.row_axis, 40);
    let left = rows.iter().map(|row| width_of(row)).max().unwrap_or(0).max(60) + 20;
    let columns = i32::try_from(grid.columns.len().max(1)).unwrap_or(i32::MAX);
    let width = ((WIDTH - 20 - left) / columns).clamp(1, 120);
    let cells = || {
        grid.values
            .iter()
            .flatten()
            .copied()
            .flatten()
            .filter(|value| value.is_finite())
    };
    let (low, high) = (
        cells().fold(f64::INFINITY, f64::min),
        cells().fold(f64::NEG_INFINITY, f64::max),
    );
    canvas.text(&heading(grid), (8, 14), At::Left, INK);
    canvas.text(&format!("{row_axis} down"), (8, 38), At::Left, FAINT);
    canvas.text(
        &format!("{} across", cut(&grid.column_axis, 40)),
        (WIDTH - 20, 14),
        At::Right,
        FAINT,
    );
    let x_of = |column: usize| left + width * i32::try_from(column).unwrap_or(0);
    let letters = usize::try_from(width / 8).unwrap_or(1).max(1);
    for (column, name) in grid.columns.iter().enumerate() {
        if width >= NARROW {
            canvas.text(
                &cut(name, letters),
                (x_of(column) + width / 2, TOP - 12),
                At::Middle,
                FAINT,
            );
        }
    }
    for (row, name) in rows.iter().enumerate() {
        let y = TOP + 30 * i32::try_from(row).unwrap_or(0);
        canvas.text(name, (left - 10, y + 15), At::Right, FAINT);
        for column in 0..grid.columns.len() {
            let value = grid
                .values
                .get(row)
                .and_then(|row| row.get(column).copied().flatten());
            let corner = (x_of(column), y);
            let opposite = (corner.0 + width - 2, y + 28);
            let Some(value) = value.filter(|value| value.is_finite()) else {
                canvas.frame(corner, opposite, RULE, 1);
                canvas.text("-", (corner.0 + width / 2, y + 14), At::Middle, FAINT);
                continue;
            };
            let share = if high > low {
                (value - low) / (high - low)
            } else {
                0.0
            };
            let colour = between(COLD, HOT, share);
            canvas.fill(corner, opposite, colour);
            if width >= NARROW {
                // Legible on either end of the scale.
                let text = if share > 0.45 { ON_HOT } else { ON_COLD };
                canvas.text(
                    &short(value),
                    (corner.0 + width / 2 - 1, y + 14),
                    At::Middle,
                    text,
                );
            }
            if best == Some((row, column)) {
                canvas.frame(corner, opposite, SERIES[1], 3);
            }
        }
    }
}

fn between(from: RGBColor, to: RGBColor, share: f64) -> RGBColor {
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// What a grid shows, with the unit where that is not said already.
fn heading(grid: &Grid) -> String {
    if grid.title.starts_with(&grid.unit) {
        return cut(&grid.title, 60);
    }
    format!("{} ({})", cut(&grid.title, 40), cut(&grid.unit, 16))
}
