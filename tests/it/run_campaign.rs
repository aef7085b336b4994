//! `--runs` and what is done between runs; tables of several runs.

use crate::sample_result::one_client;
use crate::scratch::{Scratch, program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rbench::report::{FinishedRun, ReportOptions, Style, campaign};
use rbench::result::{End, RunResult};
use std::process::{Command, Stdio};

const LOAD: &str = "Mkdir \"\\d\" NT_STATUS_OK\nNTCreateX \"\\d\\f\" 0x0 0x2 1 NT_STATUS_OK\n\
                    WriteX 1 0 4096 4096 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";

/// Runs with these throughputs, MB/s.
fn runs(rates: &[f64]) -> Vec<RunResult> {
    let numbered = rates.iter().zip(1..);
    let run = |(&rate, number)| {
        let mut result = one_client();
        result.bytes_per_second = rate * 1e6;
        result.info.run_number = number;
        result.info.runs = rates.len() as u32;
        result
    };
    numbered.map(run).collect()
}

fn shown(results: &[RunResult], style: Style) -> String {
    campaign(&finished(results), &ReportOptions::new(style))
}

fn finished(results: &[RunResult]) -> Vec<FinishedRun> {
    results.iter().map(FinishedRun::from).collect()
}

#[test]
fn a_campaign_shows_each_run_then_median_range_and_variation_and_the_median_as_its_throughput() {
    // Linux 2.4.8-pre8 in the published table of three runs a kernel.
    let text = shown(&runs(&[5.88569, 5.95613, 5.8547]), Style::Dbench1);
    insta::assert_snapshot!(text.trim_start_matches('\n'), @r"
    3 of 3 runs completed, 1 clients
       run     MB/sec  operations/sec     P99 ms     max ms
         1    5.88569          2573.8     19.937     19.937
         2    5.95613          2573.8     19.937     19.937
         3     5.8547          2573.8     19.937     19.937
    median    5.88569          2573.8     19.937     19.937
     least     5.8547          2573.8     19.937     19.937
      most    5.95613          2573.8     19.937     19.937
        CV     0.88 %          0.00 %     0.00 %     0.00 %
    Throughput 5.88569 MB/sec (NB=7.35711 MB/sec  58.8569 MBit/sec)
    ");
}

#[test]
fn a_campaign_ends_with_the_line_of_its_style() {
    let results = runs(&[10.2184, 10.0105, 10.0215]);
    let last = |style| shown(&results, style).lines().last().unwrap().to_owned();
    assert_eq!(
        last(Style::Dbench4),
        "Throughput 10.0215 MB/sec  1 clients  1 procs  max_latency=19.937 ms"
    );
    let mut options = ReportOptions::new(Style::Dbench5);
    options.machine_readable = true;
    assert_eq!(campaign(&finished(&results), &options), ";10.0215;1;1;19.937;\n");
}

#[test]
fn runs_that_did_not_end_well_count_for_nothing_in_a_campaign() {
    let mut results = runs(&[7.84171, 7.68447, 7.85119]);
    results[2].end = End::Interrupted(2);
    let text = shown(&results, Style::Dbench1);
    assert!(text.contains("median    7.76309"), "{text}");
    assert!(!text.contains("7.85119"), "{text}");
    results[0].end = End::Failed("no space".into());
    results[1].end = End::Interrupted(2);
    assert_eq!(shown(&results, Style::Dbench1), "");
}

#[test]
fn each_run_is_made_in_a_fresh_directory_and_prints_its_own_lines() {
    // A Mkdir of what is there would differ.
    let ran = Scratch::new().run(LOAD, &["2", "--runs", "3"]);
    ran.assert_well();
    let lines = |start: &str| ran.stdout.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(
        (lines("run "), lines("2 clients started"), lines("Throughput ")),
        (3, 3, 4),
        "{ran}"
    );
    assert!(ran.last_line().starts_with("Throughput "), "{ran}");
}

#[test]
fn a_single_run_has_no_summary_of_runs() {
    let ran = Scratch::new().run(LOAD, &["1", "--runs", "1"]);
    ran.assert_well();
    assert!(
        !ran.stdout.contains("median") && !ran.stdout.contains("run 1"),
        "{ran}"
    );
}

#[test]
fn commands_run_around_each_run_and_print_to_standard_error() {
    let scratch = Scratch::new();
    let before = "test ! -e clients && echo before $RBENCH_RUN of $RBENCH_RUNS | tee -a log";
    let after = "test ! -e clients && echo after $RBENCH_RUN >>log";
    let between = [
        "1",
        "--runs",
        "2",
        "--before",
        before,
        "--after",
        after,
        "--sync-before",
    ];
    let ran = scratch.run(LOAD, &between);
    ran.assert_well().assert_says("before 2 of 2");
    assert!(!ran.stdout.contains("before"), "{ran}");
    let log = std::fs::read_to_string(scratch.path().join("log")).unwrap();
    assert_eq!(log, "before 1 of 2\nafter 1\nbefore 2 of 2\nafter 2\n");
}

#[test]
fn a_command_that_fails_ends_the_campaign_with_what_was_measured_so_far() {
    for (option, command) in [
        ("--before", "test $RBENCH_RUN != 3"),
        ("--after", "test $RBENCH_RUN != 2"),
    ] {
        let scratch = Scratch::new();
        let ran = scratch.run(LOAD, &["1", "--runs", "5", option, command]);
        ran.assert_code(1)
            .assert_says(option)
            .assert_says("no further run is made");
        let runs = ran.stdout.lines().filter(|line| line.ends_with("of 5")).count();
        assert_eq!(runs, 2, "{ran}");
        assert!(ran.stdout.contains("median"), "{ran}");
        scratch.assert_clean();
    }
}

#[test]
fn what_was_set_up_before_a_run_is_taken_down_however_it_ends() {
    let scratch = Scratch::new();
    let after = ["--runs", "3", "--after", "echo after $RBENCH_RUN >>log"];
    let fails = "Mkdir \"\\d\\e\" NT_STATUS_OK\n";
    let ran = scratch.run(fails, &[&["1", "--on-mismatch", "stop"], &after[..]].concat());
    ran.assert_code(1);
    let refused = scratch.run(
        LOAD,
        &[&["1", "--no-space-check", "-D", "absent"], &after[..]].concat(),
    );
    refused.assert_code(1);
    let log = std::fs::read_to_string(scratch.path().join("log")).unwrap();
    assert_eq!(log, "after 1\nafter 1\n");
    // And not where it was not set up.
    let ran = scratch.run(LOAD, &[&["1", "--before", "false"], &after[..]].concat());
    ran.assert_code(1);
    let log = std::fs::read_to_string(scratch.path().join("log")).unwrap();
    assert_eq!(log, "after 1\nafter 1\n");
}

#[test]
fn the_worst_code_of_a_run_and_what_comes_after_it_is_told() {
    let ran = Scratch::new().run(LOAD, &["1", "--runs", "2", "--after", "exit 7"]);
    ran.assert_code(1).assert_says("--after `exit 7` failed");
    assert!(ran.stdout.contains("1 of 2 runs completed, 1 clients\n"), "{ran}");
}

#[test]
fn runs_on_a_kept_directory_are_refused() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["1", "--runs", "2", "--skip-cleanup"]);
    ran.assert_refused("--skip-cleanup");
    scratch.assert_clean();
}

