//! Options of a run, by what they change on disk and in what is said.

use crate::scratch::Scratch;
use std::fs;

const LOAD: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
LOOP 10
WriteX 1 +100 100 100 NT_STATUS_OK
ENDLOOP
ReadX 1 0 1000 1000 NT_STATUS_OK
Close 1 NT_STATUS_OK
Mkdir "\clients\client1\d" NT_STATUS_OK
Rename "\clients\client1\f" "\clients\client1\d\g" NT_STATUS_OK
Unlink "\clients\client1\d\g" NT_STATUS_OK
Rmdir "\clients\client1\d" NT_STATUS_OK
NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 64 64 NT_STATUS_OK
QUERY_FILE_INFORMATION 1 258 NT_STATUS_OK
QUERY_PATH_INFORMATION "\clients\client1\f" 1004 NT_STATUS_OK
SET_FILE_INFORMATION 1 1004 NT_STATUS_OK
"#;
/// Written and read by [`LOAD`].
const BYTES: u64 = 10 * 100 + 1000 + 64;

#[test]
fn syncing_changes_no_outcome_and_is_told_with_the_throughput() {
    for (options, mark) in [
        (&["-s"][..], " (sync open)"),
        (&["--sync-dir"], " (sync dirs)"),
        (&["-s", "-S"], " (sync open) (sync dirs)"),
        (&["-F"], ""),
    ] {
        let scratch = Scratch::in_memory();
        let ran = scratch.run(LOAD, &[&["1"], options].concat());
        assert!(
            ran.assert_well()
                .last_line()
                .ends_with(&format!(" MBit/sec){mark}")),
            "{ran}"
        );
        let ran = scratch.run(LOAD, &[&["1", "--run-once"], options].concat());
        let expected = format!(" MB/sec{mark}  1 clients  1 procs  max_latency=");
        assert!(ran.assert_well().last_line().contains(&expected), "{ran}");
    }
}

#[test]
fn ways_of_executing_change_no_outcome_and_no_count() {
    let options = [
        "--no-resolve",
        "--stat-check",
        "--one-byte-write-fix",
        "--no-space-check",
        "-sSF",
    ];
    for option in options {
        let scratch = Scratch::in_memory();
        let ran = scratch.run(LOAD, &["2", "--per-client-results", option]);
        assert_eq!(ran.assert_well().per_client(), [(BYTES, 1); 2], "{option}");
        scratch.assert_clean();
    }
}

#[test]
fn fake_io_leaves_reads_and_writes_out_but_counts_them() {
    let scratch = Scratch::new();
    let ran = scratch.run(
        LOAD,
        &["1", "--fake-io", "--skip-cleanup", "--per-client-results"],
    );
    assert_eq!(ran.assert_well().per_client(), [(BYTES, 1)]);
    assert_eq!(scratch.size0("f"), 0);
}

#[test]
fn trunc_io_cuts_each_read_and_write_down_and_what_is_left_counts() {
    let scratch = Scratch::new();
    let options = ["--trunc-io", "30", "--skip-cleanup", "--per-client-results"];
    let ran = scratch.run(LOAD, &[&["1"], &options[..]].concat());
    assert_eq!(ran.assert_well().per_client(), [(12 * 30, 1)]);
    assert_eq!(scratch.size0("f"), 30);
}

#[test]
fn the_one_byte_write_fix_sets_the_size_and_writes_only_inside_a_file() {
    let load = r#"WRITEPATTERN x
        NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
        WriteX 1 9 1 1 NT_STATUS_OK
        WriteX 1 4 1 1 NT_STATUS_OK
        WriteX 1 10 1 1 NT_STATUS_OK
        WriteX 1 11 2 2 NT_STATUS_OK"#;
    let content = |option: &[&str]| {
        let scratch = Scratch::new();
        let ran = scratch.run(load, &[&["1", "--skip-cleanup"], option].concat());
        ran.assert_well();
        scratch.content0("f")
    };
    assert_eq!(content(&[]), b"\0\0\0\0x\0\0\0\0xxxx");
    assert_eq!(content(&["--one-byte-write-fix"]), b"\0\0\0\0x\0\0\0\0\0\0xx");
}

