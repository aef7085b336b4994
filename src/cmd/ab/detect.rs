//! How many pairs show a difference: worked out from how the pairs of a pilot scatter.

use super::super::live::roughly;
use super::super::{Failure, tell};
use super::engine::Engine;
use super::judging::Judging;
use crate::compare::{Comparison, Metric, Row};
use crate::stats::{FLOOR, MOST_PAIRS, POWER, Plan, Scale, pairs_needed};
use crate::units::Share;
use anyhow::anyhow;

/// Pairs of the pilot. They count among the others: how many there are to be follows from how they scatter, not from the
/// difference that they show, so that this makes no false verdict more likely.
pub const PILOT: u32 = 5;

/// How many pairs are made beyond the pilot.
///
/// # Errors
/// The pilot cannot be compared (exit 4); it has no figures to plan by, or such a difference would not count (1).
pub fn more_pairs(engine: &Engine, judging: &Judging<'_>, share: Share) -> Result<u32, Failure> {
    let pilot = judging.judge(&engine.observations)?;
    let planned = planned(&pilot, judging.gate_is_typed());
    let floors = planned.iter().map(|row| (row.floor, row.metric));
    let (floor, metric) = floors
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap_or((FLOOR, Metric::Throughput));
    if share.0 <= floor {
        return Err(Failure::failed(anyhow!(
            "--detect {share}: equal runs in the store differ by {:.1} % in {metric}, and no difference below that counts: detect more, let runs be longer (-t), or choose other metrics (--gate)",
            floor * 100.0
        )));
    }
    let figures: Vec<Vec<f64>> = planned.iter().map(|row| differences(row)).collect();
    let plan = pairs_needed(&figures, share.0, floor, MOST_PAIRS);
    let name = |worst: usize| {
        planned
            .get(worst)
            .map_or(String::new(), |row| row.metric.to_string())
    };
    let pairs = match plan {
        Plan::Pairs { pairs, worst } => {
            tell(format_args!(
                "pilot: {} find a difference of {share} in {} with a probability of {:.0} %",
                super::counted_pairs(pairs.max(PILOT)),
                name(worst),
                POWER * 100.0
            ));
            pairs
        }
        Plan::NotReachable { worst, power } => {
            tell(format_args!(
                "pilot: {} scatters too much: {MOST_PAIRS} pairs, which are the most, find a difference of {share} with a \
                 probability of {:.0} % only; longer runs (-t) scatter less, --gate chooses other metrics",
                name(worst),
                power * 100.0
            ));
            MOST_PAIRS
        }
        Plan::PilotTooSmall => {
            return Err(Failure::failed(anyhow!(
                "the pilot has no figures of what is gated: give --gate metrics that the load has, or --pairs"
            )));
        }
    };
    let more = pairs.saturating_sub(PILOT);
    if let Some(time) = engine.progress.time_of(more * 2) {
        tell(format_args!("{more} more pairs take {}", roughly(time)));
    }
    Ok(more)
}

/// The rows that the number of pairs is worked out for: those that --gate names; without it throughput and operations per
/// second, as percentiles take many times as many. As many follow as are gated beside them, since all are corrected for
/// one another.
fn planned(pilot: &Comparison, gate_is_typed: bool) -> Vec<&Row> {
    let gated = pilot
        .rows
        .iter()
        .filter(|row| row.gated && row.metric.scale() == Scale::Ratio);
    let gated: Vec<&Row> = gated.collect();
    let is_rate = |row: &&Row| [Metric::Throughput, Metric::Operations].contains(&row.metric);
    let mut planned: Vec<&Row> = gated.iter().copied().filter(is_rate).collect();
    if gate_is_typed || planned.is_empty() {
        return gated;
    }
    planned.extend(std::iter::repeat_n(planned[0], gated.len() - planned.len()));
    planned
}

/// Of each pair, the logarithm of candidate / base.
fn differences(row: &Row) -> Vec<f64> {
    let pairs = row.base.values.iter().zip(&row.candidate.values);
    pairs.map(|(base, candidate)| (candidate / base).ln()).collect()
}