#[test]
fn outcomes_that_differ_in_one_run_are_told_by_the_exit_code_of_all() {
    let scratch = Scratch::new();
    // Only the first run finds the file missing.
    let load = "NTCreateX \"\\f\" 0x0 0x1 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";
    let ran = scratch.run(load, &["1", "--runs", "2"]);
    ran.assert_code(1);
    assert_eq!(ran.stdout.matches("Throughput ").count(), 3, "{ran}");
}

/// A campaign that waits after its first run, told by a signal to end; what it said on stdout, and its exit code.
fn interrupted(signal: Signal, options: &[&str]) -> (String, Option<i32>) {
    let scratch = Scratch::new();
    scratch.write("x.load", LOAD);
    let mut command = Command::new(program());
    command
        .current_dir(scratch.path())
        .args(["-c", "x.load", "1", "--runs", "9", "--after", "touch done"])
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let child = command.spawn().unwrap();
    while !scratch.path().join("done").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    // Now it is in the wait before the second run, or about to be.
    kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    scratch.assert_clean();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[test]
fn a_signal_between_two_runs_ends_the_campaign_with_what_was_measured_so_far() {
    let slow_second = "test $RBENCH_RUN = 1 || exec sleep 3600";
    for options in [["--settle", "1s"], ["--before", slow_second]] {
        for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
            let (stdout, ended) = interrupted(signal, &options);
            assert_eq!(ended, Some(code), "{options:?}: {stdout}");
            assert!(stdout.contains("median"), "{stdout}");
        }
    }
}
