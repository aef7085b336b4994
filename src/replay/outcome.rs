//! Outcomes against the trace.

use crate::measure::clock::Nanos;
use crate::op::Kind;
use crate::result::Mismatch;
use nix::errno::Errno;

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
    /// As it stands in a result.
    pub fn mismatch(&self, loadfile: &str, client: u32) -> Mismatch {
        let bytes = |count: u64| format!("{count} bytes");
        Mismatch {
            loadfile: loadfile.to_owned(),
            line: self.line,
            client,
            kind: self.kind,
            path: self.path.clone(),
            expected: match self.expected {
                Expected::Success => "success".to_owned(),
                Expected::Failure => "failure".to_owned(),
                Expected::Bytes(count) => bytes(u64::from(count)),
            },
            got: match self.got {
                Got::Success => "success".to_owned(),
                Got::Bytes(count) => bytes(count),
                Got::Errno(errno) => format!("{errno:?} ({})", errno.desc()),
            },
        }
    }

    /// In one line, for people.
    pub fn sentence(&self, loadfile: &str, client: u32) -> String {
        let one = self.mismatch(loadfile, client);
        format!(
            "{}:{} {} {}: expected {}, got {}",
            one.loadfile, one.line, one.kind, one.path, one.expected, one.got
        )
    }
}
