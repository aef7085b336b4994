//! The two-sided Wilcoxon signed-rank test: do the differences of pairs lie on one side of 0?

use super::normal;
use super::rank_sums::RankSums;
use super::ranks::doubled_mid_ranks_of_computed;

/// The test is exact up to so many pairs. Beyond, the normal approximation comes close: within 15 % of p down to 0.01, and
/// below rather too large than too small.
const EXACT: usize = 200;

/// The probability, where each difference is as likely above 0 as below, of a sum of signed ranks at least as far from
/// its mean as this one: exact with ties and without. 1 where there are no differences. They must be numbers.
///
/// Differences of 0 are ranked with the others and then left out (Pratt, 1959): they have no sign, but what lies beyond
/// them keeps its rank. Left out before ranking, they could make a sample significant that is no longer so when all its
/// differences grow.
pub fn signed_rank(differences: &[f64]) -> f64 {
    let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    let ranks = doubled_mid_ranks_of_computed(&sizes);
    let signed = || {
        differences
            .iter()
            .zip(&ranks)
            .filter(|&(&difference, _)| difference != 0.0)
    };
    let above = signed().filter(|&(&difference, _)| difference > 0.0);
    let sum = above.map(|(_, rank)| rank).sum();
    let ranks: Vec<u64> = signed().map(|(_, &rank)| rank).collect();
    if ranks.len() <= EXACT {
        exact(&ranks, sum)
    } else {
        approximate(&ranks, sum)
    }
}

fn exact(ranks: &[u64], sum: u64) -> f64 {
    let mut ascending = ranks.to_vec();
    ascending.sort_unstable();
    let untied = (1u64..)
        .zip(&ascending)
        .all(|(rank, &doubled)| doubled == 2 * rank);
    if untied {
        RankSums::of_signs_untied(ranks.len()).as_far_as(sum / 2)
    } else {
        RankSums::of_signs(ranks).as_far_as(sum)
    }
}

/// The normal approximation with the variance of these very ranks (which corrects for ties), and for continuity.
fn approximate(ranks: &[u64], sum: u64) -> f64 {
    let mean = ranks.iter().sum::<u64>() as f64 / 2.0;
    let squares: f64 = ranks.iter().map(|&rank| (rank as f64).powi(2)).sum();
    normal::two_sided((sum as f64 - mean).abs() - 1.0, squares.sqrt() / 2.0)
}

/// Of the means of all two differences in order, which (from 1, and likewise from the end) bounds the interval of at
/// least 95 %: the test, turned round. None where so few pairs have none.
pub(super) fn interval_rank(pairs: usize) -> Option<u64> {
    let rank = if pairs <= EXACT {
        RankSums::of_signs_untied(pairs).within(0.025)
    } else {
        let count = pairs as f64;
        let deviation = (count * (count + 1.0) * (2.0 * count + 1.0) / 24.0).sqrt();
        (count * (count + 1.0) / 4.0 - normal::TWO_SIDED_95 * deviation).floor() as u64
    };
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_exact_sizes_the_normal_approximation_comes_close() {
        for tie in [1, 2, 8] {
            let ranks: Vec<u64> = (0..200u64).map(|at| 2 * (at / tie * tie) + tie + 1).collect();
            let sums = RankSums::of_signs(&ranks);
            let mean = ranks.iter().sum::<u64>() / 2;
            let squares: u64 = ranks.iter().map(|rank| rank * rank).sum();
            for step in 0..14 {
                let sum = mean - (f64::from(step) / 8.0 * (squares as f64).sqrt()) as u64 / 2 * 2;
                let (exact, approximate) = (sums.as_far_as(sum), approximate(&ranks, sum));
                // Where p is small, it errs towards a larger one.
                let factor = approximate / exact;
                let limits = if exact > 0.01 { 0.85..1.15 } else { 0.95..1.6 };
                assert!(
                    limits.contains(&factor),
                    "{tie} tied: {exact}, approximately {approximate}"
                );
            }
        }
    }

    #[test]
    fn pairs_without_a_difference_count_for_neither_side_but_keep_their_ranks() {
        // The ranks are 1.5, 1.5, 3, 4, 5, of which 3, 4 and 5 have signs: 2 of 8 are all of one sign.
        assert_eq!(signed_rank(&[0.0, 7.0, -0.0, 8.0, 9.0]), 0.25);
        // All but the least: 3 of 8 are as far on either side.
        assert_eq!(signed_rank(&[0.0, -7.0, 0.0, 8.0, 9.0]), 0.5);
    }

    #[test]
    fn the_interval_of_many_pairs_is_that_of_the_approximation() {
        // 10050 - 1.96 * 819.8 = 8443.2 and 10150.5 - 1.96 * 825.7 = 8532.2.
        assert_eq!(interval_rank(201), Some(8532));
        assert!(interval_rank(200).is_some_and(|rank| rank.abs_diff(8443) <= 3));
        assert_eq!(
            (interval_rank(5), interval_rank(6), interval_rank(0)),
            (None, Some(1), None)
        );
    }
}
