//! The Hodges-Lehmann estimate of a difference, and the interval of those differences that the exact test does not
//! reject: it belongs to the Mann-Whitney test (two sides) or to the signed-rank test (pairs).

use super::judge::Estimate;
use super::selection::nth;
use super::{mann_whitney, signed_rank};

/// By how much the candidate's figures lie above the baseline's: the median of all differences between a figure of the
/// one side and a figure of the other. None where a side is empty, or where differences are too large for a number.
pub fn shift_of_sides(base: &[f64], candidate: &[f64]) -> Option<Estimate> {
    let (base, candidate) = (sorted(base), sorted(candidate));
    let range = (
        candidate.first()? - base.last()?,
        candidate.last()? - base.first()?,
    );
    let at_most = |most: f64| {
        let mut count = 0;
        // From here on, the baseline's figures are large enough.
        let mut first = 0;
        for figure in &candidate {
            while base.get(first).is_some_and(|base| figure - base > most) {
                first += 1;
            }
            count += (base.len() - first) as u64;
        }
        count
    };
    let all = base.len() as u64 * candidate.len() as u64;
    let outer = mann_whitney::interval_rank(base.len(), candidate.len());
    estimate(all, outer, range, at_most)
}

/// By how much the differences of pairs lie above 0: the median of the means of all two of them, each with itself too
/// (Walsh averages). None where there are no pairs, or where differences are too large for a number.
pub fn shift_of_pairs(differences: &[f64]) -> Option<Estimate> {
    let halves: Vec<f64> = sorted(differences)
        .iter()
        .map(|difference| difference / 2.0)
        .collect();
    let range = (2.0 * halves.first()?, 2.0 * halves.last()?);
    let at_most = |most: f64| means_at_most(&halves, most);
    let pairs = halves.len() as u64;
    let outer = signed_rank::interval_rank(halves.len());
    estimate(pairs * (pairs + 1) / 2, outer, range, at_most)
}

/// Whether the estimate of [`shift_of_pairs`] lies above this; quicker than the estimate itself.
pub(super) fn pairs_lie_above(differences: &[f64], least: f64) -> bool {
    let halves: Vec<f64> = sorted(differences)
        .iter()
        .map(|difference| difference / 2.0)
        .collect();
    let pairs = halves.len() as u64;
    means_at_most(&halves, least) * 2 < pairs * (pairs + 1) / 2
}

/// How many of the means of two differences (each with itself too) are at most so large. Their halves are in order.
fn means_at_most(halves: &[f64], most: f64) -> u64 {
    let mut count = 0;
    // Up to here, the other half is small enough.
    let mut end = halves.len();
    for (at, half) in halves.iter().enumerate() {
        while end > at && half + halves[end - 1] > most {
            end -= 1;
        }
        if end <= at {
            break;
        }
        count += (end - at) as u64;
    }
    count
}

/// The median of so many figures, and those `outer` from both ends.
fn estimate(
    all: u64,
    outer: Option<u64>,
    range: (f64, f64),
    at_most: impl Fn(f64) -> u64,
) -> Option<Estimate> {
    if !(range.0.is_finite() && range.1.is_finite()) {
        return None;
    }
    let at = |rank| nth(rank, range, &at_most);
    let upper = at(all / 2 + 1);
    let lower = if all.is_multiple_of(2) { at(all / 2) } else { upper };
    Some(Estimate {
        point: lower / 2.0 + upper / 2.0,
        interval: outer.map(|rank| (at(rank), at(all + 1 - rank))),
    })
}

fn sorted(figures: &[f64]) -> Vec<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}
