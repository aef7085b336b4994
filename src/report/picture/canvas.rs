//! What pictures are drawn on.

use super::ink::{FAINT, INK, PAPER, RULE};
use super::{FigureTable, Picture};
use crate::report::printable::one_line;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Width of all pictures, pixels.
pub const WIDTH: i32 = 760;
/// Size of text, pixels: legible where a picture of the full width is shown at half of it.
pub const TEXT: i32 = 14;
/// About how wide a letter is.
const LETTER: i32 = 8;

/// Where a text stands from its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Left,
    Middle,
    Right,
}

/// A sheet on which everything succeeds: what cannot be drawn is left out.
pub struct Canvas<'b> {
    area: DrawingArea<SVGBackend<'b>, Shift>,
}

/// What a picture says of itself.
pub struct Caption {
    pub name: String,
    pub title: String,
    pub description: String,
    pub table: Option<FigureTable>,
}

/// Draws a picture of so many pixels' height.
pub fn picture(caption: Caption, height: i32, draw: impl FnOnce(&Canvas<'_>)) -> Picture {
    let mut drawn = String::new();
    {
        let size = (WIDTH as u32, height.max(1) as u32);
        let canvas = Canvas {
            area: SVGBackend::with_string(&mut drawn, size).into_drawing_area(),
        };
        canvas.fill((0, 0), (WIDTH, height), PAPER);
        draw(&canvas);
        // Into memory: nothing can fail.
        let _ = canvas.area.present();
    }
    let Caption {
        name,
        title,
        description,
        table,
    } = caption;
    let (title, description) = (legible(&title), legible(&description));
    let inner = drawn.split_once('>').map_or("", |(_, inner)| inner);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" font-family=\"sans-serif\">\n\
         <title>{}</title>\n<desc>{}</desc>{inner}",
        escaped(&title),
        escaped(&description)
    );
    Picture {
        name: file_name(&name),
        title,
        description,
        svg,
        table,
    }
}

/// Letters, digits and dashes, at most 80.
fn file_name(text: &str) -> String {
    let safe = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    safe.take(80).collect()
}

/// A text without control characters, and without those that turn the direction of what follows.
pub fn legible(text: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let kept = one_line(text).replace(turns, "\u{fffd}");
    // XML has no such characters, not even escaped.
    kept.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A text that is at most so many letters long. Of longer ones the middle is left out: names differ at their ends.
pub fn cut(text: &str, letters: usize) -> String {
    let text = legible(text);
    let count = text.chars().count();
    if count <= letters {
        return text;
    }
    let end = letters.saturating_sub(1) / 2;
    let start = letters.saturating_sub(1) - end;
    let beginning = text.chars().take(start);
    beginning
        .chain(['…'])
        .chain(text.chars().skip(count - end))
        .collect()
}

/// About how wide a text is, pixels.
pub fn width_of(text: &str) -> i32 {
    i32::try_from(text.chars().count())
        .unwrap_or(i32::MAX / LETTER)
        .saturating_mul(LETTER)
}

// Drawing into memory cannot fail.
impl Canvas<'_> {
    /// A straight or broken line.
    pub fn line(&self, points: Vec<(i32, i32)>, colour: RGBColor, width: u32) {
        let _ = self
            .area
            .draw(&PathElement::new(points, colour.stroke_width(width)));
    }

    /// The same, of dashes.
    pub fn dashes(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) {
        let length = f64::from((to.0 - from.0).pow(2) + (to.1 - from.1).pow(2)).sqrt();
        let count = (length / 8.0).ceil() as i32;
        let at = |step: f64| {
            let share = (step * 8.0 / length.max(1.0)).min(1.0);
            let along = |a: i32, b: i32| a + (f64::from(b - a) * share).round() as i32;
            (along(from.0, to.0), along(from.1, to.1))
        };
        for step in 0..count {
            let step = f64::from(step);
            self.line(vec![at(step), at(step + 0.55)], colour, 1);
        }
    }

    /// A filled rectangle.
    pub fn fill(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) {
        let _ = self.area.draw(&Rectangle::new([from, to], colour.filled()));
    }

    /// The outline of one.
    pub fn frame(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor, width: u32) {
        let corners = vec![from, (to.0, from.1), to, (from.0, to.1), from];
        self.line(corners, colour, width);
    }

    /// A point, told from others by its shape: circle, square, triangle, diamond.
    pub fn mark(&self, (x, y): (i32, i32), shape: usize, colour: RGBColor, size: i32) {
        let points = match shape % 4 {
            0 => {
                let _ = self
                    .area
                    .draw(&Circle::new((x, y), size.max(1) as u32, colour.filled()));
                return;
            }
            1 => vec![
                (x - size, y - size),
                (x + size, y - size),
                (x + size, y + size),
                (x - size, y + size),
            ],
            2 => vec![
                (x, y - size - 1),
                (x + size + 1, y + size),
                (x - size - 1, y + size),
            ],
            _ => vec![
                (x, y - size - 2),
                (x + size + 2, y),
                (x, y + size + 2),
                (x - size - 2, y),
            ],
        };
        let _ = self.area.draw(&Polygon::new(points, colour.filled()));
    }

    /// A circle that is not filled.
    pub fn ring(&self, at: (i32, i32), size: i32, colour: RGBColor) {
        let _ = self
            .area
            .draw(&Circle::new(at, size.max(1) as u32, colour.stroke_width(2)));
    }

    /// A text whose middle is at this height.
    pub fn text(&self, text: &str, at: (i32, i32), align: At, colour: RGBColor) {
        let h_pos = match align {
            At::Left => HPos::Left,
            At::Middle => HPos::Center,
            At::Right => HPos::Right,
        };
        let style = TextStyle::from(("sans-serif", f64::from(TEXT) * 1.24))
            .color(&colour)
            .pos(Pos::new(h_pos, VPos::Center));
        let _ = self.area.draw(&Text::new(legible(text), at, style));
    }
}

