//! What one run measured, typed; everything that is reported or stored is read from here.

use crate::loadfile::Dialect;
use crate::op::Kind;
use hdrhistogram::Histogram;
use std::fmt;
use std::time::Duration;

/// The result of one run.
#[derive(Debug, Clone)]
pub struct RunResult {
    pub clients: u32,
    /// What dbench would call procs: clients divided by clients per process, rounded up.
    pub processes: u32,
    pub loadfiles: Vec<LoadInfo>,
    /// The measured window: from the release (or the end of the warm-up) to the end of the last client (or the deadline).
    pub elapsed: Duration,
    /// Bytes of reads and writes counted in the window, by the rule of each dialect.
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Bytes per second: the sum over the clients of their bytes over their measured time.
    pub bytes_per_second: f64,
    /// Kinds that occurred, in the order of [`Kind`].
    pub operations: Vec<OperationResult>,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadInfo {
    pub name: String,
    pub dialect: Dialect,
}

/// One kind of operation over all clients.
#[derive(Debug, Clone)]
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

/// The slowest operation of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slowest {
    pub latency: Duration,
    pub client: u32,
    /// Line of the loadfile, from 1.
    pub line: u32,
    /// End of the operation after the release of the clients.
    pub at: Duration,
}

/// What one client did in the measured window.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientResult {
    pub client: u32,
    pub operations: u64,
    /// Read and written, counted.
    pub bytes: u64,
    /// Passes over the loadfile that ended in the window.
    pub passes: u64,
    /// The client's own measured time: the window less what is not measured (preparation, emptying its directory).
    pub measured: Duration,
    pub bytes_per_second: f64,
    pub max_latency: Duration,
    /// Kinds that occurred, in the order of [`Kind`]; empty unless asked for (`--per-client-results`).
    pub operations_by_kind: Vec<ClientOperation>,
}

/// One kind of operation by one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientOperation {
    pub kind: Kind,
    pub count: u64,
    pub total: Duration,
    pub max_latency: Duration,
}

/// A finished pass over the loadfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassEnd {
    pub client: u32,
    pub took: Duration,
    /// After the release of the clients.
    pub at: Duration,
}

/// How outcomes compare with the trace, over all clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// Operations whose outcome the trace fixes.
    pub checked: u64,
    pub differed: u64,
    /// Operations not executed, because the open of their handle had failed against the trace (or `--slice` left it out).
    pub skipped: u64,
    /// The first ten that differed.
    pub examples: Vec<Mismatch>,
}

/// One outcome that is not what the trace says.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone)]
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

/// A doubt about a result; the text says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// Clients share kernel objects, because the sandbox forbids private ones.
    SharedKernelObjects { what: &'static str, errno: String },
    /// The lock of the marker file is not supported there.
    NoLock { errno: String },
    /// A tree that a killed run had left was removed first.
    RemovedLeftovers { pid: Option<u32> },
    /// Written data are zeros and the file system compresses.
    ZerosOnCompression { file_system: String },
    /// The run was shorter than a second.
    Short { elapsed: Duration },
    /// `--skip-cleanup`: the tree could not be marked as kept, so that the next run will remove it.
    NotKept { why: String },
    /// Something in the tree could not be removed at the end.
    CleanupIncomplete { names: Vec<String> },
    /// This signal came when all was measured, during the cleanup.
    SignalAfterEnd { signal: i32 },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::SharedKernelObjects { what, errno } => write!(
                f,
                "clients share {what} ({errno}): figures with several clients are lower than the file system's; run outside the sandbox"
            ),
            Warning::NoLock { errno } => write!(
                f,
                "the marker file cannot be locked here ({errno}): make sure that no second run uses this directory"
            ),
            Warning::RemovedLeftovers { pid: Some(pid) } => {
                write!(f, "removed what a killed run (pid {pid}) had left")
            }
            Warning::RemovedLeftovers { pid: None } => write!(f, "removed what a killed run had left"),
            Warning::ZerosOnCompression { file_system } => write!(
                f,
                "the {file_system} mount compresses and the data written are zeros: throughput says little about real data; mount without compression"
            ),
            Warning::Short { elapsed } => write!(
                f,
                "the measured window was only {:.3} s: use -t or more clients for figures that repeat",
                elapsed.as_secs_f64()
            ),
            Warning::NotKept { why } => {
                write!(f, "the files are there, but the next run will remove them: {why}")
            }
            Warning::CleanupIncomplete { names } => write!(
                f,
                "could not remove {}: remove it with `rbench clean` when it is no longer in use",
                names.join(", ")
            ),
            Warning::SignalAfterEnd { signal } => write!(
                f,
                "signal {signal} came after the end of the run: the figures are of the whole run"
            ),
        }
    }
}

impl RunResult {
    /// Operations counted in the window.
    pub fn total_operations(&self) -> u64 {
        self.operations.iter().map(|op| op.count).sum()
    }

    /// Operations counted in the window that move no data.
    pub fn metadata_operations(&self) -> u64 {
        let metadata = self.operations.iter().filter(|op| !op.kind.moves_data());
        metadata.map(|op| op.count).sum()
    }

    /// The slowest operation of the run.
    pub fn max_latency(&self) -> Duration {
        let slowest = self.operations.iter().map(|op| op.slowest.latency);
        slowest.max().unwrap_or_default()
    }
}