#[test]
fn attributes_are_kept_as_samba_keeps_them_or_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["1", "-x", "--skip-cleanup"]);
    if ran.code == Some(1) {
        ran.assert_says("extended attributes of users do not work here");
        return scratch.assert_clean();
    }
    ran.assert_well();
    assert_eq!(attribute_length(&scratch.client0("f")), 44);
    scratch.rbench(&["clean", "."]).assert_code(0);
    scratch.run(LOAD, &["1", "--skip-cleanup"]).assert_well();
    assert!(
        attribute_length(&scratch.client0("f")) < 0,
        "without -x there is none"
    );
}

/// Length of `user.DosAttrib`; negative when there is none.
fn attribute_length(path: &std::path::Path) -> isize {
    let path = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
    let name = c"user.DosAttrib";
    // SAFETY: both names end in a NUL, and nothing is written to a buffer of no length.
    unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), std::ptr::null_mut(), 0) }
}

#[test]
fn other_backends_are_refused_with_the_reason() {
    for (name, reason) in [
        ("sockio", "not sockets"),
        ("nfs", "mount the nfs share"),
        ("smb", "mount the smb share"),
        ("scsi", "fio for devices"),
        ("iscsi", "fio for devices"),
        ("block", "fio for devices"),
        ("files", "expected fileio or null"),
    ] {
        let scratch = Scratch::new();
        scratch.run(LOAD, &["-B", name, "1"]).assert_refused(reason);
        scratch.assert_clean();
    }
}

#[test]
fn fileio_is_named_as_dbench_5_wants_it_and_null_touches_nothing() {
    let scratch = Scratch::new();
    scratch.run(LOAD, &["-B", "fileio", "1"]).assert_well();
    let ran = scratch.run(
        LOAD,
        &["--backend", "null", "2", "--skip-cleanup", "--per-client-results"],
    );
    assert_eq!(ran.assert_well().per_client(), [(BYTES, 1); 2]);
    scratch.assert_clean();
}

#[test]
fn bad_usage_is_exit_code_2_and_touches_nothing() {
    for arguments in [
        &[][..],
        &["0"],
        &["-1"],
        &["x"],
        &["100001"],
        &["2", "3"],
        &["1", "-t", "x"],
        &["1", "-R", "0"],
        &["1", "--time-scale", "-1"],
        &["1", "--trunc-io", "many"],
        &["1", "--style", "dbench2"],
        &["1", "--on-mismatch", "no"],
        &["1", "--no-such-option"],
        &["60000", "--clients-per-process", "2"],
    ] {
        let scratch = Scratch::new();
        let ran = scratch.run(LOAD, arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran}");
        assert!(
            !ran.stderr.is_empty() && !ran.stderr.contains("panicked"),
            "{ran}"
        );
        scratch.assert_clean();
    }
}

#[test]
fn clients_per_process_multiplies_the_clients_and_is_told() {
    let scratch = Scratch::new();
    let ran = scratch.run(
        LOAD,
        &[
            "--clients-per-process",
            "4",
            "2",
            "--run-once",
            "--per-client-results",
        ],
    );
    assert!(
        ran.assert_well().last_line().contains("  8 clients  2 procs  "),
        "{ran}"
    );
    assert_eq!(ran.per_client(), [(BYTES, 1); 8]);
}

