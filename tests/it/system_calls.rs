//! The timed loop makes no system call but the program's own: watched by strace.

use crate::conformance::strace::{self, Call};
use crate::scratch::{Scratch, program};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// Calls that the waiting of SLEEP may make or not, and reading the clock where the kernel must be asked for it.
const UNCERTAIN: [&str; 2] = ["clock_nanosleep", "clock_gettime"];

fn is_missing() -> bool {
    let tried = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .output();
    let works = tried.is_ok_and(|output| output.status.success());
    if !works {
        eprintln!(
            "skipped, strace is not installed or does not work: the system calls of a run were not counted"
        );
    }
    !works
}

/// `times` rounds, of 10 ms at least.
fn load(times: u32) -> String {
    format!(
        r#"NTCreateX "\clients\client1\first" 0x40 0x2 1 NT_STATUS_OK
LOOP {times}
WriteX 1 0 1000 1000 NT_STATUS_OK
ReadX 1 0 500 500 NT_STATUS_OK
LOOP 3
Unlink "\clients\client1\none" NT_STATUS_OBJECT_NAME_NOT_FOUND
ENDLOOP
SLEEP 10000
ENDLOOP
Unlink "\clients\client1\last" NT_STATUS_OBJECT_NAME_NOT_FOUND
"#
    )
}

/// What a client does from its first operation to its last, by the calls' names.
fn counts(times: u32, options: &[&str]) -> Vec<BTreeMap<String, u32>> {
    let scratch = Scratch::in_memory();
    scratch.write("x.load", &load(times));
    let ran = Command::new("strace")
        .args(["-f", "-y", "-o", "trace"])
        .arg(program())
        .args(["-c", "x.load", "--no-environment", "2"])
        .args(options)
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let trace = String::from_utf8_lossy(&fs::read(scratch.path().join("trace")).unwrap()).into_owned();
    let mut threads: BTreeMap<u32, Vec<Call>> = BTreeMap::new();
    for call in strace::calls(trace.lines().map(str::to_owned)) {
        threads.entry(call.thread).or_default().push(call);
    }
    let names = |call: &Call, name: &str| call.arguments.iter().any(|argument| argument.contains(name));
    let clients = threads.into_values().filter_map(|calls| {
        let first = calls.iter().position(|call| names(call, "\"first\""))?;
        let last = calls.iter().rposition(|call| names(call, "\"last\""))?;
        let mut counts = BTreeMap::new();
        for call in &calls[first..=last] {
            *counts.entry(call.name.clone()).or_default() += 1;
        }
        Some(counts)
    });
    clients.collect()
}

/// The runs last for more than a second and more than two: seconds end in them.
#[test]
fn twice_the_rounds_make_twice_the_programs_calls_and_no_others() {
    if is_missing() {
        return;
    }
    let (once, twice) = (110, 220);
    for options in [&["--no-resolve"][..], &["--no-resolve", "--warmup", "0.5"]] {
        let (few, many) = (counts(once, options), counts(twice, options));
        assert_eq!((few.len(), many.len()), (2, 2), "two clients");
        for (few, many) in few.iter().zip(&many) {
            for name in few.keys().chain(many.keys()) {
                let [few, many] = [few, many].map(|counts| counts.get(name).copied().unwrap_or(0));
                let a_round = match name.as_str() {
                    "pwrite64" | "pread64" => 1,
                    // Looked up, then removed.
                    "newfstatat" | "unlinkat" => 3,
                    name if UNCERTAIN.contains(&name) => continue,
                    _ => 0,
                };
                assert_eq!(many - few, a_round * (twice - once), "{name}: {few}, then {many}");
            }
            let sleeps = many.get("clock_nanosleep").copied().unwrap_or(0);
            // One of them is woken by the end of the warm-up, and goes on.
            assert!(sleeps <= twice + 1, "{sleeps} sleeps");
            let own = ["pwrite64", "pread64", "unlinkat", "openat", "newfstatat", "fstat"];
            let mut others = many.keys().map(String::as_str);
            let other = others.find(|name| !own.contains(name) && !UNCERTAIN.contains(name));
            assert_eq!(other, None, "{many:?}");
        }
    }
}
