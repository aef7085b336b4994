//! Whatever ends a writer, and whoever else writes: what was added is there.

use super::{lines, run};
use crate::scratch::{Scratch, program};
use rbench::store::Store;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Files with a run each; all runs differ.
fn files(scratch: &Scratch, name: &str, first: i64, count: i64) -> Vec<String> {
    (first..first + count)
        .map(|hours| {
            let file = format!("{name}{hours}.jsonl");
            scratch.write(&file, &lines(&[run(hours)]));
            file
        })
        .collect()
}

/// Adds file after file, each by itself.
fn adding(scratch: &Scratch, files: &[String]) -> Child {
    let mut command = Command::new(program());
    command.args(["history", "--store", "s.db", "import"]).args(files);
    command.current_dir(scratch.path()).stdout(Stdio::piped());
    command.spawn().unwrap()
}

fn count(file: &Path) -> usize {
    Store::open_existing(Some(file))
        .unwrap()
        .all_numbers()
        .unwrap()
        .len()
}

#[test]
fn a_writer_that_is_killed_leaves_every_run_that_it_has_told_of() {
    let scratch = Scratch::new();
    let file = scratch.path().join("s.db");
    let mut before = 0;
    for (round, told) in [0, 1, 3, 7, 2, 5].into_iter().enumerate() {
        let files = files(&scratch, "a", round as i64 * 1000, 60);
        let mut child = adding(&scratch, &files);
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut added: usize = (0..told).filter_map(|_| out.next()).count();
        std::thread::sleep(Duration::from_micros(700 * (round as u64 * 5 % 7)));
        child.kill().unwrap();
        child.wait().unwrap();
        added += out.map_while(Result::ok).count();
        // A store that was not even begun is a new one.
        if added == 0 && !file.exists() {
            continue;
        }
        let now = count(&file);
        assert!(
            (before + added..=before + added + 1).contains(&now),
            "round {round}: {before} and {added} are {now}"
        );
        before = now;
    }
    assert!(before >= 18, "{before}");
    let store = Store::open_existing(Some(&file)).unwrap();
    for number in store.all_numbers().unwrap() {
        store.run(number).unwrap();
    }
}

#[test]
fn two_writers_at_the_same_time_both_succeed_from_the_first_run_on() {
    let scratch = Scratch::new();
    let (one, other) = (files(&scratch, "a", 0, 40), files(&scratch, "b", 1000, 40));
    let writers = [adding(&scratch, &one), adding(&scratch, &other)];
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(count(&scratch.path().join("s.db")), 80);
    let left: Vec<_> = fs::read_dir(scratch.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("s.db"))
        .collect();
    assert_eq!(left, ["s.db"]);
}
