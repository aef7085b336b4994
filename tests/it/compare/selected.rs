//! Which runs are compared.

use super::{compared, lines, run, runs};
use crate::scratch::{Ran, Scratch};
use rbench::result::{End, RunResult, Turn, TurnSide};

/// The two sides of a campaign, in one list.
fn campaign(factor: f64) -> Vec<RunResult> {
    let started = run(0, 1.0).info.started_at;
    let mut all = Vec::new();
    for (side, mut runs) in [(TurnSide::A, runs(0, 1.0)), (TurnSide::B, runs(30, factor))] {
        for (pair, run) in (1..).zip(&mut runs) {
            run.info.turn = Some(Turn {
                campaign_started_at: started,
                side,
                pair,
                position: 2 * pair,
                confirms: false,
                order: "abba".into(),
                what: if side == TurnSide::A { "" } else { "--fsync" }.into(),
            });
            run.info.options.fsync = side == TurnSide::B;
        }
        all.extend(runs);
    }
    all
}

fn of_campaign(runs: &[RunResult]) -> Ran {
    let scratch = Scratch::new();
    scratch.write("ab.jsonl", &lines(runs));
    scratch.rbench(&["compare", "ab.jsonl"])
}

#[test]
fn the_sides_of_a_campaign_are_compared_pair_by_pair_though_their_options_differ() {
    let ran = of_campaign(&campaign(0.9));
    ran.assert_code(1);
    assert!(ran.stdout.contains("\nvaried     fsync: off → on\n"), "{ran}");
    assert!(ran.stdout.starts_with("base       A: 10 runs"), "{ran}");
    assert!(!ran.stdout.contains("10+10"), "{ran}");
}

#[test]
fn a_pair_with_a_failed_run_is_left_out() {
    let mut runs = campaign(0.9);
    runs[2].end = End::Failed("no space".into());
    let ran = of_campaign(&runs);
    ran.assert_code(1);
    assert!(ran.stdout.contains("A: 9 runs"), "{ran}");
    assert!(ran.stdout.contains("A: 1 run left out (1 failed)"), "{ran}");
    assert!(ran.stdout.contains(") 1 pair of "), "{ran}");
}

#[test]
fn the_sides_of_a_campaign_in_a_file_each_are_paired_too() {
    let runs = campaign(0.9);
    let (old, new) = runs.split_at(10);
    let ran = compared(old, new, &[]);
    ran.assert_code(1);
    assert!(!ran.stdout.contains("10+10"), "{ran}");
}

#[test]
fn a_file_alone_without_turns_is_bad_usage() {
    of_campaign(&runs(0, 1.0)).assert_refused(
        "ab.jsonl: its runs did not take turns: give a candidate too, or a file of rbench ab",
    );
}

#[test]
fn runs_that_failed_are_left_out_and_a_side_of_nothing_else_is_not_comparable() {
    let (old, mut new) = (runs(0, 1.0), runs(30, 0.9));
    new[0].end = End::Failed("no space".into());
    new[1].end = End::Interrupted(2);
    let ran = compared(&old, &new, &[]);
    ran.assert_code(1);
    assert!(
        ran.stdout
            .contains("new.jsonl: 2 runs left out (1 failed, 1 interrupted)"),
        "{ran}"
    );
    for run in &mut new {
        run.end = End::Failed("no space".into());
    }
    compared(&old, &new, &[]).assert_code(4).assert_says(
        "new.jsonl: there are no runs to compare: 10 runs failed or were interrupted; run again",
    );
}

#[test]
fn a_file_that_is_not_there_or_holds_no_result_is_bad_usage() {
    let scratch = Scratch::new();
    scratch.write("old.jsonl", &lines(&runs(0, 1.0)));
    scratch.write("bad.jsonl", "{\"no\": \"result\"}\n");
    let ran = scratch.rbench(&["compare", "old.jsonl", "bad.jsonl"]);
    ran.assert_refused("bad.jsonl:1:1: is no result of rbench");
    let ran = scratch.rbench(&["compare", "old.jsonl", "absent\x1b[2J"]);
    ran.assert_refused("absent\\u{1b}[2J: ");
}

#[test]
fn a_rate_of_zero_is_a_figure_but_not_where_the_load_has_none() {
    let mut new = runs(30, 1.0);
    for run in &mut new[3..] {
        run.bytes_per_second = 0.0;
    }
    let arguments = ["--gate", "throughput"];
    let ran = compared(&runs(0, 1.0), &new, &arguments);
    ran.assert_code(1);
    assert!(ran.stdout.contains("  10+10  regressed"), "{ran}");
    let without = |start| {
        let mut all = runs(start, 1.0);
        all.iter_mut().for_each(|run| run.bytes_per_second = 0.0);
        all
    };
    let ran = compared(&without(0), &without(30), &["--all"]);
    ran.assert_code(0);
    assert!(!ran.stdout.contains("throughput"), "{ran}");
}
