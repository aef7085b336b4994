//! What programs that run dbench read from its output, each as a function of the output's text.

use crate::sample_result::{one_client, two_clients};
use proptest::prelude::*;
use rbench::measure::{Phase, Tick};
use rbench::op::Kind;
use rbench::report::{self, ReportOptions, Style};
use rbench::result::{End, Mismatch, RunResult, Warning};
use regex::Regex;
use std::time::Duration;

/// Phoronix: the second token of the last line with the word, as a number.
pub(crate) fn phoronix(output: &str) -> Option<f64> {
    let line = output.lines().rfind(|line| line.contains("Throughput"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Autotest and Avocado: the two groups of the first match.
pub(crate) fn autotest(output: &str) -> Option<(String, String)> {
    let pattern = Regex::new(r"Throughput (.*?) MB/sec (.*?) procs").unwrap();
    let groups = pattern.captures(output)?;
    Some((groups[1].to_owned(), groups[2].to_owned()))
}

/// What LKP takes from a line of throughput.
#[derive(Debug, PartialEq)]
pub(crate) struct Lkp {
    pub(crate) throughput: f64,
    pub(crate) clients: u32,
    pub(crate) processes: u32,
    pub(crate) max_latency: f64,
}

/// LKP: lines that start with the word, cut at the only `=`.
pub(crate) fn lkp(output: &str) -> Vec<Option<Lkp>> {
    let lines = output.lines().filter(|line| line.starts_with("Throughput"));
    lines.map(lkp_line).collect()
}

fn lkp_line(line: &str) -> Option<Lkp> {
    let halves: Vec<&str> = line.split('=').collect();
    let [before, after] = halves[..] else { return None };
    let tokens: Vec<&str> = before.split_whitespace().collect();
    Some(Lkp {
        throughput: tokens.get(1)?.parse().ok()?,
        clients: tokens.get(3)?.parse().ok()?,
        processes: tokens.get(5)?.parse().ok()?,
        max_latency: after.split_whitespace().next()?.parse().ok()?,
    })
}

/// mmtests: throughput and time of each `execute` line, or `None` for a line that is no such line.
pub(crate) fn mmtests_execute(output: &str) -> Vec<Option<(f64, f64)>> {
    fields(output.lines().filter(|line| line.contains("execute")), 3, 6)
}

/// mmtests: the latency of each `execute` line, the ninth field.
pub(crate) fn mmtests_latency(output: &str) -> Vec<Option<f64>> {
    let lines = output.lines().filter(|line| line.contains("execute"));
    lines
        .map(|line| line.split_whitespace().nth(8)?.parse().ok())
        .collect()
}

/// mmtests: how long passes took and when they ended, in milliseconds.
pub(crate) fn mmtests_completed(output: &str) -> Vec<Option<(f64, f64)>> {
    fields(output.lines().filter(|line| line.contains("completed in")), 4, 8)
}

/// mmtests: names and mean latencies, from the 99 lines after each header whose third field is a number.
pub(crate) fn mmtests_operations(output: &str) -> Vec<(String, f64)> {
    let mut left = 0;
    let mut rows = Vec::new();
    for line in output.lines() {
        if line.contains("Operation") {
            left = 99;
        } else if left > 0 {
            left -= 1;
            let mut tokens = line.split_whitespace();
            let name = tokens.next().unwrap_or_default();
            if let Some(latency) = tokens.nth(1).and_then(|field| field.parse().ok()) {
                rows.push((name.to_owned(), latency));
            }
        }
    }
    rows
}

/// xfstests and others: whether there is a line of throughput.
pub(crate) fn xfstests(output: &str) -> bool {
    Regex::new(r"(?m)^Throughput [0-9.]+ MB.s")
        .unwrap()
        .is_match(output)
}

/// Two numeric fields (from 1) of each line.
fn fields<'a>(lines: impl Iterator<Item = &'a str>, first: usize, second: usize) -> Vec<Option<(f64, f64)>> {
    let numbers = |line: &str| {
        let tokens: Vec<&str> = line.split_whitespace().collect();
        let number = |field: usize| tokens.get(field - 1)?.parse().ok();
        Some((number(first)?, number(second)?))
    };
    lines.map(numbers).collect()
}

/// Everything that a run prints, both streams joined, as it is to be printed.
fn joined(result: &RunResult, options: &ReportOptions) -> String {
    let tick = |phase, seconds| Tick {
        phase,
        clients: result.clients,
        lines_per_client: 57_589 * seconds,
        bytes_per_second: 982_090_000.0,
        elapsed: Duration::from_secs(seconds),
        latency: Duration::from_micros(5119),
    };
    let ticks = [
        tick(Phase::Warmup, 1),
        tick(Phase::Execute, 1),
        tick(Phase::Execute, 2),
        tick(Phase::Cleanup, 2),
    ];
    let mut text = report::started(result.clients);
    text.extend(ticks.iter().filter_map(|tick| report::tick(tick, options)));
    text + &report::diagnostics(result) + &report::summary(result, options)
}

fn everything(style: Style) -> ReportOptions {
    ReportOptions {
        per_client: true,
        show_table: true,
        show_execute_time: true,
        ..ReportOptions::new(style)
    }
}

const STYLES: [Style; 3] = [Style::Dbench1, Style::Dbench4, Style::Dbench5];

#[test]
fn phoronix_and_xfstests_read_the_throughput_of_every_style() {
    for style in STYLES {
        for options in [ReportOptions::new(style), everything(style)] {
            for (sync_open, sync_dirs) in [(false, false), (true, false), (true, true)] {
                let options = ReportOptions {
                    sync_open,
                    sync_dirs,
                    ..options
                };
                let output = joined(&two_clients(), &options);
                assert_eq!(phoronix(&output), Some(5.88569), "{output}");
                assert!(xfstests(&output), "{output}");
                assert_eq!(output.matches("Throughput").count(), 1, "{output}");
                assert!(output.lines().last().unwrap().starts_with("Throughput "));
            }
        }
    }
}

#[test]
fn autotest_reads_throughput_and_what_stands_before_procs() {
    for style in [Style::Dbench4, Style::Dbench5] {
        let output = joined(&two_clients(), &everything(style));
        assert_eq!(
            autotest(&output),
            Some(("5.88569".into(), " 2 clients  2".into()))
        );
    }
}

#[test]
fn lkp_reads_throughput_clients_processes_and_latency() {
    let expected = Lkp {
        throughput: 5.88569,
        clients: 2,
        processes: 2,
        max_latency: 19.937,
    };
    for style in [Style::Dbench4, Style::Dbench5] {
        let output = joined(&two_clients(), &everything(style));
        assert_eq!(lkp(&output), [Some(Lkp { ..expected })]);
    }
}

#[test]
fn mmtests_reads_ticks_and_finished_passes_and_nothing_else_as_such() {
    let output = joined(&two_clients(), &everything(Style::Dbench4));
    assert_eq!(
        mmtests_execute(&output),
        [Some((982.09, 1.0)), Some((982.09, 2.0))]
    );
    assert_eq!(mmtests_latency(&output), [Some(5.119), Some(5.119)]);
    assert_eq!(
        mmtests_completed(&output),
        [Some((3210.0, 3215.0)), Some((3300.0, 6520.0))]
    );
}

#[test]
fn mmtests_reads_the_table_and_no_row_that_is_none() {
    let mut options = everything(Style::Dbench4);
    options.per_client = false;
    let rows = mmtests_operations(&joined(&two_clients(), &options));
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "NTCreateX",
            "Deltree",
            "Qpathinfo",
            "Find",
            "WriteX",
            "ReadX",
            "Flush"
        ]
    );
    assert_eq!(rows[0].1, 1.0);
    assert_eq!(rows[6].1, 9.969);
}

