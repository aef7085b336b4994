//! The JSON document of a campaign, and reading it, or lines of JSON, back.

use crate::result::{End, RunResult, SCHEMA_VERSION};
use crate::stats::Summary;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Why a text holds no results. Line and column count from 1; columns in bytes.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ReadError {
    #[error("{line}:{column}: {what}")]
    Json {
        line: usize,
        column: usize,
        what: String,
    },
    #[error(
        "{line}:{column}: the file ends in the middle of a result: it was cut short; the results before it are whole"
    )]
    Truncated { line: usize, column: usize },
    #[error("{line}:{column}: is no result of rbench: it has no `schema_version`")]
    NoResult { line: usize, column: usize },
    #[error(
        "{line}:{column}: has schema_version {version}, and this rbench reads versions up to {SCHEMA_VERSION}: read it with the newer rbench that wrote it"
    )]
    Newer {
        line: usize,
        column: usize,
        version: u64,
    },
    #[error(" holds no result")]
    Empty,
}

/// How a campaign's figures lie over its runs. Only runs that completed count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunsSummary {
    pub bytes_per_second: Option<Summary>,
    pub operations_per_second: Option<Summary>,
    /// Of the runs' 99th percentiles, nanoseconds.
    pub p99_ns: Option<Summary>,
}

/// A campaign's runs, so far.
#[derive(Debug, Default)]
pub struct Document {
    /// Each as it stands in the document.
    runs: Vec<String>,
    bytes_per_second: Vec<f64>,
    operations_per_second: Vec<f64>,
    p99: Vec<f64>,
}

impl Document {
    /// Adds a run.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn add(&mut self, run: &RunResult) -> serde_json::Result<()> {
        let text = serde_json::to_string_pretty(run)?;
        self.runs.push(text.replace('\n', "\n    "));
        if run.end == End::Completed {
            self.bytes_per_second.push(run.bytes_per_second);
            self.operations_per_second.extend(run.operations_per_second());
            let p99 = run.percentile(0.99);
            self.p99.extend(p99.map(|latency| latency.as_nanos() as f64));
        }
        Ok(())
    }

    /// Whether there is no run yet.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How the figures lie over the runs; absent for less than two that completed.
    pub fn summary(&self) -> Option<RunsSummary> {
        (self.bytes_per_second.len() > 1).then(|| RunsSummary {
            bytes_per_second: Summary::of(&self.bytes_per_second),
            operations_per_second: Summary::of(&self.operations_per_second),
            p99_ns: Summary::of(&self.p99),
        })
    }

    /// The whole text.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn text(&self) -> serde_json::Result<String> {
        let summary = serde_json::to_string_pretty(&self.summary())?.replace('\n', "\n  ");
        let runs = self.runs.join(",\n    ");
        Ok(format!(
            "{{\n  \"schema_version\": {SCHEMA_VERSION},\n  \"runs\": [\n    {runs}\n  ],\n  \"summary\": {summary}\n}}\n"
        ))
    }
}

/// A value of a file: a run, or a document with several.
#[derive(Default, Deserialize)]
struct Shape<'t> {
    schema_version: Option<Value>,
    #[serde(borrow)]
    runs: Option<Vec<&'t RawValue>>,
}

/// The results of a text, one after the other, until one cannot be read.
pub fn results(text: &str) -> impl Iterator<Item = Result<RunResult, ReadError>> {
    results_as_written(text).map(|read| read.map(|(run, _)| run))
}

/// The same, each with the part of the text that it was read from.
pub fn results_as_written(text: &str) -> impl Iterator<Item = Result<(RunResult, &str), ReadError>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut of_document: std::vec::IntoIter<&RawValue> = Vec::new().into_iter();
    let (mut any, mut ended) = (false, false);
    std::iter::from_fn(move || {
        while !ended {
            if let Some(run) = of_document.next() {
                any = true;
                let read = check_version(text, run).and_then(|_| parse(text, run));
                let read = read.map(|parsed| (parsed, run.get()));
                ended = read.is_err();
                return Some(read);
            }
            let value = match values.next() {
                Some(Ok(value)) => value,
                Some(Err(error)) => {
                    ended = true;
                    return Some(Err(broken(text, text, &error)));
                }
                None => {
                    ended = true;
                    return (!any).then_some(Err(ReadError::Empty));
                }
            };
            match check_version(text, value) {
                Ok(Some(runs)) => of_document = runs.into_iter(),
                Ok(None) => of_document = vec![value].into_iter(),
                Err(error) => {
                    ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    })
}

/// Refuses what is no result, or a later version's; the runs of a document.
fn check_version<'t>(text: &str, value: &'t RawValue) -> Result<Option<Vec<&'t RawValue>>, ReadError> {
    let shape = serde_json::from_str::<Shape<'t>>(value.get()).unwrap_or_default();
    let version = shape.schema_version.and_then(|version| version.as_u64());
    if version.is_some_and(|version| version <= u64::from(SCHEMA_VERSION)) {
        return Ok(shape.runs);
    }
    let (line, column) = position(text, value.get(), 1, 1);
    Err(match version {
        Some(version) => ReadError::Newer {
            line,
            column,
            version,
        },
        None => ReadError::NoResult { line, column },
    })
}

fn parse(text: &str, run: &RawValue) -> Result<RunResult, ReadError> {
    serde_json::from_str(run.get()).map_err(|error| broken(text, run.get(), &error))
}

/// An error in a part of a text.
fn broken(text: &str, part: &str, error: &serde_json::Error) -> ReadError {
    let (line, column) = position(text, part, error.line(), error.column());
    // A number that was cut short is a wrong number to the library.
    let end = position(text, &text[text.len()..], 1, 0);
    let cut = error.is_syntax() && (line, column) == end && text.trim_start().starts_with('{');
    if error.is_eof() || cut {
        return ReadError::Truncated { line, column };
    }
    let what = error.to_string();
    // The library adds the place, within the part.
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = what.strip_suffix(&place).unwrap_or(&what).to_owned();
    ReadError::Json { line, column, what }
}

/// A place in a part of a text as a place in the whole.
fn position(text: &str, part: &str, line: usize, column: usize) -> (usize, usize) {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = &text.as_bytes()[..start.min(text.len())];
    let lines = before.iter().filter(|&&byte| byte == b'\n').count();
    let on_first = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
    let column = if line <= 1 { on_first + column } else { column };
    (lines + line, column)
}
