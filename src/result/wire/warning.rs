//! Warnings in files: typed, with the text that the user saw beside them.

use crate::warning::Warning;
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

pub(super) struct WireWarning(pub Warning);

#[derive(Serialize)]
struct WithText<'w> {
    #[serde(flatten)]
    warning: &'w Warning,
    text: String,
}

impl Serialize for WireWarning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Warning::Unknown { kind, text } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("kind", kind)?;
                map.serialize_entry("text", text)?;
                map.end()
            }
            warning => {
                let text = warning.to_string();
                WithText { warning, text }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for WireWarning {
    /// What another version of rbench writes, of a kind or with fields that this one does not know, is kept by its text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WireWarning, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Ok(known) = Warning::deserialize(&value) {
            return Ok(WireWarning(known));
        }
        let word = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        match (word("kind"), word("text")) {
            (Some(kind), Some(text)) => Ok(WireWarning(Warning::Unknown { kind, text })),
            _ => Err(D::Error::custom("a warning must have a `kind` and a `text`")),
        }
    }
}
