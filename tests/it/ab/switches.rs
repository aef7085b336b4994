//! Commands that switch between the sides.

use super::{QUICK, scratch, sides, stored};
use crate::scratch::Scratch;
use std::fs;

fn log(scratch: &Scratch) -> String {
    let text = fs::read_to_string(scratch.path().join("log")).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_switch_runs_before_the_first_run_of_each_stretch_of_its_side_and_before_the_runs_own_commands() {
    let scratch = scratch();
    let switches = [
        "--switch-a",
        "echo A$RBENCH_RUN/$RBENCH_RUNS >>log",
        "--switch-b",
        "echo B$RBENCH_RUN >>log",
    ];
    let around = ["--before", "echo before >>log", "--after", "echo after >>log"];
    let order = [
        "--order",
        "abba",
        "--pairs",
        "2",
        "--b",
        "--after 'echo own >>log'",
    ];
    let ran = scratch.rbench(&[&QUICK[..], &switches, &around, &order].concat());
    ran.assert_code(0);
    assert_eq!(sides(&stored(&scratch)), "ABBA");
    assert_eq!(
        log(&scratch),
        "A1/4 before after B2 before own before own A4/4 before after"
    );
    let what = stored(&scratch)[1].info.turn.clone().unwrap().what;
    assert_eq!(what, "--after 'echo own >>log', after `echo B$RBENCH_RUN >>log`");
}

#[test]
fn a_switch_that_fails_ends_the_campaign_and_what_was_measured_is_kept() {
    let scratch = scratch();
    let switches = [
        "--switch-a",
        "true",
        "--switch-b",
        "test $RBENCH_RUN -lt 4 || exit 5",
    ];
    let order = ["--order", "abba", "--pairs", "9"];
    let ran = scratch.rbench(&[&QUICK[..], &switches, &order].concat());
    ran.assert_code(1);
    ran.assert_says("--switch-b `test $RBENCH_RUN -lt 4 || exit 5` failed (exit status: 5)");
    assert_eq!(sides(&stored(&scratch)), "ABBAA");
    assert!(ran.stdout.contains("insufficient"), "{ran}");
}

#[test]
fn what_a_switch_prints_is_not_among_the_results() {
    let scratch = scratch();
    let switches = [
        "--switch-a",
        "echo switched",
        "--switch-b",
        "true",
        "--pairs",
        "1",
    ];
    let ran = scratch.rbench(&[&QUICK[..], &switches].concat());
    ran.assert_says("switched");
    assert!(!ran.stdout.contains("switched\n"), "{ran}");
}
