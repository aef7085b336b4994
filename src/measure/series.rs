//! A run second by second.

use super::counters::Sample;
use crate::units::nanos;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What ended in one second of the measured window. The sums over all seconds are the run's totals, exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// Since the start of the measured window.
    #[serde(rename = "start_ns", with = "nanos")]
    pub start: Duration,
    /// A second, but for the last.
    #[serde(rename = "length_ns", with = "nanos")]
    pub length: Duration,
    pub operations: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Absent where no operation ended.
    pub latency: Option<SecondLatency>,
    /// Counters of the system, read about the end of the second; absent where they were not read in it.
    pub sample: Option<Sample>,
}

impl Second {
    /// Bytes per second; None for a second without length.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let seconds = self.length.as_secs_f64();
        (seconds > 0.0).then(|| (self.bytes_read + self.bytes_written) as f64 / seconds)
    }

    /// Operations per second; None for a second without length.
    pub fn operations_per_second(&self) -> Option<f64> {
        let seconds = self.length.as_secs_f64();
        (seconds > 0.0).then(|| self.operations as f64 / seconds)
    }
}

/// Latencies of the operations that ended in a second; percentiles at most 3 % off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondLatency {
    #[serde(rename = "p50_ns", with = "nanos")]
    pub p50: Duration,
    #[serde(rename = "p99_ns", with = "nanos")]
    pub p99: Duration,
    #[serde(rename = "max_ns", with = "nanos")]
    pub max: Duration,
}

/// How the warm-up went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WarmUp {
    /// From the release of the clients to the start of the measured window.
    #[serde(rename = "length_ns", with = "nanos")]
    pub length: Duration,
    /// `--warmup auto`: whether throughput had settled before `--warmup-max`; absent otherwise.
    pub settled: Option<bool>,
    /// `--warmup auto`: bytes per second of each window (operations per second where no bytes are moved).
    pub windows: Vec<f64>,
}

/// One of the slowest operations of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowOperation {
    #[serde(rename = "latency_ns", with = "nanos")]
    pub latency: Duration,
    pub client: u32,
    pub loadfile: String,
    /// Line of the loadfile, from 1.
    pub line: u32,
    pub kind: crate::op::Kind,
    /// Path on disk below `DIR/clients`, or the handle's.
    pub path: String,
    /// End of the operation after the release of the clients.
    #[serde(rename = "at_ns", with = "nanos")]
    pub at: Duration,
}

/// Puts each sample into the second at whose end it was taken.
///
/// Samples are taken shortly after the end of a second, so that one from the first half of a second belongs to the
/// second before; the last one belongs to the last second. Where a second has several, what flowed is added up, and of
/// what is a state the latest counts: nothing that flowed is lost.
pub fn add_samples(series: &mut [Second], samples: Vec<Sample>) {
    let Some(last_second) = series.len().checked_sub(1) else {
        return;
    };
    let last_sample = samples.len().saturating_sub(1);
    for (index, sample) in samples.into_iter().enumerate() {
        let second = if index == last_sample {
            last_second
        } else {
            let ended = sample.at.saturating_sub(HALF_SECOND).as_secs();
            usize::try_from(ended).map_or(last_second, |second| second.min(last_second))
        };
        let kept = &mut series[second].sample;
        *kept = Some(match kept.take() {
            Some(earlier) => joined(&earlier, sample),
            None => sample,
        });
    }
}

const HALF_SECOND: Duration = Duration::from_millis(500);

