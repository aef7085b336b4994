//! `--verify`: what was written is found again, or it is told what was not.

mod found;
mod harmless;

use crate::scratch::{Ran, Scratch};

/// How many reads `--verify` has checked and found wrong, from the line that says so.
fn verified(ran: &Ran) -> (u64, u64) {
    let pattern = r"(?m)^([0-9,]+) of ([0-9,]+) verified reads differ from what was written";
    let groups = regex::Regex::new(pattern).unwrap();
    let groups = groups.captures(&ran.stdout).unwrap_or_else(|| panic!("{ran}"));
    let number = |text: &str| text.replace(',', "").parse().unwrap();
    (number(&groups[1]), number(&groups[2]))
}

#[test]
fn what_is_written_says_who_wrote_it_and_where() {
    let scratch = Scratch::new();
    let load = r#"WRITEPATTERN ab
        NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
        WriteX 1 0 4096 4096 NT_STATUS_OK
        WriteX 1 64 40 40 NT_STATUS_OK
        ReadX 1 0 4096 4096 NT_STATUS_OK"#;
    let ran = scratch.run(load, &["1", "--verify", "--skip-cleanup"]);
    ran.assert_well();
    let line = "0 of 1 verified reads differ from what was written (4,096 bytes checked)\n";
    assert!(ran.stdout.contains(line), "{ran}");
    let cells = "c00000f0000001@000000000000w0001c00000f0000001@000000000020w0001\
        c00000f0000001@000000000040w0002c00000f0000001@000000000060w0001";
    // The second write ends in the middle of a cell.
    assert_eq!(String::from_utf8_lossy(&scratch.content0("f")[..128]), cells);
}

#[test]
fn options_that_leave_nothing_to_verify_are_refused() {
    for (options, reason) in [
        (&["-B", "null"][..], "--verify cannot be used with -B null"),
        (&["--fake-io"], "--verify cannot be used with --fake-io"),
        (
            &["--data", "random"],
            "--verify cannot be used with --data random",
        ),
    ] {
        let scratch = Scratch::new();
        let ran = scratch.rbench(&[&["1", "--verify"], options].concat());
        ran.assert_refused(reason);
        scratch.assert_clean();
    }
}

#[test]
fn output_for_programs_and_runs_without_it_say_nothing_of_it() {
    let scratch = Scratch::new();
    let load =
        "NTCreateX \"/f\" 0x40 0x2 1 NT_STATUS_OK\nWriteX 1 0 9 9 NT_STATUS_OK\nReadX 1 0 9 9 NT_STATUS_OK\n";
    for options in [&["--verify", "--machine-readable"][..], &[]] {
        let ran = scratch.run(load, &[&["1"], options].concat());
        ran.assert_well();
        assert!(!ran.stdout.contains("verified"), "{ran}");
    }
}
