//! Passes over a loadfile.

use std::time::Duration;

/// A finished pass over the loadfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassEnd {
    pub client: u32,
    pub took: Duration,
    /// After the release of the clients.
    pub at: Duration,
}
