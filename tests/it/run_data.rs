//! What is written: zeros, patterns, random bytes.

use crate::scratch::{LOAD, Scratch, program};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::collections::HashSet;
use std::io::Write;
use std::process::Command;

const WRITES: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
    LOOP 40
    WriteX 1 +10000 10000 10000 NT_STATUS_OK
    ENDLOOP
    Close 1 NT_STATUS_OK"#;

fn written(load: &str, options: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let scratch = Scratch::new();
    let arguments = [&["2", "--skip-cleanup"], options].concat();
    scratch.run(load, &arguments).assert_well();
    let of_client1 = std::fs::read(scratch.clients().join("client1/f")).unwrap();
    (scratch.content0("f"), of_client1)
}

fn compressed(bytes: &[u8]) -> usize {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap().len()
}

#[test]
fn random_data_are_not_compressible_in_or_across_files_and_repeat_with_the_seed() {
    let (first, second) = written(WRITES, &["--data", "random"]);
    let both = [&first[10_000..], &second[10_000..]].concat();
    assert_eq!(both.len(), 800_000);
    assert!(compressed(&both) >= both.len());
    let blocks: HashSet<_> = both.chunks_exact(512).collect();
    assert_eq!(blocks.len(), both.len() / 512);
    assert_eq!(written(WRITES, &["--data", "random", "--seed", "0"]).0, first);
    assert_ne!(written(WRITES, &["--data", "random", "--seed", "1"]).0, first);
}

#[test]
fn data_are_zeros_if_nothing_is_asked_for_and_a_pattern_wins_over_all_that_is() {
    assert!(written(WRITES, &[]).0.iter().all(|&byte| byte == 0));
    let load = format!("WRITEPATTERN ab\n{WRITES}");
    for options in [&[][..], &["--data", "random"]] {
        let (content, _) = written(&load, options);
        assert!(
            content[10_000..].chunks(2).all(|pair| pair == b"ab"),
            "{options:?}"
        );
    }
}

#[test]
fn random_data_also_fill_the_files_that_an_smb1_recording_takes_for_granted() {
    let load = "SMBopenX REQUEST  Size 0 Path \\CLIENTS\\CLIENT1\\f\nSMBopenX REPLY  Handle 5 Size 200000\n\
        SMBreadbraw REQUEST  Handle 5 Offset 0 MaxCount 65000\n";
    let scratch = Scratch::new();
    let ran = scratch.run(load, &["1", "--skip-cleanup", "--data", "random"]);
    ran.assert_well();
    let content = scratch.content0("F");
    assert_eq!(content.len(), 200_000);
    assert!(compressed(&content) >= content.len());
}

/// Names of the client's calls from its first write to its last; none where there is no strace.
fn calls(options: &[&str]) -> Option<Vec<String>> {
    let scratch = Scratch::new();
    scratch.write(LOAD, WRITES);
    let mut command = Command::new("strace");
    command
        .args(["-f", "-o", "calls"])
        .arg(program())
        .args(["-c", LOAD, "1"])
        .args(options)
        .current_dir(scratch.path());
    let ran = command.output().ok().filter(|output| output.status.success())?;
    assert!(!ran.stdout.is_empty());
    let trace = std::fs::read_to_string(scratch.path().join("calls")).unwrap();
    // A call that strace shows in two parts counts once.
    let whole = |(_, call): &(&str, &str)| !call.contains(" resumed>");
    let calls = || {
        trace
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(whole)
    };
    let name = |call: &str| call.trim_start().split('(').next().unwrap_or_default().to_owned();
    let (client, _) = calls().find(|(_, call)| name(call) == "pwrite64")?;
    let own: Vec<_> = calls()
        .filter(|(thread, _)| *thread == client)
        .map(|(_, call)| name(call))
        .collect();
    let first = own.iter().position(|name| name == "pwrite64")?;
    let last = own.iter().rposition(|name| name == "pwrite64")?;
    Some(own[first..=last].to_vec())
}

#[test]
fn random_data_cost_no_further_system_call() {
    let (Some(zeros), Some(random)) = (calls(&[]), calls(&["--data", "random"])) else {
        eprintln!("skipped, no calls were counted: strace is not installed or does not work");
        return;
    };
    assert_eq!(zeros, vec!["pwrite64"; 40]);
    assert_eq!(random, zeros);
}
