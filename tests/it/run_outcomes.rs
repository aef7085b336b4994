//! Outcomes against the trace: what is told, what stops a run, what is skipped.

use crate::scratch::{LOAD, Ran, Scratch, plan};
use nix::errno::Errno;
use rbench::op::Kind;
use rbench::replay::OnMismatch;
use rbench::replay::failing::{Call, Failing, Fault};
use rbench::replay::null::Null;
use rbench::result::{End, RunResult};
use rbench::run::{Plan, Silent, execute_with};

fn execute(load: &str, faults: &[Fault], change: impl FnOnce(&mut Plan)) -> RunResult {
    let mut plan = plan(load);
    change(&mut plan);
    let make = |_| Ok(Failing::new(Null::default(), faults.to_vec()));
    execute_with(&plan, &mut Silent, &make).unwrap()
}

const WRITES: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
LOOP 100
WriteX 1 0 1000 1000 NT_STATUS_OK
ENDLOOP
"#;

fn fails(call: Call, nth: u64, errno: Errno) -> Fault {
    Fault::Fail {
        call,
        nth,
        every: 0,
        errno,
    }
}

#[test]
fn mismatches_are_told_with_file_line_operation_and_path_and_make_the_exit_code_1() {
    let scratch = Scratch::new();
    let load = r#"# a comment
        NTCreateX "\clients\client1\no" 0x40 0x1 1 NT_STATUS_OK
        NTCreateX "\foo" 0x40 0x2 2 NT_STATUS_OBJECT_NAME_COLLISION
        Unlink "\clients\client1\no" *
        NTCreateX "\clients\client1\f" 0x40 0x2 3 NT_STATUS_OK
        WriteX 3 0 10 10 NT_STATUS_OK
        ReadX 3 0 20 20 NT_STATUS_OK
        Rename "\clients\client1\f" "\clients\client1\no\f" NT_STATUS_OK
        ReadX 3 0 5 0 NT_STATUS_FILE_LOCK_CONFLICT
        "#;
    let ran = scratch.run(load, &["1"]);
    ran.assert_code(1)
        .assert_says("error: 5 of 7 checked outcomes differ from the trace:");
    let expected = [
        "x.load:2 NTCreateX client0/no: expected success, got ENOENT (No such file or directory)",
        "x.load:3 NTCreateX shared/foo: expected failure, got success",
        "x.load:7 ReadX client0/f: expected 20 bytes, got 10 bytes",
        "x.load:8 Rename client0/f: expected success, got ENOENT (No such file or directory)",
        "x.load:9 ReadX client0/f: expected failure, got 5 bytes",
    ];
    assert_eq!(ran.mismatches(), expected, "{ran}");
    scratch.assert_clean();
    assert!(ran.throughput() > 0.0, "the figures are told all the same");
}

/// Twelve removals of files that are not there.
fn twelve() -> Ran {
    let scratch = Scratch::new();
    scratch.run("REPEAT 12\nUnlink \"/no\" NT_STATUS_OK\n", &["1"])
}

#[test]
fn ten_mismatches_are_shown_and_the_others_counted() {
    let ran = twelve();
    ran.assert_code(1).assert_says("… and 2 more");
    assert_eq!(ran.mismatches().len(), 10);
}

#[test]
fn with_stop_the_run_ends_at_the_first_mismatch_and_has_no_throughput() {
    let scratch = Scratch::new();
    let load = "REPEAT 12\nUnlink \"/no\" NT_STATUS_OK\n";
    let ran = scratch.run(load, &["2", "--on-mismatch", "stop"]);
    ran.assert_code(1).assert_says("error: the run failed after");
    ran.assert_says("x.load:2 Unlink shared/no: expected success, got ENOENT");
    assert!(!ran.stdout.contains("Throughput"), "{ran}");
    scratch.assert_clean();
    let result = execute(WRITES, &[fails(Call::Write, 4, Errno::EBADF)], |plan| {
        plan.settings.on_mismatch = OnMismatch::Stop;
    });
    assert!(matches!(&result.end, End::Failed(why) if why.starts_with("x.load:3 WriteX client0/f: ")));
    assert_eq!(result.outcomes.differed, 1);
    assert!(result.total_operations() <= 5);
}

#[test]
fn with_ignore_mismatches_are_counted_and_the_exit_code_is_0() {
    let scratch = Scratch::new();
    let load = "REPEAT 12\nUnlink \"/no\" NT_STATUS_OK\n";
    let ran = scratch.run(load, &["1", "--on-mismatch", "ignore"]);
    ran.assert_code(0);
    assert!(ran.stdout.contains("12 of 12 checked outcomes differ"), "{ran}");
}

