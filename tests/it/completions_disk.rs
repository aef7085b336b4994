//! `--completions` against /proc/diskstats: on an ext4 of its own, on a loop device, with tracefs, in a mount namespace
//! that ends with the test (and with it the mounts and the loop device).

use crate::mounted::{as_root, ext4};
use crate::scratch::{LOAD, Ran, Scratch};
use rbench::result::RunResult;
use std::fs;

const WRITES: u64 = 300;

fn load() -> String {
    let writes = (0..WRITES).map(|write| format!("WriteX 1 {} 4096 4096 NT_STATUS_OK\n", write * 4096));
    let open = "NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\n";
    format!("{open}{}Close 1 NT_STATUS_OK\n", writes.collect::<String>())
}

/// Completions in the result, and by /proc/diskstats around the run.
fn counted(scratch: &Scratch, tracefs: bool) -> Option<(Ran, RunResult, u64)> {
    scratch.write(LOAD, &load());
    let tracepoints = match tracefs {
        true => "mount -t tracefs tracefs /sys/kernel/tracing",
        // Whatever the machine has mounted there is out of sight.
        false => "mount -t tmpfs none /sys/kernel",
    };
    let mount = format!("{} && {tracepoints}", ext4(100, "has_journal"));
    let script = format!(
        "sync -f mounted; findmnt -no SOURCE mounted >device; cat /proc/diskstats >before; \
         \"$0\" -D mounted -c {LOAD} --sync --pin 0 --completions --output json=result.json 1; code=$?; \
         cat /proc/diskstats >after; exit $code"
    );
    let ran = as_root(scratch, &mount, &script)?;
    let read = |file: &str| fs::read_to_string(scratch.path().join(file)).unwrap();
    let document: serde_json::Value = serde_json::from_str(&read("result.json")).unwrap();
    let result = serde_json::from_value(document["runs"][0].clone()).unwrap();
    let device = read("device").trim().trim_start_matches("/dev/").to_owned();
    // Reads, writes, discards and flushes (Documentation/admin-guide/iostats.rst, from the fourth field on).
    let requests = |file: &str| {
        let text = read(file);
        let mut lines = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let line = lines.find(|fields| fields[2] == device).unwrap();
        let counts = [3, 7, 14, 18].map(|index| {
            line.get(index)
                .map_or(0, |count: &&str| count.parse::<u64>().unwrap())
        });
        counts.iter().sum::<u64>()
    };
    let diskstats = requests("after") - requests("before");
    Some((ran, result, diskstats))
}

#[test]
fn local_and_remote_completions_together_are_the_requests_of_the_device() {
    let scratch = Scratch::new();
    let Some((ran, result, diskstats)) = counted(&scratch, true) else {
        return;
    };
    ran.assert_well();
    let Some(completions) = result.completions else {
        // Where perf_event_open is forbidden even to root.
        assert!(ran.stderr.contains("perf_event_open"), "{ran}");
        eprintln!("skipped, {}", ran.stderr.trim());
        return;
    };
    let counted = completions.local + completions.remote;
    eprintln!("{completions:?}, diskstats {diskstats}");
    assert!(counted >= WRITES, "each write was synced: {completions:?}");
    // The clients' tree is made before the window, and removed after it.
    assert!(counted <= diskstats, "{completions:?} of {diskstats}");
    assert!(
        counted as f64 >= diskstats as f64 * 0.8,
        "{completions:?} of {diskstats}"
    );
    assert_eq!(completions.lost, 0);
    assert!(
        ran.stdout.contains("completions  ") && ran.stdout.contains("/s remote\n"),
        "{ran}"
    );
}

#[test]
fn without_tracefs_the_run_goes_on_and_says_what_to_do() {
    let scratch = Scratch::new();
    let Some((ran, result, _)) = counted(&scratch, false) else {
        return;
    };
    ran.assert_well()
        .assert_says("completions of block requests were not counted")
        .assert_says("mount -t tracefs");
    assert_eq!(result.completions, None);
    assert!(!ran.stdout.contains("completions"), "{ran}");
}
