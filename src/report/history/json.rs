//! A history as JSON.

use crate::history::Checked;
use serde::Serialize;

/// The version of the form.
pub const HISTORY_SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'c> {
    schema_version: u32,
    #[serde(flatten)]
    checked: &'c Checked,
}

/// All of it.
///
/// # Errors
/// It cannot be encoded.
pub fn history_json(checked: &Checked) -> serde_json::Result<String> {
    let document = Document {
        schema_version: HISTORY_SCHEMA_VERSION,
        checked,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
