//! Files of results, as commands read them.

use super::Failure;
use crate::output::document::ReadError;
use crate::output::{OutputKind, table};
use crate::report::printable;
use anyhow::{Context, anyhow};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most text that is read, uncompressed, bytes: some ten thousand results.
const LARGEST: u64 = 1 << 30;
/// How a gzip-compressed file starts (RFC 1952).
const GZIP: &[u8] = b"\x1f\x8b";

/// How a file is called in messages, and its text.
pub(super) fn results_text(path: &Path) -> Result<(String, String), Failure> {
    let shown = match path.to_str() {
        Some("-") => "standard input".into(),
        _ => printable(&path.display().to_string()),
    };
    let text = text(path)
        .with_context(|| format!("{shown}: cannot be read"))
        .map_err(Failure::usage)?;
    if is_table(&text) {
        return Err(Failure::usage(anyhow!(
            "{shown}: is a csv table: json and jsonl hold results that can be read"
        )));
    }
    Ok((shown, text))
}

/// A result in it cannot be read.
pub(super) fn unreadable(file: &str, error: &ReadError) -> Failure {
    Failure::usage(anyhow!("{file}:{}", printable(&error.to_string())))
}

/// The text of a stored result, unpacked; `-` is standard input.
pub(super) fn text(path: &Path) -> io::Result<String> {
    let mut bytes = if path == Path::new("-") {
        bounded(io::stdin().lock())?
    } else {
        bounded(File::open(path)?)?
    };
    if bytes.starts_with(GZIP) {
        bytes = bounded(MultiGzDecoder::new(&bytes[..]))?;
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"))
}

/// Whether a text is one of our csv tables.
fn is_table(text: &str) -> bool {
    let first = text.lines().next();
    [OutputKind::Csv, OutputKind::OperationsCsv, OutputKind::SeriesCsv]
        .into_iter()
        .any(|kind| table::header(kind).as_deref() == first)
}

/// All there is, if it is not too much.
fn bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(
            "it is larger than 1 GiB: take it apart, jsonl by lines",
        ));
    }
    Ok(bytes)
}
