//! The figures in files are those on the screen, and `rbench report` shows a stored result as the run showed it.

use crate::sample_result::one_client;
use crate::scratch::{LOAD, Ran, Scratch, program};
use flate2::Compression;
use flate2::write::GzEncoder;
use rbench::result::{End, RunResult, Turn, TurnSide};
use rbench::units::General;
use regex::Regex;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::Stdio;

const WORK: &str = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    WriteX 1 0 4096 4096 NT_STATUS_OK\nReadX 1 0 4096 4096 NT_STATUS_OK\n\
    Close 1 NT_STATUS_OK\nUnlink \"\\clients\\client1\\f\" 0x16 NT_STATUS_OK\n\
    Unlink \"\\clients\\client1\\absent\" 0x16 NT_STATUS_OK\n";

fn stored(scratch: &Scratch, name: &str) -> Value {
    let text = fs::read_to_string(scratch.path().join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// What a run shows but for the lines that it prints while it runs.
fn lasting(stdout: &str) -> String {
    let live =
        Regex::new(r"^\d+ clients started$|^ *\d+ .*(warmup|execute|cleanup) +\d+ sec|^@[WRC]@").unwrap();
    let lines = stdout.lines().filter(|line| !live.is_match(line));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Nanoseconds as the tables have them.
fn milliseconds(value: &Value) -> String {
    format!("{:.3}", value.as_f64().unwrap() / 1e6)
}

/// A percentile of the table: short ones have more digits.
fn fitted(value: &Value) -> String {
    let nanos = value.as_f64().unwrap();
    match nanos < 10_000.0 {
        true => format!("{:.6}", nanos / 1e6),
        false => milliseconds(value),
    }
}

#[test]
fn the_figures_in_the_file_are_those_on_the_screen() {
    let scratch = Scratch::new();
    let ran = scratch.run(WORK, &["2", "-t", "0.4", "--output", "json=r.json"]);
    let run = &stored(&scratch, "r.json")["runs"][0];
    let number = |name: &str| run[name].as_f64().unwrap();

    assert_eq!(
        ran.throughput().to_string(),
        General(number("megabytes_per_second")).to_string()
    );
    assert_eq!(number("megabytes_per_second"), number("bytes_per_second") / 1e6);
    let (all, metadata) = (
        number("operations_per_second"),
        number("metadata_operations_per_second"),
    );
    let line = format!("{all:.1} operations/sec  {metadata:.1} metadata operations/sec  ");
    assert!(ran.stdout.contains(&line), "no {line:?} in\n{ran}");
    let slowest = format!("max_latency={} ms\n", milliseconds(&run["max_latency_ns"]));
    assert!(ran.stdout.ends_with(&slowest), "no {slowest:?} in\n{ran}");
    let outcomes = &run["outcomes"];
    let line = format!(
        "{} of {} checked outcomes",
        outcomes["differed"], outcomes["checked"]
    );
    assert!(ran.stdout.contains(&line), "no {line:?} in\n{ran}");

    let operations = run["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 5);
    for operation in operations {
        let latency = &operation["latency"];
        let mut row = vec![
            operation["kind"].as_str().unwrap().to_owned(),
            operation["count"].to_string(),
        ];
        let figures = ["mean_ns", "max_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns"];
        row.extend(figures[..2].iter().map(|name| milliseconds(&latency[name])));
        row.extend(figures[2..].iter().map(|name| fitted(&latency[name])));
        let shown = ran
            .stdout
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        assert!(shown.into_iter().any(|line| line == row), "no {row:?} in\n{ran}");
    }
    let bytes = number("bytes_read") + number("bytes_written");
    let clients = run["per_client"].as_array().unwrap();
    assert_eq!(
        clients
            .iter()
            .map(|one| one["bytes"].as_f64().unwrap())
            .sum::<f64>(),
        bytes
    );
}

#[test]
fn a_report_shows_what_the_run_showed() {
    let everything = [
        "--per-client-results",
        "--show-execute-time",
        "--table",
        "--counters",
    ];
    let cases: [(&[&str], &[&str]); 10] = [
        (&[], &[]),
        (&["--runs", "2"], &[]),
        (
            &["--runs", "2", "-t", "0.1", "--style", "dbench5"],
            &["--style", "dbench5"],
        ),
        (&["-s", "-S"], &[]),
        (&["-t", "0.3", "-s"], &[]),
        (&["--run-once", "-S"], &[]),
        (&["-t", "0.3", "--machine-readable"], &["--machine-readable"]),
        (&["--style", "dbench1"], &["--style", "dbench1"]),
        (&["-t", "0.3", "--style", "dbench5"], &["--style", "dbench5"]),
        (&["--style", "dbench4"], &["--style", "dbench4"]),
    ];
    for (run, report) in cases {
        for more in [&[][..], &everything] {
            let scratch = Scratch::new();
            let ran = scratch.run(WORK, &[&["2", "--output", "json=r.json"], run, more].concat());
            ran.assert_code(1);
            let shown = scratch.rbench(&[&["report", "r.json"], report, more].concat());
            shown.assert_code(0);
            assert_eq!(shown.stdout, lasting(&ran.stdout), "{run:?} {more:?}");
            assert_eq!(shown.stderr, ran.stderr, "{run:?} {more:?}");
            assert!(shown.stderr.contains("checked outcomes differ"), "{shown}");
        }
    }
}

#[test]
fn a_run_that_failed_is_kept_and_shown_as_such() {
    let scratch = Scratch::new();
    let arguments = ["1", "--on-mismatch", "stop", "--output", "jsonl=r.jsonl"];
    let ran = scratch.run(WORK, &arguments);
    ran.assert_code(1);
    let run = stored(&scratch, "r.jsonl");
    assert_eq!(run["end"]["kind"], "failed");
    let shown = scratch.rbench(&["report", "r.jsonl"]);
    assert_eq!(
        (&shown.stdout, &shown.stderr),
        (&lasting(&ran.stdout), &ran.stderr)
    );
}

#[test]
fn a_run_that_was_interrupted_is_kept_and_shown_as_such() {
    let scratch = Scratch::new();
    scratch.write(LOAD, WORK);
    let script = "\"$0\" -c x.load 1 -t 600 --warmup 0 --output json=r.json >out 2>err & \
        while ! grep -q execute out 2>/dev/null; do sleep 0.05; done; kill -TERM $!; wait $!";
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", script])
        .arg(program())
        .current_dir(scratch.path());
    assert_eq!(shell.status().unwrap().code(), Some(143));
    let run = &stored(&scratch, "r.json")["runs"][0];
    assert_eq!(
        (&run["end"]["kind"], &run["end"]["signal"]),
        (&"interrupted".into(), &15.into())
    );
    let shown = scratch.rbench(&["report", "r.json"]);
    let said = |name: &str| fs::read_to_string(scratch.path().join(name)).unwrap();
    assert_eq!((shown.stdout, shown.stderr), (lasting(&said("out")), said("err")));
}

/// The report of a text from standard input.
fn report_of(scratch: &Scratch, input: &[u8], arguments: &[&str]) -> Ran {
    let mut command = std::process::Command::new(program());
    command.arg("report").args(arguments).current_dir(scratch.path());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn line(run: &RunResult) -> String {
    serde_json::to_string(run).unwrap() + "\n"
}

#[test]
fn a_report_reads_several_runs_from_files_and_standard_input_compressed_or_not() {
    let scratch = Scratch::new();
    let run = one_client();
    let one = report_of(&scratch, line(&run).as_bytes(), &["-"]);
    one.assert_code(0);
    assert!(
        one.last_line().starts_with("Throughput 5.88569 MB/sec (NB="),
        "{one}"
    );
    let twice = one.stdout.repeat(2);
    scratch.write("r.jsonl", &line(&run).repeat(2));
    assert_eq!(scratch.rbench(&["report", "r.jsonl"]).stdout, twice);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(line(&run).repeat(2).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let both = report_of(&scratch, &packed, &["-", "r.jsonl"]);
    let started = "2026-01-02T03:04:05Z\n";
    let headed = |file: &str| format!("{file}:  {started}{}", one.stdout).repeat(2);
    assert_eq!(
        both.assert_code(0).stdout,
        headed("standard input") + &headed("r.jsonl")
    );
}

#[test]
fn a_report_steers_no_terminal_with_what_it_was_given() {
    let scratch = Scratch::new();
    let hostile = line(&one_client()).replace("\"nb3\"", "\"\\u001b[2J\"");
    assert!(hostile.contains("[2J"));
    let ran = report_of(&scratch, hostile.as_bytes(), &["-"]);
    ran.assert_code(2).assert_says("[2J");
    assert!(!ran.stderr.contains('\x1b'), "{ran}");
}

#[test]
fn a_report_of_a_table_says_what_reports_are_made_of() {
    let scratch = Scratch::new();
    scratch.run(WORK, &["1", "--output", "csv=runs.csv"]);
    let ran = scratch.rbench(&["report", "runs.csv"]);
    ran.assert_refused("runs.csv: is a csv table");
}

#[test]
fn a_report_tells_what_it_cannot_read_and_shows_the_rest() {
    let scratch = Scratch::new();
    let run = line(&one_client());
    scratch.write("good.jsonl", &run);
    scratch.write("cut.jsonl", &(run.clone() + &run[..200]));
    scratch.write("later.jsonl", &run.replacen(":1", ":9", 1));
    scratch.write("x.load", "Close 1 NT_STATUS_OK\n");
    scratch.write("empty", "");
    let report = |files: &[&str]| scratch.rbench(&[&["report"], files].concat());

    report(&["absent"]).assert_refused("rbench: absent: cannot be read: No such file or directory");
    report(&["."]).assert_refused("rbench: .: cannot be read: Is a directory");
    report(&["later.jsonl"]).assert_refused("rbench: later.jsonl:1:1: has schema_version 9");
    report(&["x.load"]).assert_refused("rbench: x.load:1:");
    report(&["empty"]).assert_refused("rbench: empty: holds no result");
    let some = report(&["cut.jsonl", "absent", "good.jsonl"]);
    some.assert_code(2).assert_says("rbench: absent: cannot be read");
    some.assert_says("rbench: cut.jsonl:2:200: the file ends in the middle of a result");
    assert_eq!(some.stdout.matches("Throughput").count(), 2, "{some}");
}

#[test]
fn a_report_shows_a_run_that_ended_because_nobody_read_its_output() {
    let scratch = Scratch::new();
    let mut run = one_client();
    run.end = End::Interrupted(nix::sys::signal::Signal::SIGPIPE as i32);
    let shown = report_of(&scratch, line(&run).as_bytes(), &["-"]);
    shown
        .assert_code(0)
        .assert_says("stopped by SIGPIPE after 10.000 s");
    assert!(shown.last_line().starts_with("Throughput 5.88569 "), "{shown}");
}

#[test]
fn runs_that_took_turns_are_shown_by_their_sides_and_never_summed_up_together() {
    let scratch = Scratch::new();
    let turn = |pair, side, what: &str| {
        let mut run = one_client();
        (run.info.run_number, run.info.runs) = (pair, 2);
        run.info.turn = Some(Turn {
            campaign_started_at: run.info.started_at,
            side,
            pair,
            position: pair,
            confirms: pair == 2,
            order: "abba".into(),
            what: what.into(),
        });
        run
    };
    let (a, b) = ("as it is", "--sync");
    let turns = [
        turn(1, TurnSide::A, a),
        turn(1, TurnSide::B, b),
        turn(2, TurnSide::B, b),
        turn(2, TurnSide::A, a),
    ];
    let lines: Vec<String> = turns
        .iter()
        .map(|run| serde_json::to_string(run).unwrap() + "\n")
        .collect();
    scratch.write("ab.jsonl", &lines.concat());
    let ran = scratch.rbench(&["report", "ab.jsonl"]);
    ran.assert_code(0);
    let headers: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("pair "))
        .collect();
    assert_eq!(
        headers,
        [
            "pair 1 of 2, A: as it is",
            "pair 1 of 2, B: --sync",
            "pair 2 (fresh) of 2, B: --sync",
            "pair 2 (fresh) of 2, A: as it is"
        ]
    );
    assert!(!ran.stdout.contains("runs completed"), "{ran}");
    assert_eq!(ran.stdout.matches("Throughput ").count(), 4, "{ran}");
}
