//! What one run measured, typed; everything that is reported or stored is read from here.

mod cell;
mod durability;
mod run_info;
mod wire;

use crate::loadfile::Dialect;
pub use crate::measure::completions::Completions;
pub use crate::measure::counters::{Counters, Device, Pressure, Sample, Usage, Vmstat, VmstatMoment};
pub use crate::measure::environment::{
    Axis, BlockDevice, ContainerLimits, Environment, FileSystem, Identity, Nuisance,
};
pub use crate::measure::probe::{Activity, ProbeActivity, ProbeResult};
use crate::measure::recorder::{empty_histogram, longest_of, quantile_of};
pub use crate::measure::series::{Second, SecondLatency, SlowOperation, WarmUp};
pub use crate::measure::{PassEnd, Slowest};
use crate::op::Kind;
pub use crate::replay::{Corruption, Verification};
use crate::units::{nanos, per_second};
pub use crate::warning::Warning;
pub use cell::{AxisKind, Cell, Coordinate};
pub use durability::{Durability, FinalSync};
use hdrhistogram::Histogram;
use nix::sys::signal::Signal;
pub use run_info::{RunInfo, RunOptions, Turn, TurnSide};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
pub use wire::SCHEMA_VERSION;

/// The result of one run. In files it has the form that docs/results.md tells.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    pub info: RunInfo,
    pub clients: u32,
    /// What dbench would call procs: clients divided by clients per process, rounded up.
    pub processes: u32,
    pub loadfiles: Vec<LoadInfo>,
    pub warm_up: WarmUp,
    /// The measured window: from the release (or the end of the warm-up) to the end of the last client (or the deadline).
    pub elapsed: Duration,
    /// Bytes of reads and writes counted in the window, by the rule of each dialect.
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Bytes per second: the sum over the clients of their bytes over their measured time.
    pub bytes_per_second: f64,
    /// Kinds that occurred, in the order of [`Kind`].
    pub operations: Vec<OperationResult>,
    /// Latencies of all kinds together, nanoseconds; relative error at most 3 %.
    pub latency: Histogram<u64>,
    /// The ten slowest operations, the slowest first.
    pub slowest: Vec<SlowOperation>,
    /// The measured window, second by second.
    pub series: Vec<Second>,
    /// Absent where nothing is executed (`--backend null`) and where the system tells nothing.
    pub counters: Option<Counters>,
    /// Of the block device, by the processor that they ended on; absent unless asked for, and where the kernel does not tell.
    pub completions: Option<Completions>,
    /// `--probe`: what a bystander waited for; absent without.
    pub probe: Option<ProbeResult>,
    /// Absent where nothing is executed.
    pub durability: Option<Durability>,
    /// `--verify`.
    pub verification: Option<Verification>,
    /// Absent with `--no-environment`.
    pub environment: Option<Environment>,
    /// One for each client, in order.
    pub per_client: Vec<ClientResult>,
    /// Finished passes, in order of their ends; empty unless asked for.
    pub passes: Vec<PassEnd>,
    pub outcomes: Outcomes,
    /// How late operations with a due time started; absent without timestamps or a target rate.
    pub lag: Option<Lag>,
    pub end: End,
    pub warnings: Vec<Warning>,
}

/// One loadfile of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadInfo {
    pub name: String,
    pub dialect: Dialect,
    /// Of the text that was read, uncompressed: 64 hexadecimal digits.
    pub sha256: String,
    /// The values of its parameters (PARAM), those that were not set too.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
}

/// One kind of operation over all clients.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationResult {
    pub kind: Kind,
    pub count: u64,
    /// Of these, how many did not come out as the trace says.
    pub differed: u64,
    pub total: Duration,
    pub slowest: Slowest,
    /// Latencies in nanoseconds; relative error at most 3 %.
    pub latency: Histogram<u64>,
}

/// What one client did in the measured window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientResult {
    pub client: u32,
    pub operations: u64,
    /// Read and written, counted.
    pub bytes: u64,
    /// Passes over the loadfile that ended in the window.
    pub passes: u64,
    /// The client's own measured time: the window less what is not measured (preparation, emptying its directory).
    #[serde(rename = "measured_ns", with = "nanos")]
    pub measured: Duration,
    pub bytes_per_second: f64,
    #[serde(rename = "max_latency_ns", with = "nanos")]
    pub max_latency: Duration,
    /// Kinds that occurred, in the order of [`Kind`]; empty unless asked for (`--per-client-results`).
    pub operations_by_kind: Vec<ClientOperation>,
}

/// One kind of operation by one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientOperation {
    pub kind: Kind,
    pub count: u64,
    #[serde(rename = "total_ns", with = "nanos")]
    pub total: Duration,
    #[serde(rename = "max_latency_ns", with = "nanos")]
    pub max_latency: Duration,
}

