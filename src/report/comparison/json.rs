//! A comparison as JSON.

use crate::compare::Comparison;
use serde::Serialize;

/// The version of the form.
pub const COMPARISON_SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'c> {
    schema_version: u32,
    #[serde(flatten)]
    comparison: &'c Comparison,
}

/// All of it.
///
/// # Errors
/// It cannot be encoded.
pub fn comparison_json(comparison: &Comparison) -> serde_json::Result<String> {
    let document = Document {
        schema_version: COMPARISON_SCHEMA_VERSION,
        comparison,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