#[test]
fn several_loadfiles_are_dealt_to_the_clients_in_turn() {
    let scratch = Scratch::new();
    for name in ["a", "b", "a,b"] {
        scratch.write(
            &format!("{name}.load"),
            &format!("Mkdir \"/clients/client1/{name}\" NT_STATUS_OK\n"),
        );
    }
    for typed in [
        &["-c", "a.load,b.load"][..],
        &["-c", "a.load", "--loadfile", "b.load"],
    ] {
        let ran = scratch.rbench(&[typed, &["3", "--skip-cleanup"]].concat());
        ran.assert_well();
        let trees = ["0", "1", "2"].map(|client| scratch.tree(&format!("clients/client{client}")));
        assert_eq!(trees, [["a/"], ["b/"], ["a/"]]);
        scratch.rbench(&["clean", "."]).assert_code(0);
    }
    scratch
        .rbench(&["-c", "a,b.load", "1", "--skip-cleanup"])
        .assert_well();
    assert_eq!(scratch.tree0(), ["a,b/"], "there is a file of that very name");
}

#[test]
fn a_load_that_is_neither_a_file_nor_bundled_is_refused_and_the_bundled_are_named() {
    let scratch = Scratch::new();
    let ran = scratch.rbench(&["-c", "clint", "1"]);
    ran.assert_refused("no bundled load of that name")
        .assert_says("client");
    scratch
        .rbench(&["-c", "client,./nowhere.load", "1"])
        .assert_refused("./nowhere.load");
    scratch.assert_clean();
}

#[test]
fn a_bad_loadfile_is_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let ran = scratch.run("NTCreatX \"\\a\" 0x40 0x2 1 NT_STATUS_OK\n", &["1"]);
    ran.assert_refused("x.load:1:1").assert_says("NTCreateX");
    scratch.write("good.load", LOAD);
    scratch
        .rbench(&["-c", "good.load,x.load", "2"])
        .assert_refused("x.load:1:1");
    scratch.assert_clean();
}

#[test]
fn styles_follow_the_options_and_can_be_chosen() {
    let scratch = Scratch::new();
    let header = |arguments: &[&str]| {
        let ran = scratch.run(LOAD, arguments);
        ran.assert_well();
        let rule = ran.stdout.lines().find(|line| line.starts_with(" ---"));
        (rule.map(|rule| rule.trim().len()), ran.stdout.contains("NB="))
    };
    let (dbench1, dbench4, dbench5) = ((None, true), (Some(40), false), (Some(50), false));
    assert_eq!(header(&["1"]), dbench1);
    assert_eq!(header(&["1", "-t", "0.1"]), dbench4);
    assert_eq!(header(&["1", "--run-once"]), dbench5);
    assert_eq!(header(&["1", "--style", "dbench4"]), dbench4);
    assert_eq!(header(&["1", "--style", "dbench5"]), dbench5);
    assert_eq!(header(&["1", "-t", "0.1", "--style", "dbench1"]), dbench1);
    assert_eq!(header(&["1", "--table"]), (Some(50), true));
}

#[test]
fn machine_readable_output_has_dbench_5s_rows_and_nothing_else() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["2", "--machine-readable", "-t", "2.5", "--warmup", "2.5"]);
    ran.assert_well();
    let lines: Vec<_> = ran.stdout.lines().collect();
    let forms = regex::Regex::new(
        r"^(@[WR]@\d+@\d+@[\d.]+@\d+@[\d.]+@|@C@\d+@\d+@|:\w+:\d+:[\d.]+:[\d.]+:|;[\d.e+]+;2;2;[\d.]+;)$",
    )
    .unwrap();
    assert!(lines.iter().all(|line| forms.is_match(line)), "{ran}");
    for start in ["@W@", "@R@", "@C@", ":WriteX:"] {
        assert!(
            lines.iter().any(|line| line.starts_with(start)),
            "no {start} in {ran}"
        );
    }
    assert!(ran.last_line().starts_with(';'));
}

#[test]
fn each_finished_pass_is_told_with_show_execute_time() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["2", "--show-execute-time"]);
    let lines = crate::consumers::mmtests_completed(&ran.assert_well().stdout);
    assert_eq!(lines.len(), 2, "{ran}");
    assert!(lines.iter().all(Option::is_some), "{ran}");
}

