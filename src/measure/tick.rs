//! How far a run is: what is shown of it once a second.

use std::time::Duration;

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Warmup,
    Execute,
    Cleanup,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    pub phase: Phase,
    /// Clients that are at work.
    pub clients: u32,
    /// Lines of the loadfile that a client has done so far, on average.
    pub lines_per_client: u64,
    /// Since the phase began.
    pub bytes_per_second: f64,
    /// Since the phase began.
    pub elapsed: Duration,
    /// The slowest operation since the last tick.
    pub latency: Duration,
}
