//! The tables of a store, version by version. Each version is made from the one before, a new store from none.

use super::record::Record;
use rusqlite::{Connection, params};

/// The version that this rbench writes (`PRAGMA user_version`).
pub const VERSION: i64 = 2;

/// `PRAGMA application_id`: "rBch".
pub(super) const APPLICATION: i32 = 0x7242_6368;

/// Results with what they are found by; names for them.
const VERSION_1: &str = "
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    started_at INTEGER NOT NULL,
    label TEXT,
    cell_sha256 TEXT NOT NULL,
    cell_name TEXT NOT NULL,
    machine TEXT NOT NULL,
    completed INTEGER NOT NULL,
    result BLOB NOT NULL
);
CREATE TABLE pins (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, pinned_at INTEGER NOT NULL);
CREATE TABLE pinned_runs (
    pin_id INTEGER NOT NULL REFERENCES pins(id) ON DELETE CASCADE,
    run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    PRIMARY KEY (pin_id, run_id)
) WITHOUT ROWID;
CREATE INDEX pinned_by_run ON pinned_runs(run_id);
";

/// Nights, figures, tags, turns, and what must agree between runs, so that none of these needs the results.
const VERSION_2: &str = "
ALTER TABLE runs ADD COLUMN night TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN build TEXT;
ALTER TABLE runs ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN facts_id INTEGER;
CREATE INDEX runs_by_cell ON runs(cell_sha256, night);
CREATE INDEX runs_by_start ON runs(started_at);
CREATE TABLE facts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE figures (
    run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    metric TEXT NOT NULL,
    value REAL NOT NULL,
    share REAL NOT NULL,
    PRIMARY KEY (run_id, metric)
) WITHOUT ROWID;
CREATE TABLE tags (
    run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
CREATE INDEX tags_by_name ON tags(name, value);
CREATE TABLE turns (
    run_id INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,
    campaign INTEGER NOT NULL,
    side TEXT NOT NULL,
    pair INTEGER NOT NULL,
    confirms INTEGER NOT NULL,
    what TEXT NOT NULL
);
";

/// Why a store cannot be brought to this version.
pub(super) enum MigrationError {
    Sqlite(rusqlite::Error),
    Result { run: i64, why: String },
}

impl From<rusqlite::Error> for MigrationError {
    fn from(error: rusqlite::Error) -> MigrationError {
        MigrationError::Sqlite(error)
    }
}

/// The version of a store; 0 of a new one.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings a store from a version to this rbench's. To be called within a transaction.
pub(super) fn migrate(connection: &Connection, from: i64) -> Result<(), MigrationError> {
    if from < 1 {
        connection.pragma_update(None, "application_id", APPLICATION)?;
        connection.execute_batch(VERSION_1)?;
    }
    if from < 2 {
        connection.execute_batch(VERSION_2)?;
        fill_in(connection)?;
    }
    connection.pragma_update(None, "user_version", VERSION)?;
    Ok(())
}

/// Puts what version 2 has beside the results there, for all that are stored.
fn fill_in(connection: &Connection) -> Result<(), MigrationError> {
    let mut ids = connection.prepare("SELECT id FROM runs ORDER BY id")?;
    let ids: Vec<i64> = ids
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for run in ids {
        let packed: Vec<u8> =
            connection.query_row("SELECT result FROM runs WHERE id = ?1", [run], |row| row.get(0))?;
        let record = Record::unpacked(&packed).map_err(|why| MigrationError::Result { run, why })?;
        let facts = record.facts_id(connection)?;
        connection.execute(
            "UPDATE runs SET night = ?2, build = ?3, fresh = ?4, facts_id = ?5 WHERE id = ?1",
            params![run, record.night, record.build, record.fresh, facts],
        )?;
        record.insert_details(connection, run)?;
    }
    Ok(())
}
