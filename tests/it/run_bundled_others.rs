//! The bundled loads that have parameters: each comes out as it says, however it is run.

use crate::scratch::Scratch;
use rbench::bundled;

fn others() -> impl Iterator<Item = &'static str> {
    bundled::names().filter(|&name| name != "client")
}

/// Makes a load small.
fn small(name: &str) -> &'static [&'static str] {
    match name {
        "seqrd" | "rndrd" | "seqwr" | "rndwr" => &["--set", "size=3M", "--set", "block=10000"],
        "mdtree" => &[
            "--set", "depth=4", "--set", "width=2", "--set", "files=3", "--set", "size=100",
        ],
        "maildir" => &["--set", "messages=3", "--set", "batches=2"],
        "untar" => &["--set", "directories=3", "--set", "files=5"],
        _ => &["--set", "sources=3", "--set", "headers=7"],
    }
}

fn run(scratch: &Scratch, name: &str, more: &[&str]) {
    let ran = scratch.rbench(&[&["-c", name], small(name), more].concat());
    ran.assert_well();
}

#[test]
fn every_outcome_comes_once_and_in_each_pass_of_several_clients() {
    for name in others() {
        let scratch = Scratch::in_memory();
        run(&scratch, name, &["1"]);
        run(&scratch, name, &["3", "-t", "0.3", "--warmup", "0"]);
        scratch.assert_clean();
    }
}

#[test]
fn a_run_on_what_another_has_left_comes_out_the_same() {
    for name in others() {
        let scratch = Scratch::in_memory();
        run(&scratch, name, &["2", "--skip-cleanup", "-t", "0.2"]);
        run(&scratch, name, &["2", "--skip-cleanup"]);
        run(&scratch, name, &["2"]);
        scratch.assert_clean();
    }
}

#[test]
fn what_is_read_is_what_was_written() {
    for name in others() {
        run(&Scratch::in_memory(), name, &["2", "--verify", "-t", "0.2"]);
    }
}

#[test]
fn files_are_synced_and_laid_out_as_asked() {
    for name in ["seqrd", "rndrd", "seqwr", "rndwr"] {
        for layout in ["layout=grown", "layout=contiguous"] {
            let scratch = Scratch::in_memory();
            run(&scratch, name, &["2", "--set", layout, "--skip-cleanup"]);
            let size = scratch.size0("file");
            let whole = 3 * 1_048_576 / 10_000 * 10_000;
            match (name, layout) {
                // The last block may not be among those that are written.
                ("rndwr", "layout=grown") => assert!(size <= whole && size > whole / 2, "{size}"),
                _ => assert_eq!(size, whole, "{name} {layout}"),
            }
        }
    }
    for (fsync, flushes) in [("fsync=never", 0), ("fsync=end", 1), ("fsync=each", 314)] {
        for name in ["seqwr", "rndwr"] {
            let scratch = Scratch::in_memory();
            let ran = scratch.rbench(
                &[
                    &["-c", name, "1", "--set", fsync, "--machine-readable"],
                    small(name),
                ]
                .concat(),
            );
            assert_eq!(ran.counts().get("Flush").copied().unwrap_or(0), flushes, "{ran}");
        }
    }
}

#[test]
fn a_pass_writes_and_reads_each_block_once_in_order_or_as_many_at_random() {
    for name in ["seqrd", "rndrd", "seqwr", "rndwr"] {
        let scratch = Scratch::in_memory();
        let ran = scratch.rbench(&[&["-c", name, "2", "--per-client-results"], small(name)].concat());
        ran.assert_well();
        assert_eq!(ran.per_client(), [(3_140_000, 1); 2], "{ran}");
    }
}

#[test]
fn each_is_right_without_warnings_and_says_what_it_models() {
    let scratch = Scratch::new();
    for name in bundled::names() {
        let check = scratch.rbench(&["check", name]);
        check.assert_well();
        assert!(!check.stdout.contains("warning"), "{check}");
        let summary = bundled::summary(name).unwrap();
        assert!(summary.len() > 20 && summary.ends_with('.'), "{summary}");
    }
}

#[test]
fn written_out_flat_they_are_operations_of_dbench() {
    let scratch = Scratch::new();
    for name in others() {
        let random = name.starts_with("rnd");
        let target: &[&str] = if random { &["--for", "dbench5"] } else { &[] };
        let parameters = small(name);
        let convert = [
            &["convert", name, "--flatten", "-o", "flat.load"],
            target,
            parameters,
        ]
        .concat();
        scratch.rbench(&convert).assert_well();
        let flat = std::fs::read_to_string(scratch.path().join("flat.load")).unwrap();
        assert!(!flat.contains(['@', '$']) && !flat.contains("LOOP"), "{name}");
        scratch
            .rbench(&["-c", "flat.load", "--no-resolve", "2"])
            .assert_well();
        if random {
            let refused = scratch.rbench(&["convert", name, "--flatten", "-o", "x"]);
            refused.assert_refused("dbench 4.0 has no random numbers");
        }
    }
}
