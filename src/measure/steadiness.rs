//! Whether throughput holds still.
//!
//! The rule is that of the steady state in SNIA's Solid State Storage Performance Test Specification: over a window of
//! five rounds, the largest and the smallest are at most 20 % of the mean apart, and the line fitted to the five by
//! least squares changes by less than 10 % of the mean from its first to its last.

/// How many windows, or parts of a run, are looked at together.
pub const WINDOWS: usize = 5;
/// How far apart they may be, as a share of their mean.
const SPREAD: f64 = 0.20;
/// By how much the fitted line may change, as a share of the mean.
const DRIFT: f64 = 0.10;

/// How far rates that follow one another are from holding still.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadiness {
    /// The largest less the smallest, as a share of their mean.
    pub spread: f64,
    /// The last point of the fitted line less the first, as a share of the mean: below 0 where rates fall.
    pub drift: f64,
}

impl Steadiness {
    /// Of rates in order of time; None of fewer than two, and where their mean says nothing (0, or not a number).
    pub fn of(rates: &[f64]) -> Option<Steadiness> {
        if rates.len() < 2 {
            return None;
        }
        let count = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / count;
        if !(mean.is_finite() && mean > 0.0) {
            return None;
        }
        let largest = rates.iter().copied().fold(f64::MIN, f64::max);
        let smallest = rates.iter().copied().fold(f64::MAX, f64::min);
        let middle = (count - 1.0) / 2.0;
        let (mut products, mut squares) = (0.0, 0.0);
        for (index, rate) in rates.iter().enumerate() {
            let distance = index as f64 - middle;
            products += distance * (rate - mean);
            squares += distance * distance;
        }
        let steadiness = Steadiness {
            spread: (largest - smallest) / mean,
            drift: products / squares * (count - 1.0) / mean,
        };
        (steadiness.spread.is_finite() && steadiness.drift.is_finite()).then_some(steadiness)
    }

    /// Whether that counts as steady.
    pub fn is_steady(&self) -> bool {
        self.spread <= SPREAD && self.drift.abs() < DRIFT
    }
}

/// Whether throughput has settled at the end of these windows of a warm-up: the last five are steady.
pub fn has_settled(windows: &[f64]) -> bool {
    let five = windows.last_chunk::<WINDOWS>();
    five.and_then(|five| Steadiness::of(five))
        .is_some_and(|steadiness| steadiness.is_steady())
}

/// The means of five parts of a run, equal but for a second where the seconds are no multiple of five; None of fewer
/// than ten seconds.
pub fn parts(seconds: &[f64]) -> Option<[f64; WINDOWS]> {
    if seconds.len() < 2 * WINDOWS {
        return None;
    }
    Some(std::array::from_fn(|part| {
        let bound = |part| part * seconds.len() / WINDOWS;
        let part = &seconds[bound(part)..bound(part + 1)];
        part.iter().sum::<f64>() / part.len() as f64
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The window, from 1, after which a series has settled.
    fn settles_at(windows: &[f64]) -> Option<usize> {
        (1..=windows.len()).find(|&count| has_settled(&windows[..count]))
    }

    #[test]
    fn spread_and_drift_are_shares_of_the_mean() {
        let steadiness = Steadiness::of(&[90.0, 95.0, 100.0, 105.0, 110.0]).unwrap();
        assert!((steadiness.spread - 0.2).abs() < 1e-12);
        assert!((steadiness.drift - 0.2).abs() < 1e-12);
        let falling = Steadiness::of(&[102.0, 101.0, 100.0, 99.0, 98.0]).unwrap();
        assert!((falling.drift + 0.04).abs() < 1e-12);
        assert!(falling.is_steady());
    }

    #[test]
    fn a_drift_of_a_tenth_or_a_spread_of_more_than_a_fifth_is_not_steady() {
        let drift = Steadiness::of(&[95.0, 97.5, 100.0, 102.5, 105.0]).unwrap();
        assert!(drift.spread < 0.2 && !drift.is_steady(), "{drift:?}");
        let spread = Steadiness::of(&[100.0, 100.0, 79.0, 100.0, 100.0]).unwrap();
        assert!(spread.drift.abs() < 1e-12 && !spread.is_steady(), "{spread:?}");
        let within = Steadiness::of(&[100.0, 100.0, 81.0, 100.0, 100.0]).unwrap();
        assert!(within.is_steady(), "{within:?}");
    }

    #[test]
    fn what_has_no_mean_is_never_steady() {
        for rates in [&[0.0; 5][..], &[1.0], &[], &[f64::NAN; 5], &[f64::MAX; 5]] {
            assert_eq!(Steadiness::of(rates), None, "{rates:?}");
            assert!(!has_settled(rates), "{rates:?}");
        }
    }

    #[test]
    fn a_run_of_ten_seconds_and_more_falls_into_five_parts() {
        assert_eq!(parts(&[1.0; 9]), None);
        let ten = [1.0, 3.0, 2.0, 2.0, 5.0, 5.0, 0.0, 8.0, 7.0, 9.0];
        assert_eq!(parts(&ten), Some([2.0, 2.0, 5.0, 4.0, 8.0]));
        assert_eq!(parts(&[4.0; 13]), Some([4.0; 5]));
    }

    proptest! {
        #[test]
        fn a_series_that_holds_after_a_steep_ramp_settles_five_windows_after_it(
            ramp in 0usize..60,
            level in 1.0f64..1e10,
            noise in prop::collection::vec(-0.02f64..0.02, 80),
        ) {
            // From nothing, by a third of what is reached or more with each window.
            let windows: Vec<_> = noise
                .iter()
                .enumerate()
                .map(|(index, noise)| {
                    let below = ramp.saturating_sub(index) as i32;
                    level * (1.0 + noise) / 1.5f64.powi(below)
                })
                .collect();
            let settled = settles_at(&windows).unwrap();
            let right = ramp + WINDOWS;
            prop_assert!(settled.abs_diff(right) <= 1, "after {settled} windows, not {right}");
        }

        #[test]
        fn a_series_that_drifts_by_more_than_a_tenth_in_five_windows_never_settles(
            change in prop_oneof![0.70f64..0.97, 1.03f64..1.4],
            length in 0usize..200,
            level in 1.0f64..1e6,
        ) {
            let windows: Vec<_> = (0..length).map(|index| level * change.powi(index as i32)).collect();
            prop_assert_eq!(settles_at(&windows), None);
        }

        #[test]
        fn a_series_that_holds_settles_after_five_windows(
            noise in prop::collection::vec(-0.03f64..0.03, 5..20),
            level in 1.0f64..1e12,
        ) {
            let windows: Vec<_> = noise.iter().map(|noise| level * (1.0 + noise)).collect();
            prop_assert_eq!(settles_at(&windows), Some(WINDOWS));
        }

        #[test]
        fn any_series_is_judged_without_a_panic(windows in prop::collection::vec(any::<f64>(), 0..30)) {
            has_settled(&windows);
            Steadiness::of(&windows);
            parts(&windows);
        }
    }
}
