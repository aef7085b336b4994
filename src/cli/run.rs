//! The options of a run.

use super::{ReadArgs, name_and_value};
use crate::output::Output;
use crate::replay::{DataKind, OnMismatch};
use crate::report::Style;
use crate::run::Pin;
use crate::store::StorePlace;
use crate::units::{Bytes, MbPerSecond, Span};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of a run.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// How many clients replay the load at once, each in a directory of its own
    #[arg(required = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub clients: Option<u32>,

    /// A loadfile (may be gzip-compressed) or a bundled load; several are dealt to the clients in turn
    #[arg(short = 'c', long, value_name = "FILE|NAME", default_value = "client")]
    pub loadfile: Vec<String>,
    /// What executes the operations
    #[arg(short = 'B', long, value_name = "fileio|null", default_value = "fileio", value_parser = backend)]
    pub backend: BackendName,
    /// Work below DIR/clients
    #[arg(short = 'D', long, value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,
    /// Loop the loadfile for so long after the warm-up [default: one pass]
    #[arg(short = 't', long, value_name = "SECS")]
    pub timelimit: Option<Span>,
    /// Do not count so long at the start, or (auto) until throughput has settled [default: a fifth of the time limit, else 0]
    #[arg(long, value_name = "SECS|auto")]
    pub warmup: Option<Warmup>,
    /// The longest that --warmup auto waits
    #[arg(long, value_name = "SECS", default_value = "300")]
    pub warmup_max: Span,
    /// One pass, with output as dbench 5's
    #[arg(long)]
    pub run_once: bool,
    /// Limit each client's rate, MB (1,000,000 bytes) per second
    #[arg(short = 'R', long, value_name = "MB/s")]
    pub target_rate: Option<MbPerSecond>,
    /// Open files with O_SYNC
    #[arg(short = 's', long)]
    pub sync: bool,
    /// Sync the directory after each unlink, rmdir and rename
    #[arg(short = 'S', long)]
    pub sync_dir: bool,
    /// fsync after each write
    #[arg(short = 'F', long)]
    pub fsync: bool,
    /// Open files with O_DIRECT, past the page cache (offsets and sizes must be multiples of the device's block)
    #[arg(long)]
    pub direct: bool,
    /// Read and write extended attributes as Samba 4 does
    #[arg(short = 'x', long)]
    pub xattr: bool,

    /// Search directories for other spellings of names that are not there, as a case-insensitive server does
    #[arg(long, overrides_with = "no_resolve")]
    pub resolve: bool,
    /// Do not search directories for other spellings
    #[arg(long)]
    pub no_resolve: bool,
    /// Look with a stat before operations that would be pointless
    #[arg(long)]
    pub stat_check: bool,
    /// Turn writes of one byte at the end into changes of the size
    #[arg(long)]
    pub one_byte_write_fix: bool,
    /// Leave reads and writes out, but count them
    #[arg(long)]
    pub fake_io: bool,
    /// Cut all reads and writes down to this size
    #[arg(long, value_name = "BYTES")]
    pub trunc_io: Option<Bytes>,
    /// What is written
    #[arg(long, value_enum, value_name = "KIND", default_value = "zeros")]
    pub data: DataKind,
    /// Write data that name their client, file and place, and check what is read of them
    #[arg(long)]
    pub verify: bool,
    /// Bring everything to the disk at the end, and tell throughput without and with that
    #[arg(long)]
    pub final_sync: bool,
    /// Leave the files for a later run
    #[arg(long)]
    pub skip_cleanup: bool,
    /// Report each client too
    #[arg(long)]
    pub per_client_results: bool,
    /// Output for programs, as dbench 5's
    #[arg(long)]
    pub machine_readable: bool,
    /// A line for each finished pass
    #[arg(long)]
    pub show_execute_time: bool,
    /// Multiply the clients
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub clients_per_process: u32,

    /// Bind each client to a processor: spread, compact, or a list such as 0,2-3
    #[arg(long, value_name = "WHERE", default_value = "none")]
    pub pin: Pin,

    /// Whose output to follow [default: dbench1 for one pass, dbench4 with -t, dbench5 with --run-once]
    #[arg(long, value_enum, value_name = "STYLE")]
    pub style: Option<Style>,
    /// Show the table of operations in the dbench1 style too
    #[arg(long)]
    pub table: bool,
    /// What to do when an outcome is not what the trace says
    #[arg(long, value_enum, value_name = "ACTION", default_value = "report")]
    pub on_mismatch: OnMismatch,
    /// Run operations with timestamps back to back
    #[arg(long)]
    pub ignore_timestamps: bool,
    /// Multiply the waits between timestamps
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = time_scale)]
    pub time_scale: f64,
    /// In nb2 loadfiles, what Flush does
    #[arg(long, value_enum, value_name = "CALL", default_value = "none")]
    pub flush: Flush,
    /// Seed of random offsets and names
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Start even if the file system seems too small
    #[arg(long)]
    pub no_space_check: bool,

    /// Run so many times, each in a fresh directory, and sum them up
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,
    /// Empty the page cache before each run, and again when its loads have been prepared (root)
    #[arg(long)]
    pub drop_caches: bool,
    /// Bring everything to the disk before each run
    #[arg(long)]
    pub sync_before: bool,
    /// Wait so long before each run
    #[arg(long, value_name = "SECS", default_value = "0")]
    pub settle: Span,
    /// A shell command before each run; if it fails, the run is not made
    #[arg(long, value_name = "CMD")]
    pub before: Option<String>,
    /// A shell command after each run
    #[arg(long, value_name = "CMD")]
    pub after: Option<String>,

    /// Keep the result in a file: json, jsonl, csv, ops-csv or series-csv (- is standard output)
    #[arg(long, value_name = "KIND=FILE")]
    pub output: Vec<Output>,
    /// Show what the run used as time prints it, and the machine before and after as vmstat does
    #[arg(long)]
    pub counters: bool,
    /// Show the ten slowest operations
    #[arg(long)]
    pub slowest: bool,
    /// The same as --counters, and a line of vmstat so often (at most ten a second)
    #[arg(long, value_name = "SECS")]
    pub vmstat: Option<Span>,
    /// Measure what a bystander waits for: saving, browsing, appending to a log, a timer; idle before the run, then during it
    #[arg(long)]
    pub probe: bool,
    /// Where the bystander works, below DIR/clients [default: where the run does]
    #[arg(long, value_name = "DIR")]
    pub probe_dir: Option<PathBuf>,
    /// How long the bystander is measured on the idle machine
    #[arg(long, value_name = "SECS", default_value = "3")]
    pub probe_idle: Span,
    /// How long the bystander thinks before a save and an append during the run, on average: shorter gives more figures,
    /// and slows the run
    #[arg(long, value_name = "SECS", default_value = "2")]
    pub probe_think: Span,
    /// Count block requests that end on the processor that issued them, and on others (root)
    #[arg(long)]
    pub completions: bool,
    /// Add the result to the store: $XDG_DATA_HOME/rbench/history.db, or --store=FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub store: Option<StorePlace>,
    /// Keep the store even on the file system under test
    #[arg(long)]
    pub store_anyway: bool,
    /// A name for what is measured, in the result
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// A note in the result
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub tag: Vec<(String, String)>,
    /// Leave out of the result what the run ran on
    #[arg(long)]
    pub no_environment: bool,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// What nb2's Flush does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Flush {
    /// Nothing, as dbench 2 did
    None,
    /// fsync
    Fsync,
}

