//! nb3's operations, by what they leave on disk.

use crate::scratch::Scratch;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// Makes `f` with 100 bytes.
const HUNDRED: &str = r#"
NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 100 100 NT_STATUS_OK
Close 1 NT_STATUS_OK
"#;

#[test]
fn files_are_made_for_their_owner_alone_and_so_are_directories() {
    let scratch = Scratch::after(
        r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
           NTCreateX "\clients\client1\d" 0x1 0x2 2 NT_STATUS_OK"#,
    );
    assert_eq!(scratch.tree0(), ["d/", "f"]);
    assert_eq!(scratch.metadata0("f").permissions().mode() & 0o7777, 0o600);
    assert_eq!(scratch.metadata0("d").permissions().mode() & 0o7777, 0o700);
}

#[test]
fn dispositions_0_4_and_5_cut_a_file_that_is_there_and_1_2_and_3_leave_it() {
    for (disposition, size) in [(0, 0), (1, 100), (2, 100), (3, 100), (4, 0), (5, 0)] {
        let open = format!("NTCreateX \"\\clients\\client1\\f\" 0x40 {disposition} 2 NT_STATUS_OK\n");
        let scratch = Scratch::after(&format!("{HUNDRED}{open}"));
        assert_eq!(scratch.size0("f"), size, "disposition {disposition}");
    }
}

#[test]
fn dispositions_0_2_3_and_5_make_a_file_that_is_not_there_and_1_and_4_fail() {
    for (disposition, makes) in [(0, true), (1, false), (2, true), (3, true), (4, false), (5, true)] {
        let status = if makes {
            "NT_STATUS_OK"
        } else {
            "NT_STATUS_OBJECT_NAME_NOT_FOUND"
        };
        let load = format!("NTCreateX \"\\clients\\client1\\f\" 0x40 {disposition} 2 {status}\n");
        let scratch = Scratch::after(&load);
        assert_eq!(!scratch.tree0().is_empty(), makes, "disposition {disposition}");
    }
}

#[test]
fn a_create_that_the_trace_sees_fail_is_exclusive() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}
           NTCreateX "\clients\client1\f" 0x40 0x2 2 NT_STATUS_OBJECT_NAME_COLLISION
           Mkdir "\clients\client1\d" NT_STATUS_OK
           NTCreateX "\clients\client1\d" 0x1 0x2 2 NT_STATUS_OBJECT_NAME_COLLISION
           NTCreateX "\clients\client1" 0x1 0x2 2 NT_STATUS_OBJECT_NAME_COLLISION
           NTCreateX "\clients" 0x1 0x2 2 NT_STATUS_OBJECT_NAME_COLLISION"#
    ));
    assert_eq!(scratch.size0("f"), 100);
}

#[test]
fn a_directory_opened_as_a_file_is_opened_as_a_directory() {
    let scratch = Scratch::after(
        r#"Mkdir "\clients\client1\d" NT_STATUS_OK
           NTCreateX "\clients\client1\d" 0x40 0x1 1 NT_STATUS_OK
           QUERY_FILE_INFORMATION 1 258 NT_STATUS_OK
           NTCreateX "\clients\client1\d" 0x40 0x2 2 NT_STATUS_OK
           NTCreateX "\clients\client1\d" 0x40 0x5 3 NT_STATUS_OK
           Flush 3 NT_STATUS_OK"#,
    );
    assert_eq!(scratch.tree0(), ["d/"]);
}

#[test]
fn a_file_opened_as_a_directory_is_refused_and_a_directory_is_made_or_found() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}
           NTCreateX "\clients\client1\f" 0x1 0x1 2 NT_STATUS_NOT_A_DIRECTORY
           NTCreateX "\clients\client1\d" 0x1 0x2 2 NT_STATUS_OK
           Close 2 NT_STATUS_OK
           NTCreateX "\clients\client1\d" 0x21 0x1 2 NT_STATUS_OK
           NTCreateX "\clients\client1\no\d" 0x1 0x2 3 NT_STATUS_OBJECT_PATH_NOT_FOUND"#
    ));
    assert_eq!(scratch.tree0(), ["d/", "f"]);
}

#[test]
fn writes_go_where_they_say_and_reads_see_them() {
    let scratch = Scratch::after(
        r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
           WriteX 1 5000 1000 1000 NT_STATUS_OK
           ReadX 1 0 65536 6000 NT_STATUS_OK
           ReadX 1 5999 10 1 NT_STATUS_OK
           ReadX 1 6000 10 0 NT_STATUS_OK
           WriteX 1 0 1 1 NT_STATUS_OK
           Flush 1 NT_STATUS_OK
           LockX 1 0 100 NT_STATUS_OK
           UnlockX 1 0 100 NT_STATUS_OK
           Close 1 NT_STATUS_OK"#,
    );
    assert_eq!(scratch.content0("f"), vec![0; 6000]);
}

