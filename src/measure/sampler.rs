//! Reads the system's counters around and during a run, away from the clients' threads.

use super::clock::Nanos;
use super::counters::{Counters, Sample};
use crate::warning::Warning;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// Reads the system's counters around and during a run.
#[derive(Debug, Default)]
pub struct Sampler {}

/// What a sampler has found.
#[derive(Debug, Default)]
pub struct Sampled {
    /// Absent where nothing could be read.
    pub counters: Option<Counters>,
    /// In order of time.
    pub samples: Vec<Sample>,
    pub warnings: Vec<Warning>,
}

impl Sampler {
    /// Takes what is wanted before the release. `directory` is on the file system under test.
    pub fn new(directory: BorrowedFd<'_>, vmstat_every: Option<Duration>) -> Sampler {
        let _ = (directory, vmstat_every);
        Sampler {}
    }

    /// A sampler that reads nothing (`--backend null`).
    pub fn none() -> Sampler {
        Sampler {}
    }

    /// The clients were released at `release`.
    pub fn release(&mut self, release: Nanos) {
        let _ = release;
    }

    /// The measured window starts at `start`: flows count from here.
    pub fn begin(&mut self, start: Nanos) {
        let _ = start;
    }

    /// A second of the measured window (or the warm-up) has ended, about now.
    pub fn sample(&mut self, now: Nanos) {
        let _ = now;
    }

    /// All clients have ended; the measured window ended at about `end`.
    pub fn end(&mut self, end: Nanos) {
        let _ = end;
    }

    /// What was found.
    pub fn finish(self) -> Sampled {
        Sampled::default()
    }
}
