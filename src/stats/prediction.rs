//! What tonight's median should be, by the nights before.

use super::judge::Scale;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// So many of the last nights are looked at.
pub const PREDICTING_NIGHTS: usize = 20;
/// The least nights for a prediction. With 4 degrees of freedom, 99 % reach 5 standard deviations far: of fewer nights,
/// nothing but a disaster would show.
pub const LEAST_NIGHTS: usize = 5;
/// Up to this p value, tonight is not as expected.
pub const UNEXPECTED: f64 = 0.01;

/// What is expected of one more night.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The middle of the interval (a geometric mean for [`Scale::Ratio`]), in the unit of the figures.
    pub expected: f64,
    /// 99 % of nights like those before lie between them.
    pub low: f64,
    pub high: f64,
    /// The probability of a night at least as far off as tonight. 0 where all nights before were equal, and this is not.
    pub p: f64,
    /// From how many nights.
    pub nights: u32,
}

impl Prediction {
    /// Student's t prediction interval from the last [`PREDICTING_NIGHTS`] of `nights` (the oldest first, since the last
    /// change; those that are no numbers are left out), and where `tonight` lies in it. On logarithms for
    /// [`Scale::Ratio`], unless a figure is not above 0. None for fewer than [`LEAST_NIGHTS`] nights, and where tonight
    /// is no number.
    pub fn of(nights: &[f64], tonight: f64, scale: Scale) -> Option<Prediction> {
        let finite = nights.iter().rev().copied().filter(|night| night.is_finite());
        let mut before: Vec<f64> = finite.take(PREDICTING_NIGHTS).collect();
        if before.len() < LEAST_NIGHTS || !tonight.is_finite() {
            return None;
        }
        let logarithms = scale == Scale::Ratio && tonight > 0.0 && before.iter().all(|&night| night > 0.0);
        let into = |figure: f64| if logarithms { figure.ln() } else { figure };
        let back = |figure: f64| if logarithms { figure.exp() } else { figure };
        before.iter_mut().for_each(|night| *night = into(*night));

        let count = before.len() as f64;
        let mean = before.iter().sum::<f64>() / count;
        let squares: f64 = before.iter().map(|night| (night - mean).powi(2)).sum();
        // The spread of one more night around the mean of these.
        let deviation = (squares / (count - 1.0) * (1.0 + 1.0 / count)).sqrt();
        let students_t = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
        let reach = students_t.inverse_cdf(1.0 - UNEXPECTED / 2.0) * deviation;
        let distance = (into(tonight) - mean).abs();
        // (What rounding makes of a mean of equal nights is no distance.)
        let p = if distance <= 1e-12 * mean.abs() {
            1.0
        } else {
            2.0 * students_t.sf(distance / deviation)
        };
        Some(Prediction {
            expected: back(mean),
            low: back(mean - reach),
            high: back(mean + reach),
            p: p.min(1.0),
            nights: before.len() as u32,
        })
    }

    /// Whether tonight is neither within the interval nor within the floor: a share of what is expected for
    /// [`Scale::Ratio`], an amount for [`Scale::Difference`].
    pub fn is_missed_by(&self, tonight: f64, scale: Scale, floor: f64) -> bool {
        let difference = (tonight - self.expected).abs();
        let floor = match scale {
            Scale::Ratio => floor * self.expected.abs(),
            Scale::Difference => floor,
        };
        self.p <= UNEXPECTED && difference > floor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_a_textbook() {
        // Mean 10, standard deviation sqrt(2.5), 5 nights; t(4) at 99.5 % is 4.60409.
        let nights = [8.0, 9.0, 10.0, 11.0, 12.0];
        let prediction = Prediction::of(&nights, 10.0, Scale::Difference).unwrap();
        let reach = 4.604_094_9 * (2.5f64 * 1.2).sqrt();
        assert!((prediction.high - 10.0 - reach).abs() < 1e-5, "{prediction:?}");
        assert!((10.0 - prediction.low - reach).abs() < 1e-5, "{prediction:?}");
        assert_eq!(
            (prediction.expected, prediction.p, prediction.nights),
            (10.0, 1.0, 5)
        );
        // At the end of the interval, p is what it was made for.
        let at_end = Prediction::of(&nights, prediction.high, Scale::Difference).unwrap();
        assert!((at_end.p - 0.01).abs() < 1e-6, "{at_end:?}");
    }

    #[test]
    fn ratios_are_predicted_on_logarithms_and_by_the_last_twenty_nights() {
        let mut nights = vec![1e6; 10];
        nights.extend([80.0, 125.0].repeat(10));
        let prediction = Prediction::of(&nights, 50.0, Scale::Ratio).unwrap();
        assert!((prediction.expected - 100.0).abs() < 1e-9, "{prediction:?}");
        assert!(
            (prediction.low * prediction.high - 10_000.0).abs() < 1e-6,
            "{prediction:?}"
        );
        assert_eq!(prediction.nights, 20);
        assert!(
            prediction.is_missed_by(50.0, Scale::Ratio, 0.03),
            "{prediction:?}"
        );
        assert!(!prediction.is_missed_by(50.0, Scale::Ratio, 0.51));
    }

    #[test]
    fn too_few_nights_and_what_is_no_number_predict_nothing() {
        assert_eq!(Prediction::of(&[1.0; 4], 1.0, Scale::Ratio), None);
        assert_eq!(
            Prediction::of(&[f64::NAN, 1.0, 1.0, 1.0, 1.0], 1.0, Scale::Ratio),
            None
        );
        assert_eq!(Prediction::of(&[1.0; 9], f64::INFINITY, Scale::Ratio), None);
    }

    #[test]
    fn after_equal_nights_only_an_equal_one_is_expected() {
        for level in [0.0, 0.1, 3.3e9] {
            let same = Prediction::of(&[level; 7], level, Scale::Ratio).unwrap();
            assert_eq!(
                (same.p, same.is_missed_by(level, Scale::Ratio, 0.0)),
                (1.0, false)
            );
            let other = Prediction::of(&[level; 7], level + 1.0, Scale::Ratio).unwrap();
            assert!(other.p < 1e-9 && other.is_missed_by(level + 1.0, Scale::Ratio, 0.0));
        }
    }
}
