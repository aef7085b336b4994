//! `rbench ab`: two sides in turns, and what became of the second.

mod confirm;
mod interrupted;
mod refused;
mod switches;

use crate::scratch::Scratch;
use rbench::output::document::results;
use rbench::result::{RunResult, Turn, TurnSide};
use std::fs;

/// A write and what is around it; no file is left.
pub(crate) const LOAD: &str = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    LOOP 10\nWriteX 1 0 4096 4096 NT_STATUS_OK\nENDLOOP\nClose 1 NT_STATUS_OK\n\
    Unlink \"\\clients\\client1\\f\" 0x16 NT_STATUS_OK\n";

/// Quick runs that touch no disk, into `ab.jsonl`.
const QUICK: [&str; 9] = [
    "ab",
    "-B",
    "null",
    "-c",
    "w.load",
    "--results",
    "ab.jsonl",
    "--floor",
    "50%",
];
/// Rates at which a side is half as fast as the other, whatever else the machine does.
const RATE: [&str; 6] = ["-t", "0.05", "--warmup", "0", "--gate", "throughput"];

fn scratch() -> Scratch {
    let scratch = Scratch::in_memory();
    scratch.write("w.load", LOAD);
    scratch
}

fn stored(scratch: &Scratch) -> Vec<RunResult> {
    let text = fs::read_to_string(scratch.path().join("ab.jsonl")).unwrap();
    results(&text).map(Result::unwrap).collect()
}

fn turn(run: &RunResult) -> &Turn {
    run.info.turn.as_ref().unwrap()
}

/// The sides in the order of time: `ABBA`.
fn sides(runs: &[RunResult]) -> String {
    let letter = |run: &RunResult| match turn(run).side {
        TurnSide::A => 'A',
        TurnSide::B => 'B',
    };
    runs.iter().map(letter).collect()
}

#[test]
fn runs_take_turns_and_say_so_in_their_results() {
    let scratch = scratch();
    let ab = [
        "--order",
        "abba",
        "--pairs",
        "3",
        "--a",
        "--tag x=1",
        "--b",
        "--seed 7",
        "2",
    ];
    scratch.rbench(&[&QUICK[..], &ab].concat()).assert_code(0);
    let runs = stored(&scratch);
    assert_eq!(sides(&runs), "ABBAAB");
    for (index, run) in runs.iter().enumerate() {
        let turn = turn(run);
        assert_eq!(turn.position as usize, index + 1);
        assert_eq!(turn.pair as usize, index / 2 + 1);
        assert_eq!((turn.order.as_str(), turn.confirms), ("abba", false));
        assert_eq!(
            turn.campaign_started_at,
            runs[0].info.turn.as_ref().unwrap().campaign_started_at
        );
        assert_eq!(
            (run.info.run_number, run.info.runs, run.clients),
            (turn.pair, 3, 2)
        );
        match turn.side {
            TurnSide::A => {
                assert_eq!(
                    (turn.what.as_str(), run.info.label.as_deref()),
                    ("--tag x=1", None)
                );
                assert_eq!((run.info.options.seed, run.info.tags["x"].as_str()), (0, "1"));
            }
            TurnSide::B => {
                assert_eq!(
                    (turn.what.as_str(), run.info.label.as_deref()),
                    ("--seed 7", None)
                );
                assert_eq!((run.info.options.seed, run.info.tags.len()), (7, 0));
            }
        }
    }
}

#[test]
fn a_random_order_is_told_and_its_seed_repeats_it() {
    let mut orders = Vec::new();
    let mut order = "random".to_owned();
    for _ in 0..2 {
        let scratch = scratch();
        let ran = scratch.rbench(&[&QUICK[..], &["--pairs", "9", "--order", &order, "1"]].concat());
        let runs = stored(&scratch);
        order = turn(&runs[0]).order.clone();
        assert!(order.starts_with("random:"), "{order}");
        ran.assert_says(&format!("--order {order}"));
        orders.push(sides(&runs));
    }
    assert_eq!(orders[0], orders[1]);
}

#[test]
fn what_a_side_says_holds_and_a_label_stays() {
    let scratch = scratch();
    let ab = [
        "--pairs",
        "1",
        "--label",
        "both",
        "--seed",
        "3",
        "--pin",
        "none",
        "--b",
        "--seed 4 --label own -c client",
    ];
    scratch.rbench(&[&QUICK[..], &ab].concat()).assert_code(0);
    for run in stored(&scratch) {
        let loads: Vec<&str> = run.loadfiles.iter().map(|load| load.name.as_str()).collect();
        let found = (
            run.info.label.as_deref().unwrap(),
            run.info.options.seed,
            loads[0],
            loads.len(),
        );
        match turn(&run).side {
            TurnSide::A => assert_eq!(found, ("both", 3, "w.load", 1)),
            TurnSide::B => assert_eq!(found, ("own", 4, "client", 1)),
        }
    }
}

