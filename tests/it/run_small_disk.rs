//! A file system that is too small: a tmpfs of 2 MB, in a mount namespace of its own.

use crate::scratch::{LOAD, Scratch, program};
use std::process::{Command, Stdio};

/// Writes 8 MB, whichever way the space is estimated.
const LARGE: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
LOOP 128
WriteX 1 +65536 65536 65536 NT_STATUS_OK
ENDLOOP
"#;

/// Code, stdout and stderr of a run on the small file system, whose entries are listed on stdout at the end; none
/// where namespaces are not to be had.
fn run(arguments: &str) -> Option<(i32, String, String)> {
    let scratch = Scratch::new();
    scratch.write(LOAD, LARGE);
    std::fs::create_dir(scratch.path().join("small")).unwrap();
    let unshared = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).arg(program());
        command
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .output()
            .ok()
    };
    let mount = "mount -t tmpfs -o size=2m none small";
    if !unshared(mount).is_some_and(|output| output.status.success()) {
        eprintln!("skipped: no mount namespace of our own");
        return None;
    }
    let rbench = format!("\"$0\" -c {LOAD} -D small {arguments}");
    let output = unshared(&format!(
        "{mount} && {{ {rbench}; code=$?; ls -A small; exit $code; }}"
    ))?;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some((output.status.code()?, text(output.stdout), text(output.stderr)))
}

#[test]
fn a_run_that_does_not_fit_is_refused_before_anything_is_written() {
    let Some((code, stdout, stderr)) = run("1") else {
        return;
    };
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stderr.contains("MB are free") && stderr.contains("--no-space-check"),
        "{stderr}"
    );
    assert_eq!(stdout, "", "nothing ran and nothing is left");
}

#[test]
fn a_full_file_system_ends_the_run_without_a_throughput_and_the_tree_is_removed() {
    for arguments in [
        "--no-space-check 2",
        "--no-space-check --on-mismatch ignore -t 60 2",
    ] {
        let Some((code, stdout, stderr)) = run(arguments) else {
            return;
        };
        assert_eq!(code, 1, "{stderr}");
        let told = [
            "error: the run failed after",
            "x.load:3 WriteX client",
            "got ENOSPC",
        ];
        assert!(told.iter().all(|text| stderr.contains(text)), "{stderr}");
        assert!(!stdout.contains("Throughput"), "{stdout}");
        assert!(!stdout.contains("clients\n"), "something is left: {stdout}");
    }
}
