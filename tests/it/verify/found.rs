//! Data that are lost, changed or misplaced are found.

use super::verified;
use crate::scratch::{LOAD, Scratch, plan, program};
use nix::fcntl::{FcntlArg, fcntl};
use rbench::replay::OnMismatch;
use rbench::replay::failing::{Call, Failing, Fault};
use rbench::replay::real::{Real, Roots};
use rbench::result::{Corruption, End, RunResult};
use rbench::run::{Plan, Silent, execute_with};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Two files of 8192 bytes; the second half of the first is written twice, and all is read at the end.
const FILES: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
NTCreateX "\g" 0x40 0x2 2 NT_STATUS_OK
WriteX 1 0 8192 8192 NT_STATUS_OK
WriteX 2 0 8192 8192 NT_STATUS_OK
WriteX 1 4096 4096 4096 NT_STATUS_OK
ReadX 1 0 8192 8192 NT_STATUS_OK
ReadX 2 0 8192 8192 NT_STATUS_OK
"#;

/// Runs a load on real files, with faults between them and `--verify`.
fn run(load: &str, fault: Fault, change: impl FnOnce(&mut Plan)) -> RunResult {
    let scratch = Scratch::new();
    for name in ["client0", "shared"] {
        fs::create_dir_all(scratch.clients().join(name)).unwrap();
    }
    let open = |path: &Path| File::open(path).unwrap().into();
    let mut plan = plan(load);
    plan.settings.verify = true;
    change(&mut plan);
    let make = |_| {
        let roots = Roots {
            clients: open(&scratch.clients()),
            client: open(&scratch.client0("")),
            shared: open(&scratch.shared("")),
        };
        Ok(Failing::new(Real::<false>::new(roots), vec![fault]))
    };
    execute_with(&plan, &mut Silent, &make).unwrap()
}

/// The only read of [`FILES`] that is not as written.
fn found(fault: Fault) -> Corruption {
    let verification = run(FILES, fault, |_| {}).verification.unwrap();
    assert_eq!((verification.reads_checked, verification.corrupt_reads), (2, 1));
    assert_eq!(verification.bytes_checked, 16_384);
    verification.examples[0].clone()
}

#[test]
fn a_bit_that_turns_over_in_a_read_or_a_write_is_found() {
    for (call, nth) in [(Call::Read, 1), (Call::Write, 1)] {
        let fault = Fault::Flip {
            call,
            nth,
            index: 1000,
            bits: 0x10,
        };
        let corruption = found(fault);
        let Corruption {
            expected_byte, line, ..
        } = corruption;
        assert_eq!((line, corruption.offset, corruption.client), (6, 1000, 0));
        assert_eq!(corruption.got_byte, Some(expected_byte ^ 0x10));
        let (got, expected) = (expected_byte ^ 0x10, expected_byte);
        let sentence = format!(
            "x.load:6 ReadX client0/f: byte 1000 is {got:#04x}, not {expected:#04x} (one bit differs)"
        );
        assert_eq!(corruption.to_string(), sentence);
    }
}

#[test]
fn a_write_that_never_came_is_found_as_the_older_data_or_zeros_in_its_place() {
    let corruption = found(Fault::Lose { nth: 3, keep: 0 });
    let stale = "stale data: write 1 of this place, by client 0, not write 2, by client 0";
    assert_eq!((corruption.line, &corruption.found[..]), (6, stale));
    // The end of the last cell's number is where the two differ.
    assert_eq!(corruption.offset, 4096 + 31);

    let hole = FILES.replace("WriteX 1 0 8192 8192", "WriteX 1 8000 192 192");
    let result = run(&hole, Fault::Lose { nth: 3, keep: 0 }, |_| {});
    let corruption = &result.verification.unwrap().examples[0];
    assert_eq!((corruption.offset, &corruption.found[..]), (4096, "zeros"));
}

#[test]
fn a_write_of_which_only_the_first_part_came_is_found() {
    let corruption = found(Fault::Lose { nth: 3, keep: 1024 });
    assert_eq!(corruption.offset, 4096 + 1024 + 31);
    assert!(corruption.found.starts_with("stale data: "), "{corruption}");
}

#[test]
fn an_append_that_never_came_is_found_though_nothing_is_read() {
    let result = run(FILES, Fault::Lose { nth: 2, keep: 4000 }, |_| {});
    let verification = result.verification.unwrap();
    assert_eq!(verification.corrupt_reads, 1);
    let sentence = "x.load:7 ReadX shared/g: byte 4000 is missing, not 0x63 (the file ends before it)";
    assert_eq!(verification.examples[0].to_string(), sentence);
}

#[test]
fn data_in_another_place_than_their_own_are_found_with_where_they_belong() {
    let fault = Fault::Misplace { nth: 3, offset: 512 };
    let corruption = found(fault);
    assert_eq!(corruption.offset, 512 + 23);
    assert_eq!(
        corruption.found,
        "data of client 0, this file, offset 4096, write 2"
    );
}

