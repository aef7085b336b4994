//! A signal ends a campaign: what is measured is kept and told.

use super::{QUICK, scratch, stored, turn};
use crate::scratch::{Scratch, program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rbench::result::End;
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn start(scratch: &Scratch, arguments: &[&str]) -> Child {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(scratch.path());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Sends a signal once a file has so many lines.
fn end_after(scratch: &Scratch, campaign: Child, file: &str, lines: usize, signal: Signal) -> Output {
    let path = scratch.path().join(file);
    let has = || fs::read_to_string(&path).unwrap_or_default().lines().count();
    let start = Instant::now();
    while has() < lines && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill(Pid::from_raw(campaign.id().cast_signed()), signal).unwrap();
    campaign.wait_with_output().unwrap()
}

#[test]
fn a_signal_interrupts_the_run_under_way_and_what_is_measured_is_kept_and_shown() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let scratch = scratch();
        // The runs get longer than the test: the fourth is told by the command before it.
        let ab = [
            "ab",
            "-c",
            "w.load",
            "--results",
            "ab.jsonl",
            "--before",
            "echo >>begun",
            "--order",
            "abba",
            "--a",
            "-t 0.05",
            "--b",
            "-t 0.05",
            "--pairs",
            "500",
        ];
        let campaign = start(&scratch, &ab);
        let ended = end_after(&scratch, campaign, "begun", 5, signal);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&ended.stdout), text(&ended.stderr));
        assert_eq!(ended.status.code(), Some(code), "{stdout}{stderr}");
        assert!(stdout.contains("throughput"), "{stdout}{stderr}");
        assert!(stderr.contains("stopped by"), "{stderr}");
        scratch.assert_clean();
        let runs = stored(&scratch);
        let completed = runs.iter().filter(|run| run.end == End::Completed).count();
        assert!(completed >= 4 && runs.len() < 1000, "{stderr}");
        assert_eq!(turn(&runs[3]).position, 4);
    }
}

#[test]
fn a_signal_during_a_switch_ends_the_campaign_too() {
    let scratch = scratch();
    let switches = [
        "--switch-a",
        "echo >>begun; exec sleep 60",
        "--switch-b",
        "true",
        "--order",
        "abba",
    ];
    let campaign = start(&scratch, &[&QUICK[..], &switches].concat());
    let ended = end_after(&scratch, campaign, "begun", 1, Signal::SIGTERM);
    assert_eq!(ended.status.code(), Some(143));
    assert!(!scratch.path().join("ab.jsonl").exists());
}