#[test]
fn rename_moves_and_replaces_and_unlink_removes() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}
           Mkdir "\clients\client1\d" NT_STATUS_OK
           NTCreateX "\clients\client1\d\old" 0x40 0x2 1 NT_STATUS_OK
           Close 1 NT_STATUS_OK
           Rename "\clients\client1\f" "\clients\client1\d\old" NT_STATUS_OK
           Rename "\clients\client1\f" "\clients\client1\g" NT_STATUS_OBJECT_NAME_NOT_FOUND
           NTCreateX "\clients\client1\g" 0x40 0x2 1 NT_STATUS_OK
           Close 1 NT_STATUS_OK
           Unlink "\clients\client1\g" 0x6 NT_STATUS_OK
           Unlink "\clients\client1\g" NT_STATUS_OBJECT_NAME_NOT_FOUND
           Unlink "\clients\client1\d" 0x6 NT_STATUS_FILE_IS_A_DIRECTORY"#
    ));
    assert_eq!(scratch.tree0(), ["d/", "d/old"]);
    assert_eq!(scratch.size0("d/old"), 100);
}

#[test]
fn mkdir_of_what_exists_is_fine_where_the_trace_says_so_and_a_failure_where_it_says_that() {
    let scratch = Scratch::after(
        r#"Mkdir "\clients\client1\d" NT_STATUS_OK
           Mkdir "\clients\client1\d" NT_STATUS_OK
           Mkdir "\clients\client1\d" NT_STATUS_OBJECT_NAME_COLLISION
           Mkdir "\clients\client1" NT_STATUS_OK
           Mkdir "\clients\client1" NT_STATUS_OBJECT_NAME_COLLISION
           Mkdir "\clients" NT_STATUS_OBJECT_NAME_COLLISION
           Mkdir "\clients\client1\no\d" NT_STATUS_OBJECT_PATH_NOT_FOUND"#,
    );
    assert_eq!(scratch.tree0(), ["d/"]);
}

#[test]
fn rmdir_removes_empty_directories_but_only_asks_whether_the_clients_own_is_empty() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}
           Mkdir "\clients\client1\d" NT_STATUS_OK
           Mkdir "\clients\client1\d\e" NT_STATUS_OK
           Rmdir "\clients\client1\d" NT_STATUS_DIRECTORY_NOT_EMPTY
           Rmdir "\clients\client1\d\e" NT_STATUS_OK
           Rmdir "\clients\client1\d" NT_STATUS_OK
           Rmdir "\clients\client1\d" NT_STATUS_OBJECT_NAME_NOT_FOUND
           Rmdir "\clients\client1\f" NT_STATUS_NOT_A_DIRECTORY
           Rmdir "\clients\client1" NT_STATUS_DIRECTORY_NOT_EMPTY
           Rmdir "\clients" NT_STATUS_DIRECTORY_NOT_EMPTY
           Unlink "\clients\client1\f" NT_STATUS_OK
           Rmdir "\clients\client1" NT_STATUS_OK
           NTCreateX "\clients\client1\g" 0x40 0x2 1 NT_STATUS_OK"#
    ));
    assert_eq!(scratch.tree0(), ["g"]);
}

#[test]
fn deltree_removes_a_directory_with_all_below_it_but_keeps_the_clients_own() {
    let make = r#"
        Mkdir "\clients\client1\d" NT_STATUS_OK
        Mkdir "\clients\client1\d\e" NT_STATUS_OK
        NTCreateX "\clients\client1\d\e\f" 0x40 0x2 1 NT_STATUS_OK
        Close 1 NT_STATUS_OK
        Mkdir "\clients\client1\g" NT_STATUS_OK
        "#;
    let scratch = Scratch::after(&format!("{make} Deltree \"\\clients\\client1\\d\" NT_STATUS_OK"));
    assert_eq!(scratch.tree0(), ["g/"]);
    let own = r#"Deltree "\clients\client1" NT_STATUS_OK
        QUERY_PATH_INFORMATION "\clients\client1\d" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND
        QUERY_PATH_INFORMATION "\clients\client1" 1004 NT_STATUS_OK"#;
    let scratch = Scratch::after(&format!("{make}{own}"));
    assert_eq!(scratch.tree0(), [""; 0]);
    assert!(scratch.client0("").is_dir());
}

#[test]
fn deltree_and_rename_of_what_all_clients_stand_on_are_errors_before_anything_is_made() {
    for (line, reason) in [
        (
            r#"Deltree "\clients" NT_STATUS_OK"#,
            "Deltree of \\clients is not possible",
        ),
        (
            r#"Rename "\clients" "\c" NT_STATUS_OK"#,
            "\\clients cannot be renamed",
        ),
        (
            r#"Rename "\clients\client1" "\c" NT_STATUS_OK"#,
            "own directory cannot be renamed",
        ),
        (
            r#"Rename "\c" "\CLIENTS/Client1" NT_STATUS_OK"#,
            "own directory cannot be renamed",
        ),
    ] {
        let scratch = Scratch::new();
        scratch.run(line, &["1"]).assert_refused(reason);
        scratch.assert_clean();
    }
}

