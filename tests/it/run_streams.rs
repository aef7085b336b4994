//! Where output goes, and what happens when nobody reads it any more.

use crate::scratch::{LOAD, Scratch, program};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// One pass that lasts for some ticks.
const SLOW: &str = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\nSLEEP 1500000\n\
    Rmdir \"\\clients\\client1\\d\" NT_STATUS_OK\nSLEEP 1000000\n";

const LOOPED: &str = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    WriteX 1 0 4096 4096 NT_STATUS_OK\nSLEEP 1000\n";

#[test]
fn a_run_whose_output_nobody_reads_any_more_ends_quietly_and_leaves_nothing() {
    let scratch = Scratch::new();
    scratch.write(LOAD, LOOPED);
    let mut command = Command::new(program());
    command
        .args(["-c", LOAD, "-t", "120", "2"])
        .current_dir(scratch.path());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    lines.read_line(&mut first).unwrap();
    assert!(first.contains(" warmup "), "{first}");
    drop(lines);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(141), "{stderr}");
    assert!(
        !stderr.contains("panicked") && !stderr.contains("roken pipe"),
        "{stderr}"
    );
    scratch.assert_clean();
}

#[test]
fn a_summary_that_nobody_reads_ends_quietly_too() {
    let scratch = Scratch::new();
    scratch.write(LOAD, LOOPED);
    let script = "{ \"$0\" -c x.load 1; echo $? >code; } | true";
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .arg(program())
        .current_dir(scratch.path());
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        !stderr.contains("panicked") && !stderr.contains("roken pipe"),
        "{stderr}"
    );
    let code = std::fs::read_to_string(scratch.path().join("code")).unwrap();
    assert!(["0\n", "141\n"].contains(&&code[..]), "{code}");
    scratch.assert_clean();
}

#[test]
fn results_go_to_stdout_and_warnings_and_errors_to_stderr() {
    let scratch = Scratch::new();
    let ran = scratch.run("Unlink \"/no\" NT_STATUS_OK\n", &["1", "-t", "0.1"]);
    assert!(
        !ran.stdout.contains("warning") && !ran.stdout.contains("error"),
        "{ran}"
    );
    assert!(!ran.stderr.contains("Throughput"), "{ran}");
    ran.assert_says("warning: ").assert_says("error: ");
}

#[test]
fn there_is_no_progress_where_stderr_is_no_terminal() {
    let scratch = Scratch::new();
    let ran = scratch.run(SLOW, &["1"]);
    ran.assert_well();
    assert!(
        !ran.stderr.contains(['\x1b', '\r']) && !ran.stderr.contains(" left"),
        "{ran}"
    );
    assert!(
        !ran.stdout.contains('\x1b') && ran.stdout.lines().count() == 4,
        "{ran}"
    );
}

#[test]
fn there_is_a_bar_where_stderr_is_a_terminal() {
    let scratch = Scratch::new();
    scratch.write(LOAD, SLOW);
    let inner = format!("'{}' -c x.load 1 >out", program().display());
    let mut command = Command::new("script");
    command
        .args(["-qec", &inner, "/dev/null"])
        .env("TERM", "xterm")
        .current_dir(scratch.path());
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        eprintln!("skipped: script(1), which makes a terminal, is not installed");
        return;
    };
    let terminal = String::from_utf8_lossy(&output.stdout);
    assert!(
        terminal.contains(" % ") && terminal.contains("left"),
        "{terminal:?}"
    );
    let out = std::fs::read_to_string(scratch.path().join("out")).unwrap();
    assert!(out.contains("Throughput") && !out.contains('\x1b'), "{out}");
}

/// What ends a command whose standard error cannot be written, by the exit code alone.
fn code_without_stderr(scratch: &Scratch, arguments: &[&str]) -> Option<i32> {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(program());
    command.args(arguments).current_dir(scratch.path());
    let status = command.stdout(Stdio::null()).stderr(full).status().unwrap();
    status.code()
}

#[test]
fn a_standard_error_that_cannot_be_written_changes_no_exit_code() {
    let scratch = Scratch::new();
    scratch.write(LOAD, "Rmdir \"\\clients\\client1\\absent\" NT_STATUS_OK\n");
    scratch.write("bad.load", "Rmdri\n");
    assert_eq!(code_without_stderr(&scratch, &["-c", LOAD, "1"]), Some(1));
    assert_eq!(
        code_without_stderr(&scratch, &["check", "bad.load", "bad.load"]),
        Some(2)
    );
    assert_eq!(code_without_stderr(&scratch, &["clean", "absent"]), Some(1));
    scratch.assert_clean();
}

#[test]
fn what_is_converted_to_something_that_is_no_file_leaves_it_what_it_is() {
    let scratch = Scratch::new();
    scratch.write(LOAD, "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n");
    let target = scratch.write(
        "target",
        "a longer text that stood here before, and which has to go as a whole\n",
    );
    let link = scratch.path().join("link");
    symlink("target", &link).unwrap();
    scratch.rbench(&["convert", LOAD, "-o", "link"]).assert_well();
    assert!(link.is_symlink());
    let written = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    assert_eq!(std::fs::read_to_string(&target).unwrap(), written);

    symlink("/dev/null", scratch.path().join("nowhere")).unwrap();
    scratch.rbench(&["convert", LOAD, "-o", "nowhere"]).assert_well();
    assert!(scratch.path().join("nowhere").is_symlink());

    let piped = scratch.rbench(&["convert", LOAD, "-o", "/dev/stdout"]);
    piped.assert_well();
    assert_eq!(piped.stdout, written);
}
