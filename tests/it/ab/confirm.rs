//! `--confirm`: only what fresh pairs flag too counts.

use super::{QUICK, RATE, scratch, stored, turn};
use crate::sample_result::one_client;
use jiff::SignedDuration;
use rbench::compare::{Gate, Observation, Settings, compare_turns};
use rbench::result::{Turn, TurnSide};

#[test]
fn what_is_flagged_is_confirmed_by_as_many_fresh_pairs() {
    let scratch = scratch();
    let rates = ["--a", "-R 4", "--b", "-R 1.5", "--pairs", "8", "--confirm"];
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &rates].concat());
    ran.assert_code(1)
        .assert_says("flagged: throughput; 8 fresh pairs");
    assert!(ran.stdout.contains("confirmed by 8 fresh pairs"), "{ran}");
    let runs = stored(&scratch);
    assert_eq!(runs.len(), 32);
    for (index, run) in runs.iter().enumerate() {
        let turn = turn(run);
        assert_eq!((turn.confirms, turn.pair as usize), (index >= 16, index / 2 + 1));
    }
}

/// A campaign of 10 pairs and as many fresh ones, in which B is slower by these shares.
fn campaign(slower: f64, slower_in_fresh: f64) -> Vec<Observation> {
    let mut runs = Vec::new();
    for position in 1..=40 {
        let (pair, confirms) = (u32::div_ceil(position, 2), position > 20);
        let side = if position % 2 == 1 {
            TurnSide::A
        } else {
            TurnSide::B
        };
        let mut run = one_client();
        run.info.started_at += SignedDuration::from_mins(i64::from(position));
        let by = if confirms { slower_in_fresh } else { slower };
        // Some noise, the same on both sides.
        run.bytes_per_second *= 1.0 + f64::from(pair % 5) / 500.0 + f64::from(position % 3) / 1000.0;
        if side == TurnSide::B {
            run.bytes_per_second *= 1.0 - by;
        }
        run.info.turn = Some(Turn {
            campaign_started_at: one_client().info.started_at,
            side,
            pair,
            position,
            confirms,
            order: "random:1".into(),
            what: String::new(),
        });
        runs.push(Observation::from(&run));
    }
    runs
}

#[test]
fn what_fresh_pairs_do_not_flag_in_the_same_direction_does_not_count() {
    let gate: Gate = "throughput".parse().unwrap();
    let settings = Settings::new(&gate);
    for (slower, in_fresh, code, told) in [
        (0.1, 0.1, true, "regressed, confirmed by 10 fresh pairs (-"),
        (
            0.1,
            0.0,
            false,
            "regressed, but not confirmed: 10 fresh pairs say unchanged",
        ),
        (
            0.1,
            -0.1,
            false,
            "regressed, but not confirmed: 10 fresh pairs say improved (+",
        ),
    ] {
        let runs = campaign(slower, in_fresh);
        let comparison = compare_turns(&runs, &settings, true).unwrap();
        assert_eq!(comparison.has_regressed(), code, "{told}");
        let notes: Vec<&str> = comparison.notes.iter().map(|note| note.text.as_str()).collect();
        assert!(
            notes.iter().any(|note| note.contains(told)),
            "no {told:?} in {notes:#?}"
        );
        // Stored runs are judged in the same way, whether or not the fresh ones are asked for.
        assert_eq!(compare_turns(&runs, &settings, false).unwrap(), comparison);
    }
    // Where they were to be made and are not there, nothing is confirmed.
    let first = &campaign(0.1, 0.0)[..20];
    assert!(!compare_turns(first, &settings, true).unwrap().has_regressed());
    assert!(compare_turns(first, &settings, false).unwrap().has_regressed());
    // What the first do not flag is never judged by the fresh.
    assert!(
        !compare_turns(&campaign(0.0, 0.1), &settings, true)
            .unwrap()
            .has_regressed()
    );
}

#[test]
fn where_nothing_is_flagged_no_fresh_pairs_are_made() {
    let scratch = scratch();
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &["-R", "2", "--pairs", "8", "--confirm"]].concat());
    ran.assert_code(0);
    assert!(!ran.stdout.contains("fresh"), "{ran}");
    assert_eq!(stored(&scratch).len(), 16);
}
