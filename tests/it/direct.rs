//! `--direct`: past the page cache, on an ext4 of its own on a loop device, in a mount namespace that ends with the test.

use crate::mounted::{as_root, ext4};
use crate::scratch::{LOAD, Ran, Scratch};
use std::process::Command;

const UNALIGNED: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 4096 4096 NT_STATUS_OK
WriteX 1 4096 100 100 NT_STATUS_OK
ReadX 1 100 512 512 NT_STATUS_OK
Close 1 NT_STATUS_OK
"#;

/// Runs a shell command where `mounted` is a fresh ext4; `$0` is rbench. None, with a message, where there can be none.
fn on_ext4(scratch: &Scratch, command: &str) -> Option<Ran> {
    as_root(scratch, &ext4(200, "has_journal"), command)
}

#[test]
fn data_go_past_the_page_cache_whatever_they_are() {
    let command = "for load in seqwr rndwr seqrd rndrd; do for data in --data=zeros --data=random --verify; do \
         \"$0\" -D mounted -c $load --set size=4M --set block=512 --direct $data 2 --skip-cleanup || exit 1; done; done; \
         \"$0\" -D mounted -c seqrd --set size=20M --direct 1 --skip-cleanup --before 'echo 3 >/proc/sys/vm/drop_caches' \
         || exit 1; fincore --bytes --noheadings --output RES mounted/clients/client0/file";
    let scratch = Scratch::new();
    let Some(ran) = on_ext4(&scratch, command) else {
        return;
    };
    ran.assert_well();
    if which("fincore") {
        assert_eq!(ran.last_line().trim(), "0", "{ran}");
    }
}

fn which(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn what_is_not_aligned_is_refused_with_its_line_before_anything_is_run() {
    let scratch = Scratch::new();
    scratch.write(LOAD, UNALIGNED);
    let command = format!("\"$0\" -D mounted -c {LOAD} --direct 1; code=$?; ls mounted >&2; exit $code");
    let Some(ran) = on_ext4(&scratch, &command) else {
        return;
    };
    ran.assert_refused(
        "x.load:3:15: the size is not, or not always, a multiple of 512 bytes, which --direct needs",
    );
    ran.assert_says("x.load:4:9: the offset is not");
    assert!(ran.stderr.trim().ends_with("lost+found"), "{ran}");
}

#[test]
fn a_directory_is_opened_all_the_same() {
    let scratch = Scratch::new();
    let load = "NTCreateX \"\\clients\\client1\\d\" 0x1 0x2 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n\
                NTCreateX \"\\clients\\client1\\d\" 0x40 0x1 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n\
                FIND_FIRST \"\\clients\\client1\\*\" 260 9 9 NT_STATUS_OK\n";
    scratch.write(LOAD, load);
    let Some(ran) = on_ext4(&scratch, &format!("\"$0\" -D mounted -c {LOAD} --direct 2")) else {
        return;
    };
    ran.assert_well();
}

#[test]
fn without_files_there_is_nothing_to_open_directly() {
    let scratch = Scratch::new();
    scratch
        .rbench(&["-c", "seqwr", "--direct", "-B", "null", "1"])
        .assert_refused("--direct cannot be used with -B null");
}
