//! However a sweep ends, the settings are back.

use super::machine::{GRID, Machine, guardian_of, kill_process, read};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::path::Path;

#[test]
fn settings_hold_in_each_cell_and_are_back_after_the_normal_end() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let note = "cat /proc/sys/vm/dirty_background_ratio /proc/sys/vm/dirty_ratio | paste -sd' ' >>seen";
    let arguments = [&GRID[..], &["--before", note]].concat();
    sweep.short(&arguments).wait().assert_code(0);
    machine.assert_as_before();
    let seen = fs::read_to_string(sweep.scratch.path().join("seen")).unwrap();
    assert_eq!(seen, "30 60\n30 70\n40 60\n40 70\n");
}

#[test]
fn settings_are_back_after_cells_that_fail() {
    let Some(machine) = Machine::take() else { return };
    let arguments = [&GRID[..], &["--before", "exit 3"]].concat();
    machine.sweep().short(&arguments).wait().assert_code(1);
    machine.assert_as_before();
}

#[test]
fn settings_are_back_after_signals() {
    let Some(machine) = Machine::take() else { return };
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let sweep = machine.sweep();
        let running = sweep.long(&GRID);
        assert_eq!(
            (
                read("dirty_background_ratio").as_str(),
                read("dirty_ratio").as_str()
            ),
            ("30", "60")
        );
        running.signal(signal);
        running.wait().assert_code(code);
        machine.assert_as_before();
    }
}

#[test]
fn a_signal_to_the_whole_group_leaves_the_guardian_alone() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let running = sweep.long(&GRID);
    let guardian = guardian_of(running.pid());
    let group = |pid: Pid| nix::unistd::getpgid(Some(pid)).unwrap();
    assert_eq!(group(guardian), guardian);
    assert_eq!(nix::unistd::getsid(Some(guardian)).unwrap(), guardian);
    for signal in [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGPIPE,
        Signal::SIGQUIT,
        Signal::SIGUSR1,
    ] {
        kill(guardian, signal).unwrap();
    }
    assert!(!machine.is_as_before());
    running.signal(Signal::SIGINT);
    running.wait().assert_code(130);
    machine.assert_as_before();
}

#[test]
fn the_guardian_keeps_no_directory_and_no_descriptor_of_others() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let running = sweep.long(&GRID);
    let guardian = guardian_of(running.pid());
    let directory = fs::read_link(format!("/proc/{guardian}/cwd")).unwrap();
    assert_eq!(directory, Path::new("/"));
    let open = fs::read_dir(format!("/proc/{guardian}/fd")).unwrap();
    let mut names: Vec<String> = open
        .map(|entry| {
            fs::read_link(entry.unwrap().path())
                .unwrap()
                .display()
                .to_string()
        })
        .map(|name| name.split(':').next().unwrap().to_owned())
        .collect();
    names.sort();
    names.dedup();
    // /run/rbench, its lock, standard error, and the way to rbench.
    assert_eq!(names, ["/run/rbench", "/run/rbench/lock", "pipe", "socket"]);
    running.kill();
    machine.wait_as_before();
}

#[test]
fn settings_are_back_after_rbench_is_killed_or_aborts() {
    let Some(machine) = Machine::take() else { return };
    // SIGABRT is what a panic ends in where it does not unwind.
    for signal in [Signal::SIGKILL, Signal::SIGABRT] {
        let sweep = machine.sweep();
        // What a command leaves running must not keep the guardian waiting.
        let left = "sleep 300 >/dev/null 2>&1 & echo $! >left";
        let running = sweep.long(&[&GRID[..], &["--before", left]].concat());
        assert!(!machine.is_as_before());
        running.signal(signal);
        let ended = running.wait();
        machine.wait_as_before();
        ended.assert_says(&[
            "its guardian has put back vm.dirty_background_ratio",
            "vm.dirty_ratio",
        ]);
        let left = fs::read_to_string(sweep.scratch.path().join("left")).unwrap();
        kill_process(Pid::from_raw(left.trim().parse().unwrap()));
    }
}

#[test]
fn after_rbench_and_its_guardian_are_killed_the_next_start_puts_settings_back() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let running = sweep.long(&GRID);
    kill_process(guardian_of(running.pid()));
    let pid = running.pid();
    running.kill();
    assert_eq!(
        (
            read("dirty_background_ratio").as_str(),
            read("dirty_ratio").as_str()
        ),
        ("30", "60")
    );
    assert!(machine.journal().exists());

    // Who may not, is told who may.
    let nobody = sweep.as_nobody(&["check", "client"]);
    nobody.assert_code(0);
    nobody.assert_says(&[
        "are not back yet",
        "vm.dirty_ratio = ",
        "any `sudo rbench …` puts them back",
    ]);
    assert!(!machine.is_as_before());

    let next = sweep.rbench(&["check", "client"]);
    next.assert_code(0).assert_says(&[
        &format!("put back kernel settings that a killed rbench (pid {pid}) had changed"),
        "vm.dirty_ratio = ",
    ]);
    machine.assert_as_before();
    assert_eq!(sweep.rbench(&["check", "client"]).stderr, "");
}

#[test]
fn after_both_are_killed_the_next_sweep_starts_from_the_old_settings() {
    let Some(machine) = Machine::take() else { return };
    let sweep = machine.sweep();
    let running = sweep.long(&GRID);
    kill_process(guardian_of(running.pid()));
    running.kill();
    assert!(!machine.is_as_before());
    machine
        .sweep()
        .short(&["--sysctl", "vm.dirty_ratio=50"])
        .wait()
        .assert_code(0);
    machine.assert_as_before();
}
