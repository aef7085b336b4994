//! `--pin`: clients run where they are bound to, and processors that are not there are refused.

use crate::safety::process::Running;
use crate::scratch::{LOAD, Scratch, plan, program};
use nix::sched::{CpuSet, sched_getaffinity};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use rbench::run::{Pin, RunError, Silent, execute};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

const SLEEPS: &str = "NTCreateX \"\\clients\\client1\\started\" 0x0 0x5 1 NT_STATUS_OK\nSLEEP 3600000000\n";

/// The processors that this test may use.
fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(Pid::from_raw(0)).unwrap();
    (0..CpuSet::count())
        .filter(|&number| set.is_set(number).unwrap())
        .collect()
}

/// What /proc says of the clients' threads: name and processors.
fn bound(pid: u32) -> BTreeMap<String, String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let statuses = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("status")).ok());
    statuses
        .filter_map(|status| {
            let field = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name));
                line.map(|value| value.trim().to_owned())
            };
            Some((field("Name:")?, field("Cpus_allowed_list:")?))
        })
        .filter(|(name, _)| name.starts_with("client"))
        .collect()
}

/// Where two clients are while they run.
fn clients_pinned(pin: &str) -> BTreeMap<String, String> {
    let scratch = Scratch::new();
    scratch.write(LOAD, SLEEPS);
    let mut command = Command::new(program());
    command
        .current_dir(scratch.path())
        .args(["-c", LOAD, "--pin", pin, "2"]);
    let run = Running::start(&mut command);
    let patience = Instant::now();
    while !(0..2).all(|client| scratch.clients().join(format!("client{client}/started")).exists()) {
        assert!(patience.elapsed() < Duration::from_secs(120), "no client works");
        std::thread::sleep(Duration::from_millis(2));
    }
    let bound = bound(run.pid());
    run.signal(Signal::SIGINT);
    run.wait();
    scratch.assert_clean();
    bound
}

#[test]
fn a_client_runs_on_the_processor_that_a_list_names() {
    let last = allowed().last().unwrap().to_string();
    let bound = clients_pinned(&last);
    assert_eq!(bound.len(), 2, "{bound:?}");
    assert!(bound.values().all(|list| *list == last), "{bound:?}");
}

#[test]
fn two_clients_are_on_two_processors_where_there_are_so_many() {
    for pin in ["spread", "compact"] {
        let bound = clients_pinned(pin);
        let expected = allowed().len().min(2);
        let mut lists: Vec<&String> = bound.values().collect();
        lists.sort();
        lists.dedup();
        assert_eq!(lists.len(), expected, "{pin}: {bound:?}");
        assert!(
            lists.iter().all(|list| list.parse::<usize>().is_ok()),
            "{bound:?}"
        );
    }
}

#[test]
fn a_processor_that_is_not_there_is_refused_before_anything_is_touched() {
    let scratch = Scratch::new();
    let ran = scratch.run(SLEEPS, &["--pin", "65000", "--before", "touch made", "1"]);
    ran.assert_refused("processor 65000");
    ran.assert_says("it may run on ");
    assert_eq!(scratch.tree(""), [LOAD]);
    let mut plan = plan(SLEEPS);
    plan.directory = scratch.path().to_owned();
    plan.pin = Pin::List(vec![65_000]);
    let error = execute(&plan, &mut Silent).unwrap_err();
    assert!(
        matches!(error, RunError::Pin(_)) && error.exit_code() == 2,
        "{error}"
    );
    scratch.assert_clean();
}
