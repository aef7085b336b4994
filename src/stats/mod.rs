//! Statistics over runs. The unit is one run: samples within a run are correlated, and never enter here.

mod chance;
mod change_points;
mod correction;
mod hodges_lehmann;
mod judge;
mod mann_whitney;
mod median;
mod normal;
mod planner;
mod prediction;
mod rank_sums;
mod ranks;
mod selection;
mod signed_rank;
mod split_null;

pub use change_points::{CHANGING_NIGHTS, ChangePoint, change_points};
pub use correction::{benjamini_hochberg, holm};
pub use hodges_lehmann::{shift_of_pairs, shift_of_sides};
pub use judge::{
    Better, Estimate, FLOOR, Judgement, LEAST_PAIRS, LEAST_RUNS, Question, SIGNIFICANT, Scale, Verdict, judge,
};
pub use mann_whitney::mann_whitney;
pub use median::MedianInterval;
pub use planner::{LEAST_PILOT, MOST_PAIRS, POWER, Plan, pairs_needed};
pub use prediction::{LEAST_NIGHTS, PREDICTING_NIGHTS, Prediction, UNEXPECTED};
use serde::{Deserialize, Serialize};
pub use signed_rank::signed_rank;

/// How a figure lies over several runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub runs: u32,
    pub median: f64,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// Sample standard deviation over the mean; absent for a single run, and where the mean is 0.
    pub coefficient_of_variation: Option<f64>,
}

impl Summary {
    /// Sums figures up; None of no figures.
    pub fn of(figures: &[f64]) -> Option<Summary> {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let count = sorted.len();
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
        let mean = sorted.iter().sum::<f64>() / count as f64;
        let squares: f64 = sorted.iter().map(|figure| (figure - mean).powi(2)).sum();
        let deviation = (squares / (count as f64 - 1.0)).sqrt();
        Some(Summary {
            runs: u32::try_from(count).unwrap_or(u32::MAX),
            median,
            min,
            max,
            mean,
            coefficient_of_variation: (count > 1 && mean != 0.0).then(|| deviation / mean),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_published_runs_are_summed_up() {
        let summary = Summary::of(&[5.88569, 5.95613, 5.8547]).unwrap();
        assert_eq!((summary.runs, summary.median), (3, 5.88569));
        assert_eq!((summary.min, summary.max), (5.8547, 5.95613));
        let variation = summary.coefficient_of_variation.unwrap();
        assert!((variation - 0.008_812).abs() < 1e-6, "{variation}");
    }

    #[test]
    fn one_run_has_no_variation_and_none_has_no_summary() {
        let one = Summary::of(&[3.0]).unwrap();
        assert_eq!((one.median, one.coefficient_of_variation), (3.0, None));
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[0.0, 0.0]).unwrap().coefficient_of_variation, None);
    }

    proptest! {
        #[test]
        fn half_of_the_figures_are_at_most_the_median(figures in prop::collection::vec(0.0f64..1e9, 1..50)) {
            let summary = Summary::of(&figures).unwrap();
            let below = figures.iter().filter(|&&figure| figure <= summary.median).count();
            let above = figures.iter().filter(|&&figure| figure >= summary.median).count();
            prop_assert!(below * 2 >= figures.len() && above * 2 >= figures.len());
            prop_assert!(summary.min <= summary.mean + 1e-6 && summary.mean <= summary.max + 1e-6);
        }
    }
}