/// Two samples that follow one another as one.
fn joined(earlier: &Sample, later: Sample) -> Sample {
    let Sample {
        at,
        dirty_bytes,
        writeback_bytes,
        device_read_bytes,
        device_written_bytes,
        pressure,
        processors_busy,
    } = later;
    Sample {
        at,
        dirty_bytes: dirty_bytes.or(earlier.dirty_bytes),
        writeback_bytes: writeback_bytes.or(earlier.writeback_bytes),
        device_read_bytes: added(earlier.device_read_bytes, device_read_bytes, u64::saturating_add),
        device_written_bytes: added(
            earlier.device_written_bytes,
            device_written_bytes,
            u64::saturating_add,
        ),
        pressure: added(earlier.pressure, pressure, |one, other| one.plus(&other)),
        processors_busy: processors_busy.or(earlier.processors_busy),
    }
}

/// The sum of what is there; None only where neither is.
fn added<T>(one: Option<T>, other: Option<T>, add: impl FnOnce(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(add(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::counters::Pressure;
    use proptest::prelude::*;

    fn seconds(count: u64) -> Vec<Second> {
        let second = |index| Second {
            start: Duration::from_secs(index),
            length: Duration::from_secs(1),
            operations: 1,
            bytes_read: 0,
            bytes_written: 0,
            latency: None,
            sample: None,
        };
        (0..count).map(second).collect()
    }

    fn sample(millis: u64, flow: u64) -> Sample {
        let stalled = Duration::from_millis(flow);
        Sample {
            at: Duration::from_millis(millis),
            dirty_bytes: Some(millis),
            writeback_bytes: None,
            device_read_bytes: None,
            device_written_bytes: Some(flow),
            pressure: Some(Pressure {
                io_some: stalled,
                io_full: stalled,
                ..Pressure::default()
            }),
            processors_busy: Some(0.5),
        }
    }

    #[test]
    fn a_sample_is_in_the_second_at_whose_end_it_was_taken() {
        let mut series = seconds(4);
        add_samples(
            &mut series,
            [1003, 2499, 3001, 3200].map(|at| sample(at, 1)).into(),
        );
        let at: Vec<_> = series
            .iter()
            .map(|second| second.sample.map(|sample| sample.at.as_millis()))
            .collect();
        assert_eq!(at, [Some(1003), Some(2499), Some(3001), Some(3200)]);
    }

    #[test]
    fn flows_of_several_samples_are_added_and_states_are_the_latest() {
        let mut series = seconds(2);
        let mut late = sample(1600, 20);
        late.dirty_bytes = None;
        add_samples(
            &mut series,
            vec![sample(1002, 1), sample(1602, 3), late, sample(2004, 50)],
        );
        assert_eq!(series[0].sample, Some(sample(1002, 1)));
        let joined = series[1].sample.unwrap();
        assert_eq!(joined.device_written_bytes, Some(73));
        assert_eq!(joined.device_read_bytes, None);
        assert_eq!(joined.pressure.unwrap().io_full, Duration::from_millis(73));
        assert_eq!((joined.dirty_bytes, joined.at.as_millis()), (Some(2004), 2004));
    }

    #[test]
    fn a_run_without_seconds_takes_no_samples() {
        add_samples(&mut [], vec![sample(1, 1)]);
    }

    proptest! {
        #[test]
        fn no_flow_is_lost(
            count in 1u64..20,
            mut taken in prop::collection::vec((0u64..100_000, 0u64..1000), 0..40),
        ) {
            taken.sort_unstable();
            let mut series = seconds(count);
            let samples: Vec<_> = taken.iter().map(|&(at, flow)| sample(at, flow)).collect();
            add_samples(&mut series, samples);
            let kept = series.iter().filter_map(|second| second.sample);
            let flowed: u64 = kept.clone().filter_map(|sample| sample.device_written_bytes).sum();
            let stalled: Duration = kept.filter_map(|sample| sample.pressure).map(|pressure| pressure.io_some).sum();
            let all: u64 = taken.iter().map(|&(_, flow)| flow).sum();
            prop_assert_eq!(flowed, all);
            prop_assert_eq!(stalled, Duration::from_millis(all));
            prop_assert_eq!(series[count as usize - 1].sample.is_some(), !taken.is_empty());
        }
    }
}
