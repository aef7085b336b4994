//! A journal that is not to be trusted is not heeded, and told.

use super::machine::{Machine, read};
use crate::scratch::Scratch;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;

/// A journal of this start of the machine.
fn journal(settings: &str) -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let boot = boot.trim();
    format!(r#"{{"version":1,"boot_id":"{boot}","pid":1,"settings":[{settings}]}}"#)
}

const RATIO: &str = r#"{"root":"sysctl","name":"vm.dirty_ratio","value":"33"}"#;

/// Puts it where rbench looks, and answers where that is.
fn place(machine: &Machine, text: &str) -> PathBuf {
    let (directory, journal) = (machine.saved(), machine.journal());
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir(&directory).unwrap();
    fs::write(&journal, text).unwrap();
    fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&journal, Permissions::from_mode(0o644)).unwrap();
    journal
}

/// A start of rbench does its work, says why it does not heed what lies there, and changes nothing; and settings are not
/// changed while it lies there.
#[track_caller]
fn assert_not_heeded(machine: &Machine, words: &str) {
    let next = machine.sweep().rbench(&["check", "client"]);
    next.assert_code(0).assert_says(&[words]);
    assert!(machine.is_as_before());
    let ended = machine.sweep().short(&["--sysctl", "vm.dirty_ratio=60"]).wait();
    ended.assert_code(2).assert_says(&[words]);
    assert!(machine.is_as_before());
}

#[test]
fn a_journal_that_is_torn_or_names_other_files_is_told_and_nothing_is_written() {
    let Some(machine) = Machine::take() else { return };
    let scratch = Scratch::new();
    let canary = scratch.write("canary", "as before");
    let up = format!(
        r#"{{"root":"sysfs","name":"../{}","value":"gone"}}"#,
        canary.display()
    );
    let there = format!(
        r#"{{"root":"sysctl","name":"{}","value":"gone"}}"#,
        canary.display()
    );
    let whole = journal(RATIO);
    for (text, words) in [
        (&whole[..whole.len() / 2], "it is no journal of kernel settings"),
        ("", "it is no journal of kernel settings"),
        ("[1,2", "it is no journal of kernel settings"),
        (&journal(&format!("{RATIO},{up}")), "is no kernel setting"),
        (&journal(&format!("{RATIO},{there}")), "is no kernel setting"),
        (&"x".repeat(2 << 20), "it is too long"),
    ] {
        place(&machine, text);
        assert_not_heeded(&machine, words);
    }
    assert_eq!(fs::read_to_string(canary).unwrap(), "as before");
}

#[test]
fn a_journal_that_is_not_roots_alone_is_not_heeded() {
    let Some(machine) = Machine::take() else { return };
    let whole = journal(RATIO);
    let journal = place(&machine, &whole);
    chown(&journal, Some(65534), None).unwrap();
    assert_not_heeded(&machine, "it is user 65534's and not root's");

    let journal = place(&machine, &whole);
    fs::set_permissions(&journal, Permissions::from_mode(0o666)).unwrap();
    assert_not_heeded(&machine, "others than root may write it");

    place(&machine, &whole);
    fs::set_permissions(machine.saved(), Permissions::from_mode(0o777)).unwrap();
    assert_not_heeded(&machine, "others than root may write it");

    let journal = place(&machine, &whole);
    let elsewhere = machine.saved().join("elsewhere");
    fs::rename(&journal, &elsewhere).unwrap();
    symlink("elsewhere", &journal).unwrap();
    assert_not_heeded(&machine, "it is a symbolic link");

    let journal = place(&machine, &whole);
    fs::remove_file(&journal).unwrap();
    fs::create_dir(&journal).unwrap();
    assert_not_heeded(&machine, "it is no file");
}

#[test]
fn a_journal_of_an_earlier_start_of_the_machine_is_removed_and_nothing_is_written() {
    let Some(machine) = Machine::take() else { return };
    place(
        &machine,
        r#"{"version":1,"boot_id":"x","pid":1,"settings":[{"root":"sysctl","name":"vm.dirty_ratio","value":"33"}]}"#,
    );
    let next = machine.sweep().rbench(&["check", "client"]);
    assert_eq!(next.assert_code(0).stderr, "");
    machine.assert_as_before();
}

#[test]
fn what_cannot_be_put_back_is_told_and_the_journal_stays_and_the_rest_is_back() {
    let Some(mut machine) = Machine::take() else {
        return;
    };
    place(
        &machine,
        &journal(&format!(
            r#"{RATIO},{{"root":"sysctl","name":"kernel.ostype","value":"Unix"}}"#
        )),
    );
    let next = machine.sweep().rbench(&["check", "client"]);
    next.assert_code(0)
        .assert_says(&["kernel settings were not put back: kernel.ostype is `Linux` and was `Unix`"]);
    assert!(machine.journal().exists());
    assert_eq!(read("dirty_ratio"), "33");
    machine.changed_by_us();
    fs::remove_dir_all(machine.saved()).unwrap();
    machine.assert_as_before();
}
