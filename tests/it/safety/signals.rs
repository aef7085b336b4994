//! SIGINT, SIGTERM and SIGHUP, whatever the clients are doing.

use super::process::Running;
use super::site::{Site, TRIES, many_files, sees_cleanup, sees_cleanup_of_clients_at_work, wait_until};
use nix::sys::signal::Signal;
use std::fs;

const STARTED: &str = "NTCreateX \"\\clients\\client1\\started\" 0x0 0x5 1 NT_STATUS_OK\n";

/// Makes `started`, then goes on with `rest`.
fn after_start(rest: &str) -> String {
    format!("{STARTED}{rest}\n")
}

/// Starts the load with two clients, waits until each has made `started`, sends the signal, and checks the end.
fn is_stopped_by(signal: Signal, code: i32, load: &str, arguments: &[&str]) {
    let site = Site::new();
    let run = site.start(load, &[&["2"], arguments].concat());
    let started = |client: u32| site.clients().join(format!("client{client}/started")).exists();
    wait_until("both clients work", || started(0) && started(1));
    // Long enough for the operation after it to be under way.
    std::thread::sleep(std::time::Duration::from_millis(40));
    run.signal(signal);
    let ended = run.wait();
    ended.assert_code(code);
    // In the warm-up and the preparation nothing is measured, and no figure is told.
    let nothing = ended.stderr.contains("before anything was measured");
    assert_eq!(ended.stdout.contains("Throughput"), !nothing, "{ended:?}");
    site.assert_nothing_left();
}

fn is_stopped_by_both(load: &str, arguments: &[&str]) {
    is_stopped_by(Signal::SIGINT, 130, load, arguments);
    is_stopped_by(Signal::SIGTERM, 143, load, arguments);
}

#[test]
fn a_run_at_work_ends_on_a_signal_with_a_partial_summary_and_leaves_nothing() {
    let load = after_start(
        "LOOP 1000000000\nWriteX 1 0 100 100 NT_STATUS_OK\nQUERY_PATH_INFORMATION \"\\clients\\client1\\x\" 1 ERROR\nENDLOOP",
    );
    is_stopped_by_both(&load, &[]);
}

#[test]
fn a_signal_ends_the_warm_up() {
    let load = after_start("LOOP 1000000000\nWriteX 1 0 100 100 NT_STATUS_OK\nENDLOOP");
    is_stopped_by_both(&load, &["-t", "1h", "--warmup", "1h"]);
}

#[test]
fn a_signal_ends_a_sleep_of_an_hour() {
    is_stopped_by_both(&after_start("SLEEP 3600000000\nClose 1 NT_STATUS_OK"), &[]);
    is_stopped_by(
        Signal::SIGINT,
        130,
        &after_start("Sleep 3600000000 NT_STATUS_OK"),
        &[],
    );
}

#[test]
fn a_signal_ends_the_wait_for_a_due_time() {
    let load = format!("0.0 {STARTED}3600.0 Close 1 NT_STATUS_OK\n");
    is_stopped_by(Signal::SIGINT, 130, &load, &[]);
    let load = after_start("WriteX 1 0 1000000 1000000 NT_STATUS_OK\nClose 1 NT_STATUS_OK");
    is_stopped_by(Signal::SIGTERM, 143, &load, &["-R", "0.001"]);
}

#[test]
fn a_signal_ends_the_wait_for_a_lock() {
    let load = after_start(
        "NTCreateX \"\\locked\" 0x0 0x3 2 NT_STATUS_OK\nLockX 2 0 10 NT_STATUS_OK\nSLEEP 3600000000\nClose 2 NT_STATUS_OK",
    );
    is_stopped_by_both(&load, &[]);
}

#[test]
fn a_signal_ends_the_wait_for_a_sequence_point() {
    is_stopped_by_both(&after_start("WAITSP 1 7\nClose 1 NT_STATUS_OK"), &[]);
}

#[test]
fn a_signal_ends_the_preparation() {
    let rests = [
        "LOOP 1000000000\nWriteX 1 0 100 100 NT_STATUS_OK\nENDLOOP",
        "SLEEP 3600000000",
        "WAITSP 0 9",
        "NTCreateX \"\\locked\" 0x0 0x3 2 NT_STATUS_OK\nLockX 2 0 10 NT_STATUS_OK\nSLEEP 3600000000",
    ];
    for rest in rests {
        let load = format!(
            "PREPARE\n{}ENDPREPARE\nMkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n",
            after_start(rest)
        );
        is_stopped_by(Signal::SIGINT, 130, &load, &[]);
    }
}

