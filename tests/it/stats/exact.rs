//! The exact tests beside published figures, and beside an enumeration of all that could have happened.

use proptest::prelude::*;
use rbench::stats::{mann_whitney, shift_of_pairs, shift_of_sides, signed_rank};

fn assert_close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-4, "{found}, not {expected}");
}

/// `from`, `from` + 1 …
fn counted(from: u32, count: u32) -> Vec<f64> {
    (from..from + count).map(f64::from).collect()
}

#[test]
fn two_sides_that_are_fully_apart_have_the_least_p_there_is() {
    for (count, expected) in [(5, 0.007_936_5), (6, 0.002_164_5), (10, 1.082_5e-5)] {
        let (low, high) = (counted(1, count), counted(100, count));
        assert_close(mann_whitney(&low, &high), expected);
        assert_close(mann_whitney(&high, &low), expected);
    }
}

#[test]
fn sides_that_overlap_by_one_figure_have_the_p_of_published_tables() {
    let low = [1.0, 2.0, 3.0, 4.0, 6.0];
    let high = [5.0, 7.0, 8.0, 9.0, 10.0, 11.0];
    assert_close(mann_whitney(&low, &high[..5]), 0.015_873);
    assert_close(mann_whitney(&high[..5], &low), 0.015_873);
    assert_close(mann_whitney(&low, &high), 0.008_658_0);
}

#[test]
fn where_all_figures_are_equal_nothing_is_significant() {
    assert_eq!(mann_whitney(&[3.0; 7], &[3.0; 9]), 1.0);
    assert_eq!(mann_whitney(&[3.0; 70], &[3.0; 90]), 1.0);
    assert_eq!(signed_rank(&[0.0; 10]), 1.0);
    assert_eq!(signed_rank(&[0.0; 300]), 1.0);
}

#[test]
fn where_a_side_is_empty_nothing_is_significant() {
    assert_eq!(mann_whitney(&[], &[]), 1.0);
    assert_eq!(mann_whitney(&[], &[1.0, 2.0]), 1.0);
    assert_eq!(signed_rank(&[]), 1.0);
    assert_eq!(shift_of_sides(&[], &[1.0]), None);
    assert_eq!(shift_of_pairs(&[]), None);
}

#[test]
fn ten_pairs_of_one_sign_have_the_least_p_there_is() {
    assert_close(signed_rank(&counted(1, 10)), 0.001_953_125);
    let below: Vec<f64> = counted(1, 10).iter().map(|figure| -figure).collect();
    assert_close(signed_rank(&below), 0.001_953_125);
    // All of one size, too.
    assert_close(signed_rank(&[2.5; 10]), 0.001_953_125);
}

/// How often, of all ways to share the figures out, the rank sum lies at least as far from its mean. The slow way.
fn enumerated_mann_whitney(base: &[f64], candidate: &[f64]) -> f64 {
    let all: Vec<f64> = base.iter().chain(candidate).copied().collect();
    let mean = (base.len() * candidate.len()) as f64 / 2.0;
    let distance = |chosen: u32| {
        let (mut wins, of) = (0.0, |at: usize| chosen >> at & 1 == 1);
        for a in (0..all.len()).filter(|&at| of(at)) {
            for b in (0..all.len()).filter(|&at| !of(at)) {
                wins += match all[a].partial_cmp(&all[b]) {
                    Some(std::cmp::Ordering::Greater) => 1.0,
                    Some(std::cmp::Ordering::Equal) => 0.5,
                    _ => 0.0,
                };
            }
        }
        f64::abs(wins - mean)
    };
    let observed = distance((1 << base.len()) - 1);
    let choices = (0u32..1 << all.len()).filter(|chosen| chosen.count_ones() as usize == base.len());
    let distances: Vec<f64> = choices.map(distance).collect();
    share(&distances, |&distance| distance >= observed)
}

fn share<T>(all: &[T], holds: impl Fn(&T) -> bool) -> f64 {
    all.iter().filter(|one| holds(one)).count() as f64 / all.len() as f64
}

/// The same of all signs. Differences are whole numbers.
fn enumerated_signed_rank(differences: &[f64]) -> f64 {
    let rank = |of: f64| {
        let size = |other: &&f64| other.abs().partial_cmp(&of.abs());
        let smaller = differences
            .iter()
            .filter(|other| size(other) == Some(std::cmp::Ordering::Less));
        let equal = differences
            .iter()
            .filter(|other| size(other) == Some(std::cmp::Ordering::Equal));
        smaller.count() as f64 + (equal.count() as f64 + 1.0) / 2.0
    };
    let signed: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|&difference| difference != 0.0)
        .collect();
    let ranks: Vec<f64> = signed.iter().map(|&difference| rank(difference)).collect();
    let sum = |signs: u32| {
        (0..ranks.len())
            .map(|at| {
                if signs >> at & 1 == 1 {
                    ranks[at]
                } else {
                    -ranks[at]
                }
            })
            .sum::<f64>()
            .abs()
    };
    let observed = (0..signed.len()).fold(0, |signs, at| signs | u32::from(signed[at] > 0.0) << at);
    let sums: Vec<f64> = (0u32..1 << ranks.len()).map(sum).collect();
    share(&sums, |&other| other >= sum(observed))
}

/// Few different figures, so that many are tied.
fn tied(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-3i8..4).prop_map(f64::from), count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn mann_whitney_is_the_share_of_all_choices(base in tied(1..=5), candidate in tied(1..=5)) {
        let (found, expected) = (mann_whitney(&base, &candidate), enumerated_mann_whitney(&base, &candidate));
        prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
    }

    #[test]
    fn signed_rank_is_the_share_of_all_signs(differences in tied(1..=9)) {
        let (found, expected) = (signed_rank(&differences), enumerated_signed_rank(&differences));
        prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
    }
}
