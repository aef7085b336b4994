//! What can be wrong with a store.

use rusqlite::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};

/// What is wrong with a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "there is no place for a store: neither XDG_DATA_HOME nor HOME is an absolute path: give --store=FILE"
    )]
    NoHome,
    #[error(
        "{}: there is no store yet: runs are added with `rbench --store`, and stored results with `rbench history import`",
        path.display()
    )]
    Missing { path: PathBuf },
    #[error("{}: is no file: name a file with --store=FILE", path.display())]
    NoFile { path: PathBuf },
    #[error("{}: {what}: {error}", path.display())]
    System {
        path: PathBuf,
        what: &'static str,
        error: io::Error,
    },
    #[error(
        "{}: is no store of rbench, and no SQLite database at all: nothing was changed; name another file with --store=FILE",
        path.display()
    )]
    NoDatabase { path: PathBuf },
    #[error(
        "{}: is a database of another program: nothing was changed; name another file with --store=FILE",
        path.display()
    )]
    OtherProgram { path: PathBuf },
    #[error(
        "{}: its version is {version}, and this rbench knows versions up to {known}: use the newer rbench that wrote it, or name another file with --store=FILE",
        path.display()
    )]
    Newer { path: PathBuf, version: i64, known: i64 },
    #[error(
        "{}: cannot be written: the file, and the directory that it is in, must be writable; copy it elsewhere, or name another file with --store=FILE",
        path.display()
    )]
    ReadOnly { path: PathBuf },
    #[error(
        "{}: cannot be opened: the directory that it is in must be there, and writable",
        path.display()
    )]
    CannotOpen { path: PathBuf },
    #[error(
        "{}: another rbench has been writing to it all the time: try again when that has ended",
        path.display()
    )]
    Busy { path: PathBuf },
    #[error("{}: no space is left for it: make room, and add the results once more", path.display())]
    Full { path: PathBuf },
    #[error(
        "{}: is damaged: {error}: save what can be read (rbench history export), and import that into a new store",
        path.display()
    )]
    Damaged { path: PathBuf, error: rusqlite::Error },
    #[error("{}: {error}", path.display())]
    Sqlite { path: PathBuf, error: rusqlite::Error },
    #[error("{}: run {run} cannot be read: {why}", path.display())]
    Result { path: PathBuf, run: i64, why: String },
    #[error(
        "{}: what runs were made on (number {number} of `facts`) cannot be read: {error}: save the runs (rbench history export), and import them into a new store",
        path.display()
    )]
    Facts {
        path: PathBuf,
        number: i64,
        error: serde_json::Error,
    },
    #[error("a result cannot be written as JSON: {0}")]
    Json(serde_json::Error),
    #[error(
        "{}: is on the file system under test ({}): what is written to it would be measured too, and lost with it: name a file elsewhere with --store=FILE, or add --store-anyway",
        path.display(),
        directory.display()
    )]
    UnderTest { path: PathBuf, directory: PathBuf },
    #[error("{}: no stored run is {selector}: rbench history list --runs shows what there is", path.display())]
    NothingSelected { path: PathBuf, selector: String },
    #[error("`{name}` is no name for a pin: use letters, digits, `-`, `_`, `.` and `+`")]
    PinName { name: String },
}

impl StoreError {
    /// What SQLite says, in our words where there are better ones.
    pub(super) fn of(path: &Path, error: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NoDatabase { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly { path },
            Some(ErrorCode::CannotOpen) => StoreError::CannotOpen { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, error },
            _ => StoreError::Sqlite { path, error },
        }
    }
}
