//! How many pairs it takes to show a difference of a given size.

use super::chance::Chance;
use super::hodges_lehmann::pairs_lie_above;
use super::judge::{LEAST_PAIRS, SIGNIFICANT};
use super::signed_rank::signed_rank;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// So often the difference is to be found.
pub const POWER: f64 = 0.9;
/// No more pairs are proposed, unless another limit is given.
pub const MOST_PAIRS: u32 = 200;
/// The least pairs of a pilot.
pub const LEAST_PILOT: usize = 3;
/// How many campaigns are played through for each number of pairs: power is known to ± 1 %.
const CAMPAIGNS: usize = 1_000;
const SEED: u64 = 0x9a175;

/// How many pairs there should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plan {
    /// So many pairs find the difference with a probability of at least [`POWER`] in each metric.
    Pairs {
        pairs: u32,
        /// The metric (number in the pilot, from 0) that needs as many.
        worst: usize,
    },
    /// The most pairs allowed do not.
    NotReachable {
        worst: usize,
        /// The probability of finding the difference in the worst metric by the most pairs allowed.
        power: f64,
    },
    /// There are no metrics, or one has fewer than [`LEAST_PILOT`] figures.
    PilotTooSmall,
}

/// How many pairs show a difference of `detect` (a share: 0.05 is 5 %) with a probability of at least [`POWER`], in the
/// metric that scatters most: significant by the signed-rank test, and estimated beyond the `floor` (a share, too). No
/// more than `most` are looked at. `pilot` has the logarithms of the ratios of pairs (candidate / base), metric by metric
/// of those that are gated.
///
/// * Holm's correction is taken at its strictest: only one metric differs, and its p is multiplied by their number.
/// * Campaigns are drawn from the pilot's own differences from their mean, smoothed by normal noise (Silverman's width),
///   so that heavy tails and second modes of the pilot stay; not from the bare differences, which are too few for ranks.
/// * The spread of a few pairs is as often too small as too large, and the smaller it came out, the fewer pairs would be
///   planned. So its upper limit of 80 % is taken (Browne, 1995: with it, four of five plans reach the power promised;
///   with the spread as it is, fewer than half do): that of the normal distribution.
/// * The difference is an increase. A decrease of the same share is larger on logarithms, and easier to find.
pub fn pairs_needed(pilot: &[Vec<f64>], detect: f64, floor: f64, most: u32) -> Plan {
    let metrics: Option<Vec<Noise>> = pilot.iter().map(|differences| Noise::of(differences)).collect();
    let metrics = match metrics {
        Some(metrics) if !metrics.is_empty() => metrics,
        _ => return Plan::PilotTooSmall,
    };
    let most = (most as usize).max(LEAST_PAIRS);
    let target = Target {
        shift: detect.abs().ln_1p(),
        floor: floor.max(0.0).ln_1p(),
        significant: SIGNIFICANT / metrics.len() as f64,
    };
    let mut needed = (LEAST_PAIRS, 0);
    let mut weakest: Option<(f64, usize)> = None;
    for (metric, noise) in metrics.iter().enumerate() {
        let campaigns = noise.campaigns(most);
        match least_with_power(needed.0, most, |pairs| target.power(&campaigns, pairs)) {
            Ok(pairs) if pairs > needed.0 => needed = (pairs, metric),
            Ok(_) => {}
            Err(power) if weakest.is_some_and(|(weakest, _)| weakest <= power) => {}
            Err(power) => weakest = Some((power, metric)),
        }
    }
    match weakest {
        Some((power, worst)) => Plan::NotReachable { worst, power },
        None => Plan::Pairs {
            pairs: needed.0 as u32,
            worst: needed.1,
        },
    }
}

/// The least number of pairs, from `least` to `most`, that have the power; else the power of the most. Few pairs are
/// quicker to try than many: they are doubled until they have it.
fn least_with_power(least: usize, most: usize, power: impl Fn(usize) -> f64) -> Result<usize, f64> {
    let (mut without, mut with) = (least - 1, least);
    loop {
        let reached = power(with);
        if reached >= POWER {
            break;
        }
        if with >= most {
            return Err(reached);
        }
        (without, with) = (with, (2 * with).min(most));
    }
    while with - without > 1 {
        let middle = without + (with - without) / 2;
        if power(middle) < POWER {
            without = middle;
        } else {
            with = middle;
        }
    }
    Ok(with)
}

/// What is to be found, on logarithms.
struct Target {
    shift: f64,
    floor: f64,
    significant: f64,
}

impl Target {
    /// In which share of campaigns the first so many pairs find it.
    fn power(&self, campaigns: &[Vec<f64>], pairs: usize) -> f64 {
        let found = |noise: &&Vec<f64>| {
            let shifted: Vec<f64> = noise.iter().take(pairs).map(|noise| noise + self.shift).collect();
            signed_rank(&shifted) <= self.significant && pairs_lie_above(&shifted, self.floor)
        };
        campaigns.iter().filter(found).count() as f64 / campaigns.len() as f64
    }
}

/// By what pairs scatter.
struct Noise {
    /// The pilot's differences from their mean.
    rests: Vec<f64>,
    /// Of the normal noise added to them.
    width: f64,
    /// What the sum of both is multiplied by, to have the upper limit of the spread.
    factor: f64,
}

