//! Throughput against waiting.

use super::canvas::{At, Canvas, Caption, Scale, WIDTH, axes, cut, picture, short};
use super::ink::{BETTER, FAINT};
use super::{FigureTable, Picture, Plane, Spot};

const HEIGHT: i32 = 380;

/// A point a cell: throughput across, what a bystander waits up. Those that no other beats on both
/// are diamonds with their names.
pub fn sweet_spot(plane: &Plane) -> Picture {
    let Plane { spots, waiting, .. } = plane;
    let sweet = || spots.iter().filter(|spot| spot.sweet);
    let names: Vec<&str> = sweet().map(|spot| spot.name.as_str()).collect();
    let row = |spot: &Spot| vec![spot.name.clone(), short(spot.throughput), short(spot.waiting)];
    let caption = Caption {
        name: "sweet-spot".into(),
        title: format!("Throughput against {waiting}"),
        description: format!("{} cells; no other beats {}", spots.len(), names.join("; ")),
        table: Some(FigureTable {
            headings: vec!["cell".into(), "MB/sec".into(), waiting.clone()],
            rows: sweet().map(row).collect(),
        }),
    };
    picture(caption, HEIGHT, |canvas| draw(canvas, plane))
}

fn draw(canvas: &Canvas<'_>, plane: &Plane) {
    let Plane {
        spots,
        waiting,
        axes: of,
    } = plane;
    let across = Scale::linear(spots.iter().map(|spot| spot.throughput), (70, WIDTH - 40));
    let up = Scale::linear(spots.iter().map(|spot| spot.waiting), (HEIGHT - 50, 60));
    axes(canvas, &across, &up, ("MB/sec", waiting));
    canvas.text(&format!("named by {}", cut(of, 60)), (8, 14), At::Left, FAINT);
    canvas.text("better: right and below", (WIDTH - 40, 14), At::Right, FAINT);
    for spot in spots.iter().filter(|spot| !spot.sweet) {
        canvas.ring((across.pixel(spot.throughput), up.pixel(spot.waiting)), 4, FAINT);
    }
    // From right to left; names one above the other where they would meet.
    let mut sweet: Vec<&Spot> = spots.iter().filter(|spot| spot.sweet).collect();
    sweet.sort_by(|a, b| b.throughput.total_cmp(&a.throughput));
    let mut free_from = i32::MIN;
    for spot in sweet.into_iter().take(8) {
        let (x, y) = (across.pixel(spot.throughput), up.pixel(spot.waiting));
        canvas.mark((x, y), 3, BETTER, 5);
        let align = if x > WIDTH / 2 { At::Right } else { At::Left };
        let text_y = (y - 14).max(free_from);
        free_from = text_y + 16;
        let text_x = if align == At::Right { x + 6 } else { x - 6 };
        canvas.text(&cut(&spot.label, 40), (text_x, text_y), align, BETTER);
    }
}
