//! A night that is not as expected, and the fresh runs that say so too, or do not.

use super::{Noise, add, checked, date, imported, nights, one};
use crate::scratch::Scratch;
use rbench::result::RunResult;

/// The number of the last night.
const LAST: i64 = 12;

/// Twelve nights, and one at another level.
fn with_last(level: f64) -> Scratch {
    let at = |night| if night < LAST { 1.0 } else { level };
    imported(&nights(&mut Noise::new(7), 0..LAST + 1, at))
}

/// Fresh runs of the last night.
fn fresh(count: u32, level: f64) -> Vec<RunResult> {
    let fresh = |number| {
        let mut run = one(LAST + 1, number, level * (1.0 + f64::from(number) / 1000.0));
        run.info.tags = [("fresh", "1"), ("night", &date(LAST))]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        run
    };
    (1..=count).map(fresh).collect()
}

#[test]
fn a_night_that_is_worse_is_suspected_and_fresh_runs_are_asked_for() {
    let scratch = with_last(0.8);
    let ran = checked(&scratch, &[]);
    ran.assert_code(1);
    assert!(ran.stdout.contains("suspected worse"), "{ran}");
    assert!(
        ran.stdout.contains("--tag night=2026-01-14 --tag fresh=1"),
        "{ran}"
    );
    assert_eq!(
        ran.last_line(),
        "night 2026-01-14: of 4 gated series 2 suspected worse"
    );
    // A floor beyond it, and metrics that are not gated.
    checked(&scratch, &["--floor", "30%"]).assert_code(0);
    checked(&scratch, &["--gate", "p99"]).assert_code(0);
    checked(&scratch, &["--cell", "nothing of the kind"])
        .assert_refused("has nothing to judge of cells whose names hold `nothing of the kind`");
    checked(&scratch, &["--night", &date(LAST - 1)]).assert_code(0);
}

#[test]
fn fresh_runs_confirm_a_night_only_where_they_lie_beyond_the_interval_on_the_same_side() {
    let before = with_last(0.8);
    for (runs, told, code) in [
        (fresh(2, 0.8), "suspected worse", 1),
        (fresh(3, 0.8), "confirmed worse", 1),
        (fresh(3, 1.0), "not confirmed", 0),
        (fresh(3, 1.3), "not confirmed", 0),
    ] {
        let scratch = Scratch::new();
        std::fs::copy(before.path().join("s.db"), scratch.path().join("s.db")).unwrap();
        add(&scratch, &runs);
        let ran = checked(&scratch, &[]);
        ran.assert_code(code);
        assert!(ran.stdout.contains(told), "{told}: {ran}");
        // They are no night, and do not change what is told of this one.
        assert!(ran.last_line().starts_with("night 2026-01-14: "), "{ran}");
    }
}

#[test]
fn a_night_that_is_better_is_no_failure() {
    let scratch = with_last(1.3);
    let ran = checked(&scratch, &["--strict"]);
    ran.assert_code(0);
    assert!(ran.stdout.contains("suspected better"), "{ran}");
}

#[test]
fn too_few_nights_are_told_and_strictly_exit_code_3() {
    let scratch = imported(&nights(&mut Noise::new(3), 0..4, |_| 1.0));
    let ran = checked(&scratch, &[]);
    ran.assert_code(0);
    assert!(ran.stdout.contains("too few nights to tell"), "{ran}");
    assert!(ran.stdout.contains("(there are 3)"), "{ran}");
    checked(&scratch, &["--strict"]).assert_code(3);
    checked(&scratch, &["--night", "2020-01-01"]).assert_refused("s.db: has no night 2020-01-01");
}
