//! Which run it was: when, with which options, under which name.

use super::Cell;
use crate::units::nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Which run it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    pub rbench_version: String,
    /// When the clients were released (before the warm-up), by the wall clock: RFC 3339, UTC.
    pub started_at: jiff::Timestamp,
    /// `--label`.
    pub label: Option<String>,
    /// `--tag`.
    pub tags: BTreeMap<String, String>,
    /// Which of the campaign's runs it is, from 1.
    pub run_number: u32,
    /// How many runs the campaign has (`--runs`).
    pub runs: u32,
    /// The cell of the sweep that it belongs to; absent outside a sweep.
    pub cell: Option<Cell>,
    /// Its place among interleaved runs (`rbench ab`); absent elsewhere.
    #[serde(default)]
    pub turn: Option<Turn>,
    pub options: RunOptions,
}

impl RunInfo {
    /// A run by itself, now.
    pub fn now(options: RunOptions) -> RunInfo {
        RunInfo {
            rbench_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: jiff::Timestamp::now(),
            label: None,
            tags: BTreeMap::new(),
            run_number: 1,
            runs: 1,
            cell: None,
            turn: None,
            options,
        }
    }
}

/// The place of a run among those of two configurations that take turns (`rbench ab`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// When the campaign was started: RFC 3339, UTC. The same for all its runs.
    pub campaign_started_at: jiff::Timestamp,
    pub side: TurnSide,
    /// From 1.
    pub pair: u32,
    /// Which run of the campaign it is, in the order of time, from 1.
    pub position: u32,
    /// Whether it is one of the fresh runs that confirm what others have flagged.
    pub confirms: bool,
    /// The order of the campaign, with its seed: `abba`, `random:7`.
    #[serde(default)]
    pub order: String,
    /// What the campaign compares: the options and the command of this side, as typed; `as it is` without any.
    pub what: String,
}

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnSide {
    /// The baseline.
    A,
    /// The candidate.
    B,
}

/// The options that change what is measured, normalised: what was not typed has its default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunOptions {
    /// `fileio` or `null`.
    pub backend: String,
    /// `-t`; absent: one pass.
    #[serde(rename = "time_limit_ns", with = "optional_nanos", default)]
    pub time_limit: Option<Duration>,
    /// `--warmup auto`.
    pub warmup_auto: bool,
    /// The warm-up's time, or its most with `--warmup auto`.
    #[serde(rename = "warmup_ns", with = "nanos")]
    pub warmup: Duration,
    /// `--run-once`.
    #[serde(default)]
    pub run_once: bool,
    /// Passes are repeated until the time limit.
    pub loops: bool,
    /// `-R`, bytes per second of each client.
    pub target_bytes_per_second: Option<f64>,
    /// The wait between timestamps is multiplied by it; absent where there are none, or they are ignored.
    pub time_scale: Option<f64>,
    pub sync_open: bool,
    pub sync_dir: bool,
    pub fsync: bool,
    pub xattr: bool,
    /// `--resolve` or `--no-resolve`; absent: as each loadfile says.
    pub resolve: Option<bool>,
    pub stat_check: bool,
    pub one_byte_write_fix: bool,
    pub fake_io: bool,
    pub trunc_io_bytes: Option<u64>,
    pub flush_fsync: bool,
    pub slice: bool,
    pub skip_cleanup: bool,
    /// `report`, `stop` or `ignore`.
    pub on_mismatch: String,
    /// `zeros` or `random`.
    pub data: String,
    pub verify: bool,
    pub final_sync: bool,
    /// `--direct`.
    #[serde(default)]
    pub direct: bool,
    /// `--pin`; absent: clients run on any processor.
    pub pin: Option<String>,
    /// `--probe`.
    #[serde(default)]
    pub probe: bool,
    /// `--probe-think`; absent without `--probe`.
    #[serde(rename = "probe_think_ns", with = "optional_nanos", default)]
    pub probe_think: Option<Duration>,
    pub seed: u64,
    /// `--set`.
    pub set: BTreeMap<String, String>,
}

/// As [`nanos`], for what may be absent.
mod optional_nanos {
    use crate::units::nanos;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::time::Duration;

    /// Writes whole nanoseconds or nothing.
    ///
    /// # Errors
    /// The format's own.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        let nanos = duration.map(nanos::whole);
        nanos.serialize(serializer)
    }

    /// Reads whole nanoseconds or nothing.
    ///
    /// # Errors
    /// What stands there is neither.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let nanos = Option::<u64>::deserialize(deserializer)?;
        Ok(nanos.map(Duration::from_nanos))
    }
}
