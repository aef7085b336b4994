//! nfs: operations by path, the cache of open files, links.

use crate::scratch::Scratch;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Makes `f` with 100 bytes.
const HUNDRED: &str = r#"CREATE3 "/clients/client1/f" 0x00000000
WRITE3 "/clients/client1/f" 0 100 0 0x00000000
"#;

#[test]
fn each_operation_does_what_its_name_says() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}GETATTR3 "/clients/client1/f" 0x00000000
           GETATTR3 "/clients/client1/no" 0x00000002
           LOOKUP3 "/clients/client1/f" 0x00000000
           ACCESS3 "/clients/client1/f" 0 0 0x00000000
           PATHCONF3 "/clients/client1" 0x00000000
           SETATTR3 "/clients/client1/f" 0x00000000
           WRITE3 "/clients/client1/f" 1000 24 1 0x00000000
           WRITE3 "/clients/client1/f" 1024 1 0x00000000
           READ3 "/clients/client1/f" 0 65536 0x00000000
           COMMIT3 "/clients/client1/f" 0x00000000
           MKDIR3 "/clients/client1/d" 0x00000000
           MKDIR3 "/clients/client1/d" 0x00000011
           RMDIR3 "/clients/client1/d" 0x00000000
           MKDIR3 "/clients/client1/d" 0x00000000
           RENAME3 "/clients/client1/f" "/clients/client1/d/g" 0x00000000
           CREATE3 "/clients/client1/gone" 0x00000000
           REMOVE3 "/clients/client1/gone" 0x00000000
           REMOVE3 "/clients/client1/gone" 0x00000002
           READDIR3 "/clients/client1" 0x00000000
           READDIRPLUS3 "/clients/client1/d" 0x00000000
           READDIRPLUS3 "/clients/client1/gone" 0x00000002
           FSSTAT3 0x00000000
           FSINFO3 0x00000000
           LOCK4 "/clients/client1/d/g" 5 15 0x00000000
           TEST4 "/clients/client1/d/g" 5 15 0x00000000
           UNLOCK4 "/clients/client1/d/g" 5 15 0x00000000
           LOCK4 "/clients/client1/gone" 5 15 0x00000002"#
    ));
    assert_eq!(scratch.tree0(), ["d/", "d/g"]);
    assert_eq!(scratch.size0("d/g"), 1025);
    assert_eq!(scratch.metadata0("d/g").permissions().mode() & 0o7777, 0o600);
}

#[test]
fn setattr_sets_the_time_of_modification_alone() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}SLEEP 20000
           SETATTR3 "/clients/client1/f" 0x00000000"#
    ));
    let file = scratch.metadata0("f");
    let nanoseconds = |seconds: i64, rest: i64| seconds * 1_000_000_000 + rest;
    let accessed = nanoseconds(file.atime(), file.atime_nsec());
    assert!(nanoseconds(file.mtime(), file.mtime_nsec()) - accessed >= 10_000_000);
}

#[test]
fn the_null_backend_and_fake_io_count_all_that_is_asked_for() {
    let load = format!(
        r#"{HUNDRED}LOOP 3
           READ3 "/clients/client1/f" *%50 40 0x00000000
           ENDLOOP"#
    );
    for option in [&["--backend", "null"][..], &["--fake-io"]] {
        let ran = Scratch::new().run(&load, &[&["1", "--per-client-results"], option].concat());
        assert_eq!(ran.assert_well().per_client(), [(100 + 3 * 40, 1)], "{option:?}");
    }
}

#[test]
fn a_removed_files_cached_handle_is_dropped_so_that_writing_to_it_fails() {
    for drops in [
        r#"REMOVE3 "/clients/client1/f" 0x00000000"#,
        r#"RENAME3 "/clients/client1/f" "/clients/client1/g" 0x00000000"#,
        r#"Deltree "/clients/client1" 0x00000000"#,
    ] {
        let scratch = Scratch::after(&format!(
            r#"{HUNDRED}{drops}
               WRITE3 "/clients/client1/f" 0 10 0 0x00000002
               READ3 "/clients/client1/f" 0 10 0x00000002"#
        ));
        assert!(!scratch.client0("f").exists(), "{drops}");
    }
}

#[test]
fn a_rename_over_a_file_drops_the_handle_of_the_file_that_was_there() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}CREATE3 "/clients/client1/g" 0x00000000
           WRITE3 "/clients/client1/g" 0 7 0 0x00000000
           RENAME3 "/clients/client1/g" "/clients/client1/f" 0x00000000
           WRITE3 "/clients/client1/f" 7 3 0 0x00000000"#
    ));
    assert_eq!(scratch.tree0(), ["f"]);
    assert_eq!(scratch.size0("f"), 10);
}