/// From figures to pixels along one direction.
#[derive(Debug, Clone)]
pub struct Scale {
    range: Range<f64>,
    pixels: (i32, i32),
    logarithmic: bool,
}

impl Scale {
    /// For all of these figures, with some room; figures that are no numbers are left out.
    pub fn linear(figures: impl IntoIterator<Item = f64>, pixels: (i32, i32)) -> Scale {
        let (mut low, mut high) = bounds(figures).unwrap_or((0.0, 1.0));
        let room = ((high - low) * 0.05)
            .max(high.abs().max(low.abs()) * LEAST_ROOM)
            .max(1e-9);
        let never_below = low >= 0.0;
        low -= room;
        high += room;
        if never_below {
            low = low.max(0.0);
        }
        Scale {
            range: low..high,
            pixels,
            logarithmic: false,
        }
    }

    /// For all of these figures that are above 0, by decades.
    pub fn logarithmic(figures: impl IntoIterator<Item = f64>, pixels: (i32, i32)) -> Scale {
        let above = figures.into_iter().filter(|&figure| figure > 0.0);
        let (low, high) = bounds(above).unwrap_or((0.1, 1.0));
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        let high = if high > low { high } else { low + 1.0 };
        Scale {
            range: low..high,
            pixels,
            logarithmic: true,
        }
    }

    /// Where a figure lies; those beyond the scale lie at its ends.
    pub fn pixel(&self, figure: f64) -> i32 {
        let figure = if self.logarithmic {
            figure.max(f64::MIN_POSITIVE).log10()
        } else {
            figure
        };
        let (low, high) = self.pixels;
        let coordinate = RangedCoordf64::from(self.range.clone());
        let pixel = coordinate.map(&figure.clamp(self.range.start, self.range.end), self.pixels);
        pixel.clamp(low.min(high), low.max(high))
    }

    /// Round figures on it, at most so many.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        if self.logarithmic {
            let (low, high) = (self.range.start as i32, self.range.end as i32);
            let step = ((high - low) / most.max(1) as i32).max(1);
            return (low..=high)
                .step_by(step as usize)
                .map(|decade| 10f64.powi(decade))
                .collect();
        }
        RangedCoordf64::from(self.range.clone()).key_points(most)
    }
}

/// Room beyond the figures, as a share of the greatest: figures that agree lie on a level line.
const LEAST_ROOM: f64 = 0.01;
/// Figures beyond it would not fit the arithmetic of pixels.
const LARGEST: f64 = 1e150;

fn bounds(figures: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let figures = figures
        .into_iter()
        .filter(|figure| figure.is_finite())
        .map(|figure| figure.clamp(-LARGEST, LARGEST));
    figures.fold(None, |bounds, figure| match bounds {
        None => Some((figure, figure)),
        Some((low, high)) => Some((figure.min(low), figure.max(high))),
    })
}

