//! Passes over a loadfile.

use crate::units::nanos;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A finished pass over the loadfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassEnd {
    pub client: u32,
    #[serde(rename = "took_ns", with = "nanos")]
    pub took: Duration,
    /// After the release of the clients.
    #[serde(rename = "at_ns", with = "nanos")]
    pub at: Duration,
}
