//! Runs that have failed can be made again, and until then a sweep is not well.

use super::{Scratch, scratch, stored, turns};
use rbench::result::End;
use std::fs;

/// A sweep of two cells, of which both fail as long as there is a file.
fn failed() -> Scratch {
    let scratch = scratch();
    scratch.write("blocked", "");
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1,2",
        "--results",
        "s.jsonl",
        "--before",
        "test ! -e blocked",
    ];
    scratch.rbench(&sweep).assert_code(1);
    fs::remove_file(scratch.path().join("blocked")).unwrap();
    scratch
}

#[test]
fn a_sweep_with_failed_runs_is_not_well_and_says_how_to_make_them_again() {
    let scratch = failed();
    let ran = scratch.rbench(&["sweep", "--resume", "s.jsonl"]);
    ran.assert_code(1)
        .assert_says("2 runs have failed before")
        .assert_says("--retry-failed");
    assert_eq!(stored(&scratch, "s.jsonl").len(), 2);
}

#[test]
fn failed_runs_that_are_made_again_count_as_they_are_then() {
    let scratch = failed();
    let ran = scratch.rbench(&[
        "sweep",
        "--resume",
        "s.jsonl",
        "--retry-failed",
        "--layout",
        "long",
    ]);
    ran.assert_well();
    assert!(!ran.stdout.contains("failed"), "{ran}");
    let runs = stored(&scratch, "s.jsonl");
    assert_eq!(turns(&runs[2..]).len(), 2);
    assert!(runs[2..].iter().all(|run| run.end == End::Completed));
    let report = scratch.rbench(&["report", "--layout", "long", "s.jsonl"]);
    assert_eq!(report.stdout, ran.stdout);
    scratch.rbench(&["sweep", "--resume", "s.jsonl"]).assert_well();
}

#[test]
fn a_directory_that_is_in_use_ends_the_sweep_and_no_cell_is_lost() {
    let scratch = scratch();
    // A second run of the same directory, started by the first one's hook, and alive until that is over.
    let hold = "test -e held || { touch held; \"$RBENCH\" -c h.load -t 60 --warmup 0 1 >/dev/null 2>&1 & echo $! >pid; \
                while ! test -e clients/client0/f; do sleep 0.01; done; }";
    scratch.write("h.load", "NTCreateX \"\\clients\\client1\\f\" 0x40 0x5 1 NT_STATUS_OK\nLOOP 1000000000\nWriteX 1 0 1 1 NT_STATUS_OK\nENDLOOP\n");
    let hold = hold.replace("$RBENCH", crate::scratch::program().to_str().unwrap());
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1,2",
        "--results",
        "s.jsonl",
        "--before",
        &hold,
    ];
    let ran = scratch.rbench(&sweep);
    scratch.rbench(&["clean", "."]);
    let pid = fs::read_to_string(scratch.path().join("pid")).unwrap();
    let pid = nix::unistd::Pid::from_raw(pid.trim().parse().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    ran.assert_code(1).assert_says("in use");
    assert!(!scratch.path().join("s.jsonl").exists() || stored(&scratch, "s.jsonl").is_empty());
}

#[test]
fn a_file_whose_cells_are_not_those_of_its_command_is_refused() {
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
    scratch.rbench(&sweep).assert_well();
    let text = fs::read_to_string(scratch.path().join("s.jsonl")).unwrap();
    for (from, to) in [
        ("\"cells\":2", "\"cells\":9"),
        ("\"number\":2", "\"number\":7"),
        ("\"value\":\"2\"", "\"value\":\"3\""),
    ] {
        assert!(text.contains(from), "{from}");
        scratch.write("t.jsonl", &text.replace(from, to));
        scratch
            .rbench(&["sweep", "--resume", "t.jsonl"])
            .assert_refused("it was changed");
    }
}
