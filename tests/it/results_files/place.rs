//! What becomes of a file that is there: its name, its permissions, and what was in it, also when something goes wrong.

use super::{WORK, assert_only, json, rows, run, scratch, text};
use crate::scratch::{LOAD, program};
use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

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
