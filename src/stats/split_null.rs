//! The split of a series that stands out most by ranks, and how much the best one stands out by chance.

use super::chance::Chance;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The least nights on each side of a change.
pub(super) const LEAST_SEGMENT: usize = 3;
/// Up to this p value, a series counts as split.
const CHANGED: f64 = 0.005;
/// How many shuffled series chance is judged by. The p value 0.005 is known to ± 0.0007 by them; since the seed is fixed,
/// the same series always has the same.
const SHUFFLES: usize = 9_999;
/// As many shuffled series may stand out at least as much as a significant one. (It counts as one of them itself.)
const EXCEEDING: usize = (CHANGED * (SHUFFLES + 1) as f64) as usize - 1;
const SEED: u64 = 0x0c4a_9e01;

/// Where a series splits best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    /// How many are before.
    pub at: usize,
    /// The square of the rank sum's distance from its mean over its variance, but for what the ranks of one series (and
    /// the shuffled ones) have in common.
    pub statistic: f64,
}

/// The best split of a series with these doubled ranks; None where it is too short for one.
pub(super) fn split(ranks: &[u64]) -> Option<Split> {
    let last = ranks.len().checked_sub(LEAST_SEGMENT)?;
    let mean = ranks.len() as i64 + 1;
    let mut best: Option<Split> = None;
    let mut distance = 0;
    for (before, &rank) in (1..=last).zip(ranks) {
        distance += rank as i64 - mean;
        if before < LEAST_SEGMENT {
            continue;
        }
        // Whole numbers: equal splits are equal, without rounding.
        let square = (distance * distance) as f64;
        let statistic = square / (before * (ranks.len() - before)) as f64;
        if best.is_none_or(|best| statistic > best.statistic) {
            best = Some(Split {
                at: before,
                statistic,
            });
        }
    }
    best
}

/// The p value of the best split of a series with these ranks, if it is significant. Without ties it depends on their
/// number only, and what chance does is kept; with ties it is worked out for them.
pub(super) fn significant_p(ranks: &[u64], statistic: f64) -> Option<f64> {
    let mut ascending = ranks.to_vec();
    ascending.sort_unstable();
    let untied = (1u64..)
        .zip(&ascending)
        .all(|(rank, &doubled)| doubled == 2 * rank);
    let exceeding = if untied {
        let largest = largest_by_chance(ascending.len());
        largest
            .iter()
            .filter(|&&by_chance| by_chance >= statistic)
            .count()
    } else {
        let by_chance = shuffled(ascending).filter(|&by_chance| by_chance >= statistic);
        // Most series are far from significant, which soon shows.
        by_chance.take(EXCEEDING + 1).count()
    };
    (exceeding <= EXCEEDING).then(|| (exceeding + 1) as f64 / (SHUFFLES + 1) as f64)
}

/// The statistics of the best splits of shuffled series.
fn shuffled(mut ranks: Vec<u64>) -> impl Iterator<Item = f64> {
    let mut chance = Chance::seeded(SEED + ranks.len() as u64);
    (0..SHUFFLES).map(move |_| {
        chance.shuffle(&mut ranks);
        split(&ranks).map_or(0.0, |split| split.statistic)
    })
}

/// One more than [`EXCEEDING`] of the largest statistics of untied series of this length; kept for the next time.
fn largest_by_chance(count: usize) -> Arc<Vec<f64>> {
    static KEPT: LazyLock<Mutex<HashMap<usize, Arc<Vec<f64>>>>> = LazyLock::new(Mutex::default);
    let known = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(largest) = known().get(&count) {
        return Arc::clone(largest);
    }
    let mut all: Vec<f64> = shuffled((1..=count as u64).map(|rank| 2 * rank).collect()).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all.truncate(EXCEEDING + 1);
    let largest = Arc::new(all);
    known().insert(count, Arc::clone(&largest));
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_alone_splits_one_of_two_hundred_series() {
        let mut chance = Chance::seeded(7);
        let mut ranks: Vec<u64> = (1..=25).map(|rank| 2 * rank).collect();
        let significant = (0..2_000).filter(|_| {
            chance.shuffle(&mut ranks);
            let best = split(&ranks).unwrap();
            significant_p(&ranks, best.statistic).is_some()
        });
        // 10 on average: fewer than 2 or more than 22 have a probability of one in 2,000.
        let significant = significant.count();
        assert!((2..=22).contains(&significant), "{significant}");
    }

    #[test]
    fn short_series_are_never_split() {
        assert_eq!(split(&[2, 4, 6, 8, 10]), None);
        let ranks = [2, 4, 6, 8, 10, 12];
        let best = split(&ranks).unwrap();
        assert_eq!(best.at, 3);
        // One in ten shuffled ones looks like it.
        assert_eq!(significant_p(&ranks, best.statistic), None);
    }
}
