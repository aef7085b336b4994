//! The store as one more output.

use super::error::OutputError;
use crate::result::RunResult;
use crate::store::{Store, StoreError, StorePlace};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A store that runs are added to.
#[derive(Debug)]
pub(super) struct StoreSink {
    store: Store,
}

impl StoreSink {
    /// Opens it, and makes it where there is none.
    ///
    /// # Errors
    /// It is on the file system of one of the directories (unless `anyway`), or cannot be written.
    pub(super) fn open<'d>(
        place: &StorePlace,
        anyway: bool,
        directories: impl IntoIterator<Item = &'d Path>,
    ) -> Result<StoreSink, StoreError> {
        let file = place.file.as_deref();
        if !anyway {
            for directory in directories {
                Store::check_place(file, directory)?;
            }
        }
        let store = Store::open(file)?;
        Ok(StoreSink { store })
    }

    /// Adds a run. Where that fails, it is kept in a file, from which it can be imported.
    ///
    /// # Errors
    /// It could not be added.
    pub(super) fn add(&self, run: &RunResult) -> Result<(), OutputError> {
        let Err(error) = self.store.add(run) else {
            return Ok(());
        };
        let store = self.store.file().to_owned();
        let line = serde_json::to_string(run).map_err(OutputError::Json)? + "\n";
        let places = [beside(&store), in_temporary(&store)];
        let mut kept = places.iter().filter(|place| append(place, &line).is_ok());
        Err(match kept.next() {
            Some(file) => OutputError::NotAdded {
                error: Box::new(error),
                store,
                file: file.clone(),
            },
            None => OutputError::Lost(Box::new(error)),
        })
    }
}

/// `history.db.not-added.jsonl`, beside the store.
fn beside(store: &Path) -> PathBuf {
    let mut name = OsString::from(store);
    name.push(".not-added.jsonl");
    name.into()
}

fn in_temporary(store: &Path) -> PathBuf {
    let name = beside(Path::new(store.file_name().unwrap_or_default()));
    std::env::temp_dir().join(name)
}

/// Adds a line to a file that is there, or is made, and brings it to the disk. (No link is followed: others may write in
/// the directory of temporary files.)
fn append(file: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    let mut file = options
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(file)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{RunInfo, RunOptions};

    #[test]
    fn a_result_that_cannot_be_added_is_kept_and_can_be_imported() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("s.db");
        let place = StorePlace {
            file: Some(file.clone()),
        };
        let sink = StoreSink::open(&place, false, []).unwrap();
        // Another takes the tables away.
        let other = rusqlite::Connection::open(&file).unwrap();
        other
            .execute_batch("DROP TABLE figures; DROP TABLE runs")
            .unwrap();
        let run = RunResult::not_made(RunInfo::now(RunOptions::default()), 1, "no".into());
        for _ in 0..2 {
            let error = sink.add(&run).unwrap_err().to_string();
            assert!(error.contains("s.db.not-added.jsonl: add it with"), "{error}");
        }
        let kept = std::fs::read_to_string(directory.path().join("s.db.not-added.jsonl")).unwrap();
        let runs = crate::output::document::results(&kept).map(Result::unwrap);
        assert_eq!(runs.collect::<Vec<_>>(), [run.clone(), run]);
    }
}
