//! A sweep that is interrupted or killed goes on where it was.

use super::{Scratch, scratch, stored, turns};
use crate::scratch::program;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const CELLS: u32 = 28;
const SWEEP: [&str; 13] = [
    "sweep",
    "-c",
    "w.load",
    "--clients",
    "1..4",
    "--set",
    "count=1..7",
    "-t",
    "0.02",
    "--warmup",
    "0",
    "--results",
    "s.jsonl",
];

fn start(scratch: &Scratch, arguments: &[&str]) -> Child {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(scratch.path());
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How many runs are stored.
fn lines(scratch: &Scratch) -> usize {
    let text = fs::read_to_string(scratch.path().join("s.jsonl")).unwrap_or_default();
    text.lines().count()
}

/// Sends a signal once so many runs are stored.
fn end_after(scratch: &Scratch, mut sweep: Child, runs: usize, signal: Signal) -> ExitStatus {
    let start = Instant::now();
    while lines(scratch) < runs && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let pid = Pid::from_raw(sweep.id().cast_signed());
    kill(pid, signal).unwrap();
    sweep.wait().unwrap()
}

/// Every cell is stored once.
fn assert_whole(scratch: &Scratch) {
    let runs = stored(scratch, "s.jsonl");
    let cells: BTreeSet<_> = turns(&runs).into_iter().collect();
    assert_eq!((runs.len() as u32, cells.len() as u32), (CELLS, CELLS));
    let first = runs[0].info.cell.as_ref().unwrap();
    assert!(runs.iter().all(|run| {
        let cell = run.info.cell.as_ref().unwrap();
        cell.sweep_started_at == first.sweep_started_at && cell.sweep_command == first.sweep_command
    }));
    scratch.assert_clean();
}

#[test]
fn a_sweep_that_is_killed_at_a_random_cell_and_resumed_has_every_cell_once() {
    let seed = std::process::id();
    let mut random = ChaCha8Rng::seed_from_u64(seed.into());
    for _ in 0..3 {
        let scratch = scratch();
        let mut stored = 0;
        let mut sweep = start(&scratch, &SWEEP);
        // Killed twice: the second time while it is gone on with.
        for _ in 0..2 {
            let left = CELLS as u64 - stored as u64 - 2;
            let at = stored + 1 + (random.next_u64() % left) as usize;
            end_after(&scratch, sweep, at, Signal::SIGKILL);
            stored = lines(&scratch);
            assert!(stored >= at && stored <= CELLS as usize, "seed {seed}: {stored}");
            sweep = start(&scratch, &["sweep", "--resume", "s.jsonl"]);
            if stored + 3 > CELLS as usize {
                break;
            }
        }
        assert!(sweep.wait().unwrap().success(), "seed {seed}");
        assert_whole(&scratch);
    }
}

#[test]
fn a_signal_ends_the_sweep_with_its_code_and_what_is_stored_can_be_gone_on_with() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let scratch = scratch();
        let sweep = start(&scratch, &SWEEP);
        let ended = end_after(&scratch, sweep, 3, signal);
        assert_eq!(ended.code(), Some(code));
        scratch.assert_clean();
        assert!(lines(&scratch) < CELLS as usize);
        scratch.rbench(&["sweep", "--resume", "s.jsonl"]).assert_well();
        assert_whole(&scratch);
    }
}

#[test]
fn a_sweep_that_is_whole_has_nothing_to_go_on_with() {
    let scratch = scratch();
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1,2",
        "--results",
        "s.jsonl",
        "--output",
        "json=s.json",
    ];
    scratch.rbench(&sweep).assert_well();
    let list = scratch.rbench(&["sweep", "--resume", "s.jsonl", "--list"]);
    assert!(list.stdout.contains("0 runs to make"), "{list}");
    scratch.rbench(&["sweep", "--resume", "s.jsonl"]).assert_well();
    assert_eq!(turns(&stored(&scratch, "s.jsonl")).len(), 2);
}

#[test]
fn a_document_has_the_runs_from_before_the_interruption_too() {
    let scratch = scratch();
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1..3",
        "--results",
        "s.jsonl",
        "--output",
        "json=s.json",
    ];
    scratch.rbench(&sweep).assert_well();
    let text = fs::read_to_string(scratch.path().join("s.jsonl")).unwrap();
    let first = text.lines().next().unwrap().to_owned() + "\n";
    scratch.write("s.jsonl", &first);
    scratch.rbench(&["sweep", "--resume", "s.jsonl"]).assert_well();
    assert_eq!(
        turns(&stored(&scratch, "s.json")),
        turns(&stored(&scratch, "s.jsonl"))
    );
}

#[test]
fn what_is_no_sweep_or_another_one_is_not_gone_on_with() {
    let scratch = scratch();
    let resume = ["sweep", "--resume", "s.jsonl"];
    scratch.rbench(&resume).assert_refused("s.jsonl: cannot be read");
    scratch.write("s.jsonl", "");
    scratch.rbench(&resume).assert_refused("s.jsonl");
    scratch.write("s.jsonl", "{}\n");
    scratch.rbench(&resume).assert_refused("no result of rbench");
    fs::remove_file(scratch.path().join("s.jsonl")).unwrap();
    scratch
        .rbench(&["-c", "w.load", "1", "--output", "jsonl=s.jsonl"])
        .assert_well();
    scratch.rbench(&resume).assert_refused("belongs to no sweep");
    scratch
        .rbench(&["sweep", "--resume", "s.jsonl", "--clients", "3"])
        .assert_refused("--resume takes everything from the file");
    for file in ["1", "2"] {
        let sweep = ["sweep", "-c", "w.load", "--clients", "1", "--results", file];
        scratch.rbench(&sweep).assert_well();
    }
    let text = |file: &str| fs::read_to_string(scratch.path().join(file)).unwrap();
    scratch.write("s.jsonl", &(text("1") + &text("2")));
    scratch.rbench(&resume).assert_refused("several sweeps");
    scratch.write("w.load", "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n");
    scratch
        .rbench(&["sweep", "--resume", "1"])
        .assert_refused("is not what it was");
}
