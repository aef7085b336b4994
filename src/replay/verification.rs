//! `--verify`: whether what was read is what this run wrote.

use serde::{Deserialize, Serialize};

/// What `--verify` found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verification {
    /// Reads that held bytes that this run wrote.
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
    /// Path on disk below `DIR/clients`, by which the file was opened.
    pub path: String,
    /// Offset in the file of the first byte that differs.
    pub offset: u64,
    pub expected_byte: u8,
    pub got_byte: u8,
    /// What stands there instead, in words: `zeros`, `one bit differs`, `data of client 3, file 7, offset 4096` …
    pub found: String,
}