/// A figure in few digits.
pub fn short(figure: f64) -> String {
    let size = figure.abs();
    match size {
        _ if !figure.is_finite() => "-".to_owned(),
        0.0 => "0".to_owned(),
        _ if !(1e-4..1e6).contains(&size) => format!("{figure:.2e}"),
        _ if size >= 100.0 => format!("{figure:.0}"),
        _ if size >= 10.0 => trimmed(format!("{figure:.1}")),
        _ if size >= 1.0 => trimmed(format!("{figure:.2}")),
        _ if size >= 0.01 => trimmed(format!("{figure:.3}")),
        _ => trimmed(format!("{figure:.5}")),
    }
}

/// Ticks with their labels, which have as many digits as it takes to tell one from the next.
pub fn labelled(ticks: Vec<f64>) -> Vec<(f64, String)> {
    let all = |label: &dyn Fn(f64) -> String| ticks.iter().map(|&tick| label(tick)).collect::<Vec<_>>();
    let mut labels = all(&short);
    for digits in 3..=MOST_DIGITS {
        if labels.windows(2).all(|pair| pair[0] != pair[1]) {
            break;
        }
        labels = all(&|tick| precise(tick, digits));
    }
    ticks.into_iter().zip(labels).collect()
}

/// Digits behind the point that have room beside a picture.
const MOST_DIGITS: usize = 6;

/// A figure with so many digits behind its point.
fn precise(figure: f64, digits: usize) -> String {
    if figure == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e6).contains(&figure.abs()) {
        format!("{figure:.digits$}")
    } else {
        format!("{figure:.digits$e}")
    }
}

fn trimmed(text: String) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A frame with axes: rules and figures below and at the left, what they are above and below.
pub fn axes(canvas: &Canvas<'_>, across: &Scale, up: &Scale, names: (&str, &str)) {
    let ((left, right), (bottom, top)) = (across.pixels, up.pixels);
    for (tick, label) in labelled(up.ticks(5)) {
        let y = up.pixel(tick);
        canvas.line(vec![(left, y), (right, y)], RULE, 1);
        canvas.text(&label, (left - 8, y), At::Right, FAINT);
    }
    for (tick, label) in labelled(across.ticks(7)) {
        let x = across.pixel(tick);
        canvas.line(vec![(x, bottom), (x, bottom + 5)], FAINT, 1);
        canvas.text(&label, (x, bottom + 16), At::Middle, FAINT);
    }
    canvas.line(vec![(left, bottom), (right, bottom)], FAINT, 1);
    canvas.text(names.1, (8, top - 18), At::Left, INK);
    canvas.text(names.0, (right, bottom + 36), At::Right, INK);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[f64]) -> Vec<String> {
        let all = labelled(ticks.to_vec()).into_iter();
        all.map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_told_from_one_another_in_few_letters() {
        assert_eq!(labels(&[0.0, 50.0, 100.0]), ["0", "50", "100"]);
        assert_eq!(labels(&[0.0201, 0.0203]), ["0.0201", "0.0203"]);
        assert_eq!(labels(&[2.701e7, 2.702e7]), ["2.701e7", "2.702e7"]);
        for ticks in [[1e150, 1e150 + 1e130], [1.0, 1.0], [-1e-9, -1e-9]] {
            assert!(
                labels(&ticks).iter().all(|label| label.len() < 16),
                "{:?}",
                labels(&ticks)
            );
        }
    }

    #[test]
    fn figures_that_agree_lie_on_a_level_line() {
        let scale = Scale::linear([0.02, 0.020_000_001], (0, 400));
        assert_eq!(scale.pixel(0.02), scale.pixel(0.020_000_001));
        let labels = labels(&scale.ticks(5));
        assert!(labels.iter().all(|label| label.len() <= 7), "{labels:?}");
        assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
    }

    #[test]
    fn of_a_long_text_both_ends_are_kept() {
        assert_eq!(cut("kernel 6.12 run 1", 20), "kernel 6.12 run 1");
        assert_eq!(cut("kernel 6.12 run 1", 9), "kern…un 1");
        assert_eq!(cut("äöüß", 3), "ä…ß");
        assert_eq!(cut("long", 1), "…");
    }
}
