//! What a run shows while it goes on.

use crate::measure::Tick;
use std::io;

/// Shows a run's progress.
pub trait View {
    /// The clients are about to be released; `expected` operations are to come, if that is known.
    fn started(&mut self, clients: u32, expected: Option<u64>);

    /// About once a second; `operations` is the count of all clients since the release.
    ///
    /// # Errors
    /// Nobody reads the output any more: the run is then stopped.
    fn tick(&mut self, tick: &Tick, operations: u64) -> io::Result<()>;

    /// All clients have ended.
    fn ended(&mut self) {}

    /// All is measured, and what the clients have made is about to be removed.
    fn before_cleanup(&mut self) {}
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl View for Silent {
    fn started(&mut self, _: u32, _: Option<u64>) {}

    fn tick(&mut self, _: &Tick, _: u64) -> io::Result<()> {
        Ok(())
    }
}
