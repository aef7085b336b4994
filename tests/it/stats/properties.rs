//! What holds for all figures.

use proptest::prelude::*;
use rbench::stats::{
    Better, MedianInterval, Question, Scale, Verdict, benjamini_hochberg, holm, judge, mann_whitney,
    shift_of_pairs, shift_of_sides, signed_rank,
};
use std::ops::RangeInclusive;

/// Figures of which some are tied.
fn figures(count: RangeInclusive<usize>) -> impl Strategy<Value = Vec<f64>> {
    let figure = prop_oneof![(1u32..8).prop_map(f64::from), 0.5f64..9.0];
    prop::collection::vec(figure, count)
}

fn map(figures: &[f64], by: impl Fn(f64) -> f64) -> Vec<f64> {
    figures.iter().map(|&figure| by(figure)).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn mann_whitney_is_a_probability_that_knows_no_sides_and_no_scale(base in figures(0..=12), candidate in figures(0..=12)) {
        let p = mann_whitney(&base, &candidate);
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert_eq!(p, mann_whitney(&candidate, &base));
        prop_assert_eq!(p, mann_whitney(&map(&base, |figure| figure.powi(3)), &map(&candidate, |figure| figure.powi(3))));
        // Turned round, the largest is the smallest.
        prop_assert!(close(p, mann_whitney(&map(&base, |figure| -figure), &map(&candidate, |figure| -figure))));
    }

    #[test]
    fn signed_rank_is_a_probability_that_knows_no_sides_and_no_scale(differences in figures(0..=25), middle in 0.0f64..9.0) {
        let differences = map(&differences, |difference| difference - middle);
        let p = signed_rank(&differences);
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert_eq!(p, signed_rank(&map(&differences, |difference| -difference)));
        prop_assert_eq!(p, signed_rank(&map(&differences, |difference| 1024.0 * difference)));
    }

    #[test]
    fn shifts_lie_within_the_differences_and_move_with_them(base in figures(1..=14), candidate in figures(1..=14), by in -5.0f64..5.0) {
        let shift = shift_of_sides(&base, &candidate).unwrap();
        let mut all: Vec<f64> = base.iter().flat_map(|base| candidate.iter().map(move |figure| figure - base)).collect();
        all.sort_by(f64::total_cmp);
        prop_assert!(close(shift.point, (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0));
        if let Some((low, high)) = shift.interval {
            prop_assert!(all[0] <= low && low <= shift.point && shift.point <= high && high <= all[all.len() - 1]);
        }
        let moved = shift_of_sides(&base, &map(&candidate, |figure| figure + by)).unwrap();
        prop_assert!(close(moved.point, shift.point + by));
        let turned = shift_of_sides(&candidate, &base).unwrap();
        prop_assert!(close(turned.point, -shift.point));
        prop_assert_eq!(turned.interval.map(|(low, high)| (-high, -low)), shift.interval);
    }

    #[test]
    fn shifts_of_pairs_lie_within_the_differences_and_move_with_them(differences in figures(1..=20), by in -5.0f64..5.0) {
        let shift = shift_of_pairs(&differences).unwrap();
        let mut all: Vec<f64> = (0..differences.len())
            .flat_map(|at| differences[at..].iter().map(move |other| (at, other)))
            .map(|(at, other)| (differences[at] + other) / 2.0)
            .collect();
        all.sort_by(f64::total_cmp);
        prop_assert!(close(shift.point, (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0));
        prop_assert_eq!(shift.interval.is_some(), differences.len() >= 6);
        if let Some((low, high)) = shift.interval {
            prop_assert!(all[0] <= low && low <= shift.point && shift.point <= high && high <= all[all.len() - 1]);
        }
        let moved = shift_of_pairs(&map(&differences, |figure| figure + by)).unwrap();
        prop_assert!(close(moved.point, shift.point + by));
        let turned = shift_of_pairs(&map(&differences, |figure| -figure)).unwrap();
        prop_assert!(close(turned.point, -shift.point));
    }

    #[test]
    fn intervals_are_the_shifts_that_the_test_does_not_reject(base in prop::collection::vec(0.0f64..1.0, 6..=9), candidate in prop::collection::vec(0.0f64..1.0, 6..=9)) {
        let (low, high) = shift_of_sides(&base, &candidate).unwrap().interval.unwrap();
        let p = |shift: f64| mann_whitney(&map(&base, |figure| figure + shift), &candidate);
        prop_assert!(p(low + 1e-9) > 0.05 && p(high - 1e-9) > 0.05);
        prop_assert!(p(low - 1e-9) <= 0.05 && p(high + 1e-9) <= 0.05);
    }

    #[test]
    fn corrected_p_values_are_never_below_raw_ones_and_keep_their_order(p in prop::collection::vec(prop_oneof![0.0f64..1.0, 0.0f64..0.05, Just(0.01)], 0..12)) {
        let (holm, benjamini_hochberg) = (holm(&p), benjamini_hochberg(&p));
        for adjusted in [&holm, &benjamini_hochberg] {
            prop_assert_eq!(adjusted.len(), p.len());
            for (a, (&raw_a, &adjusted_a)) in p.iter().zip(adjusted).enumerate() {
                prop_assert!(raw_a <= adjusted_a && adjusted_a <= 1.0);
                for (&raw_b, &adjusted_b) in p.iter().zip(adjusted).skip(a) {
                    prop_assert!(raw_a < raw_b || adjusted_a >= adjusted_b);
                    prop_assert!(raw_a > raw_b || adjusted_a <= adjusted_b);
                }
            }
        }
        prop_assert!(holm.iter().zip(&benjamini_hochberg).all(|(holm, other)| *holm >= other - 1e-15));
    }

    #[test]
    fn judgements_change_sides_with_their_sides(base in figures(6..=10), candidate in figures(6..=10), paired: bool) {
        let count = base.len().min(candidate.len());
        let (base, candidate) = if paired { (base[..count].to_vec(), candidate[..count].to_vec()) } else { (base, candidate) };
        let question = Question { base, candidate, paired, scale: Scale::Ratio, better: Better::Higher, floor: 0.0, gated: true };
        let turned = Question { base: question.candidate.clone(), candidate: question.base.clone(), better: Better::Lower, ..question.clone() };
        let (one, other) = (judge(&[question])[0], judge(&[turned])[0]);
        prop_assert_eq!(one.p, other.p);
        prop_assert!(close(one.estimate.unwrap().point * other.estimate.unwrap().point, 1.0));
        prop_assert_eq!(one.verdict, other.verdict);
    }

    #[test]
    fn nothing_makes_a_judgement_panic(base in any_figures(), candidate in any_figures(), paired: bool, ratio: bool, floor in any_figure()) {
        let scale = if ratio { Scale::Ratio } else { Scale::Difference };
        let question = Question { base, candidate, paired, scale, better: Better::Lower, floor, gated: false };
        let judgement = judge(&[question])[0];
        prop_assert_eq!(judgement.more_needed > 0, judgement.verdict == Verdict::Insufficient);
        prop_assert_eq!(judgement.p.is_none(), judgement.verdict == Verdict::Insufficient);
        if let Some(estimate) = judgement.estimate {
            let (low, high) = estimate.interval.unwrap_or((0.0, 0.0));
            prop_assert!(estimate.point.is_finite() && low.is_finite() && high.is_finite());
        }
    }

    #[test]
    fn medians_lie_within_their_intervals(figures in figures(1..=40)) {
        let found = MedianInterval::of(&figures).unwrap();
        prop_assert_eq!(found.interval.is_some(), figures.len() >= 6);
        if let Some((low, high)) = found.interval {
            prop_assert!(low <= found.median && found.median <= high);
            prop_assert!(close(found.spread().unwrap(), (high - low) / 2.0 / found.median));
        }
    }
}

fn any_figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -2.0f64..9.0,
        1 => prop::num::f64::ANY,
        1 => prop::sample::select(vec![0.0, -0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::NAN]),
    ]
}

fn any_figures() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(any_figure(), 0..14)
}
