//! `--warmup auto`: the measured window starts when throughput has settled.

use crate::scratch::{Scratch, plan, program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rbench::replay::null::Null;
use rbench::replay::pace::Pacing;
use rbench::result::{RunResult, Warning};
use rbench::run::{Plan, Silent, execute_with};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Never ends by itself.
const ENDLESS: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
LOOP 1000000000000
WriteX 1 0 1000 1000 NT_STATUS_OK
ENDLOOP
"#;

fn execute(load: &str, most: Duration, limit: Duration, change: impl FnOnce(&mut Plan)) -> RunResult {
    let mut plan = plan(load);
    plan.settings.warmup_auto = true;
    plan.settings.warmup = most;
    plan.settings.time_limit = Some(limit);
    plan.settings.loops = true;
    change(&mut plan);
    execute_with(&plan, &mut Silent, &|_| Ok(Null::default())).unwrap()
}

fn is_unsettled(result: &RunResult) -> bool {
    let unsettled = |warning: &Warning| matches!(warning, Warning::NotSettled { .. });
    result.warnings.iter().any(unsettled)
}

/// A rate makes throughput steady on any machine: who falls behind catches up.
#[test]
fn once_throughput_has_settled_the_window_starts_at_a_whole_second_for_all_clients() {
    let result = execute(ENDLESS, 120 * SECOND, 1500 * MS, |plan| {
        plan.clients = 3;
        plan.settings.pacing = Pacing::Rate {
            bytes_per_second: 1e6,
        };
    });
    let warm_up = &result.warm_up;
    assert_eq!(warm_up.settled, Some(true), "{warm_up:?}");
    assert!(!is_unsettled(&result));
    assert!(
        warm_up.windows.len() >= 5 && warm_up.length < 120 * SECOND,
        "{warm_up:?}"
    );
    assert_eq!(warm_up.length.subsec_nanos(), 0);
    assert!(
        warm_up.length > SECOND * warm_up.windows.len() as u32,
        "{warm_up:?}"
    );
    assert_eq!(result.elapsed, 1500 * MS);
    assert_eq!(result.series.len(), 2);
    let written: u64 = result.series.iter().map(|second| second.bytes_written).sum();
    assert_eq!(written, result.bytes_written);
    assert!(result.per_client.iter().all(|client| client.operations > 0));
    let slowest = result.slowest.iter().all(|one| one.at >= warm_up.length);
    assert!(slowest && result.slowest.len() == 10, "{:?}", result.slowest);
}

#[test]
fn what_has_not_settled_in_time_is_measured_all_the_same_and_doubted() {
    let result = execute(ENDLESS, 1300 * MS, 300 * MS, |plan| plan.clients = 2);
    assert_eq!(result.warm_up.settled, Some(false));
    assert_eq!(result.warm_up.length, 1300 * MS);
    assert_eq!(result.elapsed, 300 * MS);
    assert!(is_unsettled(&result), "{:?}", result.warnings);
    assert!(result.total_operations() > 0);
}

#[test]
fn where_no_bytes_are_moved_operations_are_looked_at() {
    let load = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\nSLEEP 1000\nRmdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    let result = execute(load, 2500 * MS, 200 * MS, |_| {});
    let windows = &result.warm_up.windows;
    // Two operations a millisecond, at most.
    assert!(
        !windows.is_empty() && windows.iter().all(|&rate| rate > 0.0 && rate <= 2200.0),
        "{windows:?}"
    );
}

#[test]
fn a_fixed_warm_up_says_nothing_of_settling() {
    let result = execute(ENDLESS, 200 * MS, 200 * MS, |plan| {
        plan.settings.warmup_auto = false
    });
    assert_eq!(result.warm_up.length, 200 * MS);
    assert_eq!((result.warm_up.settled, result.warm_up.windows.len()), (None, 0));
    assert!(!is_unsettled(&result));
}

#[test]
fn clients_that_wait_through_the_warm_up_end_in_time_too() {
    let loads = [
        "Mkdir \"/d\" NT_STATUS_OK\nSLEEP 36000000000\n",
        "Mkdir \"/d\" NT_STATUS_OK\nWAITSP 0 5\n",
    ];
    for load in loads {
        let result = execute(load, 1200 * MS, 300 * MS, |_| {});
        assert_eq!((result.warm_up.length, result.elapsed), (1200 * MS, 300 * MS));
        assert_eq!(result.total_operations(), 0);
    }
}

#[test]
fn the_lines_of_each_second_say_when_the_warm_up_is_over() {
    let scratch = Scratch::new();
    let arguments = ["2", "-B", "null", "-R", "1", "--warmup", "auto", "-t", "2.5"];
    let ran = scratch.run(ENDLESS, &arguments);
    ran.assert_well();
    let phases: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| line.contains(" sec  latency "))
        .map(|line| line.contains(" execute "))
        .collect();
    assert!(phases.is_sorted(), "{ran}");
    assert!(phases.iter().filter(|&&execute| !execute).count() >= 5, "{ran}");
    assert!(phases.contains(&true), "{ran}");
}

#[test]
fn a_signal_in_an_open_warm_up_ends_the_run_without_figures() {
    let scratch = Scratch::new();
    scratch.write("x.load", ENDLESS);
    let mut child = Command::new(program())
        .args([
            "-c",
            "x.load",
            "2",
            "--warmup",
            "auto",
            "--warmup-max",
            "3600",
            "-t",
            "3600",
        ])
        .current_dir(scratch.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("warmup"));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let rest: Vec<String> = lines.map(|line| line.unwrap()).collect();
    assert!(rest.iter().all(|line| !line.contains("Throughput")), "{rest:?}");
    assert!(rest.iter().all(|line| !line.contains("Operation")), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    scratch.assert_clean();
}
