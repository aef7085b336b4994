//! A run that is killed leaves no half of a result.

use crate::scratch::{LOAD, Scratch, program};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rbench::output::document::results;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WORK: &str = "LOOP 20\nNTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    WriteX 1 0 4096 4096 NT_STATUS_OK\nClose 1 NT_STATUS_OK\nENDLOOP\n";
const OUTPUTS: [&str; 5] = [
    "json=r.json",
    "jsonl=r.jsonl",
    "csv=r.csv",
    "ops-csv=o.csv",
    "series-csv=s.csv",
];
const FILES: [&str; 5] = ["r.json", "r.jsonl", "r.csv", "o.csv", "s.csv"];
const TABLES: [&str; 3] = ["r.csv", "o.csv", "s.csv"];
/// So much is in the files that are added to, so that writing them takes a while.
const ROWS: usize = 800;

/// A directory with results of earlier runs.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(LOAD, WORK);
    let done = start(&scratch).wait().unwrap();
    assert!(done.success());
    for name in ["r.jsonl", "r.csv"] {
        let text = fs::read_to_string(scratch.path().join(name)).unwrap();
        let last = text.lines().last().unwrap().to_owned() + "\n";
        scratch.write(name, &(text + &last.repeat(ROWS - 1)));
    }
    scratch
}

fn start(scratch: &Scratch) -> Child {
    let mut command = Command::new(program());
    command.args(["-c", LOAD, "2"]).current_dir(scratch.path());
    command.args(OUTPUTS.iter().flat_map(|output| ["--output", output]));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Names of what is there beside the results, the loadfile and the clients' directory.
fn strays(scratch: &Scratch) -> Vec<String> {
    let entries = fs::read_dir(scratch.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let expected = |name: &String| FILES.contains(&&name[..]) || name == LOAD || name == "clients";
    names.filter(|name| !expected(name)).collect()
}

/// All results are whole; how many lines and rows there are.
fn whole(scratch: &Scratch) -> [usize; 3] {
    let text = |name: &str| fs::read_to_string(scratch.path().join(name)).unwrap();
    let runs = |name: &str| results(&text(name)).map(Result::unwrap).count();
    assert_eq!(runs("r.json"), 1);
    let lines = text("r.jsonl");
    assert!(lines.ends_with('\n'));
    // All but the last are the same.
    let last: String = lines
        .lines()
        .rev()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(results(&last).map(Result::unwrap).count(), 2);
    let rows = TABLES.map(|name| {
        let text = text(name);
        assert!(text.ends_with('\n'), "{name}");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        // A row of other length is an error.
        reader.records().map(Result::unwrap).count()
    });
    [lines.lines().count(), rows[0], rows[1]]
}

/// Kills a run when `now` says so; what is there is whole.
fn killed(scratch: &Scratch, now: impl Fn() -> bool) {
    let before = whole(scratch);
    let mut child = start(scratch);
    while !now() && child.try_wait().unwrap().is_none() {}
    // It may have ended already.
    let _ = child.kill();
    child.wait().unwrap();
    let after = whole(scratch);
    let kinds = 4;
    for (index, more) in [1, 1, kinds].into_iter().enumerate() {
        assert!(
            [before[index], before[index] + more].contains(&after[index]),
            "{before:?} {after:?}"
        );
    }
    let strays = strays(scratch);
    let named = |stray: &String| {
        FILES.iter().any(|name| stray.starts_with(&format!("{name}."))) && stray.ends_with(".part")
    };
    assert!(strays.len() <= 1 && strays.iter().all(named), "{strays:?}");
    for stray in strays {
        fs::remove_file(scratch.path().join(stray)).unwrap();
    }
}

/// The next run finds nothing in its way.
fn next_run_is_not_disturbed(scratch: &Scratch) {
    let before = whole(scratch);
    assert!(start(scratch).wait().unwrap().success());
    let after = whole(scratch);
    assert_eq!(after, [before[0] + 1, before[1] + 1, before[2] + 4]);
    assert_eq!(strays(scratch), [""; 0]);
}

#[test]
fn a_run_that_is_killed_at_any_moment_leaves_whole_results() {
    let scratch = scratch();
    let began = Instant::now();
    assert!(start(&scratch).wait().unwrap().success());
    let usual = began.elapsed();
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..10 {
        let delay = usual.mul_f64(f64::from(random.next_u32()) / f64::from(u32::MAX));
        let began = Instant::now();
        killed(&scratch, || {
            std::thread::sleep(Duration::from_micros(50));
            began.elapsed() >= delay
        });
        next_run_is_not_disturbed(&scratch);
    }
}

#[test]
fn a_run_that_is_killed_while_it_writes_leaves_whole_results() {
    let scratch = scratch();
    for name in FILES {
        let prefix = format!("{name}.");
        let writes = || strays(&scratch).iter().any(|stray| stray.starts_with(&prefix));
        killed(&scratch, writes);
        next_run_is_not_disturbed(&scratch);
    }
}
