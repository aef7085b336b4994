//! Finding runs, naming them, and removing them.

use super::{lines, run, stored};
use rbench::compare::{CellKey, Metric};
use rbench::result::{RunResult, Turn, TurnSide};
use rbench::store::{Added, Selector};

fn labelled(hours: i64, label: &str) -> RunResult {
    let mut run = run(hours);
    run.info.label = Some(label.into());
    run.info.tags = [("host".to_owned(), label.to_owned())].into();
    run
}

#[test]
fn runs_are_found_by_number_label_night_tag_and_pin_the_oldest_first() {
    let runs = [labelled(48, "new"), labelled(0, "old"), labelled(24, "new")];
    let (_scratch, store, _) = stored(&runs);
    let select = |text: &str| {
        let found = store.select(&text.parse::<Selector>().unwrap()).unwrap();
        let place = |found: &RunResult| runs.iter().position(|run| run == found).unwrap();
        found.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(select("1"), [0]);
    assert!(select("9").is_empty());
    assert_eq!(select("new"), [2, 0]);
    assert_eq!(select("label:old"), [1]);
    assert_eq!(select("night:2026-01-03"), [2]);
    assert_eq!(select("tag:host=new"), [2, 0]);
    assert!(select("pin:base").is_empty());
    store.pin("base", &"new".parse().unwrap()).unwrap();
    assert_eq!(select("pin:base"), [2, 0]);
    // Given once more, the name moves.
    store.pin("base", &"old".parse().unwrap()).unwrap();
    assert_eq!(select("pin:base"), [1]);
}

#[test]
fn a_run_that_is_there_is_not_added_again() {
    let (_scratch, store, _) = stored(&[run(0)]);
    assert_eq!(store.add(&run(0)).unwrap(), Added::Known(1));
    assert_eq!(store.add(&run(1)).unwrap(), Added::New(2));
}

#[test]
fn old_runs_are_removed_but_for_those_that_a_pin_names_and_numbers_are_not_used_again() {
    let (scratch, store, _) = stored(&[run(0), run(24), run(48), run(72)]);
    store.pin("base", &"2".parse().unwrap()).unwrap();
    let ran = |dry: &[&str]| {
        let ran = scratch.rbench(
            &[
                &["history", "--store", "s.db", "prune", "--before", "2026-01-04"],
                dry,
            ]
            .concat(),
        );
        ran.assert_code(0);
        ran.stdout
    };
    insta::assert_snapshot!(ran(&["--dry-run"]), @"runs started before 2026-01-04 00:00 UTC: 1 would be removed, 1 kept because a pin names them; 3 left");
    assert_eq!(store.all_numbers().unwrap(), [1, 2, 3, 4]);
    insta::assert_snapshot!(ran(&[]), @"runs started before 2026-01-04 00:00 UTC: 1 removed, 1 kept because a pin names them; 3 left");
    assert_eq!(store.all_numbers().unwrap(), [2, 3, 4]);
    assert_eq!(store.add(&run(0)).unwrap(), Added::New(5));
    scratch
        .rbench(&["history", "--store", "s.db", "prune", "--before", "soon"])
        .assert_refused("expected a day such as");
}

#[test]
fn what_is_stored_is_listed_and_shown_as_it_showed_itself() {
    let (scratch, store, _) = stored(&[labelled(0, "old"), labelled(24, "new"), run(48)]);
    store.pin("base", &"old".parse().unwrap()).unwrap();
    let history = |arguments: &[&str]| {
        let ran = scratch.rbench(&[&["history", "--store", "s.db"], arguments].concat());
        ran.assert_code(0);
        ran.stdout
    };
    insta::assert_snapshot!(history(&["list"]), @r"
    | cell            | machine | nights | first      | last       | runs | completed | labels   | pins |
    | --------------- | ------- | -----: | ---------- | ---------- | ---: | --------: | -------- | ---- |
    | client 1 client |         |      3 | 2026-01-02 | 2026-01-04 |    3 |         3 | old, new | base |
    ");
    insta::assert_snapshot!(history(&["list", "--runs"]), @r"
    | run | started (UTC)       | night      | cell            | machine | label |   throughput | is  | pins |
    | --: | ------------------- | ---------- | --------------- | ------- | ----- | -----------: | --- | ---- |
    |   1 | 2026-01-02 03:04:05 | 2026-01-02 | client 1 client |         | old   | 5.886 MB/sec |     | base |
    |   2 | 2026-01-03 03:04:05 | 2026-01-03 | client 1 client |         | new   | 5.886 MB/sec |     |      |
    |   3 | 2026-01-04 03:04:05 | 2026-01-04 | client 1 client |         |       | 5.886 MB/sec |     |      |
    ");
    assert_eq!(history(&["list", "--json", "--runs"]).lines().count(), 3);
    scratch.write("one.jsonl", &lines(&[labelled(24, "new")]));
    let report = scratch.rbench(&["report", "one.jsonl"]);
    assert_eq!(history(&["show", "new"]), report.stdout);
    scratch
        .rbench(&["history", "--store", "s.db", "show", "night:2020-01-01"])
        .assert_refused("no stored run is night:2020-01-01");
    scratch
        .rbench(&["history", "--store", "s.db", "pin", "a b", "1"])
        .assert_refused("is no name for a pin");
}

#[test]
fn what_equal_sides_differ_by_is_known_of_each_campaign() {
    let start = run(0).info.started_at;
    let mut runs = Vec::new();
    for (campaign, what_b, factor, pairs) in [
        (0, "", 1.02, 8),
        (1, "--sync", 1.5, 8),
        (2, "", 0.99, 9),
        (3, "", 1.7, 7),
        (4, "", 1.8, 8),
    ] {
        for pair in 1..=pairs {
            for (side, what, factor) in [(TurnSide::A, "", 1.0), (TurnSide::B, what_b, factor)] {
                let hours = campaign * 100 + i64::from(pair) * 2 + i64::from(side == TurnSide::B);
                let mut run = run(hours);
                run.bytes_per_second *= factor;
                run.info.turn = Some(Turn {
                    campaign_started_at: start + jiff::SignedDuration::from_hours(campaign * 100),
                    side,
                    pair,
                    position: 2 * pair,
                    confirms: false,
                    order: "abba".into(),
                    what: what.into(),
                });
                runs.push(run);
            }
        }
    }
    let (_scratch, store, _) = stored(&runs);
    let cell = CellKey::of(&runs[0]);
    let judged = start + jiff::SignedDuration::from_hours(400);
    let differences = store
        .aa_differences(&cell, Metric::Throughput, &[judged])
        .unwrap();
    assert_eq!(differences.len(), 2, "{differences:?}");
    assert!((differences[0] - 1.02f64.ln()).abs() < 1e-9, "{differences:?}");
    assert!(
        (differences[1] - 0.99f64.ln().abs()).abs() < 1e-9,
        "{differences:?}"
    );
    // Runs of campaigns make no nights.
    assert_eq!(store.night(None).unwrap(), None);
}