#[test]
fn a_signal_ends_directives_that_do_nothing_for_ever() {
    let load = after_start(
        "LOOP 18446744073709551615\nLOOP 18446744073709551615\nSETSP 1\nRANDOMSTRING 1 \"[ab]\"\nENDLOOP\nENDLOOP\nSLEEP 3600000000\nClose 1 NT_STATUS_OK",
    );
    is_stopped_by(Signal::SIGINT, 130, &load, &[]);
}

#[test]
fn a_signal_ends_an_open_that_fills_a_file_with_data() {
    let load = "SMBmkdir REQUEST  Path \\STARTED\nSMBopenX REQUEST  Size 0 Path \\clients\\client1\\STARTED\nSMBopenX REPLY  Handle 1 Size 0\n\
                SMBopenX REQUEST  Size 0 Path \\clients\\client1\\BIG\nSMBopenX REPLY  Handle 2 Size 9000000000\n";
    let site = Site::new();
    let run = site.start(load, &["1", "--no-space-check"]);
    let big = site.clients().join("client0/BIG");
    wait_until("the file grows", || {
        fs::metadata(&big).is_ok_and(|file| file.len() > 0)
    });
    run.signal(Signal::SIGINT);
    run.wait().assert_code(130);
    site.assert_nothing_left();
}

#[test]
fn a_signal_during_the_cleanup_of_a_finished_run_lets_it_end_and_tells_by_the_exit_code() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let site = Site::new();
        let caught = (0..TRIES).any(|_| {
            let mut run = site.start(many_files(""), &["1"]);
            let seen = sees_cleanup(&site, &mut run);
            run.signal(signal);
            let ended = run.wait();
            assert!(ended.stdout.contains("Throughput"), "{ended:?}");
            site.assert_nothing_left();
            // Where the signal came too late, the run has ended well.
            let told = ended.code == Some(code);
            assert!(told || ended.code == Some(0) || !seen, "{ended:?}");
            told
        });
        assert!(caught, "the cleanup had ended each time");
    }
}

#[test]
fn a_second_signal_leaves_the_tree_and_clean_removes_it() {
    let site = Site::new();
    let caught = (0..TRIES).any(|_| {
        let run = site.start(many_files("SLEEP 3600000000\n"), &["1"]);
        wait_until("the run has made its files", || {
            site.clients().join("client0/started").exists()
        });
        run.signal(Signal::SIGINT);
        // Not together with the first, which would be one request.
        std::thread::sleep(std::time::Duration::from_millis(25));
        let seen = sees_cleanup_of_clients_at_work(&site);
        run.signal(Signal::SIGINT);
        let ended = run.wait();
        ended.assert_code(130);
        assert!(ended.stdout.contains("Throughput"), "{ended:?}");
        let left = seen && site.clients().exists();
        if left {
            ended.assert_says(&["could not remove", "rbench clean"]);
        }
        left
    });
    assert!(caught, "the cleanup had ended each time");
    assert!(site.clients().join(".rbench").exists());
    site.assert_outside_intact();
    site.clean().assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn a_signal_that_comes_twice_as_timeout_sends_it_is_one_request() {
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGINT, 130)] {
        for _ in 0..4 {
            let site = Site::new();
            let run = site.start(many_files("SLEEP 3600000000\n"), &["1"]);
            wait_until("the run has made its files", || {
                site.clients().join("client0/started").exists()
            });
            run.signal(signal);
            std::thread::sleep(std::time::Duration::from_micros(300));
            run.signal(signal);
            run.wait().assert_code(code);
            site.assert_nothing_left();
        }
    }
}

#[test]
fn a_second_sigterm_lets_the_cleanup_end() {
    let site = Site::new();
    let run = site.start(many_files("SLEEP 3600000000\n"), &["1"]);
    wait_until("the run has made its files", || {
        site.clients().join("client0/started").exists()
    });
    run.signal(Signal::SIGTERM);
    // A signal that comes after the end changes nothing either.
    sees_cleanup_of_clients_at_work(&site);
    std::thread::sleep(std::time::Duration::from_millis(25));
    run.signal(Signal::SIGTERM);
    run.wait().assert_code(143);
    site.assert_nothing_left();
}

#[test]
fn a_terminal_that_hangs_up_ends_a_run_cleanly_unless_hangups_are_ignored() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .unwrap();
    if u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1 {
        eprintln!("skipped: SIGHUP is ignored here");
        return;
    }
    is_stopped_by(Signal::SIGHUP, 129, &after_start("SLEEP 3600000000"), &[]);

    let site = Site::new();
    let plain = site.command(after_start("SLEEP 500000"), &["1"]);
    let mut nohup = std::process::Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    nohup.arg(plain.get_program()).args(plain.get_args());
    let run = Running::start(&mut nohup);
    wait_until("the client works", || {
        site.clients().join("client0/started").exists()
    });
    run.signal(Signal::SIGHUP);
    run.wait().assert_code(0);
    site.assert_nothing_left();
}
