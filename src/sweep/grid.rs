//! The grid: all combinations of the values of some axes.

use super::Axis;
use crate::result::{AxisKind, Coordinate};

/// The most cells of a sweep.
const MOST: u64 = 100_000;

/// Axes, and what they combine to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    axes: Vec<Axis>,
    cells: u32,
}

/// Why axes make no grid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    #[error("the axis {axis} is given twice: put all its values in one list")]
    Twice { axis: AxisKind },
    #[error("the grid has more than {MOST} cells: give fewer values, or make several sweeps")]
    TooLarge,
}

impl Grid {
    /// Combines axes.
    ///
    /// # Errors
    /// See [`GridError`].
    pub fn new(axes: Vec<Axis>) -> Result<Grid, GridError> {
        for (index, axis) in axes.iter().enumerate() {
            if axes[..index].iter().any(|other| other.kind == axis.kind) {
                let axis = axis.kind.clone();
                return Err(GridError::Twice { axis });
            }
        }
        let product = axes.iter().try_fold(1_u64, |product, axis| {
            product.checked_mul(axis.values.len() as u64)
        });
        let cells = product
            .filter(|&cells| cells <= MOST)
            .ok_or(GridError::TooLarge)?;
        let cells = u32::try_from(cells).map_err(|_| GridError::TooLarge)?;
        Ok(Grid { axes, cells })
    }

    /// In the order typed.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many cells there are.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// Where a cell is; cells count from 1, the last axis fastest.
    pub fn coordinates(&self, cell: u32) -> Vec<Coordinate> {
        let mut rest = cell.saturating_sub(1) as usize;
        let mut coordinates: Vec<Coordinate> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let value = axis.values[rest % axis.values.len()].clone();
                rest /= axis.values.len();
                let axis = axis.kind.clone();
                Coordinate { axis, value }
            })
            .collect();
        coordinates.reverse();
        coordinates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(kind: AxisKind, values: &[&str]) -> Axis {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Axis { kind, values }
    }

    #[test]
    fn cells_count_with_the_last_axis_fastest() {
        let axes = vec![
            axis(AxisKind::Clients, &["1", "2"]),
            axis(AxisKind::Pin, &["none", "spread", "compact"]),
        ];
        let grid = Grid::new(axes).unwrap();
        assert_eq!(grid.cells(), 6);
        let values = |cell| {
            let coordinates = grid.coordinates(cell);
            coordinates
                .into_iter()
                .map(|at| at.value)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let all: Vec<String> = (1..=6).map(values).collect();
        assert_eq!(
            all,
            [
                "1 none",
                "1 spread",
                "1 compact",
                "2 none",
                "2 spread",
                "2 compact"
            ]
        );
    }

    #[test]
    fn no_axis_makes_one_cell() {
        let grid = Grid::new(Vec::new()).unwrap();
        assert_eq!((grid.cells(), grid.coordinates(1)), (1, Vec::new()));
    }

    #[test]
    fn an_axis_that_is_given_twice_and_a_huge_grid_are_refused() {
        let sysctl = |name: &str| axis(AxisKind::Sysctl(name.into()), &["1"]);
        assert!(Grid::new(vec![sysctl("a"), sysctl("b")]).is_ok());
        assert!(matches!(
            Grid::new(vec![sysctl("a"), sysctl("a")]),
            Err(GridError::Twice { .. })
        ));
        let long: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let long = |name: &str| Axis {
            kind: AxisKind::Option(name.into()),
            values: long.clone(),
        };
        assert_eq!(Grid::new(vec![long("a"), long("b")]), Err(GridError::TooLarge));
    }
}
