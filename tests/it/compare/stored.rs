//! Runs of the store.

use super::{lines, run, runs};
use crate::scratch::Scratch;
use rbench::result::{RunResult, Turn, TurnSide};
use rbench::store::Store;

const STORE: [&str; 2] = ["--store", "s.db"];

/// A store with these runs.
fn with(runs: &[RunResult]) -> Scratch {
    let scratch = Scratch::in_memory();
    let store = Store::open(Some(&scratch.path().join("s.db"))).unwrap();
    for run in runs {
        store.add(run).unwrap();
    }
    scratch
}

#[test]
fn runs_are_compared_by_label_pin_and_tag() {
    let mut old = runs(0, 1.0);
    let mut new = runs(30, 0.9);
    for run in &mut old {
        run.info.label = Some("v1".into());
    }
    for run in &mut new {
        run.info.tags.insert("build".into(), "7".into());
    }
    let scratch = with(&[old, new].concat());
    let store = Store::open(Some(&scratch.path().join("s.db"))).unwrap();
    store.pin("good", &"v1".parse().unwrap()).unwrap();
    for base in ["v1", "pin:good"] {
        let ran = scratch.rbench(&[&["compare", base, "tag:build=7"], &STORE[..]].concat());
        ran.assert_code(1);
        assert!(
            ran.stdout.starts_with(&format!("base       {base}: 10 runs")),
            "{ran}"
        );
    }
    let ran = scratch.rbench(&[&["compare", "v1", "pin:bad"], &STORE[..]].concat());
    ran.assert_refused("pin:bad: there is no such file, and stored runs cannot be meant: ");
}

#[test]
fn equal_campaigns_in_the_store_raise_the_floor() {
    let mut stored = Vec::new();
    for campaign in 0..10 {
        for (side, factor) in [(TurnSide::A, 1.0), (TurnSide::B, 1.15)] {
            for pair in 1..=8 {
                let at = campaign * 1000 + i64::from(pair) * 10 + i64::from(side == TurnSide::B);
                let mut run = run(at, 100.0 * factor);
                run.info.turn = Some(Turn {
                    campaign_started_at: super::run(campaign * 1000, 1.0).info.started_at,
                    side,
                    pair,
                    position: pair * 2,
                    confirms: false,
                    order: "abba".into(),
                    what: String::new(),
                });
                stored.push(run);
            }
        }
    }
    let scratch = with(&stored);
    scratch.write("old.jsonl", &lines(&runs(0, 1.0)));
    scratch.write("new.jsonl", &lines(&runs(30, 0.9)));
    let ran = scratch.rbench(&[&["compare", "old.jsonl", "new.jsonl"], &STORE[..]].concat());
    ran.assert_code(0);
    let note = "the floor of throughput is raised to 15.0 %: by so much equal runs of this cell differ";
    assert!(ran.stdout.contains(note), "{ran}");
    assert!(ran.stdout.contains("  small      (1)\n"), "{ran}");
    scratch
        .rbench(&["compare", "old.jsonl", "new.jsonl", "--store", "absent.db"])
        .assert_refused("absent.db: there is no store yet");
    scratch
        .rbench(&["compare", "old.jsonl", "new.jsonl"])
        .assert_code(1);
    // What is judged does not raise its own floor.
    scratch.write("one.jsonl", &lines(&stored[..16]));
    let ran = scratch.rbench(&[&["compare", "one.jsonl"], &STORE[..]].concat());
    assert!(!ran.stdout.contains("is raised to"), "{ran}");
}

#[test]
fn a_store_that_is_none_is_bad_usage() {
    let scratch = Scratch::new();
    let text = lines(&runs(0, 1.0));
    scratch.write("old.jsonl", &text);
    scratch.write("s.db", &text);
    let ran = scratch.rbench(&[&["compare", "old.jsonl", "old.jsonl"], &STORE[..]].concat());
    ran.assert_refused("s.db: is no store of rbench");
}
