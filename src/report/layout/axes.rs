//! The axes of a sweep, and the order in which their values were typed.

use crate::result::AxisKind;
use rustc_hash::FxHashMap;

/// Looks at a cell after which the order of values is no longer searched for: a file may hold any numbers.
const MOST_LOOKS: usize = 10_000_000;
/// Most cells of a sweep whose order is searched for.
const MOST_CELLS: u32 = 1_000_000;
/// Most axes, of which each is a call within the last one.
const MOST_AXES: usize = 100;

/// What varies, and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) kind: AxisKind,
    /// In the order typed, each once.
    pub(super) values: Vec<String>,
}

impl Axis {
    pub(super) fn has_several(&self) -> bool {
        self.values.len() > 1
    }

    /// Where a value stands.
    pub(super) fn position(&self, value: &str) -> Option<usize> {
        self.values.iter().position(|one| one == value)
    }
}

/// A cell as results tell it: its number, and a value for each axis.
pub(super) type Numbered<'r> = (u32, &'r [String]);

/// The axes of a sweep of so many cells, from some of them.
///
/// Cells are numbered from 1, the last axis fastest, so that a number tells where each of its values stands, once it is
/// known how many values each axis has. Of cells in random order, and of a sweep that was interrupted, not all values
/// need to be there: the lengths are searched for with which each value stands in one place only.
pub(super) fn axes(kinds: &[AxisKind], cells: u32, seen: &[Numbered<'_>]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = kinds
        .iter()
        .enumerate()
        .map(|(axis, kind)| Axis {
            kind: kind.clone(),
            values: by_first_number(seen, axis),
        })
        .collect();
    if cells > MOST_CELLS || axes.len() > MOST_AXES {
        return axes;
    }
    let mut search = Search {
        cells,
        seen,
        divisors: (1..=cells)
            .filter(|divisor| cells.is_multiple_of(*divisor))
            .collect(),
        looks: 0,
        places: vec![FxHashMap::default(); axes.len()],
    };
    let least: Vec<usize> = axes.iter().map(|axis| axis.values.len()).collect();
    if search.lengths(&least, 1) {
        for (axis, places) in axes.iter_mut().zip(&search.places) {
            axis.values
                .sort_by_key(|value| places.get(value.as_str()).copied().unwrap_or(u32::MAX));
        }
    }
    axes
}

/// The values of an axis, by the first cell that has them.
fn by_first_number(seen: &[Numbered<'_>], axis: usize) -> Vec<String> {
    let mut sorted: Vec<&Numbered<'_>> = seen.iter().collect();
    sorted.sort_by_key(|(number, _)| *number);
    let mut values: Vec<String> = Vec::new();
    for value in sorted.iter().filter_map(|(_, values)| values.get(axis)) {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}

struct Search<'s, 'r> {
    cells: u32,
    seen: &'s [Numbered<'r>],
    divisors: Vec<u32>,
    looks: usize,
    /// For each axis, its values and where they stand.
    places: Vec<FxHashMap<&'r str, u32>>,
}

impl Search<'_, '_> {
    /// Finds the lengths of the axes that are left, the last first; `least`: how many values of each are known;
    /// `stride`: the product of the lengths behind them.
    fn lengths(&mut self, least: &[usize], stride: u32) -> bool {
        let Some((&known, before)) = least.split_last() else {
            return stride == self.cells;
        };
        let rest = self.cells / stride;
        for length in self.divisors.clone() {
            if self.looks > MOST_LOOKS {
                return false;
            }
            let fits = rest.is_multiple_of(length) && length as usize >= known;
            if fits && self.place(before.len(), stride, length) && self.lengths(before, stride * length) {
                return true;
            }
        }
        false
    }

    /// Where an axis' values stand if it has this length; false where one would stand in two places, or two in one.
    fn place(&mut self, axis: usize, stride: u32, length: u32) -> bool {
        let mut places: FxHashMap<&str, u32> = FxHashMap::default();
        let mut values_at: FxHashMap<u32, &str> = FxHashMap::default();
        for (number, values) in self.seen {
            self.looks += 1;
            let Some(value) = values.get(axis) else {
                return false;
            };
            let place = (number.saturating_sub(1) / stride) % length;
            if *places.entry(value).or_insert(place) != place {
                return false;
            }
            if *values_at.entry(place).or_insert(value) != value {
                return false;
            }
        }
        self.places[axis] = places;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(lengths: &[usize]) -> Vec<(u32, Vec<String>)> {
        let total: usize = lengths.iter().product();
        (0..total)
            .map(|index| {
                let mut rest = index;
                let mut values: Vec<String> = lengths
                    .iter()
                    .rev()
                    .map(|length| {
                        let place = rest % length;
                        rest /= length;
                        // Names whose order is not that of the places.
                        format!("v{}", 90 - place)
                    })
                    .collect();
                values.reverse();
                (index as u32 + 1, values)
            })
            .collect()
    }

    fn found(lengths: &[usize], seen: &[(u32, Vec<String>)]) -> Vec<Vec<String>> {
        let kinds: Vec<AxisKind> = (0..lengths.len())
            .map(|axis| AxisKind::Parameter(axis.to_string()))
            .collect();
        let seen: Vec<Numbered<'_>> = seen
            .iter()
            .map(|(number, values)| (*number, &values[..]))
            .collect();
        let total = lengths.iter().product::<usize>() as u32;
        axes(&kinds, total, &seen)
            .into_iter()
            .map(|axis| axis.values)
            .collect()
    }

    #[test]
    fn values_that_first_appear_in_a_later_row_stand_where_they_were_typed() {
        let all = cells(&[3, 4]);
        // Of the first row only the third column, of the last row all.
        let seen: Vec<_> = all
            .iter()
            .filter(|(number, _)| *number == 3 || *number > 8)
            .cloned()
            .collect();
        assert_eq!(
            found(&[3, 4], &seen),
            [vec!["v90", "v88"], vec!["v90", "v89", "v88", "v87"]]
        );
    }

    #[test]
    fn numbers_that_fit_nothing_leave_the_values_in_their_order() {
        let kinds = [AxisKind::Clients, AxisKind::Load];
        let values = |clients: &str, load: &str| vec![clients.to_owned(), load.to_owned()];
        let (one, two, three) = (values("1", "a"), values("2", "b"), values("1", "c"));
        let seen: [Numbered<'_>; 3] = [(9, &one), (4, &two), (9, &three)];
        let axes = axes(&kinds, 7, &seen);
        assert_eq!(axes[0].values, ["2", "1"]);
        assert_eq!(axes[1].values, ["b", "a", "c"]);
    }

    #[test]
    fn a_file_with_any_number_of_axes_is_taken() {
        let kinds: Vec<AxisKind> = (0..300_000)
            .map(|axis| AxisKind::Parameter(axis.to_string()))
            .collect();
        let values = vec!["1".to_owned(); kinds.len()];
        assert_eq!(axes(&kinds, 1, &[(1, &values)]).len(), kinds.len());
    }

    proptest! {
        #[test]
        fn of_any_order_of_all_cells_the_typed_order_is_found(
            (lengths, seen) in prop::collection::vec(1usize..5, 1..4)
                .prop_flat_map(|lengths| (Just(lengths.clone()), Just(cells(&lengths)).prop_shuffle()))
        ) {
            let typed: Vec<Vec<String>> = lengths
                .iter()
                .map(|&length| (0..length).map(|place| format!("v{}", 90 - place)).collect())
                .collect();
            prop_assert_eq!(found(&lengths, &seen), typed);
        }

        #[test]
        fn any_numbers_are_taken(
            cells in 0u32..5000,
            seen in prop::collection::vec((any::<u32>(), prop::collection::vec("[ab]", 3)), 0..9)
        ) {
            let kinds = [AxisKind::Clients, AxisKind::Load, AxisKind::Pin];
            let seen: Vec<Numbered<'_>> = seen.iter().map(|(number, values)| (*number, &values[..])).collect();
            prop_assert_eq!(axes(&kinds, cells, &seen).len(), 3);
        }
    }
}
