//! The bystander probe: what a person at the machine feels while others load it.

use super::recorder::{longest_of, quantile_of};
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// What one of the bystander's clients does.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Saves a file: writes a temporary one, fsync, rename.
    Save,
    /// Browses a tree: lists, stats, reads a little.
    Browse,
    /// Appends to a log, with fdatasync.
    Append,
    /// Sleeps for 10 ms; measured is how late it wakes.
    Timer,
}

impl Activity {
    /// All, in the order of tables.
    pub const ALL: [Activity; 4] = [
        Activity::Save,
        Activity::Browse,
        Activity::Append,
        Activity::Timer,
    ];
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Activity::Save => "save",
            Activity::Browse => "browse",
            Activity::Append => "append",
            Activity::Timer => "timer",
        })
    }
}

/// What one of the bystander's clients waited for.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeActivity {
    pub activity: Activity,
    /// On the idle machine right before the run, nanoseconds.
    pub idle: Histogram<u64>,
    /// In the measured window, nanoseconds.
    pub loaded: Histogram<u64>,
    /// How often it failed, idle and under load together; those are in no histogram.
    pub errors: u64,
}

impl ProbeActivity {
    /// How many times as long a quantile (0 to 1) is under load as on the idle machine; absent where either has no
    /// figures.
    pub fn factor(&self, quantile: f64) -> Option<f64> {
        let (idle, loaded) = (self.idle_quantile(quantile)?, self.loaded_quantile(quantile)?);
        (!idle.is_zero()).then(|| loaded.as_secs_f64() / idle.as_secs_f64())
    }

    /// A quantile (0 to 1) under load; absent where there are no figures.
    pub fn loaded_quantile(&self, quantile: f64) -> Option<Duration> {
        quantile_of(&self.loaded, quantile, longest_of(&self.loaded))
    }

    /// A quantile (0 to 1) on the idle machine; absent where there are no figures.
    pub fn idle_quantile(&self, quantile: f64) -> Option<Duration> {
        quantile_of(&self.idle, quantile, longest_of(&self.idle))
    }
}

/// What a bystander waited for during a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// For how long it was measured on the idle machine.
    pub idle_length: Duration,
    /// In the order of [`Activity::ALL`].
    pub activities: Vec<ProbeActivity>,
}

impl ProbeResult {
    /// One of them.
    pub fn activity(&self, activity: Activity) -> Option<&ProbeActivity> {
        self.activities.iter().find(|one| one.activity == activity)
    }
}
