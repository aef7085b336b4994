//! Files that `--output` writes: where they may be, what they may be added to, and what becomes of them.

use crate::scratch::{LOAD, Ran, Scratch, program};
use serde_json::Value;
use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

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
    let kinds: Vec<_> = rows(&table)[..4].iter().map(|row| row[3].to_owned()).collect();
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

#[test]
fn an_output_that_cannot_be_is_refused_before_the_run_and_nothing_is_touched() {
    let scratch = scratch();
    scratch.write("other.csv", "a,b\n1,2\n");
    scratch.write("other.jsonl", "{\"a\":1}\n");
    symlink("other.csv", scratch.path().join("link.csv")).unwrap();
    fs::hard_link(scratch.path().join("other.csv"), scratch.path().join("hard.csv")).unwrap();
    symlink("loop", scratch.path().join("loop")).unwrap();
    fs::create_dir(scratch.path().join("directory")).unwrap();
    let before = scratch.tree("");
    let refused = |outputs: &[&str], reason: &str| {
        run(&scratch, outputs).assert_refused(reason);
        assert_eq!(scratch.tree(""), before);
        assert_eq!(text(&scratch, "other.csv"), "a,b\n1,2\n");
        assert_eq!(text(&scratch, "other.jsonl"), "{\"a\":1}\n");
    };
    refused(
        &["json=absent/r.json"],
        "absent/r.json: cannot be written: No such file",
    );
    refused(
        &["json=x.load/r.json"],
        "x.load/r.json: cannot be written: Not a directory",
    );
    refused(&["json=directory"], "directory: is a directory");
    refused(&["json=new/"], "new/: is not the name of a file");
    refused(&["json=.."], "..: is not the name of a file");
    refused(
        &["json=loop"],
        "loop: cannot be written: Too many levels of symbolic links",
    );
    refused(
        &["csv=other.csv"],
        "other.csv: its first line is not the header that this rbench writes (started_at,",
    );
    refused(&["csv=link.csv"], "link.csv: its first line is not the header");
    refused(&["jsonl=other.jsonl"], "other.jsonl: its first line is no result");
    refused(
        &["json=new", "jsonl=./new"],
        "names the same file twice (new and ./new)",
    );
    refused(&["json=other.csv", "json=link.csv"], "names the same file twice");
    refused(&["json=other.csv", "json=hard.csv"], "names the same file twice");
    refused(&["json=-", "csv=-"], "only one --output can be standard output");
    refused(
        &["json=-", "csv=/dev/stdout"],
        "only one --output can be standard output",
    );
    refused(
        &["json=clients/r.json", "csv=c"],
        "clients/r.json: cannot be written: No such file",
    );
    refused(&["json=clients"], "clients: is in ");
}

#[test]
fn tables_of_another_kind_are_not_added_to() {
    let scratch = scratch();
    run(
        &scratch,
        &["csv=a.csv", "ops-csv=b.csv", "jsonl=c.jsonl", "json=d.json"],
    )
    .assert_well();
    let before = text(&scratch, "a.csv");
    run(&scratch, &["ops-csv=a.csv"]).assert_refused("a.csv: its first line is not the header");
    run(&scratch, &["csv=b.csv"]).assert_refused("b.csv: its first line is not the header");
    run(&scratch, &["csv=c.jsonl"]).assert_refused("c.jsonl: its first line is not the header");
    run(&scratch, &["jsonl=d.json"]).assert_refused("d.json: its first line is no result");
    // A column more, as another version may have.
    let header = before.lines().next().unwrap();
    scratch.write("e.csv", &format!("{header},more\n"));
    run(&scratch, &["csv=e.csv"]).assert_refused("e.csv: its first line is not the header");
    assert_eq!(text(&scratch, "a.csv"), before);
}

#[test]
fn a_result_in_the_clients_directory_is_refused() {
    let scratch = scratch();
    fs::create_dir(scratch.path().join("clients")).unwrap();
    symlink("clients/r.json", scratch.path().join("link")).unwrap();
    for name in ["clients/r.json", "./clients/../clients/r.json", "link"] {
        let ran = run(&scratch, &[&format!("json={name}")]);
        ran.assert_refused(&format!("{name}: is in "))
            .assert_says("which the run removes");
    }
    assert_eq!(scratch.tree("clients"), [""; 0]);
    let beside = scratch.rbench(&["-c", LOAD, "1", "--output", "json=r.json"]);
    beside.assert_well();
}

#[test]
fn a_file_that_may_not_be_written_is_refused() {
    if nix::unistd::geteuid().is_root() {
        eprintln!("skipped, root may write every file");
        return;
    }
    let scratch = scratch();
    let old = scratch.write("old", "");
    fs::set_permissions(&old, Permissions::from_mode(0o444)).unwrap();
    run(&scratch, &["csv=old"]).assert_refused("old: cannot be written: Permission denied");
    let directory = scratch.path().join("directory");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, Permissions::from_mode(0o555)).unwrap();
    run(&scratch, &["csv=directory/new"]).assert_refused("directory/new: its directory cannot be written");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_file_keeps_its_permissions_and_a_new_one_has_those_of_the_umask() {
    let scratch = scratch();
    let old = scratch.write("old.json", "");
    fs::set_permissions(&old, Permissions::from_mode(0o642)).unwrap();
    let script = "umask 027; \"$0\" -c x.load -B null 1 --output json=old.json --output csv=new.csv --output json=new.json";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(program())
        .current_dir(scratch.path());
    assert!(shell.output().unwrap().status.success());
    assert_eq!(mode(&old), 0o642);
    assert_eq!(json(&text(&scratch, "old.json"))["schema_version"], 1);
    for name in ["new.csv", "new.json"] {
        assert_eq!(mode(&scratch.path().join(name)), 0o640, "{name}");
    }
}

