//! What is no campaign is refused before anything is touched.

use super::{QUICK, scratch};
use crate::scratch::Scratch;
use std::fs;

fn refused(scratch: &Scratch, arguments: &[&str], why: &str) {
    let ran = scratch.rbench(
        &[
            &["ab", "--switch-a", "touch touched", "--switch-b", "true"],
            arguments,
        ]
        .concat(),
    );
    ran.assert_refused(why);
    assert_eq!(scratch.tree(""), ["w.load"], "{ran}");
}

#[test]
fn options_that_make_no_run_are_refused_by_their_side() {
    let scratch = scratch();
    for (arguments, why) in [
        (&["--a", "--nonsense"][..], "unexpected argument '--nonsense'"),
        (&["--b", "-R fast"], "invalid value 'fast'"),
        (&["--b", "--before 'x"], "a quote is not closed"),
        (&["--b", "--output json=x"], "--output holds for both sides"),
        (&["--b", "-c absent.load"], "side b: "),
        (&["--a", "-t 0"], "side a: -t 0 leaves nothing to measure"),
        (&["--a", "--set nothing=1"], "side a: "),
        (&["--a", "--runs 2"], "--runs cannot be used"),
        (&["--runs", "2"], "--runs cannot be used"),
        (&["--skip-cleanup"], "--skip-cleanup cannot be used"),
        (&["--order", "baab"], "expected abba"),
        (&["--pairs", "3", "--detect", "5%"], "--detect"),
        (&["--pairs", "0"], "--pairs"),
        (
            &["--detect", "0%"],
            "--detect 0%: differences up to the floor of 3% never count",
        ),
        (
            &["--detect", "3%"],
            "--detect 3%: differences up to the floor of 3% never count",
        ),
        (&["--results", "-"], "--results -"),
        (&["--results", "w.load"], "w.load: holds something already"),
        (&["--results", "absent/x"], "absent"),
        (&["--gate", "speed"], "is no metric"),
        (&["0"], "0 is not in"),
    ] {
        refused(&scratch, arguments, why);
    }
}

#[test]
fn a_directory_that_is_not_there_is_refused_unless_a_switch_makes_it() {
    let scratch = scratch();
    let ab = [
        "ab",
        "-c",
        "w.load",
        "--results",
        "ab.jsonl",
        "--pairs",
        "1",
        "--b",
        "-D d",
    ];
    scratch
        .rbench(&ab)
        .assert_refused("side b: d: cannot be worked in");
    assert_eq!(scratch.tree(""), ["w.load"]);
    let switches = ["--switch-a", "true", "--switch-b", "mkdir d"];
    scratch.rbench(&[&ab[..], &switches].concat()).assert_code(0);
}

#[test]
fn one_switch_alone_is_refused() {
    let scratch = scratch();
    let ab = ["ab", "-c", "w.load", "--switch-b", "touch touched"];
    scratch
        .rbench(&ab)
        .assert_refused("--switch-a and --switch-b go together");
}

#[test]
fn a_file_that_holds_results_is_not_written_over() {
    let scratch = scratch();
    let ab = [&QUICK[..], &["--pairs", "1"]].concat();
    scratch.rbench(&ab).assert_code(0);
    let text = || fs::read_to_string(scratch.path().join("ab.jsonl")).unwrap();
    let before = text();
    scratch
        .rbench(&ab)
        .assert_refused("ab.jsonl: holds something already");
    assert_eq!(text(), before);
}
