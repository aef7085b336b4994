//! `--verify`: whether what was read is what this run wrote.

use crate::op::Kind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How many reads that differ are kept in full.
pub const EXAMPLES: usize = 10;

/// What `--verify` found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verification {
    /// Reads that held bytes that this run wrote, those of the warm-up included.
    pub reads_checked: u64,
    pub bytes_checked: u64,
    /// Reads that were not as written.
    pub corrupt_reads: u64,
    /// The first ten of them.
    pub examples: Vec<Corruption>,
}

/// A read that did not give what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corruption {
    /// The client that read.
    pub client: u32,
    pub loadfile: String,
    /// Line of the loadfile, from 1.
    pub line: u32,
    pub kind: Kind,
    /// Path on disk below `DIR/clients`, by which the file was opened.
    pub path: String,
    /// Offset in the file of the first byte that differs.
    pub offset: u64,
    pub expected_byte: u8,
    /// Absent where the file ended before it.
    pub got_byte: Option<u8>,
    /// What stands there instead, in words: `zeros`, `one bit differs`, `data of client 3, file 7, offset 4096, write 1` …
    pub found: String,
}

impl fmt::Display for Corruption {
    /// `file:line op path: byte 4096 is 0x41, not 0x40 (one bit differs)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Corruption {
            client: _,
            loadfile,
            line,
            kind,
            path,
            offset,
            expected_byte,
            got_byte,
            found,
        } = self;
        write!(f, "{loadfile}:{line} {kind} {path}: byte {offset} is ")?;
        match got_byte {
            Some(got) => write!(f, "{got:#04x}, not {expected_byte:#04x} ({found})"),
            None => write!(f, "missing, not {expected_byte:#04x} ({found})"),
        }
    }
}