#[test]
fn operations_on_a_handle_whose_open_failed_are_skipped_and_counted() {
    let scratch = Scratch::new();
    let load = r#"NTCreateX "\clients\client1\no" 0x40 0x1 1 NT_STATUS_OK
        ReadX 1 0 20 20 NT_STATUS_OK
        WriteX 1 0 20 20 NT_STATUS_OK
        Flush 1 NT_STATUS_OK
        QUERY_FILE_INFORMATION 1 258 NT_STATUS_OK
        SET_FILE_INFORMATION 1 258 NT_STATUS_OK
        LockX 1 0 1 NT_STATUS_OK
        Close 1 NT_STATUS_OK
        NTCreateX "\clients\client1\yes" 0x40 0x2 1 NT_STATUS_OK
        WriteX 1 0 20 20 NT_STATUS_OK
        "#;
    let ran = scratch.run(load, &["1", "--machine-readable"]);
    ran.assert_code(1).assert_says("7 operations were skipped");
    assert_eq!(ran.mismatches().len(), 1);
    let counts: Vec<_> = ran.counts().into_iter().collect();
    assert_eq!(counts, [("NTCreateX", 2), ("WriteX", 1)]);
}

#[test]
fn an_open_that_succeeds_against_the_trace_is_closed_at_once() {
    let scratch = Scratch::new();
    let load = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
        REPEAT 1000
        NTCreateX "\clients\client1\f" 0x40 0x1 2 NT_STATUS_OBJECT_NAME_NOT_FOUND
        "#;
    scratch.write(LOAD, load);
    let mut shell = assert_cmd::Command::new("sh");
    let script = "ulimit -n 200 && exec \"$0\" -c x.load 1";
    let limited = shell.args(["-c", script]).arg(crate::scratch::program());
    let output = limited.current_dir(scratch.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("1000 of 1001 checked outcomes differ"),
        "{stderr}"
    );
}

#[test]
fn a_short_read_or_write_is_a_mismatch_in_nb3() {
    let load = format!("{WRITES}ReadX 1 0 1000 1000 NT_STATUS_OK\nReadX 1 0 1000 600 NT_STATUS_OK\n");
    let result = execute(&load, &[Fault::Short { bytes: 600 }], |_| {});
    assert_eq!(result.end, End::Completed);
    assert_eq!(result.outcomes.differed, 101, "all but the read that expects 600");
    let first = &result.outcomes.examples[0];
    assert_eq!((first.line, first.kind), (3, Kind::WriteX));
    assert_eq!((&first.expected[..], &first.got[..]), ("1000 bytes", "600 bytes"));
    assert_eq!(result.bytes_written, 100 * 600, "what came is what counts");
}

#[test]
fn short_reads_and_writes_are_no_mismatch_in_nb2_where_requested_bytes_count() {
    let load = r"NTCreateX \clients\client1\f 0x40 0x2 1
        WriteX 1 0 1000 1000
        ReadX 1 0 1000 1000
        ";
    let result = execute(load, &[Fault::Short { bytes: 600 }], |_| {});
    assert_eq!((result.outcomes.differed, result.bytes_written), (0, 1000));
    assert_eq!(result.bytes_read, 1000);
}

#[test]
fn errors_after_which_throughput_means_nothing_end_the_run() {
    for errno in [
        Errno::ENOSPC,
        Errno::EDQUOT,
        Errno::EIO,
        Errno::EROFS,
        Errno::ENOMEM,
        Errno::EMFILE,
    ] {
        let fault = fails(Call::Write, 7, errno);
        for on_mismatch in [OnMismatch::Report, OnMismatch::Ignore] {
            let result = execute(WRITES, &[fault], |plan| plan.settings.on_mismatch = on_mismatch);
            let End::Failed(why) = &result.end else {
                panic!("{errno}: {:?}", result.end)
            };
            assert!(why.contains(&format!("got {errno:?}")), "{why}");
            assert!(result.total_operations() < 20, "{errno}");
        }
    }
}

#[test]
fn one_clients_full_disk_ends_the_run_of_all() {
    let load = r#"LOOP 10000000
        QUERY_PATH_INFORMATION "\clients\client1" 1004 NT_STATUS_OK
        ENDLOOP"#;
    let mut plan = plan(load);
    plan.clients = 4;
    let make = |client| {
        let nth = if client == 2 { 1000 } else { u64::MAX };
        Ok(Failing::new(
            Null::default(),
            vec![fails(Call::Stat, nth, Errno::EIO)],
        ))
    };
    let result = execute_with(&plan, &mut Silent, &make).unwrap();
    assert!(
        matches!(&result.end, End::Failed(why) if why.contains("EIO")),
        "{:?}",
        result.end
    );
    assert!(result.total_operations() < 40_000_000);
}

