//! Differences that do not matter.

use crate::stats::Scale;

/// From so few comparisons of equal sides nothing is concluded.
const LEAST: usize = 10;
const QUANTILE: f64 = 0.99;

/// What equal runs of a cell differ by, with how many comparisons tell so: the 99th percentile, as a share of the
/// baseline, or an amount where the metric is told by differences. It is the least figure that at least 99 % do not
/// exceed, so that of few figures the greatest counts. Absent for fewer than 10.
pub fn of_equal_runs(mut differences: Vec<f64>, scale: Scale) -> Option<(f64, usize)> {
    differences.retain(|difference| difference.is_finite());
    if differences.len() < LEAST {
        return None;
    }
    for difference in &mut differences {
        *difference = difference.abs();
    }
    differences.sort_by(f64::total_cmp);
    let rank = (QUANTILE * differences.len() as f64).ceil() as usize;
    let figure = *differences.get(rank.clamp(1, differences.len()) - 1)?;
    let floor = match scale {
        Scale::Ratio => figure.exp_m1(),
        Scale::Difference => figure,
    };
    Some((floor, differences.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_of_few_and_the_ninety_ninth_of_many_is_the_floor() {
        let figures = |count: u32| (1..=count).map(|n| (1.0 + f64::from(n) / 1000.0).ln()).collect();
        assert_eq!(of_equal_runs(figures(9), Scale::Ratio), None);
        let (floor, count) = of_equal_runs(figures(10), Scale::Ratio).unwrap();
        assert!((floor - 0.010).abs() < 1e-12 && count == 10, "{floor}");
        let (floor, _) = of_equal_runs(figures(100), Scale::Ratio).unwrap();
        assert!((floor - 0.099).abs() < 1e-12, "{floor}");
    }

    #[test]
    fn an_amount_stays_an_amount() {
        let figures = vec![-0.5; 10];
        assert_eq!(of_equal_runs(figures, Scale::Difference), Some((0.5, 10)));
        let unknown = vec![f64::NAN; 10];
        assert_eq!(of_equal_runs(unknown, Scale::Difference), None);
    }
}