impl Noise {
    fn of(differences: &[f64]) -> Option<Noise> {
        let finite: Vec<f64> = differences
            .iter()
            .copied()
            .filter(|difference| difference.is_finite())
            .collect();
        let count = finite.len() as f64;
        if finite.len() < LEAST_PILOT {
            return None;
        }
        let mean = finite.iter().sum::<f64>() / count;
        let rests: Vec<f64> = finite.iter().map(|difference| difference - mean).collect();
        let squares: f64 = rests.iter().map(|rest| rest.powi(2)).sum();
        let variance = squares / (count - 1.0);
        let width = 1.06 * variance.sqrt() * count.powf(-0.2);
        let upper = squares / ChiSquared::new(count - 1.0).ok()?.inverse_cdf(0.2);
        let drawn = squares / count + width.powi(2);
        Some(Noise {
            rests,
            width,
            factor: if drawn > 0.0 { (upper / drawn).sqrt() } else { 0.0 },
        })
    }

    /// The noise of campaigns of so many pairs. (Smaller numbers of pairs are judged by the first of them: by the same
    /// chances, so that more pairs have more power.)
    fn campaigns(&self, pairs: usize) -> Vec<Vec<f64>> {
        let mut chance = Chance::seeded(SEED);
        let mut pair =
            || (self.rests[chance.below(self.rests.len())] + self.width * chance.normal()) * self.factor;
        // Where nothing scatters, all campaigns are the same.
        let campaigns = if self.factor > 0.0 { CAMPAIGNS } else { 1 };
        (0..campaigns)
            .map(|_| (0..pairs).map(|_| pair()).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten differences around 0 with a standard deviation of about so much.
    fn pilot(deviation: f64) -> Vec<f64> {
        [-1.5, -1.0, -0.7, -0.4, -0.1, 0.1, 0.4, 0.7, 1.0, 1.5]
            .map(|normal| normal * deviation)
            .to_vec()
    }

    fn pairs(plan: Plan) -> u32 {
        match plan {
            Plan::Pairs { pairs, .. } => pairs,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_scatters_more_needs_more_pairs_and_the_worst_metric_decides() {
        let few = pairs(pairs_needed(&[pilot(0.02)], 0.05, 0.0, 60));
        let many = pairs(pairs_needed(&[pilot(0.05)], 0.05, 0.0, 60));
        assert!(few < many, "{few} {many}");
        let both = pairs_needed(&[pilot(0.02), pilot(0.05)], 0.05, 0.0, 60);
        // Two metrics are corrected for.
        assert!(
            matches!(both, Plan::Pairs { pairs, worst: 1 } if pairs > many),
            "{both:?}"
        );
    }

    #[test]
    fn a_normal_pilot_needs_about_what_the_textbook_says() {
        // (1.96 + 1.28)^2 (sd / shift)^2 / 0.955 for the signed-rank test, with the spread's upper limit: 1.29 times.
        let deviation = 0.05;
        let sample = pilot(deviation);
        let squares: f64 = sample.iter().map(|rest| rest.powi(2)).sum();
        let upper = (squares / 9.0).sqrt() * 1.29;
        let textbook = 3.24f64.powi(2) * (upper / 0.05f64.ln_1p()).powi(2) / 0.955;
        let found = f64::from(pairs(pairs_needed(&[sample], 0.05, 0.0, 60)));
        // So few pairs need some more: their spread is estimated, and their p values come in steps.
        assert!(
            (1.0..1.4).contains(&(found / textbook)),
            "{found}, textbook {textbook}"
        );
    }

    #[test]
    fn equal_pairs_need_the_least_there_is() {
        assert_eq!(pairs(pairs_needed(&[vec![0.01; 5]], 0.05, 0.03, MOST_PAIRS)), 8);
        // For 0.05 / 7 = 0.0071, 8 pairs (0.0078) are too few.
        assert_eq!(
            pairs(pairs_needed(&vec![vec![0.0; 5]; 7], 0.05, 0.03, MOST_PAIRS)),
            9
        );
    }

    #[test]
    fn what_the_floor_hides_or_noise_drowns_cannot_be_reached() {
        let hidden = pairs_needed(&[pilot(0.01)], 0.03, 0.03, 40);
        assert!(
            matches!(hidden, Plan::NotReachable { worst: 0, power } if power < 0.6),
            "{hidden:?}"
        );
        let drowned = pairs_needed(&[pilot(0.01), pilot(0.5)], 0.05, 0.03, 20);
        assert!(
            matches!(drowned, Plan::NotReachable { worst: 1, .. }),
            "{drowned:?}"
        );
    }

    #[test]
    fn without_a_pilot_there_is_no_plan() {
        assert_eq!(pairs_needed(&[], 0.05, 0.03, MOST_PAIRS), Plan::PilotTooSmall);
        let short = [pilot(0.01), vec![0.0, 0.1, f64::NAN]];
        assert_eq!(pairs_needed(&short, 0.05, 0.03, MOST_PAIRS), Plan::PilotTooSmall);
    }
}
