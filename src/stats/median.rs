//! A sample's median, and where the true one lies.

/// A sample's median with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    pub median: f64,
    /// Between two of the figures: it holds the true median with at least 95 %, whatever the distribution. Absent for
    /// fewer than 6 figures.
    pub interval: Option<(f64, f64)>,
}

impl MedianInterval {
    /// Of the figures that are numbers; None of none.
    pub fn of(figures: &[f64]) -> Option<MedianInterval> {
        let mut sorted: Vec<f64> = figures
            .iter()
            .copied()
            .filter(|figure| figure.is_finite())
            .collect();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let median = sorted.get(count.checked_sub(1)? / 2)? / 2.0 + sorted[count / 2] / 2.0;
        let outer = outer_figures(count);
        Some(MedianInterval {
            median,
            interval: outer.map(|outer| (sorted[outer], sorted[count - 1 - outer])),
        })
    }

    /// Half the interval's width, as a share of the median; absent where there is no interval, and where the median is 0.
    pub fn spread(&self) -> Option<f64> {
        let (low, high) = self.interval?;
        (self.median != 0.0).then(|| ((high - low) / 2.0 / self.median).abs())
    }
}

/// How many figures on each side lie outside the interval: as many as together with the next one are all below the true
/// median with at most 2.5 % (each is below with one half, so their number is binomial).
fn outer_figures(count: usize) -> Option<usize> {
    let n = count as f64;
    // The probability of none below, on a logarithm: it is too small for a number from 1075 figures on.
    let mut log = -n * std::f64::consts::LN_2;
    let mut together = log.exp();
    let mut outer = None;
    for below in 0..count / 2 {
        if together > 0.025 {
            break;
        }
        outer = Some(below);
        log += ((n - below as f64) / (below as f64 + 1.0)).ln();
        together += log.exp();
    }
    outer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_published_tables() {
        // Order statistics of the 95 % interval: 6: 1 and 6; 10: 2 and 9; 20: 6 and 15; 100: 40 and 61.
        let outer = [
            (5, None),
            (6, Some(0)),
            (10, Some(1)),
            (20, Some(5)),
            (100, Some(39)),
        ];
        for (count, expected) in outer {
            assert_eq!(outer_figures(count), expected, "{count} figures");
        }
        // 2500 - 1.96 * 35.36 = 2430.7.
        assert!(outer_figures(5000).is_some_and(|outer| outer.abs_diff(2430) <= 1));
    }

    #[test]
    fn what_is_no_number_is_left_out() {
        let found = MedianInterval::of(&[f64::NAN, 1.0, 2.0, f64::INFINITY, 6.0]).unwrap();
        assert_eq!((found.median, found.interval, found.spread()), (2.0, None, None));
        assert_eq!(MedianInterval::of(&[f64::NAN]), None);
        assert_eq!(MedianInterval::of(&[0.0; 9]).unwrap().spread(), None);
    }
}