/// `--warmup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmup {
    Auto,
    For(Span),
}

impl std::str::FromStr for Warmup {
    type Err = String;

    fn from_str(text: &str) -> Result<Warmup, String> {
        if text == "auto" {
            return Ok(Warmup::Auto);
        }
        match text.parse() {
            Ok(span) => Ok(Warmup::For(span)),
            Err(error) => Err(format!("{error}; or auto")),
        }
    }
}

/// `-B`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendName {
    FileIo,
    Null,
}

fn backend(name: &str) -> Result<BackendName, String> {
    match name {
        "fileio" => Ok(BackendName::FileIo),
        "null" => Ok(BackendName::Null),
        "sockio" => Err("rbench measures file systems, not sockets: use tbench for the network alone".into()),
        "nfs" | "smb" => Err(format!(
            "rbench speaks no network protocols: mount the {name} share and give its directory with -D \
             (loadfiles of this dialect run with fileio)"
        )),
        "scsi" | "iscsi" | "block" => Err(format!(
            "{name} works on devices below any file system, and rbench measures file systems: \
             use fio for devices"
        )),
        _ => Err("expected fileio or null".into()),
    }
}

fn time_scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale.is_finite() && scale >= 0.0 => Ok(scale),
        _ => Err("expected a number of at least 0, such as 0.5 for half the waits".into()),
    }
}
