//! What was on the disk when the run ended, and what bringing the rest there took.

use crate::units::nanos;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What durability costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Durability {
    /// Dirty and being written back when the clients had ended, on the whole machine: the kernel does not tell whose it is.
    /// Absent where it tells nothing, and on a file system in memory.
    pub unwritten_bytes: Option<u64>,
    /// `--final-sync`; absent without it.
    pub final_sync: Option<FinalSync>,
}

/// A syncfs(2) of the file system at the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FinalSync {
    #[serde(rename = "took_ns", with = "nanos")]
    pub took: Duration,
    /// Throughput with the sync's time in the measured time.
    pub bytes_per_second_with_sync: f64,
}
