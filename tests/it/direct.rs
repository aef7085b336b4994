//! `--direct`: past the page cache, on an ext4 of its own on a loop device, in a mount namespace that ends with the test.

use crate::scratch::{LOAD, Ran, Scratch, program};
use nix::unistd::geteuid;
use std::process::Command;

const UNALIGNED: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 4096 4096 NT_STATUS_OK
WriteX 1 4096 100 100 NT_STATUS_OK
ReadX 1 100 512 512 NT_STATUS_OK
Close 1 NT_STATUS_OK
"#;

/// Runs a shell command where `mounted` is a fresh ext4; `$0` is rbench. None, with a message, where there can be none.
fn on_ext4(scratch: &Scratch, command: &str) -> Option<Ran> {
    if !geteuid().is_root() {
        eprintln!("skipped, only root can mount a loop device");
        return None;
    }
    std::fs::create_dir(scratch.path().join("mounted")).unwrap();
    let prepare = "truncate -s 200M image && mkfs.ext4 -q -F image && mount -o loop image mounted";
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c"])
        .arg(format!("{{ {prepare}; }} || exit 99; {command}"))
        .arg(program())
        .current_dir(scratch.path())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped, unshare cannot be run: {error}");
            return None;
        }
    };
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let ran = Ran {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    if ran.code == Some(99) || ran.stderr.starts_with("unshare:") {
        eprintln!("skipped, no ext4 on a loop device can be mounted: {ran}");
        return None;
    }
    Some(ran)
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
