//! Debian's client.txt, where it is installed.

use crate::scratch::Scratch;
use std::path::Path;

const CLIENT: &str = "/usr/share/dbench/client.txt";
/// What one pass of one client moves.
const PASS: u64 = 1_472_088_767 + 1_015_974_170;

fn installed() -> bool {
    let installed = Path::new(CLIENT).exists();
    if !installed {
        eprintln!("skipped: {CLIENT} is not installed");
    }
    installed
}

#[test]
fn one_pass_moves_exactly_the_bytes_of_the_trace_and_every_outcome_is_as_it_says() {
    if !installed() {
        return;
    }
    let scratch = Scratch::in_memory();
    let ran = scratch.rbench(&["-c", CLIENT, "1", "--per-client-results", "--machine-readable"]);
    assert_eq!(ran.assert_well().per_client(), [(PASS, 1)]);
    assert!(!ran.stderr.contains("skipped"), "{ran}");
    let counts = ran.counts();
    for (kind, count) in [
        ("ReadX", 124_199),
        ("WriteX", 39_502),
        ("NTCreateX", 79_230),
        ("Close", 58_200),
        ("Unlink", 16_000),
        ("Deltree", 2),
    ] {
        assert_eq!(counts[kind], count, "{kind}");
    }
    scratch.assert_clean();
}

#[test]
fn no_outcome_differs_in_pass_after_pass_of_one_client_and_of_eight() {
    if !installed() {
        return;
    }
    // Its beginning, so that passes are short; it starts with a Deltree.
    let text = std::fs::read_to_string(CLIENT).unwrap();
    let beginning: Vec<&str> = text.lines().take(3000).collect();
    let scratch = Scratch::in_memory();
    let beginning = scratch.write("beginning", &beginning.join("\n"));
    for (load, several_passes) in [(CLIENT, false), (beginning.to_str().unwrap(), true)] {
        for clients in ["1", "8"] {
            let ran = scratch.rbench(&["-c", load, "-t", "3", "--per-client-results", clients]);
            let passes = ran.assert_well().per_client();
            let passed = passes.iter().filter(|&&(_, passes)| passes > 1).count();
            assert!(passed > 0 || !several_passes, "{ran}");
            scratch.assert_clean();
        }
    }
}

#[test]
fn a_slice_of_it_runs_on_the_files_that_an_earlier_slice_has_left() {
    if !installed() {
        return;
    }
    let text = std::fs::read_to_string(CLIENT).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let scratch = Scratch::in_memory();
    scratch.write("first", &lines[..600].join("\n"));
    scratch.write("second", &lines[600..4173].join("\n"));
    scratch
        .rbench(&["-c", "first", "--skip-cleanup", "2"])
        .assert_well();
    let left = scratch.tree0();
    assert!(left.len() > 5, "{left:?}");
    scratch.rbench(&["-c", "second", "2"]).assert_well();
    scratch.assert_clean();
    let middle = lines.iter().position(|line| line.starts_with("WriteX")).unwrap();
    scratch.write("middle", &lines[middle..middle + 100].join("\n"));
    scratch.rbench(&["-c", "middle", "2"]).assert_refused("--slice");
    let ran = scratch.rbench(&["-c", "middle", "2", "--slice", "--on-mismatch", "ignore"]);
    ran.assert_code(0).assert_says(" operations were skipped");
}
