//! Doubts that the figures of a run themselves raise.

use super::plan::Plan;
use crate::measure::steadiness::{Steadiness, parts};
use crate::replay::pace::Pacing;
use crate::result::{End, RunResult, Second, Warning};
use std::time::Duration;

/// A shorter window says more of its start and end than of the file system.
const SHORTEST_WINDOW: Duration = Duration::from_secs(1);

/// Whether the measured window was long enough, and throughput held still, before it and in it.
pub fn doubts(plan: &Plan, result: &RunResult) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let elapsed = result.elapsed;
    if result.end == End::Completed && elapsed < SHORTEST_WINDOW {
        warnings.push(Warning::Short { elapsed });
    }
    if result.warm_up.settled == Some(false) {
        let after = result.warm_up.length;
        warnings.push(Warning::NotSettled { after });
    }
    // Timestamps make the load's own ups and downs.
    let timed = matches!(plan.settings.pacing, Pacing::Timestamps { .. });
    if result.end == End::Completed && !timed {
        warnings.extend(unsteady(&result.series));
    }
    warnings
}

/// Bytes per second are looked at; operations per second where no bytes were moved.
fn unsteady(series: &[Second]) -> Option<Warning> {
    let whole = series
        .iter()
        .filter(|second| second.length == Duration::from_secs(1));
    let moves = series
        .iter()
        .any(|second| second.bytes_read + second.bytes_written > 0);
    let rate = |second: &Second| match moves {
        true => second.bytes_per_second(),
        false => second.operations_per_second(),
    };
    let rates: Vec<f64> = whole.filter_map(rate).collect();
    let Steadiness { spread, drift } =
        Steadiness::of(&parts(&rates)?).filter(|steadiness| !steadiness.is_steady())?;
    Some(Warning::Unsteady { spread, drift })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(bytes: &[u64], length: Duration) -> Vec<Second> {
        let second = |(index, &bytes): (usize, &u64)| Second {
            start: Duration::from_secs(index as u64),
            length,
            operations: 100,
            bytes_read: bytes,
            bytes_written: bytes,
            latency: None,
            sample: None,
        };
        bytes.iter().enumerate().map(second).collect()
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_run_that_falls_is_doubted_and_one_that_holds_is_not() {
        let falls: Vec<_> = (0..20).map(|index| 1000 - 20 * index).collect();
        let Some(Warning::Unsteady { spread, drift }) = unsteady(&series(&falls, SECOND)) else {
            panic!("it falls by a third");
        };
        assert!(spread > 0.3 && drift < -0.3, "{spread} {drift}");
        assert_eq!(unsteady(&series(&[1000; 20], SECOND)), None);
    }

    #[test]
    fn single_seconds_within_a_part_may_differ() {
        let uneven: Vec<_> = (0..20)
            .map(|index| if index % 2 == 0 { 100 } else { 900 })
            .collect();
        assert_eq!(unsteady(&series(&uneven, SECOND)), None);
    }

    #[test]
    fn fewer_than_ten_whole_seconds_are_not_judged() {
        let falls = [900, 800, 700, 600, 500, 400, 300, 200, 100];
        assert_eq!(unsteady(&series(&falls, SECOND)), None);
        let mut partial = series(&falls, SECOND);
        partial.extend(series(&[1], SECOND / 2));
        assert_eq!(unsteady(&partial), None);
    }

    #[test]
    fn where_no_bytes_are_moved_operations_are_looked_at() {
        let mut halved = series(&[0; 20], SECOND);
        assert_eq!(unsteady(&halved), None);
        for second in &mut halved[10..] {
            second.operations = 50;
        }
        assert!(unsteady(&halved).is_some());
    }
}