#[test]
fn a_kept_tree_is_what_the_next_run_finds_and_clean_removes_it() {
    let scratch = Scratch::new();
    scratch
        .run(
            r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK"#,
            &["2", "--skip-cleanup"],
        )
        .assert_well();
    let second = r#"NTCreateX "\clients\client1\f" 0x40 0x1 1 NT_STATUS_OK"#;
    scratch.run(second, &["2", "--skip-cleanup"]).assert_well();
    scratch.rbench(&["clean", "."]).assert_code(0);
    scratch.assert_clean();
    scratch.run(second, &["1"]).assert_code(1);
    fs::create_dir(scratch.clients()).unwrap();
    fs::write(scratch.clients().join("theirs"), "").unwrap();
    scratch.run(LOAD, &["1"]).assert_code(1).assert_says("clients");
    assert_eq!(
        scratch.tree("clients"),
        ["theirs"],
        "a directory that is not ours is left alone"
    );
}

#[test]
fn a_size_cut_by_trunc_io_leaves_less_to_read_and_that_is_no_difference() {
    let scratch = Scratch::new();
    let load = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\nWriteX 1 0 4096 4096 NT_STATUS_OK\n\
                ReadX 1 2048 2048 2048 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";
    scratch.run(load, &["1", "--trunc-io", "1K"]).assert_well();
}

#[test]
fn one_of_several_loadfiles_may_declare_what_set_names_and_one_must() {
    let scratch = Scratch::new();
    scratch.write(
        "sized.load",
        "PARAM size 1K \"bytes\"\nNTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
         WriteX 1 0 ${size} ${size} NT_STATUS_OK\nClose 1 NT_STATUS_OK\n",
    );
    scratch.write("plain.load", "QUERY_FS_INFORMATION 1 NT_STATUS_OK\n");
    scratch
        .rbench(&["2", "-c", "sized.load,plain.load", "--set", "size=2K"])
        .assert_well();
    let refused = scratch.rbench(&["2", "-c", "sized.load,plain.load", "--set", "siz=2K"]);
    refused.assert_refused("`siz` that none of the loadfiles declares");
}

#[test]
fn a_time_limit_of_nothing_is_refused() {
    let scratch = Scratch::new();
    scratch
        .rbench(&["1", "-t", "0"])
        .assert_refused("-t 0 leaves nothing to measure");
}

#[test]
fn the_last_of_a_repeated_option_counts() {
    let scratch = Scratch::new();
    let ran = scratch.rbench(&["-B", "null", "-s", "-s", "-t", "9", "-t", "0.1", "1"]);
    ran.assert_code(0);
    assert!(ran.last_line().contains("(sync open)"), "{ran}");
}

#[test]
fn differences_that_are_ignored_are_counted_and_no_more() {
    let scratch = Scratch::new();
    let ran = scratch.run("Unlink \"/no\" NT_STATUS_OK\n", &["1", "--on-mismatch", "ignore"]);
    ran.assert_code(0);
    assert!(ran.stdout.contains("1 of 1 checked outcomes differ"), "{ran}");
    assert!(!ran.stderr.contains("error"), "{ran}");
}

#[test]
fn loadfiles_without_a_name_are_wrong_usage() {
    for names in ["", ",", ",,"] {
        let ran = Scratch::new().rbench(&["-c", names, "1"]);
        ran.assert_code(2).assert_says("-c names no loadfile");
    }
}

#[test]
fn completions_of_a_run_that_asks_nothing_of_a_device_are_absent_with_a_note() {
    let scratch = Scratch::in_memory();
    let ran = scratch.run(LOAD, &["-B", "null", "--completions", "1"]);
    ran.assert_well()
        .assert_says("-B null asks nothing of any device");
    assert!(!ran.stdout.contains("completions"), "{ran}");
}
