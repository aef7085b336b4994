//! What is refused before anything is changed, and in words that help.

use super::machine::{GRID, Machine};
use crate::mounted::as_root;
use crate::scratch::Scratch;
use std::fs;

#[test]
fn a_value_that_the_kernel_refuses_later_is_found_before_the_first_cell() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let ended = sweep.short(&["--sysctl", "vm.dirty_ratio=60,101"]).wait();
    ended
        .assert_code(2)
        .assert_says(&["vm.dirty_ratio: the kernel refuses the value `101` (Invalid argument)"]);
    sweep.scratch.assert_clean();
    machine.assert_as_before();
}

#[test]
fn a_value_that_reads_back_otherwise_is_refused() {
    let Some(machine) = Machine::take() else { return };
    let ended = machine.sweep().short(&["--sysctl", "vm.dirty_ratio=0x20"]).wait();
    ended
        .assert_code(2)
        .assert_says(&["`0x20` was written, and `32` is read back"]);
    machine.assert_as_before();
}

#[test]
fn a_setting_that_could_not_be_put_back_is_left_alone() {
    let Some(machine) = Machine::take() else { return };
    // The kernel tells whether there is a carrier, but a loopback has none that could be set.
    let carrier = "class/net/lo/carrier";
    if fs::read_to_string(format!("/sys/{carrier}")).is_err() {
        eprintln!("skipped, the loopback interface is not up");
        return;
    }
    let ended = machine
        .sweep()
        .short(&["--sysfs", &format!("{carrier}=0")])
        .wait();
    ended
        .assert_code(2)
        .assert_says(&["class/net/lo/carrier: the kernel does not take back even the present value `1`"]);
    machine.assert_as_before();
}

#[test]
fn settings_that_are_not_there_or_are_none_are_refused() {
    let scratch = Scratch::new();
    for (arguments, words) in [
        (
            ["--sysctl", "vm.no_such=1"],
            "this kernel or machine has no such setting",
        ),
        (["--sysctl", "vm=1"], "is a directory"),
        (["--sysctl", "/etc/passwd=1"], "is no kernel setting"),
        (["--sysctl", "vm/../../../etc/passwd=1"], "is no kernel setting"),
        (["--sysfs", "../etc/passwd=1"], "is no kernel setting"),
    ] {
        scratch
            .rbench(&[&["sweep", "--clients", "1"], &arguments[..]].concat())
            .assert_refused(words);
    }
    scratch.assert_clean();
}

#[test]
fn two_forms_of_one_limit_are_refused() {
    let axes = [
        "--sysctl",
        "vm.dirty_ratio=60",
        "--sysctl",
        "vm.dirty_bytes=104857600",
    ];
    let scratch = Scratch::new();
    scratch
        .rbench(&[&["sweep", "--clients", "1"], &axes[..]].concat())
        .assert_refused("replace each other in the kernel");
}

#[test]
fn a_second_sweep_at_once_is_refused_and_told_by_whom() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let first = sweep.long(&GRID);
    let second = machine.sweep().short(&GRID).wait();
    second
        .assert_code(2)
        .assert_says(&[&format!("another rbench (pid {})", first.pid())]);
    // One without settings is not hindered, nor does it think that anything is left over.
    let third = machine.sweep().short(&[]).wait();
    third.assert_code(0);
    assert!(!third.stderr.contains("kernel settings"), "{third:?}");
    assert!(!machine.is_as_before());
    first.kill();
    machine.wait_as_before();
}

#[test]
fn a_user_is_told_the_command_for_root() {
    let Some(machine) = Machine::take() else { return };
    let arguments = [&["sweep", "--results", "/dev/null", "--clients", "1"], &GRID[..]].concat();
    let ended = machine.sweep().as_nobody(&arguments);
    ended.assert_code(2).assert_says(&[
        "only root may change kernel settings (vm.dirty_background_ratio, vm.dirty_ratio): run `sudo ",
        "rbench sweep --results /dev/null --clients 1 --sysctl vm.dirty_background_ratio=30,40 --sysctl vm.dirty_ratio=60,70`",
    ]);
    machine.assert_as_before();
}

#[test]
fn settings_on_a_read_only_mount_are_refused_with_the_reason() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let mount = "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys";
    let script = "exec \"$0\" sweep --clients 1 --sysctl vm.dirty_ratio=60,70";
    let Some(ended) = as_root(&sweep.scratch, mount, script) else {
        return;
    };
    ended
        .assert_code(2)
        .assert_says("/proc/sys/vm/dirty_ratio is on a read-only mount, as in containers");
    machine.assert_as_before();
}

#[test]
fn no_help_manual_or_completion_tells_of_the_guardian_and_it_does_nothing_by_itself() {
    let scratch = Scratch::new();
    scratch.rbench(&["man", "pages"]).assert_well();
    let pages = scratch.tree("pages").join(" ");
    let texts = [
        scratch.rbench(&["--help"]).stdout,
        scratch.rbench(&["completions", "bash"]).stdout,
        scratch.rbench(&["completions", "zsh"]).stdout,
        pages,
    ];
    for text in texts {
        assert!(!text.is_empty() && !text.contains("guardian"), "{text}");
    }
    scratch
        .rbench(&["guardian"])
        .assert_code(1)
        .assert_says("is started by `rbench sweep` alone");
}
