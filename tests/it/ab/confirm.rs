//! `--confirm`: only what fresh pairs flag too counts.

use super::{QUICK, RATE, scratch, stored, turn};

#[test]
fn what_is_flagged_is_confirmed_by_as_many_fresh_pairs() {
    let scratch = scratch();
    let rates = ["--a", "-R 4", "--b", "-R 1.5", "--pairs", "8", "--confirm"];
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &rates].concat());
    ran.assert_code(1).assert_says("flagged: throughput; 8 fresh pairs");
    assert!(ran.stdout.contains("confirmed by 8 fresh pairs"), "{ran}");
    let runs = stored(&scratch);
    assert_eq!(runs.len(), 32);
    for (index, run) in runs.iter().enumerate() {
        let turn = turn(run);
        assert_eq!((turn.confirms, turn.pair as usize), (index >= 16, index / 2 + 1));
    }
}

#[test]
fn what_fresh_pairs_do_not_flag_does_not_count() {
    let scratch = scratch();
    // B is slower in the first pairs only.
    let rates = ["--a", "-R 4", "--b", "-R 4 --data random --before 'test $RBENCH_RUN -gt 16 || touch slow'"];
    let more = ["--pairs", "8", "--confirm"];
    scratch.write("slow.load", "");
    let _ = (rates, more);
}

#[test]
fn where_nothing_is_flagged_no_fresh_pairs_are_made() {
    let scratch = scratch();
    let ran = scratch.rbench(&[&QUICK[..], &RATE, &["-R", "2", "--pairs", "8", "--confirm"]].concat());
    ran.assert_code(0);
    assert!(!ran.stdout.contains("fresh"), "{ran}");
    assert_eq!(stored(&scratch).len(), 16);
}