#[test]
fn a_failed_run_offers_no_throughput_to_anyone() {
    let mut result = one_client();
    result.end = End::Failed("client.txt:9: WriteX Throughput 5 MB/sec 1 procs: ENOSPC".into());
    for style in STYLES {
        let output = joined(&result, &everything(style));
        assert_eq!(phoronix(&output), None);
        assert_eq!(autotest(&output), None);
        assert_eq!(lkp(&output), []);
        assert!(!xfstests(&output));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_name_in_a_message_is_taken_for_a_result(
        name in "(.|\n| |Throughput 9 MB/sec 9 procs|9 completed in 9 ms at time 9|1 2 3 MB/sec execute 4 |Operation|NTCreateX){1,8}"
    ) {
        let mut result = two_clients();
        result.outcomes.differed = 1;
        result.outcomes.examples = vec![Mismatch {
            loadfile: name.clone(),
            line: 3,
            client: 0,
            kind: Kind::NtCreateX,
            path: name.clone(),
            expected: name.clone(),
            got: name.clone(),
        }];
        result.warnings = vec![Warning::CleanupIncomplete { names: vec![name.clone()] }];
        let plain = joined(&two_clients(), &everything(Style::Dbench4));
        let output = joined(&result, &everything(Style::Dbench4));
        prop_assert_eq!(autotest(&output), autotest(&plain));
        prop_assert_eq!(lkp(&output), lkp(&plain));
        prop_assert_eq!(phoronix(&output), phoronix(&plain));
        prop_assert_eq!(mmtests_execute(&output), mmtests_execute(&plain));
        prop_assert_eq!(mmtests_completed(&output), mmtests_completed(&plain));
        prop_assert_eq!(mmtests_operations(&output), mmtests_operations(&plain));
    }
}
