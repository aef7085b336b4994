//! Completions of requests to block devices: on the processor that issued them, or on another.

mod format;
mod rings;
mod tally;
mod tracer;

pub(super) use tracer::Tracer;

use crate::units::{nanos, per_second};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How many requests were completed where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Completions {
    /// On the processor that issued the request.
    pub local: u64,
    /// On another.
    pub remote: u64,
    /// Events that the kernel could not hand over in time, so that their requests are counted nowhere.
    pub lost: u64,
    /// For how long they were counted.
    #[serde(rename = "counted_ns", with = "nanos")]
    pub counted: Duration,
}

impl Completions {
    /// A second, on the processor that issued the request; absent where no time passed.
    pub fn local_per_second(&self) -> Option<f64> {
        per_second(self.local, self.counted)
    }

    /// A second, on another; absent where no time passed.
    pub fn remote_per_second(&self) -> Option<f64> {
        per_second(self.remote, self.counted)
    }
}