#[test]
fn set_file_information_takes_10_seconds_from_the_access_time_and_12_from_the_modification_time() {
    let make = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
                  SET_FILE_INFORMATION 1 0x101 NT_STATUS_OK
                 "#;
    for times in [1, 3] {
        let again = "SET_FILE_INFORMATION 1 1004 NT_STATUS_OK\n".repeat(times - 1);
        let scratch = Scratch::after(&format!("{make}{again}"));
        let metadata = scratch.metadata0("f");
        assert_eq!(metadata.atime() - metadata.mtime(), 2 * times as i64);
        let age = metadata.ctime() - metadata.atime();
        assert!(
            (10 * times as i64..10 * times as i64 + 60).contains(&age),
            "{age} s"
        );
    }
}

#[test]
fn set_file_information_finds_its_file_by_the_path_so_that_a_removed_one_is_an_error() {
    let scratch = Scratch::after(
        r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
           Unlink "\clients\client1\f" NT_STATUS_OK
           QUERY_FILE_INFORMATION 1 258 NT_STATUS_OK
           SET_FILE_INFORMATION 1 0x101 NT_STATUS_OBJECT_NAME_NOT_FOUND
           Close 1 NT_STATUS_OK"#,
    );
    assert_eq!(scratch.tree0(), [""; 0]);
}

#[test]
fn queries_and_searches_find_what_is_there() {
    let scratch = Scratch::new();
    let load = format!(
        r#"{HUNDRED}
           QUERY_PATH_INFORMATION "\clients\client1\f" 1004 NT_STATUS_OK
           QUERY_PATH_INFORMATION "\clients\client1\F" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND
           QUERY_PATH_INFORMATION "\clients\client1\f\g" 1004 0xC0000034
           QUERY_FS_INFORMATION 1 NT_STATUS_OK
           FIND_FIRST "\clients\client1\*" 260 1366 1 NT_STATUS_OK
           FIND_FIRST "\clients\client1\<.do?" 260 1 0 NT_STATUS_NO_SUCH_FILE
           FIND_FIRST "\clients\client1\no\*" 260 1 0 NT_STATUS_OBJECT_PATH_NOT_FOUND
           FIND_FIRST "\clients\client1\f" 260 1366 1 *"#
    );
    let ran = scratch.run(&load, &["1", "--machine-readable"]);
    let counts = ran.assert_well().counts();
    let expected = [
        ("Close", 1),
        ("FIND_FIRST", 4),
        ("NTCreateX", 1),
        ("QUERY_FS_INFORMATION", 1),
        ("QUERY_PATH_INFORMATION", 3),
        ("WriteX", 1),
    ];
    assert!(counts.into_iter().eq(expected), "{ran}");
}

#[test]
fn the_outcome_of_closes_queries_of_handles_and_searches_is_not_checked() {
    let scratch = Scratch::new();
    let load = format!(
        r#"{HUNDRED}
           NTCreateX "\clients\client1\f" 0x40 0x1 1 NT_STATUS_OK
           QUERY_FILE_INFORMATION 1 258 NT_STATUS_ACCESS_DENIED
           QUERY_FS_INFORMATION 1 NT_STATUS_ACCESS_DENIED
           FIND_FIRST "\clients\client1\*" 260 1366 1 NT_STATUS_NO_SUCH_FILE
           FIND_FIRST "\clients\client1\no\*" 260 1366 1 NT_STATUS_OK
           Deltree "\clients\client1\f" NT_STATUS_OK
           Close 1 NT_STATUS_ACCESS_DENIED"#
    );
    scratch.run(&load, &["1"]).assert_well();
}

#[test]
fn a_handle_that_is_opened_again_leads_to_the_new_file_and_one_left_open_is_closed_with_the_pass() {
    let load = r#"NTCreateX "\clients\client1\a" 0x40 0x2 1 NT_STATUS_OK
        NTCreateX "\clients\client1\b" 0x40 0x2 1 NT_STATUS_OK
        WriteX 1 0 7 7 NT_STATUS_OK
        NTCreateX "\clients\client1\c" 0x40 0x2 2 NT_STATUS_OK
        WriteX 2 0 9 9 NT_STATUS_OK"#;
    let scratch = Scratch::after(load);
    let sizes = ["a", "b", "c"].map(|file| scratch.size0(file));
    assert_eq!(sizes, [0, 7, 9]);
}

#[test]
fn handles_that_each_turn_of_a_loop_leaves_open_do_not_add_up() {
    let load = r#"LOOP 3000
        NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
        NTCreateX "\clients\client1\f" 0x40 0x2 2 NT_STATUS_OBJECT_NAME_COLLISION
        ENDLOOP"#;
    let scratch = Scratch::new();
    scratch.write("x.load", load);
    let mut shell = assert_cmd::Command::new("sh");
    let script = "ulimit -n 200 && exec \"$0\" -c x.load 1";
    let limited = shell.args(["-c", script]).arg(crate::scratch::program());
    limited.current_dir(scratch.path()).assert().success();
}
