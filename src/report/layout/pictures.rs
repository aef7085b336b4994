//! A sweep as pictures: its grids, and its cells between throughput and waiting.

use super::SweepTable;
use super::figure::Figure;
use super::grid;
use super::sweep::Sweep;
use super::sweet_spot::front;
use crate::report::picture::{Grid, Plane, Spot};
use crate::result::Activity;

/// More grids than these make no page clearer.
const MOST_GRIDS: usize = 6;

impl SweepTable {
    /// What it is called: when it was started, how many of its cells were run, the axes with a single value.
    pub fn title(&self) -> String {
        self.sweep().title()
    }

    /// Its figures by its first two axes with several values: throughput (or operations), and what a bystander waited.
    pub fn grids(&self, bystander: Activity) -> Vec<Grid> {
        let sweep = self.sweep();
        let several = sweep.others(&[]);
        let (rows, columns) = match several[..] {
            [] => return Vec::new(),
            [only] => (None, only),
            [first, second, ..] => (Some(first), second),
        };
        let shown: Vec<usize> = rows.into_iter().chain([columns]).collect();
        let mut grids = Vec::new();
        for section in sweep.sections(&shown) {
            let (mut figures, _) = grid::main_figures(&section);
            figures.push(Figure::Bystander(bystander));
            for figure in figures {
                grids.push(grid_of(&sweep, &section, (rows, columns), figure));
            }
        }
        grids.retain(|grid| grid.values.iter().flatten().any(Option::is_some));
        grids.truncate(MOST_GRIDS);
        grids
    }

    /// Its cells with their throughput and what a bystander waited; there are none without a bystander.
    pub fn plane(&self, bystander: Activity) -> Plane {
        let sweep = self.sweep();
        let waited = Figure::Bystander(bystander);
        let several = sweep.others(&[]);
        let joined = |told: &dyn Fn(usize) -> String| {
            let each: Vec<String> = several.iter().map(|&axis| told(axis)).collect();
            each.join(", ")
        };
        let mut spots: Vec<Spot> = sweep
            .cells
            .iter()
            .filter_map(|(place, cell)| {
                Some(Spot {
                    label: joined(&|axis| sweep.value(place, axis).to_string()),
                    name: joined(&|axis| format!("{} {}", sweep.axes[axis].kind, sweep.value(place, axis))),
                    throughput: cell.median(Figure::Megabytes)?,
                    waiting: cell.median(waited)?,
                    sweet: false,
                })
            })
            .collect();
        let points: Vec<(f64, f64)> = spots.iter().map(|spot| (spot.throughput, spot.waiting)).collect();
        for index in front(&points) {
            spots[index].sweet = true;
        }
        Plane {
            spots,
            waiting: waited.heading(),
            axes: joined(&|axis| sweep.axes[axis].kind.to_string()),
        }
    }
}

fn grid_of(
    sweep: &Sweep,
    section: &super::sweep::Section<'_>,
    (rows, columns): (Option<usize>, usize),
    figure: Figure,
) -> Grid {
    let axis = |axis: usize| &sweep.axes[axis];
    let row_values = rows.map_or_else(|| vec![String::new()], |rows| axis(rows).values.clone());
    let value = |row: usize, column: usize| {
        let mut place = section.fixed.clone();
        if let Some(rows) = rows {
            place[rows] = row;
        }
        place[columns] = column;
        sweep.cells.get(&place).and_then(|cell| cell.median(figure))
    };
    let width = axis(columns).values.len();
    let heading = figure.heading();
    let of = if section.heading.is_empty() {
        String::new()
    } else {
        format!(", {}", section.heading)
    };
    Grid {
        title: format!("{heading}{of}"),
        unit: heading,
        row_axis: rows.map_or_else(String::new, |rows| axis(rows).kind.to_string()),
        column_axis: axis(columns).kind.to_string(),
        values: (0..row_values.len())
            .map(|row| (0..width).map(|column| value(row, column)).collect())
            .collect(),
        rows: row_values,
        columns: axis(columns).values.clone(),
        higher_is_better: !matches!(figure, Figure::Bystander(_)),
    }
}
