//! What can be wrong with an output.

use super::file::{Destination, FileError};
use crate::store::StoreError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What is wrong with an output.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error(transparent)]
    File(FileError),
    #[error("only one --output can be standard output: name files for the others")]
    SeveralOnStdout,
    #[error("--output names the same file twice ({} and {}): name one for each", first.display(), second.display())]
    Twice { first: PathBuf, second: PathBuf },
    #[error("{}: is in {}, which the run removes: name a file elsewhere", path.display(), clients.display())]
    InClients { path: PathBuf, clients: PathBuf },
    #[error(
        "{}: its first line is not the header that this rbench writes ({}): name another file; it would be added to a file of other columns",
        path.display(),
        shortened(header)
    )]
    OtherColumns { path: PathBuf, header: String },
    #[error("{}: its first line is no result of this version of rbench: name another file; a line would be added to it", path.display())]
    OtherLines { path: PathBuf },
    #[error("a result cannot be written as JSON: {0}")]
    Json(serde_json::Error),
    #[error("--store: {0}")]
    Store(Box<StoreError>),
    #[error(
        "the result was not added to the store: {error}; it is kept in {}: add it with `rbench history import --store={} {}`",
        file.display(),
        store.display(),
        file.display()
    )]
    NotAdded {
        error: Box<StoreError>,
        store: PathBuf,
        file: PathBuf,
    },
    #[error("the result was not added to the store, and could not be kept in a file beside it either: {0}")]
    Lost(Box<StoreError>),
}

/// All that went wrong with the outputs of a run.
#[derive(Debug)]
pub struct OutputErrors(Vec<OutputError>);

impl OutputErrors {
    pub(super) fn of(done: impl Iterator<Item = Result<(), OutputError>>) -> Result<(), OutputErrors> {
        let errors: Vec<_> = done.filter_map(Result::err).collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(OutputErrors(errors))
        }
    }

    /// Whether that is all: nobody reads standard output any more.
    pub fn is_closed_pipe(&self) -> bool {
        self.0.iter().all(|error| match error {
            OutputError::File(FileError::System { path, error, .. }) => {
                path == Destination::StandardOutput.shown() && error.kind() == io::ErrorKind::BrokenPipe
            }
            _ => false,
        })
    }
}

impl fmt::Display for OutputErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let newline = if index > 0 { "\n" } else { "" };
            write!(f, "{newline}rbench: {error}")?;
        }
        Ok(())
    }
}

/// The first columns of a header.
fn shortened(header: &str) -> String {
    let mut columns: Vec<&str> = header.split(',').collect();
    if columns.len() > 4 {
        columns.truncate(4);
        columns.push("…");
    }
    columns.join(",")
}
