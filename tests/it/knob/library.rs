//! The library's interface, with this process as the one that changes settings.

use super::machine::{Machine, guardian_of, kill_process, read};
use crate::scratch::program;
use rbench::knob::{Guarded, KnobError, Setting};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn ratio() -> Setting {
    Setting::sysctl("vm.dirty_ratio").unwrap()
}

fn start(values: &[&str]) -> Result<Guarded, KnobError> {
    let values = values.iter().map(|&value| value.to_owned()).collect();
    Guarded::start_by(&program(), &[(ratio(), values)])
}

#[test]
fn a_value_that_is_refused_in_the_middle_is_told_and_all_is_back() {
    let Some(machine) = Machine::take() else { return };
    let mut guarded = start(&["60"]).unwrap();
    // All was tried, and nothing stays changed before it is asked for.
    assert!(machine.is_as_before());
    guarded.set(&ratio(), "60").unwrap();
    assert!(matches!(
        guarded.set(&ratio(), "101"),
        Err(KnobError::Refused { .. })
    ));
    assert_eq!(read("dirty_ratio"), "60");
    let other = Setting::sysctl("vm.swappiness").unwrap();
    assert!(matches!(guarded.set(&other, "1"), Err(KnobError::NotHeld { .. })));
    drop(guarded);
    machine.assert_as_before();
}

#[test]
fn settings_are_back_after_a_panic() {
    let Some(machine) = Machine::take() else { return };
    let mut guarded = start(&["60"]).unwrap();
    let ended = catch_unwind(AssertUnwindSafe(move || {
        guarded.set(&ratio(), "60").unwrap();
        assert_eq!(read("dirty_ratio"), "61", "on purpose");
    }));
    assert!(ended.is_err());
    machine.assert_as_before();
}

#[test]
fn where_the_guardian_is_killed_another_takes_its_place() {
    let Some(machine) = Machine::take() else { return };
    let mut guarded = start(&["60", "70"]).unwrap();
    guarded.set(&ratio(), "60").unwrap();
    let first = guardian_of(std::process::id());
    kill_process(first);
    guarded.set(&ratio(), "70").unwrap();
    let second = guardian_of(std::process::id());
    assert_ne!(first, second);
    guarded.restore().unwrap();
    machine.assert_as_before();
    // Once more is nothing.
    guarded.restore().unwrap();
}

#[test]
fn where_the_guardian_is_killed_and_nothing_is_set_any_more_settings_are_back_all_the_same() {
    let Some(machine) = Machine::take() else { return };
    let mut guarded = start(&["60"]).unwrap();
    guarded.set(&ratio(), "60").unwrap();
    kill_process(guardian_of(std::process::id()));
    guarded.restore().unwrap();
    machine.assert_as_before();
}

#[test]
fn without_a_guardian_nothing_is_changed() {
    let Some(machine) = Machine::take() else { return };
    let wanted = [(ratio(), vec!["60".to_owned()])];
    for program in ["/bin/true", "/bin/false", "/nonexistent"] {
        let error = Guarded::start_by(std::path::Path::new(program), &wanted).unwrap_err();
        assert!(matches!(error, KnobError::Guardian { .. }), "{program}: {error}");
        machine.assert_as_before();
    }
}

#[test]
fn what_others_have_changed_meanwhile_is_put_back_too() {
    let Some(machine) = Machine::take() else { return };
    let mut guarded = start(&["60"]).unwrap();
    guarded.set(&ratio(), "60").unwrap();
    super::machine::write("dirty_bytes", "314572800");
    guarded.restore().unwrap();
    machine.assert_as_before();
}
