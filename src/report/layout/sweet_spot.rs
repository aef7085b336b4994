//! The cells between throughput and the bystander that no other cell beats on both.

/// Which of the points no other beats: none has more of the first and no more of the second, or as much of the first
/// and less of the second. Equal points stand or fall together. By the first, the highest first; ties in the order given.
pub(super) fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (points[a], points[b]);
        b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1))
    });
    let mut kept: Vec<usize> = Vec::new();
    for index in order {
        let point = points[index];
        let last = kept.last().map(|&last| points[last]);
        if last.is_none_or(|last| point == last || (point.0 < last.0 && point.1 < last.1)) {
            kept.push(index);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn more_throughput_is_paid_for_with_the_bystanders_time() {
        let points = [(8.0, 100.0), (9.0, 300.0), (7.0, 200.0), (6.0, 50.0), (5.0, 60.0)];
        assert_eq!(front(&points), [1, 0, 3]);
    }

    #[test]
    fn of_ties_the_better_stays_and_equal_ones_stay_together() {
        let points = [(8.0, 100.0), (8.0, 90.0), (7.0, 90.0), (8.0, 90.0), (6.0, 10.0)];
        assert_eq!(front(&points), [1, 3, 4]);
        assert_eq!(front(&[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn a_point_is_in_it_if_and_only_if_no_other_is_better(
            points in prop::collection::vec((0u8..6, 0u8..6), 0..20)
        ) {
            let points: Vec<(f64, f64)> = points.into_iter().map(|(a, b)| (a.into(), b.into())).collect();
            let beaten = |of: (f64, f64)| {
                points.iter().any(|by| by.0 >= of.0 && by.1 <= of.1 && *by != of)
            };
            let mut found = front(&points);
            prop_assert!(found.iter().zip(found.iter().skip(1)).all(|(&a, &b)| points[a].0 >= points[b].0));
            found.sort_unstable();
            let expected: Vec<usize> = (0..points.len()).filter(|&index| !beaten(points[index])).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