#[test]
fn equal_sides_are_an_aa_campaign_with_exit_code_0() {
    let scratch = scratch();
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &["-R", "2", "--pairs", "8"]].concat());
    ran.assert_code(0).assert_says("A/A campaign");
    assert!(ran.stdout.contains("throughput"), "{ran}");
    // One campaign in twenty is significant by chance, and far below the floor.
    let verdicts = ["unchanged", "small"];
    assert!(
        verdicts.iter().any(|verdict| ran.stdout.contains(verdict)),
        "{ran}"
    );
}

#[test]
fn a_side_that_is_slower_is_found_with_exit_code_1() {
    let scratch = scratch();
    let rates = ["--a", "-R 4", "--b", "-R 1.5", "--pairs", "8"];
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &rates].concat());
    ran.assert_code(1);
    assert!(ran.stdout.contains("regressed"), "{ran}");
    // The file is judged in the same way.
    let again = scratch.rbench(&["compare", "ab.jsonl", "--gate", "throughput", "--floor", "50%"]);
    assert_eq!((again.code, again.stdout), (Some(1), ran.stdout));
}

#[test]
fn a_side_that_is_faster_is_no_regression() {
    let scratch = scratch();
    let rates = ["--a", "-R 1.5", "--b", "-R 4", "--pairs", "8"];
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &rates].concat());
    ran.assert_code(0);
    assert!(ran.stdout.contains("improved"), "{ran}");
}

#[test]
fn too_few_pairs_are_no_verdict_and_strict_says_so() {
    for (strict, code) in [(&[][..], 0), (&["--strict"][..], 3)] {
        let scratch = scratch();
        let ran = scratch.rbench(&[&QUICK[..], &["--pairs", "2"], strict].concat());
        ran.assert_code(code);
        assert!(ran.stdout.contains("insufficient"), "{ran}");
    }
}

#[test]
fn a_pilot_tells_how_many_pairs_show_a_difference() {
    let scratch = scratch();
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &["-R", "2", "--detect", "60%"]].concat());
    ran.assert_code(0).assert_says("pilot");
    let runs = stored(&scratch);
    ran.assert_says(&format!("{} pairs", runs.len() / 2));
    assert!(runs.len() >= 16, "{ran}");
    let pairs: Vec<u32> = runs.iter().map(|run| turn(run).pair).collect();
    let counted: Vec<u32> = (1..=runs.len() as u32 / 2)
        .flat_map(|pair| [pair, pair])
        .collect();
    assert_eq!(pairs, counted);
}

#[test]
fn results_that_go_to_standard_output_are_alone_there() {
    let scratch = scratch();
    let ran = scratch.rbench(&[&QUICK[..], &["--pairs", "2", "--output", "jsonl=-"]].concat());
    ran.assert_code(0).assert_says("insufficient");
    assert_eq!(results(&ran.stdout).filter(Result::is_ok).count(), 4, "{ran}");
}

#[test]
fn an_outcome_that_differs_is_told_and_sets_the_exit_code() {
    let scratch = scratch();
    scratch.write("bad.load", "Unlink \"\\clients\\client1\\f\" 0x16 NT_STATUS_OK\n");
    let ab = ["ab", "-c", "bad.load", "--results", "ab.jsonl", "--pairs", "1"];
    scratch.rbench(&ab).assert_code(1);
    assert_eq!(stored(&scratch).len(), 2);
    scratch.assert_clean();
}

#[test]
fn a_run_that_fails_ends_the_campaign_and_what_was_measured_is_kept() {
    let scratch = scratch();
    scratch.write("bad.load", "Unlink \"\\clients\\client1\\f\" 0x16 NT_STATUS_OK\n");
    let ab = [
        "ab",
        "-c",
        "w.load",
        "--results",
        "ab.jsonl",
        "--order",
        "abba",
        "--b",
        "-c bad.load --on-mismatch stop",
    ];
    let ran = scratch.rbench(&ab);
    ran.assert_code(1).assert_says("pair 1, side b");
    let runs = stored(&scratch);
    assert_eq!(sides(&runs), "AB");
    scratch.assert_clean();
}