#[test]
fn an_error_where_the_trace_expects_a_failure_stops_nothing() {
    let load = "REPEAT 5\nUnlink \"/no\" NT_STATUS_OBJECT_NAME_NOT_FOUND\nREPEAT 5\nUnlink \"/no\" *\n";
    let every = Fault::Fail {
        call: Call::Unlink,
        nth: 1,
        every: 1,
        errno: Errno::EIO,
    };
    let result = execute(load, &[every], |_| {});
    assert_eq!((result.end, result.outcomes.differed), (End::Completed, 0));
}

#[test]
fn a_client_whose_directory_cannot_be_opened_fails_the_run_before_its_first_operation() {
    let mut plan = plan(WRITES);
    plan.clients = 3;
    let make = |client| match client {
        1 => Err("client1: no directory".to_owned()),
        _ => Ok(Null::default()),
    };
    let result = execute_with(&plan, &mut Silent, &make).unwrap();
    assert_eq!(result.end, End::Failed("client1: no directory".into()));
    assert_eq!(result.total_operations(), 0);
}

#[test]
fn a_slice_leaves_out_operations_on_handles_that_it_does_not_open_and_counts_them() {
    let scratch = Scratch::new();
    let load = r#"WriteX 7 0 10 10 NT_STATUS_OK
        Close 7 NT_STATUS_OK
        NTCreateX "\clients\client1\f" 0x40 0x2 7 NT_STATUS_OK
        WriteX 7 0 20 20 NT_STATUS_OK
        "#;
    scratch.run(load, &["1"]).assert_refused("--slice");
    scratch.assert_clean();
    let ran = scratch.run(load, &["2", "--slice", "--per-client-results"]);
    ran.assert_well().assert_says("4 operations were skipped");
    assert_eq!(ran.per_client(), [(20, 1), (20, 1)]);
}

#[test]
fn a_client_that_panics_fails_the_run_and_neither_hangs_it_nor_lets_it_look_well() {
    let mut plan = plan(WRITES);
    plan.clients = 3;
    let make = |client| match client {
        1 => panic!("a bug"),
        _ => Ok(Null::default()),
    };
    let result = execute_with(&plan, &mut Silent, &make).unwrap();
    assert!(matches!(&result.end, End::Failed(why) if why.contains("client 1 has panicked")));
}

#[test]
fn numbers_beyond_what_a_file_can_hold_are_mismatches_and_nothing_worse() {
    let scratch = Scratch::new();
    let load = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
        ReadX 1 0xffffffffffffffff 10 10 NT_STATUS_OK
        WriteX 1 0xffffffffffffffff 10 10 NT_STATUS_OK
        WriteX 1 +0xffffffffffffffff 10 10 NT_STATUS_OK
        WriteX 1 0x8000000000000000 0 10 NT_STATUS_OK
        LockX 1 0xffffffffffffffff 0xffffffffffffffff NT_STATUS_OK
        UnlockX 1 1 0x7fffffffffffffff NT_STATUS_OK
        UnlockX 1 0x8000000000000000 1 NT_STATUS_OK
        ReadX 1 0 0 4294967295 NT_STATUS_OK
        "#;
    for option in [
        &[][..],
        &["--one-byte-write-fix"],
        &["--stat-check"],
        &["-sSF"],
        &["--trunc-io", "1"],
    ] {
        let ran = scratch.run(load, &[&["2", "--no-space-check"], option].concat());
        ran.assert_code(1);
        assert!(!ran.stderr.contains("panicked"), "{ran}");
        assert!(ran.mismatches().len() >= 4, "{ran}");
        scratch.assert_clean();
    }
}

#[test]
fn a_read_and_a_write_that_succeed_against_the_trace_are_told_as_such() {
    let scratch = Scratch::new();
    let load = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 100 100 NT_STATUS_DISK_FULL
ReadX 1 0 100 100 NT_STATUS_FILE_LOCK_CONFLICT
"#;
    let ran = scratch.run(load, &["1"]);
    ran.assert_code(1);
    let told = [
        "x.load:2 WriteX client0/f: expected failure, got 100 bytes",
        "x.load:3 ReadX client0/f: expected failure, got 100 bytes",
    ];
    assert_eq!(ran.mismatches(), told);
}
