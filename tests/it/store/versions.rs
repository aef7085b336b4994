//! Stores of other versions, and what is no store.

use super::{run, stored};
use crate::scratch::Scratch;
use flate2::Compression;
use flate2::write::GzEncoder;
use rbench::compare::{CellKey, Metric, figures};
use rbench::result::RunResult;
use rbench::store::{Selector, Store, StoreError, VERSION};
use rusqlite::{Connection, params};
use std::fs;
use std::io::Write;
use std::path::Path;

/// A store as version 1 made it.
fn version_1(file: &Path, runs: &[RunResult]) {
    let database = Connection::open(file).unwrap();
    database
        .execute_batch(
            "PRAGMA application_id = 1916953448;
             PRAGMA user_version = 1;
             CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE,
                started_at INTEGER NOT NULL, label TEXT, cell_sha256 TEXT NOT NULL, cell_name TEXT NOT NULL,
                machine TEXT NOT NULL, completed INTEGER NOT NULL, result BLOB NOT NULL);
             CREATE TABLE pins (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
                pinned_at INTEGER NOT NULL);
             CREATE TABLE pinned_runs (
                pin_id INTEGER NOT NULL REFERENCES pins(id) ON DELETE CASCADE,
                run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
                PRIMARY KEY (pin_id, run_id)) WITHOUT ROWID;
             CREATE INDEX pinned_by_run ON pinned_runs(run_id);
             INSERT INTO pins (id, name, pinned_at) VALUES (1, 'base', 0);",
        )
        .unwrap();
    for (number, run) in (1..).zip(runs) {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&serde_json::to_vec(run).unwrap()).unwrap();
        let cell = CellKey::of(run);
        let started: i64 = run.info.started_at.as_nanosecond().try_into().unwrap();
        database
            .execute(
                "INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8)",
                params![
                    number,
                    format!("uid {number}"),
                    started,
                    run.info.label,
                    cell.sha256,
                    cell.name,
                    cell.machine,
                    packed.finish().unwrap()
                ],
            )
            .unwrap();
    }
    database
        .execute("INSERT INTO pinned_runs VALUES (1, 2)", [])
        .unwrap();
}

fn user_version(file: &Path) -> i64 {
    let database = Connection::open(file).unwrap();
    database
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

#[test]
fn a_store_of_version_1_is_brought_to_this_version_with_all_that_it_holds() {
    let scratch = Scratch::new();
    let file = scratch.path().join("old.db");
    let mut runs = vec![run(0), run(24), run(48)];
    runs[1].info.label = Some("v6.9".into());
    runs[2].info.tags = [("night".to_owned(), "2026-05-05".to_owned())].into();
    version_1(&file, &runs);
    assert_eq!(user_version(&file), 1);
    let store = Store::open_existing(Some(&file)).unwrap();
    assert_eq!(user_version(&file), VERSION);
    let select = |text: &str| store.select(&text.parse::<Selector>().unwrap()).unwrap();
    assert_eq!(select("night:2026-01-02"), [runs[0].clone()]);
    assert_eq!(select("night:2026-05-05"), [runs[2].clone()]);
    assert_eq!(select("tag:night=2026-05-05"), [runs[2].clone()]);
    assert_eq!(select("pin:base"), [runs[1].clone()]);
    let night = store.night(None).unwrap().unwrap();
    let cells = store.nightly(&night, 90, &|_: Metric| true).unwrap();
    let found: Vec<_> = cells
        .iter()
        .flat_map(|cell| &cell.runs)
        .map(|run| run.figures.len())
        .collect();
    assert_eq!(found, vec![figures(&runs[0]).len(); 3]);
    drop(store);
    Store::open_existing(Some(&file)).unwrap();
}

#[test]
fn a_migration_that_cannot_be_done_changes_nothing() {
    let scratch = Scratch::new();
    let file = scratch.path().join("old.db");
    version_1(&file, &[run(0), run(24)]);
    let database = Connection::open(&file).unwrap();
    database
        .execute("UPDATE runs SET result = x'00' WHERE id = 2", [])
        .unwrap();
    drop(database);
    let error = Store::open_existing(Some(&file)).unwrap_err();
    assert!(matches!(error, StoreError::Result { run: 2, .. }), "{error}");
    assert_eq!(user_version(&file), 1);
}

#[test]
fn a_store_of_a_later_version_is_refused_and_stays_as_it_is() {
    let (scratch, store, file) = stored(&[run(0)]);
    drop(store);
    Connection::open(&file)
        .unwrap()
        .pragma_update(None, "user_version", VERSION + 1)
        .unwrap();
    let before = fs::read(&file).unwrap();
    let later = VERSION + 1;
    scratch
        .rbench(&["history", "list", "--store", "s.db"])
        .assert_refused(&format!(
            "s.db: its version is {later}, and this rbench knows versions up to {VERSION}: use the newer rbench"
        ));
    scratch
        .run("Mkdir \"/a\" SUCCESS\n", &["1", "--store=s.db", "--store-anyway"])
        .assert_refused("its version is");
    scratch.assert_clean();
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn what_is_no_store_is_refused_and_stays_as_it_is() {
    let scratch = Scratch::new();
    scratch.write("text", "a file of somebody's\n");
    scratch.write("long", &"a longer file ".repeat(1000));
    let other = Connection::open(scratch.path().join("other")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(other);
    for (name, why) in [
        ("text", "no SQLite database at all"),
        ("long", "no SQLite database at all"),
        ("other", "is a database of another program"),
    ] {
        let before = fs::read(scratch.path().join(name)).unwrap();
        scratch
            .rbench(&["history", "list", "--store", name])
            .assert_refused(why);
        scratch
            .rbench(&["-B", "null", "1", &format!("--store={name}")])
            .assert_refused(why);
        assert_eq!(fs::read(scratch.path().join(name)).unwrap(), before);
    }
    scratch
        .rbench(&["history", "list", "--store", "."])
        .assert_refused("is no file");
    scratch
        .rbench(&["history", "list", "--store", "absent"])
        .assert_refused("there is no store yet");
    assert!(!scratch.path().join("absent").exists());
}

#[test]
fn a_store_that_is_damaged_is_told() {
    let (scratch, store, file) = stored(&(0..40).map(run).collect::<Vec<_>>());
    drop(store);
    let mut bytes = fs::read(&file).unwrap();
    let end = bytes.len();
    bytes[4096..end].fill(0x5a);
    fs::write(&file, bytes).unwrap();
    let ran = scratch.rbench(&["history", "list", "--store", "s.db"]);
    assert!([Some(1), Some(2)].contains(&ran.code), "{ran}");
    ran.assert_says("s.db: is damaged");
}
