//! The two-sided Mann-Whitney U test: do the figures of one side tend to be larger than those of the other?

use super::normal;
use super::rank_sums::RankSums;
use super::ranks::doubled_mid_ranks;

/// The test is exact while the smaller side's figures times all figures are at most this many: 50 against 50, 8 against
/// 600. Beyond, the exact distribution takes too long, and the normal approximation comes close: within 15 % of p down to
/// 0.01, and below rather too large than too small.
const EXACT: usize = 5000;

/// The probability, where both sides come from the same distribution, of a rank sum at least as far from its mean as
/// this one: exact with ties and without. 1 where a side has no figures. Figures must be numbers.
pub fn mann_whitney(base: &[f64], candidate: &[f64]) -> f64 {
    let (fewer, more) = if base.len() <= candidate.len() {
        (base, candidate)
    } else {
        (candidate, base)
    };
    let all: Vec<f64> = fewer.iter().chain(more).copied().collect();
    let ranks = doubled_mid_ranks(&all);
    let sum = ranks[..fewer.len()].iter().sum();
    if fewer.len() * all.len() <= EXACT {
        exact(&ranks, fewer.len(), sum)
    } else {
        approximate(&ranks, fewer.len(), sum)
    }
}

fn exact(ranks: &[u64], taken: usize, sum: u64) -> f64 {
    if tied(ranks) {
        RankSums::of_choices(ranks, taken).as_far_as(sum)
    } else {
        RankSums::of_choices_untied(ranks.len(), taken).as_far_as(sum / 2)
    }
}

/// The normal approximation with the variance of these very ranks (which corrects for ties), and for continuity.
fn approximate(ranks: &[u64], taken: usize, sum: u64) -> f64 {
    let (count, taken) = (ranks.len() as f64, taken as f64);
    // The mean of doubled ranks.
    let mean = count + 1.0;
    let squares: f64 = ranks.iter().map(|&rank| (rank as f64 - mean).powi(2)).sum();
    let variance = taken * (count - taken) / (count * (count - 1.0)) * squares;
    normal::two_sided((sum as f64 - taken * mean).abs() - 1.0, variance.sqrt())
}

/// Whether two of the ranks are the same. (Without ties they are 2, 4, 6 …, whose squares sum up to the most.)
fn tied(ranks: &[u64]) -> bool {
    let mut seen = vec![false; ranks.len() + 1];
    ranks
        .iter()
        .any(|&rank| rank % 2 == 1 || std::mem::replace(&mut seen[rank as usize / 2], true))
}

/// Of `base` × `candidate` differences in order, which (from 1, and likewise from the end) bounds the interval of at
/// least 95 %: the test, turned round. None where so few figures have none.
pub(super) fn interval_rank(base: usize, candidate: usize) -> Option<u64> {
    let (taken, all) = (base.min(candidate), base + candidate);
    let rank = if taken * all <= EXACT {
        RankSums::of_choices_untied(all, taken).within(0.025)
    } else {
        let pairs = base as f64 * candidate as f64;
        let deviation = (pairs * (all as f64 + 1.0) / 12.0).sqrt();
        (pairs / 2.0 - normal::TWO_SIDED_95 * deviation).floor().max(0.0) as u64
    };
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The doubled ranks of figures of which `tie` each are equal.
    fn ranks(count: usize, tie: usize) -> Vec<u64> {
        let figures: Vec<f64> = (0..count).map(|at| (at / tie) as f64).collect();
        doubled_mid_ranks(&figures)
    }

    #[test]
    fn beyond_exact_sizes_the_normal_approximation_comes_close() {
        for (taken, count, tie) in [(40, 80, 1), (40, 80, 4), (15, 200, 1), (30, 100, 10)] {
            let ranks = ranks(count, tie);
            let sums = RankSums::of_choices(&ranks, taken);
            let mean = taken as u64 * (count as u64 + 1);
            // From the middle to more than three standard deviations.
            let deviation = ((taken * (count - taken) * (count + 1)) as f64 / 3.0).sqrt();
            for step in 0..14 {
                let sum = mean - (f64::from(step) / 4.0 * deviation) as u64 / 2 * 2;
                let (exact, approximate) = (sums.as_far_as(sum), approximate(&ranks, taken, sum));
                // Where p is small, it errs towards a larger one.
                let factor = approximate / exact;
                let limits = if exact > 0.01 { 0.85..1.15 } else { 0.95..1.6 };
                assert!(
                    limits.contains(&factor),
                    "{taken} of {count}, {tie} tied: {exact}, approximately {approximate}"
                );
            }
        }
    }

    #[test]
    fn the_interval_of_many_figures_is_that_of_the_approximation() {
        // 50 against 50 is the largest exact one, 51 against 51 is not exact: 1250 - 1.96 * 145.06 = 965.7 and
        // 1300.5 - 1.96 * 149.4 = 1007.7.
        assert_eq!(interval_rank(50, 50), Some(966));
        assert_eq!(interval_rank(51, 51), Some(1007));
        assert_eq!((interval_rank(3, 3), interval_rank(4, 4)), (None, Some(1)));
        assert_eq!(interval_rank(0, 9), None);
    }

    #[test]
    fn eight_against_a_hundred_are_judged_exactly() {
        let (few, many): (Vec<f64>, Vec<f64>) = (
            (0..8).map(f64::from).collect(),
            (10..110).map(f64::from).collect(),
        );
        // Two of 108! / (8! 100!) choices.
        let p = mann_whitney(&few, &many);
        assert!((p * 352_025_629_371.0 / 2.0 - 1.0).abs() < 1e-9, "{p}");
    }
}
