//! `rbench report` of stored sweeps.

use super::{Axis, megabytes, sweep, sysctl};
use crate::sample_result::one_client;
use crate::scratch::Scratch;
use rbench::result::{AxisKind, RunResult};

fn writeback(rate: f64) -> Vec<RunResult> {
    let axes: [Axis<'_>; 2] = [
        (sysctl("vm.dirty_ratio"), &["20", "40"]),
        (AxisKind::Clients, &["8", "4"]),
    ];
    sweep(&axes, |values| {
        let clients: f64 = values[1].parse().unwrap();
        vec![megabytes(rate * clients)]
    })
}

fn lines(runs: &[RunResult]) -> String {
    runs.iter()
        .map(|run| serde_json::to_string(run).unwrap() + "\n")
        .collect()
}

#[test]
fn a_stored_sweep_is_shown_as_its_table() {
    let scratch = Scratch::new();
    scratch.write("sweep.jsonl", &lines(&writeback(1.0)));
    let ran = scratch.rbench(&["report", "sweep.jsonl"]);
    let grid = "\
| vm.dirty_ratio \\ clients |     8 |     4 |
| -----------------------: | ----: | ----: |
|                       20 | 8.000 | 4.000 |
|                       40 | 8.000 | 4.000 |
";
    assert!(ran.assert_well().stdout.ends_with(grid), "{ran}");
    let ran = scratch.rbench(&["report", "--layout", "long", "--form", "csv", "sweep.jsonl"]);
    let header = "vm.dirty_ratio,clients,completed,runs,MB/sec,operations/sec,p99 ms,marks\n20,8,1,1,8.000,";
    assert!(ran.assert_well().stdout.starts_with(header), "{ran}");
}

#[test]
fn a_sweep_in_several_files_is_one_and_another_is_another() {
    let scratch = Scratch::new();
    let runs = writeback(1.0);
    scratch.write("first.jsonl", &lines(&runs[..2]));
    scratch.write("second.jsonl", &lines(&runs[1..]));
    let one = scratch.rbench(&["report", "first.jsonl", "second.jsonl"]);
    scratch.write("whole.jsonl", &lines(&runs));
    assert_eq!(one.stdout, scratch.rbench(&["report", "whole.jsonl"]).stdout);

    let mut other = writeback(2.0);
    for run in &mut other {
        run.info.cell.as_mut().unwrap().sweep_started_at = "2026-02-02T03:00:00Z".parse().unwrap();
    }
    scratch.write("other.jsonl", &lines(&other));
    let two = scratch.rbench(&["report", "whole.jsonl", "other.jsonl"]);
    assert_eq!(two.assert_well().stdout.matches("Sweep of ").count(), 2, "{two}");
}

#[test]
fn runs_of_no_sweep_are_shown_as_ever_and_before_the_table() {
    let scratch = Scratch::new();
    let runs = [writeback(1.0), vec![one_client()]].concat();
    scratch.write("mixed.jsonl", &lines(&runs));
    let ran = scratch.rbench(&["report", "mixed.jsonl"]);
    let (run, table) = (ran.stdout.find("Throughput"), ran.stdout.find("\n\nSweep of "));
    assert!(run.is_some() && run < table, "{ran}");
}

#[test]
fn a_layout_of_results_of_no_sweep_is_refused() {
    let scratch = Scratch::new();
    scratch.write("run.jsonl", &lines(&[one_client()]));
    let ran = scratch.rbench(&["report", "--layout", "grid", "run.jsonl"]);
    ran.assert_code(2)
        .assert_says("rbench: --layout grid: none of the results belongs to a sweep");
    scratch.write("sweep.jsonl", &lines(&writeback(1.0)));
    let ran = scratch.rbench(&["report", "--layout", "tio", "sweep.jsonl"]);
    ran.assert_refused("the layout tio needs a load axis of seqrd, rndrd, seqwr and rndwr");
}

#[test]
fn two_stored_sweeps_are_divided() {
    let scratch = Scratch::new();
    scratch.write("base.jsonl", &lines(&writeback(2.0)));
    scratch.write("candidate.jsonl", &lines(&writeback(3.0)));
    let ran = scratch.rbench(&[
        "report",
        "--ratio",
        "--form",
        "csv",
        "base.jsonl",
        "candidate.jsonl",
    ]);
    ran.assert_well();
    assert_eq!(
        ran.stdout,
        "figure,vm.dirty_ratio \\ clients,8,4\nratio,20,1.500,1.500\nratio,40,1.500,1.500\n"
    );
    let ran = scratch.rbench(&["report", "--ratio", "base.jsonl"]);
    ran.assert_refused("--ratio needs two files, the base and the candidate, and 1 are named");
    scratch.write("run.jsonl", &lines(&[one_client()]));
    let ran = scratch.rbench(&["report", "--ratio", "base.jsonl", "run.jsonl"]);
    ran.assert_refused("run.jsonl: --ratio divides sweeps, and this holds none");
    scratch.write("broken.jsonl", "{");
    let ran = scratch.rbench(&["report", "--ratio", "base.jsonl", "broken.jsonl"]);
    ran.assert_refused("broken.jsonl:1:");
}

#[test]
fn a_sweep_that_was_cut_short_is_shown_up_to_there() {
    let scratch = Scratch::new();
    let text = lines(&writeback(1.0));
    scratch.write("cut.jsonl", &text[..text.len() - 20]);
    let ran = scratch.rbench(&["report", "cut.jsonl"]);
    ran.assert_code(2).assert_says("it was cut short");
    assert!(
        ran.stdout
            .starts_with("Sweep of 2026-01-02 03:00:00 UTC: 3 of 4 cells\n"),
        "{ran}"
    );
}
