//! What makes no sweep is refused before anything is touched.

use super::scratch;

#[test]
fn what_makes_no_grid_or_no_run_is_refused_with_what_is_wrong() {
    let scratch = scratch();
    let before = scratch.tree("");
    let cases: [(&[&str], &str); 19] = [
        (&[], "--clients 32"),
        (&["--clients", "1,x"], "`x` is no number of clients"),
        (&["--clients", "0"], "clients=0"),
        (&["--clients", "1,,2"], "empty value"),
        (&["--clients", "1..9:0"], "step of a range"),
        (&["--clients", "1", "--set", "nosuch=1"], "nosuch"),
        (&["--clients", "1", "--set", "size=x"], "size"),
        (&["--clients", "1", "--axis", "nosuch=1"], "no option --nosuch"),
        (&["--clients", "1", "--axis", "runs=1,2"], "no axis"),
        (&["--clients", "1", "--axis", "sync=1,2"], "takes no value"),
        (&["--clients", "1", "--axis", "timelimit=1,never"], "cell 2"),
        (&["--clients", "1", "--axis", "timelimit"], "expected NAME=LIST"),
        (
            &["--clients", "1", "--dir", ".,absent"],
            "absent: cannot be worked in",
        ),
        (&["--clients", "1", "--skip-cleanup"], "--skip-cleanup"),
        (&["--clients", "1", "--load", "w.load"], "--load and --loadfile"),
        (
            &["--clients", "1..1000", "--axis", "seed=1..1000"],
            "more than 100000 cells",
        ),
        (
            &["--clients", "1..1000", "--runs", "1001"],
            "more than 1000000 runs",
        ),
        (
            &["--clients", "1", "--output", "json=w.load"],
            "w.load: is the loadfile",
        ),
        (
            &["--clients", "1", "--set", "size=1K", "--set", "size=2K"],
            "given twice",
        ),
    ];
    for (arguments, why) in cases {
        let sweep = [&["sweep", "-c", "w.load"], arguments].concat();
        let ran = scratch.rbench(&sweep);
        ran.assert_refused(why);
    }
    assert_eq!(scratch.tree(""), before);
}

#[test]
fn a_list_finds_a_setting_that_is_not_there() {
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1",
        "--sysctl",
        "vm.dirty_rato=1,2",
        "--list",
    ];
    scratch().rbench(&sweep).assert_refused("no such setting");
}

#[test]
fn a_parameter_that_no_load_declares_is_refused() {
    let scratch = scratch();
    let sweep = [
        "sweep",
        "--load",
        "w.load,o.load",
        "--clients",
        "1",
        "--set",
        "nosuch=1",
    ];
    scratch
        .rbench(&sweep)
        .assert_refused("none of the loads declares");
}

#[test]
fn a_file_that_holds_something_is_not_written_over() {
    let scratch = scratch();
    scratch.write("s.jsonl", "precious\n");
    let sweep = ["sweep", "-c", "w.load", "--clients", "1", "--results", "s.jsonl"];
    scratch.rbench(&sweep).assert_refused("--resume s.jsonl");
    assert_eq!(
        std::fs::read_to_string(scratch.path().join("s.jsonl")).unwrap(),
        "precious\n"
    );
}

#[test]
fn results_in_the_clients_directory_are_refused() {
    let scratch = scratch();
    let sweep = [
        "sweep",
        "-c",
        "w.load",
        "--clients",
        "1",
        "--results",
        "clients/s.jsonl",
    ];
    scratch.rbench(&sweep).assert_code(2);
    scratch.assert_clean();
}
