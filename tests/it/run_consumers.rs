//! What programs that run dbench read from the real output of real runs.

use crate::consumers::{
    autotest, lkp, mmtests_completed, mmtests_execute, mmtests_latency, mmtests_operations, phoronix,
    xfstests,
};
use crate::scratch::{LOAD, Scratch, program};
use std::process::{Command, Stdio};

const WELL: &str = r#"Deltree "\clients\client1" NT_STATUS_OK
NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
REPEAT 50
WriteX 1 0 4096 4096 NT_STATUS_OK
ReadX 1 0 4096 4096 NT_STATUS_OK
Flush 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
QUERY_PATH_INFORMATION "\clients\client1\f" 1004 NT_STATUS_OK
FIND_FIRST "\clients\client1\*" 260 1366 1 NT_STATUS_OK
"#;

/// The same, with an outcome that differs.
fn ill() -> String {
    format!("{WELL}Unlink \"\\clients\\client1\\Throughput 9 MB/sec 9 procs\" NT_STATUS_OK\n")
}

/// Both streams of a run as a harness gets them through one pipe, and the exit code.
fn joined(load: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let scratch = Scratch::in_memory();
    scratch.write(LOAD, load);
    let mut command = Command::new("sh");
    command
        .args(["-c", "exec \"$0\" -c x.load \"$@\" 2>&1"])
        .arg(program())
        .args(arguments);
    let output = command
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

const DBENCH1: &[&str] = &["2"];
const DBENCH4: &[&str] = &["2", "-t", "2.5", "--warmup", "2.5"];
const DBENCH5: &[&str] = &["2", "-t", "2.5", "--warmup", "2.5", "--style", "dbench5"];
const ONCE: &[&str] = &["2", "--run-once"];

#[test]
fn phoronix_and_xfstests_read_the_throughput_and_the_exit_code_of_each_style() {
    for (load, code) in [(WELL.to_owned(), 0), (ill(), 1)] {
        for arguments in [DBENCH1, ONCE, &["2", "-t", "0.2"], &["2", "-sS"]] {
            let (output, exit) = joined(&load, arguments);
            assert_eq!(exit, Some(code), "{output}");
            assert!(phoronix(&output).unwrap() > 0.0, "{output}");
            assert!(xfstests(&output), "{output}");
            let last = output.lines().last().unwrap();
            assert!(last.starts_with("Throughput "), "{output}");
        }
    }
}

#[test]
fn autotest_reads_throughput_and_processes_from_dbench_4_and_5() {
    for load in [WELL.to_owned(), ill()] {
        for arguments in [&["3", "-t", "0.2"][..], &["3", "--run-once"]] {
            let (output, _) = joined(&load, arguments);
            let (throughput, before_procs) = autotest(&output).unwrap();
            assert_eq!(throughput.parse().ok(), phoronix(&output), "{output}");
            assert_eq!(before_procs, " 3 clients  3", "{output}");
        }
    }
}

#[test]
fn lkp_reads_four_figures_from_dbench_4_and_5() {
    for arguments in [
        &["--clients-per-process", "2", "3", "-t", "0.2"][..],
        &["--clients-per-process", "2", "3", "--run-once"],
    ] {
        let (output, _) = joined(WELL, arguments);
        let found = lkp(&output);
        let [Some(line)] = &found[..] else {
            panic!("{output}")
        };
        assert_eq!((line.clients, line.processes), (6, 3), "{output}");
        assert_eq!(Some(line.throughput), phoronix(&output));
        assert!(line.max_latency > 0.0, "{output}");
    }
}

#[test]
fn mmtests_reads_each_second_the_table_and_the_passes_of_dbench_4_and_5() {
    let dbench4 = ["NTCreateX", "Qpathinfo", "Find"];
    let dbench5 = ["NTCreateX", "QUERY_PATH_INFORMATION", "FIND_FIRST"];
    let ill = ill();
    for (arguments, load, names) in [
        (DBENCH4, WELL, dbench4),
        (DBENCH4, &ill[..], dbench4),
        (DBENCH5, WELL, dbench5),
    ] {
        let (output, _) = joined(load, &[arguments, &["--show-execute-time"]].concat());
        let ticks = mmtests_execute(&output);
        assert!(!ticks.is_empty() && ticks.len() <= 3, "{output}");
        for tick in ticks {
            let (rate, seconds) = tick.unwrap_or_else(|| panic!("{output}"));
            assert!(rate > 0.0 && (1.0..=3.0).contains(&seconds), "{output}");
        }
        assert!(mmtests_latency(&output).iter().all(Option::is_some), "{output}");
        assert!(output.contains(" MB/sec  warmup "), "{output}");
        let rows = mmtests_operations(&output);
        let others = ["Close", "Deltree", "WriteX", "ReadX", "Flush"];
        for name in names.iter().chain(&others) {
            assert!(rows.iter().any(|(row, _)| row == name), "no {name} in {output}");
        }
        let unlink = usize::from(load != WELL);
        assert_eq!(rows.len(), names.len() + others.len() + unlink, "{output}");
        let passes = mmtests_completed(&output);
        assert!(passes.len() > 2 && passes.iter().all(Option::is_some), "{output}");
    }
}

#[test]
fn nobody_reads_a_throughput_from_a_run_that_failed() {
    for arguments in [DBENCH1, ONCE, &["2", "-t", "0.2"]] {
        let (output, exit) = joined(&ill(), &[arguments, &["--on-mismatch", "stop"]].concat());
        assert_eq!(exit, Some(1), "{output}");
        assert_eq!((phoronix(&output), autotest(&output)), (None, None), "{output}");
        assert!(lkp(&output).is_empty() && !xfstests(&output), "{output}");
    }
}
