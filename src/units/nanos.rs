//! Durations in files: whole nanoseconds, so that nothing is rounded. For `#[serde(with = "nanos")]`; the field's name
//! ends in `_ns`.

use serde::{Deserialize, Deserializer, Serializer};
use std::time::Duration;

/// The duration; what is longer than 584 years is that long.
pub fn whole(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Writes whole nanoseconds.
///
/// # Errors
/// The format's own.
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(whole(*duration))
}

/// Reads whole nanoseconds.
///
/// # Errors
/// What stands there is no whole number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_nanos)
}
