//! `--store` of runs, sweeps and mixes: where the store may be, and that each run is in it.

use crate::scratch::{Ran, Scratch, program};
use rbench::store::{Selector, Store};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

const LOAD: &str = "Mkdir \"/a\" SUCCESS\nDeltree \"/a\" SUCCESS\n";

/// Two directories on different file systems, where the machine has such.
fn apart() -> Option<(Scratch, Scratch)> {
    let (one, other) = (Scratch::in_memory(), Scratch::new());
    let device = |scratch: &Scratch| std::fs::metadata(scratch.path()).unwrap().dev();
    if device(&one) == device(&other) {
        eprintln!("skipped, because /dev/shm and the temporary directory are on one file system");
        return None;
    }
    Some((one, other))
}

fn store_option(directory: &Path) -> String {
    format!("--store={}", directory.join("s.db").display())
}

fn count(directory: &Path) -> usize {
    let store = Store::open_existing(Some(&directory.join("s.db"))).unwrap();
    store.all_numbers().unwrap().len()
}

#[test]
fn a_store_on_the_file_system_under_test_is_refused_unless_it_is_forced() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["1", "--store=s.db"]);
    ran.assert_refused("s.db: is on the file system under test (.)");
    assert_eq!(scratch.tree("."), ["x.load"]);
    scratch
        .run(LOAD, &["1", "--store=s.db", "--store-anyway"])
        .assert_well();
    assert_eq!(count(scratch.path()), 1);
    let mode = std::fs::metadata(scratch.path().join("s.db"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // Where nothing is executed, there is no file system under test.
    scratch
        .run(LOAD, &["1", "--store=s.db", "-B", "null"])
        .assert_well();
    assert_eq!(count(scratch.path()), 2);
}

#[test]
fn runs_sweeps_and_mixes_add_each_run_as_it_comes() {
    let Some((scratch, elsewhere)) = apart() else {
        return;
    };
    let store = store_option(elsewhere.path());
    let quick = ["-t", "0.05", "--warmup", "0"];
    scratch
        .run(LOAD, &["1", "--runs", "2", "--label", "here", &store])
        .assert_well();
    assert_eq!(count(elsewhere.path()), 2);
    let sweep = [
        "sweep",
        "-c",
        "x.load",
        "--clients",
        "1,2",
        "--results",
        "r.jsonl",
        &store,
    ];
    scratch.rbench(&[&sweep[..], &quick].concat()).assert_well();
    assert_eq!(count(elsewhere.path()), 4);
    std::fs::create_dir(scratch.path().join("d")).unwrap();
    let mix = ["mix", "--group", "a=x.load@.", "--group", "b=x.load@d", &store];
    scratch.rbench(&[&mix[..], &quick].concat()).assert_well();
    assert_eq!(count(elsewhere.path()), 8);
    let file = elsewhere.path().join("s.db");
    let selector: Selector = "here".parse().unwrap();
    let found = Store::open_existing(Some(&file))
        .unwrap()
        .select(&selector)
        .unwrap();
    assert_eq!(found.len(), 2);
    // A group alone is another cell than beside the other.
    assert_eq!(
        Store::open_existing(Some(&file))
            .unwrap()
            .list_cells()
            .unwrap()
            .len(),
        7
    );
}

/// Runs without a store's place in the environment but for these.
fn in_home(scratch: &Scratch, variables: &[(&str, &Path)]) -> Ran {
    scratch.write("x.load", LOAD);
    let mut command = assert_cmd::Command::new(program());
    command.env_remove("HOME").env_remove("XDG_DATA_HOME");
    command
        .envs(variables.iter().copied())
        .current_dir(scratch.path());
    let output = command
        .args(["-c", "x.load", "1", "--store", "-B", "null"])
        .output()
        .unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn the_store_that_nobody_names_is_below_the_home_directory() {
    let scratch = Scratch::new();
    let (home, data) = (scratch.path().join("home"), scratch.path().join("data"));
    in_home(&scratch, &[]).assert_refused("give --store=FILE");
    in_home(&scratch, &[("HOME", Path::new(""))]).assert_refused("give --store=FILE");
    in_home(&scratch, &[("HOME", &home)]).assert_well();
    let made = home.join(".local/share/rbench");
    assert!(made.join("history.db").exists());
    let mode = std::fs::metadata(&made).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    in_home(&scratch, &[("HOME", &home), ("XDG_DATA_HOME", &data)]).assert_well();
    assert!(data.join("rbench/history.db").exists());
}

#[test]
fn a_store_that_cannot_be_written_is_told_before_anything_is_touched() {
    let scratch = Scratch::new();
    scratch
        .run(LOAD, &["1", "--store=/proc/s.db", "--store-anyway"])
        .assert_refused("/proc/s.db: the store cannot be made");
    scratch
        .run(LOAD, &["1", "--store=absent/s.db", "--store-anyway"])
        .assert_refused("absent/s.db: the store cannot be made");
    scratch.assert_clean();
    if nix::unistd::geteuid().is_root() {
        eprintln!("skipped, because root may write everywhere: a directory that is read-only");
        return;
    }
    let file = scratch.path().join("s.db");
    drop(Store::open(Some(&file)).unwrap());
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o400);
    scratch
        .run(LOAD, &["1", "--store=s.db", "--store-anyway"])
        .assert_refused("s.db: cannot be written");
    scratch.assert_clean();
    mode(0o600);
}