#[test]
fn with_stop_the_run_ends_at_the_first_read_that_differs() {
    let load = FILES.replace("ReadX 1", "REPEAT 100\nReadX 1");
    let fault = Fault::Lose { nth: 3, keep: 0 };
    let result = run(&load, fault, |plan| plan.settings.on_mismatch = OnMismatch::Stop);
    assert!(
        matches!(&result.end, End::Failed(why) if why.starts_with("x.load:7 ReadX client0/f: byte 4127 "))
    );
    assert_eq!(result.verification.unwrap().corrupt_reads, 1);
    let result = run(&load, fault, |_| {});
    assert_eq!(result.end, End::Completed);
    let verification = result.verification.unwrap();
    assert_eq!(
        (verification.corrupt_reads, verification.examples.len()),
        (100, 10)
    );
}

/// Holds a lock of a whole file until it is dropped.
fn locked(path: &Path) -> File {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let range = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    fcntl(&file, FcntlArg::F_SETLK(&range)).unwrap();
    file
}

/// A client that has written tells so with a directory, and reads when it gets the lock.
const WAITS: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 10000 10000 NT_STATUS_OK
NTCreateX "\lock" 0x40 0x1 2 NT_STATUS_OK
Mkdir "\clients\client1\ready" NT_STATUS_OK
LockX 2 0 100 NT_STATUS_OK
ReadX 1 4096 4096 4096 NT_STATUS_OK
ReadX 1 0 4096 4096 NT_STATUS_OK
"#;

#[test]
fn a_byte_that_another_program_changes_during_the_run_is_found_whatever_is_made_of_mismatches() {
    for action in ["report", "ignore"] {
        let scratch = Scratch::new();
        let kept = "NTCreateX \"\\lock\" 0x40 0x2 2 NT_STATUS_OK\n";
        scratch.run(kept, &["1", "--skip-cleanup"]).assert_well();
        let lock = locked(&scratch.shared("lock"));
        scratch.write(LOAD, WAITS);
        let mut command = Command::new(program());
        command.args(["-c", LOAD, "1", "--verify", "--on-mismatch", action]);
        command
            .current_dir(scratch.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        while !scratch.client0("ready").exists() {
            assert_eq!(child.try_wait().unwrap(), None, "it has ended before");
            std::thread::sleep(Duration::from_millis(1));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(scratch.client0("f"))
            .unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, 5000).unwrap();
        let was = byte[0];
        file.write_all_at(&[was ^ 0x81], 5000).unwrap();
        drop(lock);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let expected = format!(
            "error: 1 of 2 checked reads is not as written:\n  \
             x.load:6 ReadX client0/f: byte 5000 is {:#04x}, not {was:#04x} (one byte differs)\n",
            was ^ 0x81
        );
        assert!(stderr.contains(&expected), "{stderr}");
        assert_eq!(output.status.code(), Some(1));
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(
            stdout.contains("\n1 of 2 verified reads differ from what was written"),
            "{stdout}"
        );
    }
}

/// As [`WAITS`], with the file closed meanwhile.
const CLOSED: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 10000 10000 NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "\lock" 0x40 0x1 2 NT_STATUS_OK
Mkdir "\clients\client1\ready" NT_STATUS_OK
LockX 2 0 100 NT_STATUS_OK
NTCreateX "\clients\client1\f" 0x40 0x1 1 NT_STATUS_OK
ReadX 1 0 10000 * *
"#;

#[test]
fn a_file_that_loses_its_end_while_it_is_closed_is_found() {
    let scratch = Scratch::new();
    let kept = "NTCreateX \"\\lock\" 0x40 0x2 2 NT_STATUS_OK\n";
    scratch.run(kept, &["1", "--skip-cleanup"]).assert_well();
    let lock = locked(&scratch.shared("lock"));
    scratch.write(LOAD, CLOSED);
    let mut command = Command::new(program());
    command
        .args(["-c", LOAD, "1", "--verify", "--on-mismatch", "ignore"])
        .current_dir(scratch.path())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !scratch.client0("ready").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended before");
        std::thread::sleep(Duration::from_millis(1));
    }
    let file = OpenOptions::new().write(true).open(scratch.client0("f")).unwrap();
    if file.metadata().unwrap().created().is_err() {
        eprintln!("skipped, the file system does not keep when a file was made");
    }
    let kept_time = file.metadata().unwrap().created().is_ok();
    file.set_len(4096).unwrap();
    // Longer than the clock of inodes ticks.
    std::thread::sleep(Duration::from_millis(50));
    drop(lock);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    if kept_time {
        assert!(
            stderr.contains("x.load:8 ReadX client0/f: byte 4096 is missing"),
            "{stderr}"
        );
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn what_an_earlier_run_has_left_is_not_checked() {
    let scratch = Scratch::after(FILES);
    let load = FILES.lines().filter(|line| !line.starts_with("WriteX"));
    let load: Vec<_> = load.collect();
    let ran = scratch.run(&load.join("\n"), &["1", "--verify"]);
    assert_eq!(verified(ran.assert_well()), (0, 0));
}