/// How outcomes compare with the trace, over all clients.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outcomes {
    /// Operations whose outcome the trace fixes.
    pub checked: u64,
    pub differed: u64,
    /// Operations not executed, because the open of their handle had failed against the trace (or `--slice` left it out).
    pub skipped: u64,
    /// The first ten that differed.
    pub examples: Vec<Mismatch>,
    /// `--on-mismatch ignore`: differences are counted and nothing more is made of them.
    pub ignored: bool,
}

/// One outcome that is not what the trace says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    pub loadfile: String,
    pub line: u32,
    pub client: u32,
    pub kind: Kind,
    /// Path on disk below `DIR/clients`, or the handle's.
    pub path: String,
    /// `success`, `failure`, `4096 bytes` …
    pub expected: String,
    /// `ENOENT (No such file or directory)`, `success`, `100 bytes` …
    pub got: String,
}

/// How late operations started that had a due time.
#[derive(Debug, Clone, PartialEq)]
pub struct Lag {
    /// Nanoseconds.
    pub histogram: Histogram<u64>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Completed,
    /// Stopped by this signal's number.
    Interrupted(i32),
    /// Stopped because going on would mean nothing (no space, I/O error, `--on-mismatch stop`): what happened, where.
    Failed(String),
}

/// A signal's name, as `SIGINT`.
pub fn signal_name(number: i32) -> String {
    Signal::try_from(number).map_or_else(|_| format!("signal {number}"), |signal| signal.to_string())
}

impl RunResult {
    /// Of a run that could not be made: it has failed, and measured nothing.
    pub fn not_made(info: RunInfo, clients: u32, why: String) -> RunResult {
        RunResult {
            info,
            clients,
            processes: clients,
            loadfiles: Vec::new(),
            warm_up: WarmUp::default(),
            elapsed: Duration::ZERO,
            bytes_read: 0,
            bytes_written: 0,
            bytes_per_second: 0.0,
            operations: Vec::new(),
            latency: empty_histogram(),
            slowest: Vec::new(),
            series: Vec::new(),
            counters: None,
            completions: None,
            probe: None,
            durability: None,
            verification: None,
            environment: None,
            per_client: Vec::new(),
            passes: Vec::new(),
            outcomes: Outcomes::default(),
            lag: None,
            end: End::Failed(why),
            warnings: Vec::new(),
        }
    }

    /// Operations counted in the window.
    pub fn total_operations(&self) -> u64 {
        let counts = self.operations.iter().map(|op| op.count);
        counts.fold(0, u64::saturating_add)
    }

    /// Operations counted in the window that move no data.
    pub fn metadata_operations(&self) -> u64 {
        let metadata = self.operations.iter().filter(|op| !op.kind.moves_data());
        metadata.map(|op| op.count).fold(0, u64::saturating_add)
    }

    /// The slowest operation of the run.
    pub fn max_latency(&self) -> Duration {
        let slowest = self.operations.iter().map(|op| op.slowest.latency);
        slowest.max().unwrap_or_default()
    }

    /// Time that all operations took together.
    pub fn total_latency(&self) -> Duration {
        self.operations.iter().map(|op| op.total).sum()
    }

    /// The sum over the clients of their operations over their own measured time, as the throughput is.
    ///
    /// Absent when no client has measured time.
    pub fn operations_per_second(&self) -> Option<f64> {
        let clients = self.per_client.iter();
        let rates = clients.filter_map(|client| per_second(client.operations, client.measured));
        rates.reduce(|sum, rate| sum + rate)
    }

    /// The part of [`operations_per_second`](RunResult::operations_per_second) that moves no data.
    pub fn metadata_operations_per_second(&self) -> Option<f64> {
        let rate = self.operations_per_second()?;
        Some(rate * self.metadata_operations() as f64 / self.total_operations().max(1) as f64)
    }

    /// Whether its rates may be shown: those of a failed run would mean nothing, and one that was stopped in the warm-up
    /// has none.
    pub fn has_throughput(&self) -> bool {
        match self.end {
            End::Completed => true,
            End::Interrupted(_) => !self.elapsed.is_zero(),
            End::Failed(_) => false,
        }
    }

    /// A quantile (0 to 1) of the latencies of all kinds; absent where there is no operation.
    pub fn percentile(&self, quantile: f64) -> Option<Duration> {
        quantile_of(&self.latency, quantile, self.max_latency())
    }
}

impl OperationResult {
    /// A quantile (0 to 1) of the latencies; absent where there are none.
    pub fn percentile(&self, quantile: f64) -> Option<Duration> {
        quantile_of(&self.latency, quantile, self.slowest.latency)
    }
}

impl Lag {
    /// A quantile (0 to 1); absent where nothing had a due time.
    pub fn percentile(&self, quantile: f64) -> Option<Duration> {
        quantile_of(&self.histogram, quantile, longest_of(&self.histogram))
    }
}
