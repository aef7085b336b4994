//! `--output KIND=FILE`.

use std::path::PathBuf;
use std::str::FromStr;

/// The form of a result in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// One document with all runs.
    Json,
    /// A line a run, appended.
    JsonLines,
    /// A row a run, appended.
    Csv,
    /// A row a kind of operation, appended.
    OperationsCsv,
    /// A row a second, appended.
    SeriesCsv,
}

/// `--output`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub kind: OutputKind,
    /// Absent: standard output.
    pub file: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Output, String> {
        let expected =
            "expected KIND=FILE, such as json=result.json; KIND is json, jsonl, csv, ops-csv or series-csv";
        let (kind, file) = text.split_once('=').ok_or(expected)?;
        let kind = match kind {
            "json" => OutputKind::Json,
            "jsonl" => OutputKind::JsonLines,
            "csv" => OutputKind::Csv,
            "ops-csv" => OutputKind::OperationsCsv,
            "series-csv" => OutputKind::SeriesCsv,
            _ => return Err(expected.into()),
        };
        let file = match file {
            "" => return Err(expected.into()),
            "-" => None,
            file => Some(file.into()),
        };
        Ok(Output { kind, file })
    }
}
