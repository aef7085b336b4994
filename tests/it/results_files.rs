//! Files that `--output` writes: what stands in them, what may be added to them, and what standard output holds.

mod place;
mod refused;

use crate::scratch::{LOAD, Ran, Scratch, program};
use serde_json::Value;
use std::fs;
use std::process::Command;

const WORK: &str = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    WriteX 1 0 4096 4096 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";

/// A directory with a loadfile.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(LOAD, WORK);
    scratch
}

/// A run that needs no directory, with these outputs.
fn run(scratch: &Scratch, outputs: &[&str]) -> Ran {
    let outputs = outputs.iter().flat_map(|output| ["--output", output]);
    let arguments: Vec<&str> = ["-c", LOAD, "-B", "null", "1"]
        .into_iter()
        .chain(outputs)
        .collect();
    scratch.rbench(&arguments)
}

fn text(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.path().join(name)).unwrap()
}

/// The rows below the header of a table, all of which have as many cells.
fn rows(text: &str) -> Vec<csv::StringRecord> {
    assert!(text.ends_with('\n'), "{text:?}");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert!(reader.headers().unwrap().len() > 10);
    reader.records().map(Result::unwrap).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Nothing is there but these.
fn assert_only(scratch: &Scratch, names: &[&str]) {
    let mut names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    names.push(LOAD.to_owned());
    names.sort();
    assert_eq!(scratch.tree(""), names);
}

#[test]
fn every_kind_of_output_is_written_and_added_to() {
    let scratch = scratch();
    let outputs = ["json=a", "jsonl=b", "csv=c", "ops-csv=d", "series-csv=e"];
    for runs in 1..=3 {
        run(&scratch, &outputs).assert_well();
        assert_eq!(json(&text(&scratch, "a"))["runs"].as_array().unwrap().len(), 1);
        assert_eq!(text(&scratch, "b").lines().map(json).count(), runs);
        assert_eq!(rows(&text(&scratch, "c")).len(), runs);
        assert_eq!(rows(&text(&scratch, "d")).len(), runs * 4);
        rows(&text(&scratch, "e"));
    }
    let table = text(&scratch, "d");
    let kinds: Vec<_> = rows(&table)[..4].iter().map(|row| row[4].to_owned()).collect();
    assert_eq!(kinds, ["all", "NTCreateX", "Close", "WriteX"]);
    assert_only(&scratch, &["a", "b", "c", "d", "e"]);
}

#[test]
fn rows_tell_which_run_they_are_of() {
    let scratch = scratch();
    let arguments = [
        "--label",
        "a, \"b\"\nc",
        "--output",
        "csv=c",
        "--output",
        "ops-csv=d",
        "--output",
        "json=j",
    ];
    scratch
        .rbench(&[&["-c", LOAD, "-B", "null", "1"], &arguments[..]].concat())
        .assert_well();
    let run = &json(&text(&scratch, "j"))["runs"][0];
    for name in ["c", "d"] {
        let table = text(&scratch, name);
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let headers = reader.headers().unwrap().clone();
        for row in reader.records() {
            let row = row.unwrap();
            let cell = |name: &str| &row[headers.iter().position(|header| header == name).unwrap()];
            assert_eq!(cell("label"), "a, \"b\"\nc");
            assert_eq!(cell("run_number"), "1");
            assert_eq!(cell("started_at"), run["info"]["started_at"].as_str().unwrap());
        }
    }
}

#[test]
fn a_campaign_is_kept_run_by_run_and_summed_up() {
    let scratch = scratch();
    let after = "grep -c started_at a >>seen; wc -l <b >>seen; wc -l <c >>seen";
    let outputs = ["--output", "json=a", "--output", "jsonl=b", "--output", "csv=c"];
    let campaign = ["-c", LOAD, "-B", "null", "1", "--runs", "3", "--after", after];
    scratch.rbench(&[&campaign[..], &outputs].concat()).assert_well();
    let seen = text(&scratch, "seen");
    let seen: Vec<&str> = seen.split_whitespace().collect();
    assert_eq!(seen, ["1", "1", "2", "2", "2", "3", "3", "3", "4"]);
    let document = json(&text(&scratch, "a"));
    assert_eq!(document["summary"]["bytes_per_second"]["runs"], 3);
    for (index, run) in document["runs"].as_array().unwrap().iter().enumerate() {
        assert_eq!(
            (&run["info"]["run_number"], &run["info"]["runs"]),
            (&(index + 1).into(), &3.into())
        );
    }
}

#[test]
fn a_campaign_on_standard_output_is_one_document_or_one_table() {
    let scratch = scratch();
    let campaign = |output: &str| {
        let arguments = [
            "-c", LOAD, "-B", "null", "1", "--runs", "2", "--before", "echo x", "--output", output,
        ];
        let ran = scratch.rbench(&arguments);
        ran.assert_well();
        ran.stdout
    };
    assert_eq!(json(&campaign("json=-"))["runs"].as_array().unwrap().len(), 2);
    assert_eq!(campaign("jsonl=-").lines().map(json).count(), 2);
    assert_eq!(rows(&campaign("csv=-")).len(), 2);
}

#[test]
fn a_run_that_could_not_start_writes_nothing() {
    let scratch = scratch();
    for output in ["json=-", "json=r", "csv=r"] {
        let ran = scratch.rbench(&["-c", LOAD, "1", "-D", "absent", "--output", output]);
        assert_eq!(
            (ran.assert_code(1).stdout.as_str(), scratch.tree("").len()),
            ("", 1)
        );
    }
}

#[test]
fn standard_output_holds_a_result_and_nothing_else() {
    for style in [
        &["-t", "0.2"][..],
        &["--run-once"],
        &["--machine-readable"],
        &["--table"],
    ] {
        for (kind, file) in [
            ("json", "-"),
            ("jsonl", "-"),
            ("csv", "-"),
            ("ops-csv", "/dev/stdout"),
        ] {
            let scratch = scratch();
            let output = format!("{kind}={file}");
            let ran = scratch.rbench(&[&["-c", LOAD, "2", "--output", &output], style].concat());
            ran.assert_well()
                .assert_says("warning: the measured window was only");
            match kind {
                "json" => assert_eq!(json(&ran.stdout)["runs"][0]["clients"], 2, "{ran}"),
                "jsonl" => assert_eq!(json(&ran.stdout)["clients"], 2, "{ran}"),
                _ => assert!(!rows(&ran.stdout).is_empty(), "{ran}"),
            }
            let first = ran.stdout.lines().next().unwrap();
            assert!(
                first.starts_with('{') || first.starts_with("started_at,"),
                "{ran}"
            );
        }
    }
}

#[test]
fn what_is_already_in_the_file_of_standard_output_stays_there() {
    let scratch = scratch();
    let script =
        "{ echo before; \"$0\" -c x.load -B null 1 --output csv=/dev/stdout; echo after; } >log 2>&1";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(program())
        .current_dir(scratch.path());
    assert!(shell.status().unwrap().success());
    let log = text(&scratch, "log");
    assert!(log.starts_with("before\n") && log.ends_with("\nafter\n"), "{log}");
    assert!(log.contains("\nstarted_at,"), "{log}");
}

#[test]
fn a_standard_output_that_nobody_reads_ends_the_run_quietly() {
    let scratch = scratch();
    let script = "{ \"$0\" -c x.load -B null 1 --output json=-; echo $? >code; } | true";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(program())
        .current_dir(scratch.path());
    let output = shell.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("rbench:"), "{stderr}");
    let code = text(&scratch, "code");
    assert!(["0\n", "141\n"].contains(&&code[..]), "{code}");
}
