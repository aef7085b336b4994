//! The nights of the cells, judged, as text, Markdown, CSV and JSON; and what is in a store.

mod csv;
mod json;
mod listing;
mod markdown;
mod text;
mod words;

pub use self::csv::history_csv;
pub use json::{HISTORY_SCHEMA_VERSION, history_json};
pub use listing::{cells, stored_runs};
pub use markdown::history_markdown;
pub use text::history_text;
