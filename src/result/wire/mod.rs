//! The form of a result in files: JSON, with units in the names. docs/results.md tells it field by field.
//!
//! What is derived from other fields stands there for programs, and is not read back.

mod histogram;
mod number;
mod probe;
mod warning;

use super::{
    ClientResult, Completions, Counters, Durability, End, Environment, Lag, LoadInfo, OperationResult,
    Outcomes, PassEnd, ProbeResult, RunInfo, RunResult, Second, SlowOperation, Slowest, Verification, WarmUp,
};
use crate::op::Kind;
use crate::units::{megabytes, nanos};
use histogram::WireHistogram;
use probe::WireProbe;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;
use warning::WireWarning;

/// The version of the form; a reader refuses a later one.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct WireRun {
    #[serde(deserialize_with = "version")]
    schema_version: u32,
    info: RunInfo,
    end: WireEnd,
    clients: u32,
    processes: u32,
    loadfiles: Vec<LoadInfo>,
    warm_up: WarmUp,
    #[serde(rename = "elapsed_ns", with = "nanos")]
    elapsed: Duration,
    bytes_read: u64,
    bytes_written: u64,
    #[serde(with = "number")]
    bytes_per_second: f64,
    #[serde(skip_deserializing)]
    megabytes_per_second: Option<f64>,
    #[serde(skip_deserializing)]
    operations_per_second: Option<f64>,
    #[serde(skip_deserializing)]
    metadata_operations_per_second: Option<f64>,
    #[serde(skip_deserializing)]
    max_latency_ns: Option<u64>,
    latency: WireHistogram,
    operations: Vec<WireOperation>,
    slowest: Vec<SlowOperation>,
    series: Vec<Second>,
    counters: Option<Counters>,
    completions: Option<Completions>,
    probe: Option<WireProbe>,
    durability: Option<Durability>,
    verification: Option<Verification>,
    environment: Option<Environment>,
    per_client: Vec<ClientResult>,
    passes: Vec<PassEnd>,
    outcomes: Outcomes,
    lag: Option<WireHistogram>,
    warnings: Vec<WireWarning>,
}

#[derive(Serialize, Deserialize)]
struct WireOperation {
    kind: Kind,
    count: u64,
    differed: u64,
    #[serde(rename = "total_ns", with = "nanos")]
    total: Duration,
    slowest: Slowest,
    latency: WireHistogram,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum WireEnd {
    Completed,
    Interrupted { signal: i32 },
    Failed { why: String },
}

impl Serialize for RunResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WireRun::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RunResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunResult, D::Error> {
        WireRun::deserialize(deserializer).map(RunResult::from)
    }
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(deserializer)?;
    if version == SCHEMA_VERSION {
        return Ok(version);
    }
    Err(D::Error::custom(format!("schema_version {version} is not known")))
}

impl From<&RunResult> for WireRun {
    fn from(run: &RunResult) -> WireRun {
        let RunResult {
            info,
            clients,
            processes,
            loadfiles,
            warm_up,
            elapsed,
            bytes_read,
            bytes_written,
            bytes_per_second,
            operations,
            latency: _,
            slowest,
            series,
            counters,
            completions,
            probe,
            durability,
            verification,
            environment,
            per_client,
            passes,
            outcomes,
            lag,
            end,
            warnings,
        } = run;
        let shown = run.has_throughput();
        let latency = WireHistogram::of_run(run);
        WireRun {
            schema_version: SCHEMA_VERSION,
            info: info.clone(),
            end: WireEnd::from(end),
            clients: *clients,
            processes: *processes,
            loadfiles: loadfiles.clone(),
            warm_up: warm_up.clone(),
            elapsed: *elapsed,
            bytes_read: *bytes_read,
            bytes_written: *bytes_written,
            bytes_per_second: *bytes_per_second,
            megabytes_per_second: shown.then(|| megabytes(*bytes_per_second)),
            operations_per_second: run.operations_per_second().filter(|_| shown),
            metadata_operations_per_second: run.metadata_operations_per_second().filter(|_| shown),
            max_latency_ns: (run.total_operations() > 0).then(|| nanos::whole(run.max_latency())),
            latency,
            operations: operations.iter().map(WireOperation::from).collect(),
            slowest: slowest.clone(),
            series: series.clone(),
            counters: counters.clone(),
            completions: *completions,
            probe: probe.as_ref().map(WireProbe::from),
            durability: *durability,
            verification: verification.clone(),
            environment: environment.clone(),
            per_client: per_client.clone(),
            passes: passes.clone(),
            outcomes: outcomes.clone(),
            lag: lag.as_ref().map(WireHistogram::from),
            warnings: warnings.iter().cloned().map(WireWarning).collect(),
        }
    }
}

impl From<WireRun> for RunResult {
    fn from(wire: WireRun) -> RunResult {
        RunResult {
            info: wire.info,
            clients: wire.clients,
            processes: wire.processes,
            loadfiles: wire.loadfiles,
            warm_up: wire.warm_up,
            elapsed: wire.elapsed,
            bytes_read: wire.bytes_read,
            bytes_written: wire.bytes_written,
            bytes_per_second: wire.bytes_per_second,
            operations: wire.operations.into_iter().map(OperationResult::from).collect(),
            latency: wire.latency.histogram,
            slowest: wire.slowest,
            series: wire.series,
            counters: wire.counters,
            completions: wire.completions,
            probe: wire.probe.map(ProbeResult::from),
            durability: wire.durability,
            verification: wire.verification,
            environment: wire.environment,
            per_client: wire.per_client,
            passes: wire.passes,
            outcomes: wire.outcomes,
            lag: wire.lag.map(|lag| Lag {
                histogram: lag.histogram,
            }),
            end: End::from(wire.end),
            warnings: wire.warnings.into_iter().map(|warning| warning.0).collect(),
        }
    }
}

impl From<&OperationResult> for WireOperation {
    fn from(operation: &OperationResult) -> WireOperation {
        let OperationResult {
            kind,
            count,
            differed,
            total,
            slowest,
            latency: _,
        } = operation;
        WireOperation {
            kind: *kind,
            count: *count,
            differed: *differed,
            total: *total,
            slowest: *slowest,
            latency: WireHistogram::from(operation),
        }
    }
}

impl From<WireOperation> for OperationResult {
    fn from(wire: WireOperation) -> OperationResult {
        OperationResult {
            kind: wire.kind,
            count: wire.count,
            differed: wire.differed,
            total: wire.total,
            slowest: wire.slowest,
            latency: wire.latency.histogram,
        }
    }
}

impl From<&End> for WireEnd {
    fn from(end: &End) -> WireEnd {
        match end {
            End::Completed => WireEnd::Completed,
            End::Interrupted(signal) => WireEnd::Interrupted { signal: *signal },
            End::Failed(why) => WireEnd::Failed { why: why.clone() },
        }
    }
}

impl From<WireEnd> for End {
    fn from(wire: WireEnd) -> End {
        match wire {
            WireEnd::Completed => End::Completed,
            WireEnd::Interrupted { signal } => End::Interrupted(signal),
            WireEnd::Failed { why } => End::Failed(why),
        }
    }
}
