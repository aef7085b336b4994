//! What is the same for all clients of a run and changes how operations are executed.

use super::pace::Pacing;
use std::time::Duration;

/// What happens when an outcome is not what the trace says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum OnMismatch {
    /// Go on, tell at the end, exit 1.
    #[default]
    Report,
    /// End the run at the first.
    Stop,
    /// Only count.
    Ignore,
}

/// What writes write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum DataKind {
    /// Zeros, as dbench 4 (a WRITEPATTERN in the loadfile wins)
    #[default]
    Zeros,
    /// Bytes that cannot be compressed (a WRITEPATTERN in the loadfile wins)
    Random,
}

/// Options of dbench that change what operations do, and the run's limits.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `-s`: O_SYNC opens.
    pub sync_open: bool,
    /// `-S`: fdatasync the parent after unlink, rmdir and rename.
    pub sync_dir: bool,
    /// `-F`: fsync after each write.
    pub fsync: bool,
    /// `--direct`: open files with O_DIRECT.
    pub direct: bool,
    /// `-x`: read and write Samba's DOS attributes.
    pub xattr: bool,
    pub stat_check: bool,
    pub one_byte_write_fix: bool,
    pub fake_io: bool,
    pub data: DataKind,
    /// `--verify`: write data that names client, file and offset, and check what is read of it.
    pub verify: bool,
    pub on_mismatch: OnMismatch,
    pub pacing: Pacing,
    /// Not counted at the start; with `warmup_auto` the most that it may take.
    pub warmup: Duration,
    /// `--warmup auto`: the measured window starts when throughput has settled.
    pub warmup_auto: bool,
    /// End so long after the warm-up; absent: at the end of the pass.
    pub time_limit: Option<Duration>,
    /// Start another pass after each, until the time limit.
    pub loops: bool,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Keep the ends of passes.
    pub record_passes: bool,
}

impl Settings {
    /// Flags of open(2) that every open of a file for data has.
    #[inline]
    pub fn open_flags(&self) -> i32 {
        let sync = if self.sync_open { libc::O_SYNC } else { 0 };
        let direct = if self.direct { libc::O_DIRECT } else { 0 };
        sync | direct
    }
}
