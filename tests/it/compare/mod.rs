//! `rbench compare`: two sets of stored runs, judged.

mod forms;
mod refused;
mod selected;
mod stored;

use crate::sample_result::{full, one_client};
use crate::scratch::{Ran, Scratch};
use flate2::Compression;
use flate2::write::GzEncoder;
use hdrhistogram::Histogram;
use rbench::op::Kind;
use rbench::result::{Environment, RunResult};
use std::io::Write;
use std::sync::LazyLock;

/// Ten figures that repeat to a few percent, MB/s.
const FIGURES: [f64; 10] = [100.0, 102.0, 99.0, 101.0, 98.0, 103.0, 97.0, 100.5, 99.5, 101.5];

/// What all these runs ran on.
fn environment() -> Environment {
    full().environment.unwrap()
}

/// A run of two kinds of operations, so many seconds after others.
fn run(at: i64, throughput: f64) -> RunResult {
    static FIRST: LazyLock<RunResult> = LazyLock::new(first);
    let mut run = FIRST.clone();
    run.info.started_at += jiff::SignedDuration::from_secs(at);
    run.bytes_per_second = throughput * 1e6;
    run
}

fn first() -> RunResult {
    let mut run = one_client();
    run.info.rbench_version = "0.1.0".into();
    run.environment = Some(environment());
    run.operations
        .retain(|operation| [Kind::WriteX, Kind::NtCreateX].contains(&operation.kind));
    // Those of real runs are larger, and dozens of them are written and read here.
    let histograms = run.operations.iter_mut().map(|operation| &mut operation.latency);
    for histogram in histograms.chain([&mut run.latency]) {
        let mut small = Histogram::new_with_bounds(1, 1 << 25, 2).unwrap();
        small.add(&*histogram).unwrap();
        *histogram = small;
    }
    run
}

/// Runs that take turns with those of another start, their throughputs multiplied.
pub(crate) fn runs(start: i64, factor: f64) -> Vec<RunResult> {
    let times = (0..).map(|n| start + n * 60);
    times
        .zip(FIGURES)
        .map(|(at, figure)| run(at, figure * factor))
        .collect()
}

pub(crate) fn lines(runs: &[RunResult]) -> String {
    let lines = runs.iter().map(|run| serde_json::to_string(run).unwrap() + "\n");
    lines.collect()
}

/// Writes the runs of two sides, and compares them.
fn compared(base: &[RunResult], candidate: &[RunResult], arguments: &[&str]) -> Ran {
    let scratch = Scratch::new();
    scratch.write("old.jsonl", &lines(base));
    scratch.write("new.jsonl", &lines(candidate));
    scratch.rbench(&[&["compare", "old.jsonl", "new.jsonl"], arguments].concat())
}

#[test]
fn equal_runs_are_no_regression_and_slower_ones_are_one() {
    let old = runs(0, 1.0);
    let equal = compared(&old, &runs(30, 1.0), &[]);
    equal.assert_code(0);
    assert_eq!(equal.last_line(), "no regression in 4 gated metrics");
    let slower = compared(&old, &runs(30, 0.9), &["--strict"]);
    slower.assert_code(1);
    assert_eq!(slower.last_line(), "regression in 1 of 4 gated metrics");
    assert_eq!(slower.stderr, "");
}

#[test]
fn what_decides_and_what_matters_can_be_chosen() {
    let (old, new) = (runs(0, 1.0), runs(30, 0.9));
    compared(&old, &new, &["--gate", "operations"]).assert_code(0);
    let floor = compared(&old, &new, &["--floor", "20%"]);
    floor.assert_code(0);
    assert!(floor.stdout.contains("small"), "{floor}");
}

#[test]
fn strictly_what_cannot_be_told_is_exit_code_3() {
    let (old, new) = (runs(0, 1.0), runs(30, 0.5));
    compared(&old[..3], &new[..3], &[]).assert_code(0);
    let strict = compared(&old[..3], &new[..3], &["--strict"]);
    strict.assert_code(3);
    assert_eq!(strict.last_line(), "nothing is concluded: there are too few runs");
    assert!(
        strict
            .stdout
            .contains("need at least 3 more of old.jsonl and 3 more of new.jsonl"),
        "{strict}"
    );
}

#[test]
fn sides_one_after_the_other_are_warned_of() {
    let ran = compared(&runs(0, 1.0), &runs(10_000, 1.0), &[]);
    let told = "all runs of old.jsonl came before those of new.jsonl: what drifts with time cannot be told";
    assert!(ran.stdout.contains(told), "{ran}");
    let ran = compared(&runs(0, 1.0), &runs(30, 1.0), &[]);
    assert!(!ran.stdout.contains("drifts"), "{ran}");
}

#[test]
fn documents_are_read_too_and_compressed_files_and_standard_input() {
    let scratch = Scratch::in_memory();
    let load = "Mkdir \"/a\" SUCCESS\nDeltree \"/a\" SUCCESS\n";
    for _ in 0..2 {
        let outputs = ["--output", "json=old.json", "--output", "jsonl=new.jsonl"];
        let arguments = [
            &["-t", "0.05", "--warmup", "0", "--runs", "2"],
            &outputs[..],
            &["1"],
        ]
        .concat();
        scratch.run(load, &arguments).assert_well();
    }
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed
        .write_all(&std::fs::read(scratch.path().join("new.jsonl")).unwrap())
        .unwrap();
    std::fs::write(scratch.path().join("new.gz"), compressed.finish().unwrap()).unwrap();
    let ran = scratch.rbench(&["compare", "old.json", "new.gz", "--all"]);
    ran.assert_code(0);
    assert!(ran.stdout.contains("base       old.json: 2 runs"), "{ran}");
    assert!(ran.stdout.contains("2 runs stand on both sides"), "{ran}");
    let mut command = assert_cmd::Command::new(crate::scratch::program());
    let command = command
        .current_dir(scratch.path())
        .args(["compare", "old.json", "-"]);
    let output = command.write_stdin(std::fs::read(scratch.path().join("new.jsonl")).unwrap());
    output.assert().code(0);
}
