//! One output over a campaign.

use super::document::Document;
use super::error::OutputError;
use super::file::Destination;
use super::kind::OutputKind;
use super::table;
use crate::result::{RunResult, SCHEMA_VERSION};
use serde::Deserialize;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};

/// Longest first line that is looked at. A result has some hundred bytes for each client, second and kind.
const LONGEST_LINE: u64 = 256 << 20;

pub(super) struct Sink {
    kind: OutputKind,
    pub(super) destination: Destination,
    document: Document,
    /// What is written in place, once it is open.
    stream: Option<Box<dyn Write>>,
    /// It could not be written once: nobody reads that pipe any more, and opening it again would wait for somebody.
    broken: bool,
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sink {
            kind, destination, ..
        } = self;
        write!(f, "Sink({kind:?}, {destination:?})")
    }
}

impl Sink {
    /// Whether it holds all runs as a whole.
    pub(super) fn is_document(&self) -> bool {
        self.kind == OutputKind::Json
    }

    pub(super) fn new(kind: OutputKind, destination: Destination) -> Sink {
        Sink {
            kind,
            destination,
            document: Document::default(),
            stream: None,
            broken: false,
        }
    }

    /// Checks that what is added fits what is there.
    pub(super) fn check_old(&self) -> Result<(), OutputError> {
        let Destination::File { path, .. } = &self.destination else {
            return Ok(());
        };
        if self.kind == OutputKind::Json {
            return Ok(());
        }
        match File::open(path) {
            Ok(mut old) => self.check_first_line(&mut old).map(|_| ()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.unreadable(error)),
        }
    }

    pub(super) fn add(&mut self, run: &RunResult) -> Result<(), OutputError> {
        match self.kind {
            OutputKind::Json => {
                self.document.add(run).map_err(OutputError::Json)?;
                match self.destination {
                    Destination::File { .. } => self.write_document(),
                    _ => Ok(()),
                }
            }
            OutputKind::JsonLines => {
                let line = serde_json::to_string(run).map_err(OutputError::Json)? + "\n";
                self.append(&line)
            }
            kind => self.append(&table::rows(kind, run).unwrap_or_default()),
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), OutputError> {
        match self.destination {
            Destination::File { .. } => Ok(()),
            _ if self.kind == OutputKind::Json && !self.document.is_empty() => self.write_document(),
            _ => Ok(()),
        }
    }

    fn write_document(&self) -> Result<(), OutputError> {
        let text = self.document.text().map_err(OutputError::Json)?;
        self.destination.replace(|out| self.put(out, text.as_bytes()))
    }

    /// Adds lines; before the first ones the header.
    fn append(&mut self, lines: &str) -> Result<(), OutputError> {
        if let Destination::File { .. } = self.destination {
            return self.append_to_file(lines);
        }
        if self.broken {
            return Ok(());
        }
        self.broken = true;
        let mut text = String::new();
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                text.push_str(&self.header());
                let opened = self.destination.open_in_place()?;
                opened.unwrap_or_else(|| unreachable!("only a file is not written in place"))
            }
        };
        text.push_str(lines);
        self.put(&mut stream, text.as_bytes())?;
        self.stream = Some(stream);
        self.broken = false;
        Ok(())
    }

    fn append_to_file(&self, lines: &str) -> Result<(), OutputError> {
        self.destination.change(|old, out| {
            // Another run may have made it since the check before the run.
            if self.check_first_line(old)? {
                let ends = self.copy(old, out)?;
                self.put(out, if ends { b"" } else { b"\n" })?;
            } else {
                self.put(out, self.header().as_bytes())?;
            }
            self.put(out, lines.as_bytes())
        })
    }

    /// Copies the old content; whether its last line has an end.
    fn copy(&self, old: &mut File, out: &mut dyn Write) -> Result<bool, OutputError> {
        let mut buffer = vec![0; 1 << 16];
        let mut last = b'\n';
        loop {
            let count = match old.read(&mut buffer) {
                Ok(0) => return Ok(last == b'\n'),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.unreadable(error)),
            };
            last = buffer[count - 1];
            self.put(out, &buffer[..count])?;
        }
    }

    /// Whether there is any content, and refuses what is not ours. The file is at its start before and after.
    fn check_first_line(&self, old: &mut File) -> Result<bool, OutputError> {
        let failed = |error| self.unreadable(error);
        let header = table::header(self.kind);
        let most = header
            .as_ref()
            .map_or(LONGEST_LINE, |header| header.len() as u64 + 2);
        let mut line = Vec::new();
        let mut reader = BufReader::new(&*old).take(most);
        reader.read_until(b'\n', &mut line).map_err(failed)?;
        old.seek(SeekFrom::Start(0)).map_err(failed)?;
        if line.is_empty() {
            return Ok(false);
        }
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let path = || self.destination.shown().to_owned();
        match header {
            Some(header) if line.strip_suffix(b"\r").unwrap_or(line) != header.as_bytes() => {
                Err(OutputError::OtherColumns { path: path(), header })
            }
            None if !is_result(line) => Err(OutputError::OtherLines { path: path() }),
            _ => Ok(true),
        }
    }

    /// The header and the end of its line; empty for what has none.
    fn header(&self) -> String {
        let header = table::header(self.kind);
        header.map(|header| header + "\n").unwrap_or_default()
    }

    fn put(&self, out: &mut dyn Write, bytes: &[u8]) -> Result<(), OutputError> {
        let written = out.write_all(bytes).and_then(|()| match self.destination {
            Destination::File { .. } => Ok(()),
            _ => out.flush(),
        });
        written.map_err(|error| self.destination.error("cannot be written", error).into())
    }

    fn unreadable(&self, error: io::Error) -> OutputError {
        self.destination
            .error("what it holds cannot be read", error)
            .into()
    }
}

/// Whether a line is a whole result of this version.
fn is_result(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Shape {
        schema_version: u32,
        #[serde(rename = "elapsed_ns")]
        _elapsed: u64,
    }
    serde_json::from_slice::<Shape>(line).is_ok_and(|shape| shape.schema_version == SCHEMA_VERSION)
}
