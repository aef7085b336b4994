//! Doubts about a run, in the words that the user reads.

use std::fmt;
use std::time::Duration;

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
