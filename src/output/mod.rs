//! Results in files and on standard output: `--output`. docs/results.md tells the forms.

pub mod document;
mod error;
pub mod file;
mod kind;
mod sink;
mod stored;
pub mod table;

pub use error::{OutputError, OutputErrors};
pub use kind::{Output, OutputKind};

use crate::result::RunResult;
use crate::store::StorePlace;
use file::{Destination, FileError};
use sink::Sink;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use stored::StoreSink;

/// What was asked for with `--output`, ready to be written.
#[derive(Debug, Default)]
pub struct Outputs {
    sinks: Vec<Sink>,
    store: Option<StoreSink>,
}

impl Outputs {
    /// Checks all that can be checked before a run in `directory` starts. Nothing is touched.
    ///
    /// # Errors
    /// An output cannot be written there, must not be there, or holds what it must not be added to.
    pub fn prepare(wanted: &[Output], directory: &Path) -> Result<Outputs, OutputError> {
        let mut sinks: Vec<Sink> = Vec::new();
        for Output { kind, file } in wanted {
            let destination = match file {
                None => Destination::StandardOutput,
                Some(path) => Destination::find(path)?,
            };
            destination.check()?;
            check_place(&destination, directory)?;
            if let Some(other) = sinks.iter().find(|other| same(&other.destination, &destination)) {
                return Err(match destination {
                    Destination::StandardOutput => OutputError::SeveralOnStdout,
                    _ => OutputError::Twice {
                        first: other.destination.shown().to_owned(),
                        second: destination.shown().to_owned(),
                    },
                });
            }
            let sink = Sink::new(*kind, destination);
            sink.check_old()?;
            sinks.push(sink);
        }
        Ok(Outputs { sinks, store: None })
    }

    /// The same, and the store that `--store` names, if it does: runs are added to it too. It is opened at last, when
    /// nothing else is wrong.
    ///
    /// # Errors
    /// It is on the file system of one of these directories, which are those under test (and `anyway` is not given); it
    /// is something else than a store; or it cannot be written.
    pub fn and_store<'d>(
        self,
        place: Option<&StorePlace>,
        anyway: bool,
        directories: impl IntoIterator<Item = &'d Path>,
    ) -> Result<Outputs, OutputError> {
        let store = place.map(|place| StoreSink::open(place, anyway, directories));
        Ok(Outputs {
            store: store
                .transpose()
                .map_err(|error| OutputError::Store(Box::new(error)))?,
            ..self
        })
    }

    /// Whether one goes to standard output, where then nothing else may be.
    pub fn on_stdout(&self) -> bool {
        let mut destinations = self.sinks.iter().map(|sink| &sink.destination);
        destinations.any(|destination| *destination == Destination::StandardOutput)
    }

    /// Keeps a run. When one output fails, the others are written all the same.
    ///
    /// # Errors
    /// Those of all outputs that cannot be written.
    pub fn add(&mut self, run: &RunResult) -> Result<(), OutputErrors> {
        let stored = self.store.iter().map(|store| store.add(run));
        OutputErrors::of(self.sinks.iter_mut().map(|sink| sink.add(run)).chain(stored))
    }

    /// Keeps a run that is in a file already in documents only, which hold all runs, and in the store, which knows each.
    ///
    /// # Errors
    /// Those of all outputs that cannot be written.
    pub fn add_to_documents(&mut self, run: &RunResult) -> Result<(), OutputErrors> {
        let documents = self.sinks.iter_mut().filter(|sink| sink.is_document());
        let stored = self.store.iter().map(|store| store.add(run));
        OutputErrors::of(documents.map(|sink| sink.add(run)).chain(stored))
    }

    /// After the last run: writes the documents that had to wait for it, because they cannot be written again.
    ///
    /// # Errors
    /// Those of all outputs that cannot be written.
    pub fn finish(&mut self) -> Result<(), OutputErrors> {
        OutputErrors::of(self.sinks.iter_mut().map(Sink::finish))
    }
}

/// What is in the clients' directory is removed at the end.
fn check_place(destination: &Destination, directory: &Path) -> Result<(), OutputError> {
    let Destination::File { named, path } = destination else {
        return Ok(());
    };
    // Where there is no such directory, the run cannot start.
    let Ok(directory) = fs::canonicalize(directory) else {
        return Ok(());
    };
    let clients = directory.join("clients");
    if path.starts_with(&clients) {
        return Err(OutputError::InClients {
            path: named.clone(),
            clients,
        });
    }
    Ok(())
}

/// Whether two would write over each other. A device takes everything from everybody.
fn same(one: &Destination, other: &Destination) -> bool {
    match (one, other) {
        (Destination::StandardOutput, Destination::StandardOutput) => true,
        (Destination::File { path: one, .. }, Destination::File { path: other, .. }) => {
            let inode = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
            one == other || inode(one).is_some_and(|one| inode(other) == Some(one))
        }
        _ => false,
    }
}

impl From<FileError> for OutputError {
    fn from(error: FileError) -> OutputError {
        OutputError::File(error)
    }
}
