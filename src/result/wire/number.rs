//! Numbers that may be none (a share of nothing). JSON has no word for that but `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a number, or `null` for what is none.
pub(super) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number.is_finite().then_some(*number).serialize(serializer)
}

/// Reads what [`serialize`] writes.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = Option::<f64>::deserialize(deserializer)?;
    Ok(number.unwrap_or(f64::NAN))
}
