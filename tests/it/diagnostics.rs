//! What is said on stderr, and how a run that did not complete is shown.

use crate::sample_result::one_client;
use insta::assert_snapshot;
use rbench::op::Kind;
use rbench::report::{ReportOptions, Style, diagnostics, summary};
use rbench::result::{Corruption, End, Mismatch, Verification, Warning};

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn a_run_that_went_well_has_no_diagnostics() {
    assert_eq!(diagnostics(&one_client()), "");
}

#[test]
fn reads_that_are_not_as_written_are_told_and_shown_and_the_summary_counts_them() {
    let mut result = one_client();
    let sound = Verification {
        reads_checked: 12_345,
        bytes_checked: 98_304,
        ..Verification::default()
    };
    result.verification = Some(sound.clone());
    assert_eq!(diagnostics(&result), "");
    let style = ReportOptions::new(Style::Dbench1);
    let line = "0 of 12,345 verified reads differ from what was written (98,304 bytes checked)";
    assert!(lines(&summary(&result, &style)).contains(&line));
    let example = |got_byte| Corruption {
        client: 0,
        loadfile: "client.txt".into(),
        line: 7,
        kind: Kind::ReadX,
        path: "client0/~dmtmp/A".into(),
        offset: 4096,
        expected_byte: 0x40,
        got_byte,
        found: "zeros".into(),
    };
    result.verification = Some(Verification {
        corrupt_reads: 1002,
        examples: vec![example(Some(0)), example(None)],
        ..sound
    });
    assert_snapshot!(diagnostics(&result), @r"
    error: 1,002 of 12,345 checked reads are not as written:
      client.txt:7 ReadX client0/~dmtmp/A: byte 4096 is 0x00, not 0x40 (zeros)
      client.txt:7 ReadX client0/~dmtmp/A: byte 4096 is missing, not 0x40 (zeros)
      … and 1,000 more
    ");
}

#[test]
fn diagnostics_say_what_differed_where_and_how_much_more() {
    let mut result = one_client();
    result.warnings = vec![Warning::RemovedLeftovers { pid: Some(42) }];
    result.outcomes.differed = 12;
    result.outcomes.skipped = 3;
    let example = |line| Mismatch {
        loadfile: "client.txt".into(),
        line,
        client: 0,
        kind: Kind::NtCreateX,
        path: "client0/~dmtmp/A".into(),
        expected: "success".into(),
        got: "ENOENT (No such file or directory)".into(),
    };
    result.outcomes.examples = (1..=11).map(example).collect();
    result.end = End::Interrupted(2);
    assert_snapshot!(diagnostics(&result), @r"
    warning: removed what a killed run (pid 42) had left
    error: 12 of 4000 checked outcomes differ from the trace:
      client.txt:1 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:2 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:3 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:4 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:5 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:6 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:7 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:8 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:9 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      client.txt:10 NTCreateX client0/~dmtmp/A: expected success, got ENOENT (No such file or directory)
      … and 2 more
    warning: 3 operations were skipped: the open of the handle failed against the trace, or the slice leaves it out
    warning: stopped by SIGINT after 10.000 s: the figures are of the part that ran
    ");
}

#[test]
fn mismatches_that_were_only_counted_are_only_counted() {
    let mut result = one_client();
    result.outcomes.differed = 1;
    assert_eq!(
        diagnostics(&result),
        "error: 1 of 4000 checked outcomes differs from the trace\n"
    );
}

#[test]
fn an_interrupted_run_has_the_same_lines_and_a_failed_one_no_rates() {
    let whole = summary(&one_client(), &ReportOptions::new(Style::Dbench4));
    let mut result = one_client();
    result.end = End::Interrupted(99);
    assert_eq!(summary(&result, &ReportOptions::new(Style::Dbench4)), whole);
    assert!(diagnostics(&result).contains("stopped by signal 99 after"));

    result.end = End::Failed("client.txt:9 WriteX client0/a: ENOSPC".into());
    assert_eq!(
        diagnostics(&result),
        "error: the run failed after 10.000 s: client.txt:9 WriteX client0/a: ENOSPC\n"
    );
    let failed = summary(&result, &ReportOptions::new(Style::Dbench4));
    // The first two lines and the last say rates and outcomes of a whole run.
    assert_eq!(lines(&failed), lines(&whole)[2..lines(&whole).len() - 1]);
    assert_eq!(summary(&result, &ReportOptions::new(Style::Dbench1)), "");
}