#[test]
fn files_below_a_renamed_directory_are_written_where_they_are_now() {
    let scratch = Scratch::after(
        r#"MKDIR3 "/clients/client1/d" 0x00000000
           CREATE3 "/clients/client1/d/f" 0x00000000
           WRITE3 "/clients/client1/d/f" 0 7 0 0x00000000
           RENAME3 "/clients/client1/d" "/clients/client1/e" 0x00000000
           WRITE3 "/clients/client1/d/f" 0 7 0 0x00000002
           WRITE3 "/clients/client1/e/f" 7 7 0 0x00000000"#,
    );
    assert_eq!(scratch.tree0(), ["e/", "e/f"]);
    assert_eq!(scratch.size0("e/f"), 14);
}

#[test]
fn more_files_than_the_cache_holds_are_all_written_and_their_descriptors_do_not_add_up() {
    let scratch = Scratch::new();
    let mut load = String::new();
    for file in 0..400 {
        load.push_str(&format!("CREATE3 \"/clients/client1/f{file}\" 0x00000000\n"));
    }
    for offset in [0, 10] {
        for file in 0..400 {
            let path = format!("\"/clients/client1/f{file}\"");
            load.push_str(&format!("WRITE3 {path} {offset} 10 0 0x00000000\n"));
        }
    }
    scratch.write("x.load", &load);
    let mut shell = assert_cmd::Command::new("sh");
    let script = "ulimit -n 260 && exec \"$0\" -c x.load --skip-cleanup 1";
    let limited = shell.args(["-c", script]).arg(crate::scratch::program());
    limited.current_dir(scratch.path()).assert().success();
    assert!((0..400).all(|file| scratch.size0(&format!("f{file}")) == 20));
}

#[test]
fn links_are_relative_and_stay_inside_the_tree() {
    let scratch = Scratch::after(&format!(
        r#"{HUNDRED}MKDIR3 "/clients/client1/d" 0x00000000
           MKDIR3 "/clients/client1/d/e" 0x00000000
           MKDIR3 "/s" 0x00000000
           CREATE3 "/s/f" 0x00000000
           WRITE3 "/s/f" 0 55 0 0x00000000
           LINK3 "/clients/client1/d/hard" "/clients/client1/f" 0x00000000
           SYMLINK3 "/clients/client1/beside" "/clients/client1/f" 0x00000000
           SYMLINK3 "/clients/client1/d/e/up" "/clients/client1/f" 0x00000000
           SYMLINK3 "/clients/client1/d/across" "/s/f" 0x00000000
           SYMLINK3 "/s/back" "/clients/client1/f" 0x00000000
           SYMLINK3 "/clients/client1/dangling" "/clients/client1/no" 0x00000000
           READLINK3 "/clients/client1/d/e/up" 0x00000000
           READLINK3 "/clients/client1/f" 0x00000016
           LOOKUP3 "/clients/client1/dangling" *
           READ3 "/clients/client1/beside" 0 100 0x00000000"#
    ));
    let target = |path: &Path| fs::read_link(path).unwrap();
    let own = |link| target(&scratch.client0(link));
    assert_eq!(own("beside"), Path::new("f"));
    assert_eq!(own("d/e/up"), Path::new("../../f"));
    assert_eq!(own("d/across"), Path::new("../../shared/s/f"));
    assert_eq!(own("dangling"), Path::new("no"));
    assert_eq!(target(&scratch.shared("s/back")), Path::new("../../client0/f"));
    let size = |path| fs::metadata(path).unwrap().len();
    for path in ["beside", "d/e/up"] {
        assert_eq!(size(scratch.client0(path)), 100, "{path}");
    }
    assert_eq!(size(scratch.client0("d/across")), 55);
    assert_eq!(size(scratch.shared("s/back")), 100);
    assert_eq!(scratch.metadata0("d/hard").ino(), scratch.metadata0("f").ino());
}

#[test]
fn the_status_of_mkdir3_of_scaffolding_is_taken_as_given() {
    for status in ["0x00000000", "0x00000011", "*"] {
        let load = format!(
            "MKDIR3 \"/clients\" {status}\nMKDIR3 \"/clients/client1\" {status}\nFSINFO3 0x00000000\n"
        );
        Scratch::after(&load);
    }
}

#[test]
fn every_outcome_is_checked_in_nfs() {
    let scratch = Scratch::new();
    let load = r#"GETATTR3 "/no" 0x00000000
        READDIR3 "/" 0x00000001
        Deltree "/no" 0x00000000
        FSSTAT3 0x00000005
        CREATE3 "/no/f" 0x00000000
        TEST4 "/no" 0 0 0x00000000
        "#;
    let ran = scratch.run(load, &["1"]);
    ran.assert_code(1);
    let lines: Vec<_> = ran
        .mismatches()
        .iter()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        lines,
        ["x.load:1", "x.load:2", "x.load:4", "x.load:5", "x.load:6"],
        "{ran}"
    );
}

#[test]
fn a_read_that_meets_the_end_counts_what_came() {
    let scratch = Scratch::new();
    let load = format!("{HUNDRED}READ3 \"/clients/client1/f\" 90 4096 0x00000000\n");
    let ran = scratch.run(&load, &["1", "--per-client-results"]);
    assert_eq!(ran.assert_well().per_client(), [(100 + 10, 1)]);
}
