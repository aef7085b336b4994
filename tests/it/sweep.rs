//! `rbench sweep`: every cell once, in the order asked for, whatever happens to one of them or to the sweep.

mod interrupted;
mod refused;
mod retried;

use crate::scratch::Scratch;
use rbench::output::document::results;
use rbench::result::{AxisKind, End, RunResult};
use std::collections::BTreeSet;
use std::fs;

/// A short load with parameters.
const LOAD: &str = "PARAM size 4K \"of a write\"\n\
    PARAM count 3 \"writes\"\n\
    NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    LOOP ${count}\nWriteX 1 0 ${size} ${size} NT_STATUS_OK\nENDLOOP\nClose 1 NT_STATUS_OK\n\
    Unlink \"\\clients\\client1\\f\" 0x16 NT_STATUS_OK\n";
/// One that declares other parameters.
const OTHER: &str = "PARAM depth 1 \"\"\nMkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";

fn scratch() -> Scratch {
    let scratch = Scratch::in_memory();
    scratch.write("w.load", LOAD);
    scratch.write("o.load", OTHER);
    scratch
}

fn stored(scratch: &Scratch, file: &str) -> Vec<RunResult> {
    let text = fs::read_to_string(scratch.path().join(file)).unwrap();
    results(&text).map(Result::unwrap).collect()
}

/// Cell and run of each, in the order stored.
fn turns(runs: &[RunResult]) -> Vec<(u32, u32)> {
    let turn = |run: &RunResult| (run.info.cell.as_ref().unwrap().number, run.info.run_number);
    runs.iter().map(turn).collect()
}

fn values(run: &RunResult) -> String {
    let cell = run.info.cell.as_ref().unwrap();
    let values: Vec<&str> = cell.coordinates.iter().map(|at| at.value.as_str()).collect();
    values.join(" ")
}

#[test]
fn every_cell_of_the_grid_is_run_with_its_values() {
    let scratch = scratch();
    let arguments = [
        "sweep",
        "--set",
        "size=1K,2K",
        "--clients",
        "1..3:2",
        "-c",
        "w.load",
    ];
    let order = ["--order", "typed", "--results", "s.jsonl"];
    scratch.rbench(&[&arguments[..], &order].concat()).assert_well();
    scratch.assert_clean();
    let runs = stored(&scratch, "s.jsonl");
    assert_eq!(turns(&runs), [(1, 1), (2, 1), (3, 1), (4, 1)]);
    let all: Vec<String> = runs.iter().map(values).collect();
    assert_eq!(all, ["1K 1", "1K 3", "2K 1", "2K 3"]);
    for run in &runs {
        let cell = run.info.cell.as_ref().unwrap();
        let size = cell.value(&AxisKind::Parameter("size".into())).unwrap();
        let bytes = if size == "1K" { 1024 } else { 2048 };
        let clients = run.clients.to_string();
        assert_eq!(run.bytes_written, 3 * bytes * u64::from(run.clients));
        assert_eq!(cell.value(&AxisKind::Clients), Some(clients.as_str()));
        assert_eq!((cell.cells, &run.end), (4, &End::Completed));
        assert_eq!(run.loadfiles[0].params["count"], "3");
    }
}

#[test]
fn options_and_loads_and_directories_and_processors_are_axes_too() {
    let scratch = scratch();
    for directory in ["a", "b"] {
        fs::create_dir(scratch.path().join(directory)).unwrap();
    }
    let axes = [
        "--load",
        "w.load,o.load",
        "--dir",
        "a,b",
        "--axis",
        "fsync=off,on",
    ];
    let more = [
        "--axis",
        "data=zeros,random",
        "--set",
        "size=1K",
        "--clients",
        "1",
        "--pin",
        "none",
    ];
    let sweep = [&["sweep"], &axes[..], &more, &["--results", "s.jsonl"]].concat();
    scratch.rbench(&sweep).assert_well();
    let runs = stored(&scratch, "s.jsonl");
    let all: BTreeSet<String> = runs.iter().map(values).collect();
    assert_eq!((runs.len(), all.len()), (16, 16));
    for run in runs {
        let values = values(&run);
        assert_eq!(run.info.options.fsync, values.contains(" on "), "{values}");
        assert_eq!(run.info.options.data, values.split(' ').nth(3).unwrap());
        assert!(values.starts_with(&run.loadfiles[0].name));
        // Only one of the loads declares it.
        assert_eq!(
            run.info.options.set.contains_key("size"),
            run.loadfiles[0].name == "w.load"
        );
    }
}

#[test]
fn each_round_of_runs_has_another_order_and_the_seed_repeats_it() {
    let scratch = scratch();
    let order = |seed: &str, file: &str| {
        let (order, results) = (format!("random:{seed}"), file);
        let grid = [
            "sweep",
            "-c",
            "w.load",
            "--clients",
            "1..6",
            "--runs",
            "2",
            "--order",
        ];
        scratch
            .rbench(&[&grid[..], &[&order, "--results", results]].concat())
            .assert_well();
        turns(&stored(&scratch, file))
    };
    let (one, same, other) = (order("5", "1"), order("5", "2"), order("6", "3"));
    assert_eq!(one, same);
    assert_ne!(one, other);
    let cells = |round: &[(u32, u32)]| round.iter().map(|turn| turn.0).collect::<Vec<_>>();
    assert_ne!(cells(&one[..6]), cells(&one[6..]));
    assert!(one[..6].iter().all(|turn| turn.1 == 1) && one[6..].iter().all(|turn| turn.1 == 2));
    assert_eq!(one.iter().collect::<BTreeSet<_>>().len(), 12);
}

