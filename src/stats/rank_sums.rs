//! How sums of ranks are distributed where nothing but chance decides whose ranks they are.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The exact distribution of a sum of ranks.
#[derive(Debug)]
pub(super) struct RankSums {
    /// In how many equally likely ways the sum comes to at most the index.
    at_most: Vec<f64>,
    /// In how many it comes to at least the index. (Not taken from `at_most`: small ones would be lost in rounding.)
    at_least: Vec<f64>,
    /// The mean, as a fraction of whole numbers: what is compared with it is compared without rounding.
    mean: (u64, u64),
}

impl RankSums {
    fn new(ways: Vec<f64>, mean: (u64, u64)) -> RankSums {
        let mut at_most = ways.clone();
        let mut at_least = ways;
        for sum in 1..at_most.len() {
            at_most[sum] += at_most[sum - 1];
        }
        for sum in (1..at_least.len()).rev() {
            at_least[sum - 1] += at_least[sum];
        }
        RankSums {
            at_most,
            at_least,
            mean,
        }
    }

    /// Of `taken` of the ranks, each choice equally likely. One step in the time is one rank into one sum of one size:
    /// `taken` times the number of ranks times the largest sum.
    pub(super) fn of_choices(ranks: &[u64], taken: usize) -> RankSums {
        let mut ascending = ranks.to_vec();
        ascending.sort_unstable();
        let largest: u64 = ascending.iter().rev().take(taken).sum();
        let width = largest as usize + 1;
        // Row by row: the ways to come to each sum with 0, 1, 2 … ranks.
        let mut ways = vec![0.0; (taken + 1) * width];
        ways[0] = 1.0;
        for (seen, &rank) in ascending.iter().enumerate() {
            let rank = rank as usize;
            for size in (1..=taken.min(seen + 1)).rev() {
                let (fewer, more) = ways.split_at_mut(size * width);
                let fewer = &fewer[(size - 1) * width..];
                for (into, from) in more[rank.min(width)..width].iter_mut().zip(fewer) {
                    *into += from;
                }
            }
        }
        let total: u64 = ranks.iter().sum();
        let mean = (taken as u64 * total, (ranks.len() as u64).max(1));
        RankSums::new(ways.split_off(taken * width), mean)
    }

    /// Of those ranks that a fair coin chooses, each by itself.
    pub(super) fn of_signs(ranks: &[u64]) -> RankSums {
        let total: u64 = ranks.iter().sum();
        let mut ways = vec![0.0; total as usize + 1];
        ways[0] = 1.0;
        let mut reached = 0;
        for &rank in ranks {
            let rank = rank as usize;
            for sum in (0..=reached).rev() {
                ways[sum + rank] += ways[sum];
            }
            reached += rank;
        }
        RankSums::new(ways, (total, 2))
    }

    /// [`RankSums::of_choices`] of the ranks 1, 2 … `count`; kept for the next time.
    pub(super) fn of_choices_untied(count: usize, taken: usize) -> Arc<RankSums> {
        kept((count, Some(taken)), || {
            RankSums::of_choices(&untied(count), taken)
        })
    }

    /// [`RankSums::of_signs`] of the ranks 1, 2 … `count`; kept for the next time.
    pub(super) fn of_signs_untied(count: usize) -> Arc<RankSums> {
        kept((count, None), || RankSums::of_signs(&untied(count)))
    }

    /// The probability of a sum at least as far from the mean as this one, on either side of it.
    pub(super) fn as_far_as(&self, sum: u64) -> f64 {
        let (numerator, denominator) = self.mean;
        let distance = (sum * denominator).abs_diff(numerator);
        if distance == 0 {
            return 1.0;
        }
        let low = numerator.checked_sub(distance).map(|sum| sum / denominator);
        let high = (numerator + distance).div_ceil(denominator);
        let ways = |all: &[f64], sum: u64| all.get(sum as usize).copied().unwrap_or(0.0);
        let as_far = low.map_or(0.0, |low| ways(&self.at_most, low)) + ways(&self.at_least, high);
        as_far / ways(&self.at_least, 0)
    }

    /// How many of the smallest sums have together at most this probability.
    pub(super) fn within(&self, probability: f64) -> u64 {
        let most = probability * self.at_least.first().copied().unwrap_or(0.0);
        // Sums that do not occur (those below the smallest) are none.
        let possible = self.at_most.iter().skip_while(|&&ways| ways == 0.0);
        possible.take_while(|&&ways| ways <= most).count() as u64
    }
}

fn untied(count: usize) -> Vec<u64> {
    (1..=count as u64).collect()
}

/// How many ranks, and how many of them are taken.
type Shape = (usize, Option<usize>);

/// Distributions without ties, which many metrics of the same runs share.
fn kept(shape: Shape, compute: impl FnOnce() -> RankSums) -> Arc<RankSums> {
    static KEPT: LazyLock<Mutex<HashMap<Shape, Arc<RankSums>>>> = LazyLock::new(Mutex::default);
    let known = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sums) = known().get(&shape) {
        return Arc::clone(sums);
    }
    let sums = Arc::new(compute());
    known().insert(shape, Arc::clone(&sums));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_all_choices_one_by_one(ranks in prop::collection::vec(1u64..12, 1..10), taken in 0usize..10) {
            let taken = taken.min(ranks.len());
            let mut chosen = HashMap::<u64, f64>::new();
            let mut signed = HashMap::<u64, f64>::new();
            for choice in 0u32..1 << ranks.len() {
                let sum = (0..ranks.len()).filter(|at| choice >> at & 1 == 1).map(|at| ranks[at]).sum();
                *signed.entry(sum).or_default() += 1.0;
                if choice.count_ones() as usize == taken {
                    *chosen.entry(sum).or_default() += 1.0;
                }
            }
            for (sums, expected) in [
                (RankSums::of_choices(&ranks, taken), chosen),
                (RankSums::of_signs(&ranks), signed),
            ] {
                let ways = |holds: &dyn Fn(u64) -> bool| expected.iter().filter(|(sum, _)| holds(**sum)).map(|(_, ways)| ways).sum::<f64>();
                for (sum, (&at_most, &at_least)) in (0u64..).zip(sums.at_most.iter().zip(&sums.at_least)) {
                    prop_assert_eq!(at_most, ways(&|other| other <= sum));
                    prop_assert_eq!(at_least, ways(&|other| other >= sum));
                }
            }
        }
    }
}
