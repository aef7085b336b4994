//! Limits in bytes, which zero those in percent, and are zeroed by them.

use super::machine::{GRID, Machine, guardian_of, kill_process, read, write};
use nix::sys::signal::Signal;

/// Both limits in bytes.
fn in_bytes(machine: &mut Machine) {
    write("dirty_bytes", "314572800");
    write("dirty_background_bytes", "104857600");
    machine.changed_by_us();
    assert_eq!(read("dirty_ratio"), "0");
}

#[test]
fn limits_in_bytes_are_back_however_a_sweep_of_those_in_percent_ends() {
    let Some(mut machine) = Machine::take() else {
        return;
    };
    in_bytes(&mut machine);
    machine.sweep().short(&GRID).wait().assert_code(0);
    machine.assert_as_before();

    let sweep = machine.sweep();
    let running = sweep.long(&GRID);
    assert_eq!(
        (read("dirty_bytes").as_str(), read("dirty_ratio").as_str()),
        ("0", "60")
    );
    running.signal(Signal::SIGKILL);
    running.wait();
    machine.wait_as_before();

    let sweep = machine.sweep();
    let running = sweep.long(&GRID);
    kill_process(guardian_of(running.pid()));
    running.kill();
    assert_eq!(read("dirty_bytes"), "0");
    sweep
        .rbench(&["check", "client"])
        .assert_code(0)
        .assert_says(&["put back"]);
    machine.assert_as_before();
}

#[test]
fn limits_in_percent_are_back_after_a_sweep_of_those_in_bytes() {
    let Some(machine) = Machine::take() else { return };
    let axes = [
        "--sysctl",
        "vm.dirty_bytes=314572800,419430400",
        "--sysctl",
        "vm/dirty_background_bytes=104857600",
    ];
    machine.sweep().short(&axes).wait().assert_code(0);
    machine.assert_as_before();
}

#[test]
fn a_limit_of_no_percent_takes_effect_where_bytes_held() {
    let Some(mut machine) = Machine::take() else {
        return;
    };
    in_bytes(&mut machine);
    let sweep = machine.sweep();
    let note = "cat /proc/sys/vm/dirty_ratio /proc/sys/vm/dirty_bytes | paste -sd' ' >>seen";
    sweep
        .short(&["--sysctl", "vm.dirty_ratio=0,50", "--before", note])
        .wait()
        .assert_code(0);
    machine.assert_as_before();
    let seen = std::fs::read_to_string(sweep.scratch.path().join("seen")).unwrap();
    assert_eq!(seen, "0 0\n50 0\n");
}

#[test]
fn a_background_that_is_not_below_the_limit_is_doubted_in_its_cells_alone() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let axes = [
        "--sysctl",
        "vm.dirty_background_ratio=30,60",
        "--sysctl",
        "vm.dirty_ratio=60",
    ];
    sweep.short(&axes).wait().assert_code(0);
    machine.assert_as_before();
    let results = std::fs::read_to_string(sweep.scratch.path().join("r.jsonl")).unwrap();
    let doubted: Vec<bool> = results
        .lines()
        .map(|line| line.contains("background_not_below"))
        .collect();
    assert_eq!(doubted, [false, true]);
}
