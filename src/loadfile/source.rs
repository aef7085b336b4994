//! A loadfile's text, in memory, with its name for messages.

use super::error::{LoadError, Problem, Problems};
use flate2::bufread::MultiGzDecoder;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// The text of a loadfile, uncompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What messages call it: the path as it was given, or the bundled load's name.
    pub name: String,
    pub text: Vec<u8>,
}

/// A line cut down to what fits in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// Column of the caret in `text`, from 1.
    pub caret: usize,
}

const EXCERPT_WIDTH: usize = 100;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The largest text, uncompressed, bytes: 2 GiB, eighty times the usual one.
pub const LARGEST: u64 = 2 << 30;
/// What is taken at first for the text of a gzip file, at most.
const GZIP_GUESS: usize = 256 << 20;
/// How much of a file one thread reads at once.
const PIECE: usize = 2 << 20;

/// At most one byte more than [`LARGEST`].
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() && (1..=LARGEST).contains(&about.len()) {
        // Half of the time is the kernel's, for fresh pages and the copy: all cores share it.
        let mut bytes = vec![0; about.len() as usize];
        let pieces = bytes.par_chunks_mut(PIECE).enumerate();
        let read = pieces.map(|(index, piece)| file.read_exact_at(piece, (index * PIECE) as u64));
        if read.collect::<io::Result<()>>().is_ok() {
            return Ok(bytes);
        }
        // It has changed meanwhile, or cannot be read at an offset: once more, from the start.
    }
    let mut bytes = Vec::new();
    Read::by_ref(&mut file)
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn too_large_for(name: String) -> LoadError {
    let help = "run a part of it (--slice), or remove what repeats (LOOP, REPEAT)";
    whole_file(name, "the loadfile is larger than 2 GiB".to_owned(), help)
}

/// A problem of the file as a whole.
fn whole_file(name: String, what: String, help: &str) -> LoadError {
    let problem = Problem {
        line: 0,
        column: 0,
        what,
        help: help.to_owned(),
    };
    let text = Vec::new();
    LoadError::Problems(Problems::new(Arc::new(Source { name, text }), vec![problem]))
}

impl Source {
    /// A source from text at hand.
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Source {
        Source {
            name: name.into(),
            text: text.into(),
        }
    }

    /// Reads a file, uncompressing it if it is gzip (by its content, not its name).
    ///
    /// # Errors
    /// The file cannot be read; it is a gzip file that is truncated or damaged; it is larger than [`LARGEST`].
    pub fn read(path: &Path) -> Result<Source, LoadError> {
        let name = path.display().to_string();
        let bytes = read_bytes(path).map_err(|error| LoadError::Read {
            path: path.to_owned(),
            error,
        })?;
        let too_large = bytes.len() as u64 > LARGEST;
        if !bytes.starts_with(&GZIP_MAGIC) || too_large {
            return match too_large {
                true => Err(too_large_for(name)),
                false => Ok(Source { name, text: bytes }),
            };
        }
        let mut text = Vec::with_capacity(bytes.len().saturating_mul(8).min(GZIP_GUESS));
        match MultiGzDecoder::new(&bytes[..])
            .take(LARGEST + 1)
            .read_to_end(&mut text)
        {
            Ok(_) if text.len() as u64 > LARGEST => Err(too_large_for(name)),
            Ok(_) => Ok(Source { name, text }),
            Err(error) => Err(whole_file(
                name,
                format!("the gzip data are truncated or damaged: {error}"),
                "copy the file again, or check it with gzip -t",
            )),
        }
    }

    /// SHA-256 of the text: 64 hexadecimal digits.
    pub fn sha256(&self) -> String {
        Sha256::digest(&self.text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// The bytes of a line (from 1), without its line end.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let mut lines = self.text.split(|&byte| byte == b'\n');
        let line = lines.nth((number as usize).checked_sub(1)?)?;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Column (from 1) of the blank-separated token `index` (from 0) of a line; quoted tokens count as one.
    pub fn token_column(&self, line: u32, index: usize) -> u32 {
        let Some(text) = self.line(line) else { return 0 };
        let mut position = 0;
        let mut seen = 0;
        loop {
            while text.get(position).is_some_and(u8::is_ascii_whitespace) {
                position += 1;
            }
            if seen == index || position >= text.len() {
                return position.min(text.len()) as u32 + 1;
            }
            let quoted = text[position] == b'"';
            position += 1;
            while position < text.len() {
                let byte = text[position];
                if quoted && byte == b'"' {
                    position += 1;
                    break;
                }
                if !quoted && byte.is_ascii_whitespace() {
                    break;
                }
                position += 1;
            }
            seen += 1;
        }
    }

    /// The part of a line around a column, printable.
    pub(super) fn excerpt(&self, line: u32, column: u32) -> Option<Excerpt> {
        let bytes = self.line(line)?;
        let column = (column.max(1) as usize - 1).min(bytes.len());
        let start = column.saturating_sub(EXCERPT_WIDTH * 3 / 4);
        let end = bytes.len().min(start + EXCERPT_WIDTH);
        let show = |part: &[u8]| -> String {
            String::from_utf8_lossy(part)
                .chars()
                .map(|c| if c.is_control() { '\u{fffd}' } else { c })
                .collect()
        };
        let lead = if start > 0 { "…" } else { "" };
        let before = format!("{lead}{}", show(&bytes[start..column]));
        let caret = before.chars().count() + 1;
        let tail = if end < bytes.len() { "…" } else { "" };
        Some(Excerpt {
            text: format!("{before}{}{tail}", show(&bytes[column..end])),
            caret,
        })
    }
}
