//! Opening a store: finding the file, refusing what is none, and bringing it to this version.

use super::schema::{APPLICATION, MigrationError, VERSION, migrate, version};
use super::{Store, StoreError, place};
use crate::measure::same_file_system::{is_shared, same_file_system};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long another's writing is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How often it is tried again where SQLite itself does not wait.
const LOOK: Duration = Duration::from_millis(20);
/// How every SQLite database starts (Database File Format, 1.3).
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where the application's number stands in the header, big-endian.
const APPLICATION_AT: std::ops::Range<usize> = 68..72;
const HEADER: usize = 100;

impl Store {
    /// Opens a store for writing; makes it where there is none. `place` is the file, else `$XDG_DATA_HOME/rbench/history.db`.
    ///
    /// # Errors
    /// There is no place for it, it is something else or a later version's, or it cannot be written.
    pub fn open(place: Option<&Path>) -> Result<Store, StoreError> {
        let file = place::file(place)?;
        if place.is_none() {
            make_directory(&file)?;
        }
        make(&file)?;
        let store = connect(file)?;
        // Whether it can be written shows only here.
        drop(store.writing()?);
        Ok(store)
    }

    /// Opens a store that must be there. One of an older version is brought to this one.
    ///
    /// # Errors
    /// As [`Store::open`], and where there is none.
    pub fn open_existing(place: Option<&Path>) -> Result<Store, StoreError> {
        let path = place::file(place)?;
        match fs::metadata(&path) {
            Ok(_) => connect(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::Missing { path }),
            Err(error) => Err(system(&path, "cannot be read", error)),
        }
    }

    /// Refuses a place on the file system under test. Nothing is touched.
    ///
    /// # Errors
    /// It is on the same file system as `directory`, or there is no place for a store.
    pub fn check_place(place: Option<&Path>, directory: &Path) -> Result<(), StoreError> {
        let file = place::file(place)?;
        let absolute = std::path::absolute(&file).unwrap_or_else(|_| file.clone());
        // Where it will be made: the nearest directory that is there.
        let nearest = absolute.ancestors().find(|path| path.exists());
        match nearest {
            Some(nearest) if same_file_system(nearest, directory) => Err(StoreError::UnderTest {
                path: file,
                directory: directory.to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

fn system(path: &Path, what: &'static str, error: io::Error) -> StoreError {
    StoreError::System {
        path: path.to_owned(),
        what,
        error,
    }
}

/// Makes the directory of the store that nobody has named (as that specification says, for nobody else).
fn make_directory(file: &Path) -> Result<(), StoreError> {
    let Some(directory) = file.parent() else {
        return Ok(());
    };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| system(directory, "the directory of the store cannot be made", error))
}

/// Makes the file where there is none: results name paths and machines, and are for their owner. (SQLite gives the files
/// that it makes beside it the same mode; whoever wants to share it changes that.)
fn make(file: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    let made = options.write(true).create_new(true).mode(0o600).open(file);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(system(file, "the store cannot be made", error)),
    }
}

/// Refuses what is no store, before SQLite sees it: a database that was not closed well would be changed by being opened.
fn check_header(path: &Path) -> Result<(), StoreError> {
    let unreadable = |error| system(path, "cannot be read", error);
    let about = fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(StoreError::NoFile {
            path: path.to_owned(),
        });
    }
    let mut header = Vec::with_capacity(HEADER);
    let file = File::open(path).map_err(unreadable)?;
    file.take(HEADER as u64)
        .read_to_end(&mut header)
        .map_err(unreadable)?;
    // A new store, of which nothing is written yet.
    if header.is_empty() {
        return Ok(());
    }
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        return Err(StoreError::NoDatabase {
            path: path.to_owned(),
        });
    }
    if header.get(APPLICATION_AT) != Some(&APPLICATION.to_be_bytes()) {
        return Err(StoreError::OtherProgram {
            path: path.to_owned(),
        });
    }
    Ok(())
}

fn connect(path: PathBuf) -> Result<Store, StoreError> {
    check_header(&path)?;
    let failed = |error| StoreError::of(&path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags).map_err(failed)?;
    connection.busy_timeout(LONGEST_WAIT).map_err(failed)?;
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(failed)?;
    connection
        .pragma_update(None, "foreign_keys", true)
        .map_err(failed)?;
    // The tables come before the journal's mode: so the header tells at once whose file it is.
    bring_up(&connection, &path)?;
    let read_only = connection.is_readonly("main").map_err(failed)?;
    if !read_only {
        set_journal(&connection, &path)?;
    }
    Ok(Store {
        connection,
        file: path,
    })
}

/// Makes the tables, or brings those of an older version to this one: all or nothing.
fn bring_up(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::of(path, error);
    let refuse_newer = |version: i64| match version {
        ..=VERSION => Ok(version),
        version => Err(StoreError::Newer {
            path: path.to_owned(),
            version,
            known: VERSION,
        }),
    };
    if refuse_newer(version(connection).map_err(failed)?)? == VERSION {
        return Ok(());
    }
    let transaction =
        Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(failed)?;
    // Another may have done it meanwhile.
    let from = refuse_newer(version(connection).map_err(failed)?)?;
    if from < VERSION {
        migrate(connection, from).map_err(|error| match error {
            MigrationError::Sqlite(error) => failed(error),
            MigrationError::Result { run, why } => StoreError::Result {
                path: path.to_owned(),
                run,
                why,
            },
        })?;
    }
    transaction.commit().map_err(failed)
}

/// A write-ahead log, which lets others read meanwhile, needs memory that all who use the file share: on a file system
/// that several machines may have mounted it is a rollback journal (SQLite, Write-Ahead Logging, 1).
fn set_journal(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let wanted = if is_shared(path) { "delete" } else { "wal" };
    let start = Instant::now();
    loop {
        let told: rusqlite::Result<String> =
            connection.pragma_update_and_check(None, "journal_mode", wanted, |row| row.get(0));
        match told {
            // What the file system cannot do, SQLite does not: then it stays as it was.
            Ok(_) => return Ok(()),
            // For this, SQLite does not always wait.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < LONGEST_WAIT =>
            {
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(StoreError::of(path, error)),
        }
    }
}
