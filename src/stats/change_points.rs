//! From which night on figures lie elsewhere: rank tests over all nights that may be the first of a new level.

use super::judge::Scale;
use super::median::MedianInterval;
use super::ranks::doubled_mid_ranks;
use super::split_null::{Split, significant_p, split};

/// So many of the last nights are looked at.
pub const CHANGING_NIGHTS: usize = 90;

/// A night from which on figures lie elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Number of the first night of the new level, from 0.
    pub night: usize,
    /// Median after / median before - 1 for [`Scale::Ratio`], or their difference; up to the next change point on both
    /// sides. (Where the median before is not above 0 there is no ratio: it is 1 or -1.)
    pub size: f64,
    /// Of the largest of all standardised rank sums, among those of shuffled nights.
    pub p: f64,
}

/// The change points in the last [`CHANGING_NIGHTS`] of `nights` (one median each, the oldest first; those that are no
/// numbers are left out), in their order. The night that splits all best is looked for, then those that split both parts
/// best, and so on while p is at most 0.005. Changes below the floor (a share for [`Scale::Ratio`], else an amount) are
/// dropped, the smallest first, and what is left is measured anew.
pub fn change_points(nights: &[f64], scale: Scale, floor: f64) -> Vec<ChangePoint> {
    let start = nights.len().saturating_sub(CHANGING_NIGHTS);
    let numbered = nights.iter().copied().enumerate().skip(start);
    let (places, figures): (Vec<usize>, Vec<f64>) = numbered.filter(|(_, night)| night.is_finite()).unzip();
    let mut points = Vec::new();
    search(&figures, 0, &mut points);
    drop_small(&figures, scale, floor, &mut points);
    for point in &mut points {
        point.night = places[point.night];
    }
    points
}

/// Adds the change points of these figures, which start at `offset`, in their order.
fn search(figures: &[f64], offset: usize, points: &mut Vec<ChangePoint>) {
    let ranks = doubled_mid_ranks(figures);
    let Some(Split { at, statistic }) = split(&ranks) else {
        return;
    };
    let Some(p) = significant_p(&ranks, statistic) else {
        return;
    };
    search(&figures[..at], offset, points);
    points.push(ChangePoint {
        night: offset + at,
        size: 0.0,
        p,
    });
    search(&figures[at..], offset + at, points);
}

/// Measures the changes, and drops the smallest while it is below the floor.
fn drop_small(figures: &[f64], scale: Scale, floor: f64, points: &mut Vec<ChangePoint>) {
    loop {
        let mut medians = Vec::with_capacity(points.len() + 1);
        let mut start = 0;
        for end in points.iter().map(|point| point.night).chain([figures.len()]) {
            medians.push(MedianInterval::of(&figures[start..end]).map_or(0.0, |of| of.median));
            start = end;
        }
        for (point, around) in points.iter_mut().zip(medians.windows(2)) {
            point.size = size(around[0], around[1], scale);
        }
        let sizes = points.iter().map(|point| point.size.abs()).enumerate();
        match sizes.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
            Some((smallest, size)) if size < floor => points.remove(smallest),
            _ => return,
        };
    }
}

fn size(before: f64, after: f64, scale: Scale) -> f64 {
    match scale {
        Scale::Difference => after - before,
        Scale::Ratio if before > 0.0 => after / before - 1.0,
        Scale::Ratio if after == before => 0.0,
        Scale::Ratio => (after - before).signum(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::split_null::LEAST_SEGMENT;
    use super::*;
    use proptest::prelude::*;

    /// Nights that scatter by at most 1 around a level, never tied.
    fn nights(level: f64, count: usize) -> impl Iterator<Item = f64> {
        (0..count).map(move |night| level + (night as f64 * 0.618_034).fract() * 2.0 - 1.0)
    }

    #[test]
    fn changes_are_found_where_they_are_with_their_sizes() {
        let series: Vec<f64> = nights(100.0, 30)
            .chain(nights(90.0, 20))
            .chain(nights(95.0, 25))
            .collect();
        let found = change_points(&series, Scale::Ratio, 0.03);
        // (The first night of the last level is its lowest: ranks do not tell to which it belongs.)
        let places: Vec<usize> = found.iter().map(|point| point.night).collect();
        assert_eq!(places, [30, 51]);
        assert!((found[0].size + 0.10).abs() < 0.01, "{found:?}");
        assert!((found[1].size - 0.0556).abs() < 0.01, "{found:?}");
        assert!(found.iter().all(|point| point.p <= 0.005), "{found:?}");
        let found = change_points(&series, Scale::Difference, 3.0);
        assert!((found[0].size + 10.0).abs() < 1.0, "{found:?}");
        assert!((found[1].size - 5.0).abs() < 1.0, "{found:?}");
        assert_eq!(change_points(&series, Scale::Difference, 7.0), []);
    }

    #[test]
    fn only_the_last_nights_count_and_gaps_keep_their_numbers() {
        let old: Vec<f64> = nights(50.0, 20).chain(nights(100.0, CHANGING_NIGHTS)).collect();
        assert_eq!(change_points(&old, Scale::Ratio, 0.03), []);
        let mut gaps: Vec<f64> = nights(100.0, 20).chain(nights(80.0, 20)).collect();
        gaps[5] = f64::NAN;
        assert_eq!(change_points(&gaps, Scale::Ratio, 0.03)[0].night, 20);
    }

    #[test]
    fn a_level_of_zero_that_is_left_is_found() {
        let series: Vec<f64> = [0.0; 12].into_iter().chain(nights(80.0, 12)).collect();
        let found = change_points(&series, Scale::Ratio, 0.03);
        assert_eq!((found.len(), found[0].night, found[0].size), (1, 12, 1.0));
    }

    #[test]
    fn tied_nights_are_judged_by_their_own_chances() {
        let series: Vec<f64> = [4.0, 5.0]
            .repeat(12)
            .into_iter()
            .chain([8.0, 9.0].repeat(5))
            .collect();
        let found = change_points(&series, Scale::Ratio, 0.03);
        assert_eq!(found.iter().map(|point| point.night).collect::<Vec<_>>(), [24]);
        assert_eq!(change_points(&[4.0, 5.0].repeat(20), Scale::Ratio, 0.03), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn series_that_stay_the_same_have_no_change(level in -1e9f64..1e9, count in 0usize..120) {
            prop_assert_eq!(change_points(&vec![level; count], Scale::Difference, 0.0), []);
            prop_assert_eq!(change_points(&vec![level; count], Scale::Ratio, 0.0), []);
        }

        #[test]
        fn change_points_keep_their_distance_and_their_order(series in prop::collection::vec(prop_oneof![Just(1.0), Just(2.0), Just(f64::NAN)], 0..24)) {
            let found = change_points(&series, Scale::Ratio, 0.03);
            prop_assert!(found.iter().all(|point| point.night >= LEAST_SEGMENT && point.night + LEAST_SEGMENT <= series.len()));
            prop_assert!(found.windows(2).all(|two| two[0].night + LEAST_SEGMENT <= two[1].night));
        }
    }
}