#[test]
fn a_symbolic_link_stays_and_what_it_leads_to_is_written() {
    let scratch = scratch();
    fs::create_dir(scratch.path().join("there")).unwrap();
    symlink("there/second", scratch.path().join("first")).unwrap();
    symlink("third.csv", scratch.path().join("there/second")).unwrap();
    for runs in 1..=2 {
        run(&scratch, &["csv=first"]).assert_well();
        assert!(
            scratch.path().join("first").is_symlink() && scratch.path().join("there/second").is_symlink()
        );
        assert_eq!(rows(&text(&scratch, "there/third.csv")).len(), runs);
    }
    assert_eq!(scratch.tree("there"), ["second", "third.csv"]);
}

#[test]
fn devices_and_pipes_are_written_in_place() {
    let scratch = scratch();
    run(&scratch, &["json=/dev/null", "csv=/dev/null"]).assert_well();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let pipe = scratch.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    run(&scratch, &["json=pipe"]).assert_well();
    assert_eq!(json(&reader.join().unwrap())["runs"][0]["clients"], 1);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn a_full_device_is_told_after_the_run_with_its_result_on_the_screen() {
    let scratch = scratch();
    for kind in ["json", "jsonl", "csv", "ops-csv"] {
        let ran = run(&scratch, &[&format!("{kind}=/dev/full"), "jsonl=good.jsonl"]);
        ran.assert_code(1);
        ran.assert_says("rbench: /dev/full: cannot be written: No space left on device (os error 28)");
        assert!(ran.last_line().starts_with("Throughput "), "{ran}");
    }
    assert_eq!(text(&scratch, "good.jsonl").lines().map(json).count(), 4);
}

#[test]
fn a_file_that_cannot_grow_stays_as_it_was() {
    let scratch = scratch();
    run(&scratch, &["csv=r.csv", "jsonl=r.jsonl", "json=r.json"]).assert_well();
    let before = ["r.csv", "r.jsonl", "r.json"].map(|name| text(&scratch, name));
    let script = "ulimit -f 1; exec \"$0\" -c x.load -B null 1 \
        --output csv=r.csv --output jsonl=r.jsonl --output json=r.json";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(program())
        .current_dir(scratch.path());
    let output = shell.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    for name in ["r.csv", "r.jsonl", "r.json"] {
        let told = format!("rbench: {name}: cannot be written: File too large (os error 27)");
        assert!(stderr.contains(&told), "no {told:?} in {stderr}");
    }
    assert!(String::from_utf8(output.stdout).unwrap().contains("Throughput"));
    assert_eq!(
        ["r.csv", "r.jsonl", "r.json"].map(|name| text(&scratch, name)),
        before
    );
    assert_only(&scratch, &["r.csv", "r.jsonl", "r.json"]);
}

#[test]
fn two_runs_that_add_to_a_file_at_once_lose_no_row() {
    const EACH: usize = 8;
    let scratch = scratch();
    let arguments = [
        "-c",
        LOAD,
        "-B",
        "null",
        "1",
        "--output",
        "csv=r.csv",
        "--output",
        "jsonl=r.jsonl",
    ];
    let one = |label: String| {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .args(["--label", &label])
            .current_dir(scratch.path());
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    for pair in 0..EACH {
        let both = ["a", "b"].map(|name| one(format!("{name}{pair}")));
        for mut child in both {
            assert!(child.wait().unwrap().success());
        }
    }
    let mut expected: Vec<String> = (0..EACH)
        .flat_map(|pair| [format!("a{pair}"), format!("b{pair}")])
        .collect();
    expected.sort();
    let table = text(&scratch, "r.csv");
    let mut labels: Vec<String> = rows(&table).iter().map(|row| row[1].to_owned()).collect();
    labels.sort();
    assert_eq!(labels, expected);
    let lines = text(&scratch, "r.jsonl");
    let label = |line: &str| json(line)["info"]["label"].as_str().unwrap().to_owned();
    let mut labels: Vec<String> = lines.lines().map(label).collect();
    labels.sort();
    assert_eq!(labels, expected);
    assert_only(&scratch, &["r.csv", "r.jsonl"]);
}

#[test]
fn a_last_line_without_an_end_gets_one_before_a_row_is_added() {
    let scratch = scratch();
    run(&scratch, &["csv=r.csv", "jsonl=r.jsonl"]).assert_well();
    for name in ["r.csv", "r.jsonl"] {
        let file = OpenOptions::new()
            .write(true)
            .open(scratch.path().join(name))
            .unwrap();
        file.set_len(file.metadata().unwrap().len() - 1).unwrap();
    }
    run(&scratch, &["csv=r.csv", "jsonl=r.jsonl"]).assert_well();
    assert_eq!(rows(&text(&scratch, "r.csv")).len(), 2);
    assert_eq!(text(&scratch, "r.jsonl").lines().map(json).count(), 2);
}

#[test]
fn a_converted_loadfile_appears_whole_or_not_at_all_and_keeps_its_permissions() {
    let scratch = scratch();
    let old = scratch.write("out.load", "old\n");
    fs::set_permissions(&old, Permissions::from_mode(0o604)).unwrap();
    scratch.rbench(&["convert", LOAD, "-o", "out.load"]).assert_well();
    assert_eq!((mode(&old), text(&scratch, "out.load")), (0o604, WORK.to_owned()));
    scratch
        .rbench(&["convert", LOAD, "-o", "absent/out"])
        .assert_refused("absent/out: cannot be written: No such file");
    assert_only(&scratch, &["out.load"]);
}