#[test]
fn a_list_shows_cells_and_time_and_runs_nothing() {
    let scratch = scratch();
    let grid = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1,2",
        "-t",
        "30",
        "--settle",
        "4",
        "--runs",
        "2",
    ];
    for list in ["--list", "--dry-run"] {
        let ran = scratch.rbench(&[&grid[..], &[list]].concat());
        ran.assert_well();
        assert!(
            ran.stdout.contains("2 cells, 2 runs of each; 4 runs to make"),
            "{ran}"
        );
        assert!(
            ran.stdout
                .contains("rbench --loadfile=w.load --timelimit=30 --runs=2 --settle=4 2\n"),
            "{ran}"
        );
        // 4 times 30 s, a fifth of that for the warm-up, and 4 s before.
        assert!(ran.stdout.contains("takes 2m 40s at least"), "{ran}");
    }
    assert_eq!(scratch.tree(""), ["o.load", "w.load"]);
    // Cells that take different times: 2 s and 10 s.
    let axes = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1",
        "--axis",
        "timelimit=2,10",
        "--warmup",
        "0",
        "--list",
    ];
    let ran = scratch.rbench(&axes);
    assert!(ran.stdout.contains("takes 12s at least"), "{ran}");
    let untimed = scratch.rbench(&["sweep", "-c", "w.load", "--clients", "1", "--list"]);
    assert!(
        untimed.stdout.contains("not known before the first run"),
        "{untimed}"
    );
}

#[test]
fn a_cell_that_fails_is_marked_and_the_sweep_goes_on() {
    let scratch = scratch();
    // Takes its place before the last cell, so that this cannot be prepared.
    let before = "test $RBENCH_RUN = 1 || { mkdir clients; touch clients/x; }";
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1,2",
        "--runs",
        "2",
        "--results",
        "s.jsonl",
    ];
    let ran = scratch.rbench(&[&sweep[..], &["--before", before]].concat());
    ran.assert_code(1)
        .assert_says("2 of 4 runs failed")
        .assert_says("failed: ");
    let runs = stored(&scratch, "s.jsonl");
    let failed = |run: &RunResult| matches!(&run.end, End::Failed(_));
    assert_eq!(
        runs.iter().map(failed).collect::<Vec<_>>(),
        [false, false, true, true]
    );
    let End::Failed(why) = &runs[3].end else {
        unreachable!()
    };
    assert!(why.contains("clients"), "{why}");
    assert!(
        scratch.path().join("clients/x").exists(),
        "what is not ours is left alone"
    );
}

#[test]
fn outcomes_that_differ_are_told_and_give_exit_code_1() {
    let scratch = scratch();
    scratch.write(
        "bad.load",
        "Unlink \"\\clients\\client1\\absent\" 0x16 NT_STATUS_OK\n",
    );
    let sweep = [
        "sweep",
        "--load",
        "bad.load,w.load",
        "--clients",
        "1",
        "--results",
        "s",
    ];
    scratch
        .rbench(&sweep)
        .assert_code(1)
        .assert_says("1 of 1 outcomes differ");
    let tolerant = [&sweep[..6], &["t", "--on-mismatch", "ignore"]].concat();
    scratch.rbench(&tolerant).assert_code(0);
}

#[test]
fn results_go_to_other_outputs_too() {
    let scratch = scratch();
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1,2",
        "--results",
        "s.jsonl",
    ];
    let outputs = ["--output", "json=s.json", "--output", "csv=s.csv"];
    scratch.rbench(&[&sweep[..], &outputs].concat()).assert_well();
    assert_eq!(
        turns(&stored(&scratch, "s.json")),
        turns(&stored(&scratch, "s.jsonl"))
    );
    let csv = fs::read_to_string(scratch.path().join("s.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3);
}

#[test]
fn a_document_that_cannot_be_written_at_the_end_is_told_and_gives_exit_code_1() {
    let scratch = scratch();
    let sweep = ["sweep", "-c", "w.load", "--clients", "1", "--results", "s.jsonl"];
    let outputs = ["--output", "json=/dev/full"];
    let ran = scratch.rbench(&[&sweep[..], &outputs].concat());
    ran.assert_code(1).assert_says("/dev/full");
    assert_eq!(stored(&scratch, "s.jsonl").len(), 1);
}

#[test]
fn without_a_name_results_are_stored_under_the_time() {
    let scratch = scratch();
    let ran = scratch.rbench(&["sweep", "-c", "w.load", "--clients", "1"]);
    ran.assert_well().assert_says("results: sweep-");
    let name = scratch
        .tree("")
        .into_iter()
        .find(|name| name.starts_with("sweep-2"))
        .unwrap();
    assert_eq!(stored(&scratch, &name).len(), 1);
}

#[test]
fn with_a_final_sync_the_table_has_it_too() {
    let scratch = scratch();
    let axes = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1,2",
        "--set",
        "size=1K,2K",
        "--results",
        "s",
    ];
    let ran = scratch.rbench(&[&axes[..], &["--final-sync"]].concat());
    ran.assert_well();
    assert!(
        ran.stdout.contains("\nMB/sec:\n") && ran.stdout.contains("\nMB/sec with sync:\n"),
        "{ran}"
    );
    let long = scratch.rbench(&["report", "--layout", "long", "s"]);
    assert!(long.stdout.contains("| MB/sec with sync |"), "{long}");
}

#[test]
fn what_is_switched_off_by_an_axis_is_off() {
    let scratch = scratch();
    let axes = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1",
        "--axis",
        "resolve=off,on",
        "--results",
        "s",
    ];
    scratch.rbench(&axes).assert_well();
    for run in stored(&scratch, "s") {
        assert_eq!(
            run.info.options.resolve,
            Some(values(&run).ends_with(" on")),
            "{}",
            values(&run)
        );
    }
}
