//! Outcomes against the trace.

use crate::measure::clock::Nanos;
use crate::op::Kind;
use nix::errno::Errno;
use std::fmt;
use std::time::Duration;

/// How many outcomes that differ are kept in full.
pub const EXAMPLES: usize = 10;

/// Counts of one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutcomeCounts {
    pub checked: u64,
    pub differed: u64,
    pub skipped: u64,
}

/// What the trace says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    Success,
    Failure,
    Bytes(u32),
}

/// What came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Got {
    Success,
    Bytes(u64),
    Errno(Errno),
}

/// An outcome that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differed {
    pub at: Nanos,
    pub line: u32,
    pub kind: Kind,
    pub path: String,
    pub expected: Expected,
    pub got: Got,
}

/// One of the slowest operations of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowRecord {
    pub latency: Duration,
    /// Its end.
    pub at: Nanos,
    pub line: u32,
    pub kind: Kind,
    pub path: String,
}

/// Whether an error means that going on tells nothing: the throughput would be that of a file system that refuses.
pub fn stops_the_run(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::ENOSPC
            | Errno::EDQUOT
            | Errno::EIO
            | Errno::EROFS
            | Errno::ENOMEM
            | Errno::EMFILE
            | Errno::ENFILE
    )
}

impl Differed {
    /// In one line, for people.
    pub fn sentence(&self, loadfile: &str) -> String {
        let Differed {
            at: _,
            line,
            kind,
            path,
            expected,
            got,
        } = self;
        format!("{loadfile}:{line} {kind} {path}: expected {expected}, got {got}")
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Success => f.write_str("success"),
            Expected::Failure => f.write_str("failure"),
            Expected::Bytes(count) => write!(f, "{count} bytes"),
        }
    }
}

impl fmt::Display for Got {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Got::Success => f.write_str("success"),
            Got::Bytes(count) => write!(f, "{count} bytes"),
            Got::Errno(errno) => write!(f, "{errno:?} ({})", errno.desc()),
        }
    }
}
