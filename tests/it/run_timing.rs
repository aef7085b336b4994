//! Time: limits, warm-up, rates, timestamps. What must not be early is checked exactly, what may be late is not.

use crate::scratch::{Scratch, plan};
use rbench::op::Kind;
use rbench::replay::null::Null;
use rbench::replay::pace::Pacing;
use rbench::result::{RunResult, Warning};
use rbench::run::{Plan, Silent, execute_with};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

/// One pass that never ends by itself.
const ENDLESS: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
LOOP 1000000000000
WriteX 1 0 1000 1000 NT_STATUS_OK
ReadX 1 0 500 500 NT_STATUS_OK
ENDLOOP
"#;

fn execute(load: &str, change: impl FnOnce(&mut Plan)) -> RunResult {
    let mut plan = plan(load);
    change(&mut plan);
    execute_with(&plan, &mut Silent, &|_| Ok(Null::default())).unwrap()
}

fn count(result: &RunResult, kind: Kind) -> u64 {
    let found = result.operations.iter().find(|operation| operation.kind == kind);
    found.map_or(0, |operation| operation.count)
}

#[test]
fn with_a_limit_the_measured_window_is_exactly_the_limit_and_throughput_is_bytes_over_it() {
    let result = Scratch::in_memory().execute(ENDLESS, |plan| {
        plan.clients = 2;
        plan.settings.time_limit = Some(400 * MS);
        plan.settings.loops = true;
    });
    assert_eq!(result.elapsed, 400 * MS);
    let bytes = (result.bytes_read + result.bytes_written) as f64;
    assert!((result.bytes_per_second / (bytes / 0.4) - 1.0).abs() < 1e-9);
    let clients: u64 = result.per_client.iter().map(|client| client.bytes).sum();
    assert_eq!(clients as f64, bytes);
}

#[test]
fn what_is_done_in_the_warm_up_is_not_counted() {
    let result = execute(ENDLESS, |plan| {
        plan.settings.warmup = 200 * MS;
        plan.settings.time_limit = Some(200 * MS);
    });
    assert_eq!(result.elapsed, 200 * MS);
    assert_eq!(count(&result, Kind::NtCreateX), 0, "it was opened in the warm-up");
    assert!(count(&result, Kind::WriteX) > 0);
    let operations = &result.operations[0];
    assert_eq!(operations.latency.len(), operations.count);
    assert!(
        result
            .operations
            .iter()
            .all(|operation| operation.slowest.at >= 200 * MS)
    );
}

#[test]
fn a_fifth_of_the_limit_is_the_warm_up_unless_another_is_given() {
    let scratch = Scratch::in_memory();
    let opens = |arguments: &[&str]| {
        let ran = scratch.run(ENDLESS, &[&["1", "--machine-readable"], arguments].concat());
        ran.assert_well().counts().contains_key("NTCreateX")
    };
    assert!(!opens(&["-t", "0.5"]));
    assert!(opens(&["-t", "0.5", "--warmup", "0"]));
    assert!(!opens(&["-t", "300ms", "--warmup", "300ms"]));
}

#[test]
fn a_warm_up_without_a_limit_is_taken_from_the_one_pass() {
    let load = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\nSLEEP 300000\n\
        Rmdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    let scratch = Scratch::new();
    let ran = scratch.run(load, &["1", "--warmup", "100ms", "--machine-readable"]);
    assert_eq!(
        ran.assert_well().counts().into_iter().collect::<Vec<_>>(),
        [("Rmdir", 1)]
    );
    let result = execute(load, |plan| plan.settings.warmup = 100 * MS);
    assert!(result.elapsed >= 200 * MS, "{:?}", result.elapsed);
}

#[test]
fn a_pass_that_ends_within_the_warm_up_counts_nothing_and_is_doubted() {
    let load = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    let result = execute(load, |plan| plan.settings.warmup = Duration::from_secs(3600));
    assert_eq!((result.total_operations(), result.elapsed), (0, Duration::ZERO));
    assert_eq!(result.per_client[0].passes, 0);
    let short = |warning: &Warning| matches!(warning, Warning::Short { .. });
    assert!(result.warnings.iter().any(short), "{:?}", result.warnings);
}

#[test]
fn a_load_without_reads_and_writes_ends_by_itself_and_tells_operations_instead_of_bytes() {
    let load = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\nRmdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    for arguments in [&["2"][..], &["2", "-t", "0.3"]] {
        let scratch = Scratch::new();
        let ran = scratch.run(load, arguments);
        assert_eq!(ran.assert_well().throughput(), 0.0);
        assert!(ran.last_line().starts_with("Throughput 0 MB/sec"), "{ran}");
        let line = ran
            .stdout
            .lines()
            .find(|line| line.contains(" operations/sec"))
            .unwrap();
        let rate: f64 = line.split(' ').next().unwrap().parse().unwrap();
        assert!(rate > 0.0, "{ran}");
    }
}

/// 100 writes of 2000 bytes.
const WRITES: &str = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\nREPEAT 100\n\
    WriteX 1 0 2000 2000 NT_STATUS_OK\n";

#[test]
fn a_rate_is_kept_from_above_by_each_client() {
    for clients in [1, 2] {
        let result = execute(WRITES, |plan| {
            plan.clients = clients;
            plan.settings.pacing = Pacing::Rate {
                bytes_per_second: 500_000.0,
            };
        });
        assert_eq!(result.bytes_written, 200_000 * u64::from(clients));
        let most = 500_000.0 * 1.05 * f64::from(clients);
        assert!(result.bytes_per_second <= most, "{}", result.bytes_per_second);
        assert!(result.lag.is_some());
    }
}

#[test]
fn a_rate_that_is_asked_for_is_in_mb_and_overrides_timestamps() {
    let scratch = Scratch::in_memory();
    let ran = scratch.run(WRITES, &["1", "-R", "0.4"]);
    let throughput = ran.assert_well().throughput();
    assert!(throughput <= 0.4 * 1.05, "{ran}");
    assert!(ran.stdout.contains("lag behind due times"), "{ran}");
    let late = "3600.0 Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    scratch.run(late, &["1", "--target-rate", "1"]).assert_well();
}

/// Operations due at 0, 100 and 400 ms.
const TIMED: &str = "0.000 Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n\
    0.100 NTCreateX \"\\clients\\client1\\d\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    Close 1 NT_STATUS_OK\n\
    0.400 Unlink \"\\clients\\client1\\d\\f\" NT_STATUS_OK\n";

#[test]
fn operations_with_timestamps_start_when_due_and_never_early() {
    for scale in [1.0, 0.5] {
        let result = execute(TIMED, |plan| plan.settings.pacing = Pacing::Timestamps { scale });
        let end = |kind| {
            let found = result.operations.iter().find(|operation| operation.kind == kind);
            found.unwrap().slowest.at
        };
        assert!(end(Kind::NtCreateX) >= (100 * MS).mul_f64(scale));
        assert!(end(Kind::Unlink) >= (400 * MS).mul_f64(scale));
        assert!(result.elapsed >= (400 * MS).mul_f64(scale));
        assert!(result.max_latency() < result.elapsed, "waiting is not latency");
        let lag = &result.lag.unwrap().histogram;
        assert_eq!(lag.len(), 3, "the operation without a timestamp has no lag");
    }
}

#[test]
fn lag_is_reported_where_operations_are_late() {
    let load = "0.000 Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\nSLEEP 200000\n\
        0.050 Rmdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    let result = execute(load, |plan| {
        plan.settings.pacing = Pacing::Timestamps { scale: 1.0 }
    });
    let most = Duration::from_nanos(result.lag.unwrap().histogram.max());
    assert!(most >= 145 * MS, "{most:?}");
    let scratch = Scratch::new();
    let ran = scratch.run(load, &["1"]);
    let line = ran
        .assert_well()
        .stdout
        .lines()
        .find(|line| line.starts_with("lag behind due times"));
    let most: f64 = line.unwrap().split(' ').nth_back(1).unwrap().parse().unwrap();
    assert!(most >= 145.0, "{ran}");
}

#[test]
fn timestamps_count_from_the_start_of_each_pass() {
    let result = execute(TIMED, |plan| {
        plan.settings.pacing = Pacing::Timestamps { scale: 0.5 };
        plan.settings.time_limit = Some(1000 * MS);
        plan.settings.loops = true;
        plan.settings.record_passes = true;
    });
    assert!((1..=5).contains(&result.passes.len()), "{:?}", result.passes);
    assert!(
        result.passes.iter().all(|pass| pass.took >= 200 * MS),
        "{:?}",
        result.passes
    );
    assert_eq!(result.elapsed, 1000 * MS);
}

#[test]
fn timestamps_can_be_ignored_or_scaled_to_nothing() {
    let load = TIMED.replace("0.400", "36000.0");
    for arguments in [
        &["--ignore-timestamps"][..],
        &["--time-scale", "0"],
        &["--time-scale=0.000001"],
    ] {
        let scratch = Scratch::new();
        let ran = scratch.run(&load, &[&["1"], arguments].concat());
        let lag = ran.assert_well().stdout.contains("lag behind due times");
        assert_eq!(lag, arguments != ["--ignore-timestamps"], "{ran}");
    }
}

#[test]
fn a_limit_ends_a_client_that_waits_for_a_timestamp_a_sleep_or_a_point() {
    let loads = [
        "0.0 Mkdir \"/d\" NT_STATUS_OK\n36000.0 Rmdir \"/d\" NT_STATUS_OK\n",
        "Mkdir \"/d\" NT_STATUS_OK\nSLEEP 36000000000\n",
        "Mkdir \"/d\" NT_STATUS_OK\nSLEEP 18446744073709551615\n",
        "Mkdir \"/d\" NT_STATUS_OK\nLOOP 18446744073709551615\nLOOP 18446744073709551615\nSLEEP 1\nENDLOOP\nENDLOOP\n",
        "0.0 Mkdir \"/d\" NT_STATUS_OK\n18446744073.0 Rmdir \"/d\" NT_STATUS_OK\n",
        "Mkdir \"/d\" NT_STATUS_OK\nWAITSP 0 5\n",
    ];
    for load in loads {
        let scratch = Scratch::new();
        let ran = scratch.run(load, &["1", "-t", "0.3", "--warmup", "0", "--machine-readable"]);
        let counts: Vec<_> = ran.assert_well().counts().into_iter().collect();
        assert_eq!(counts, [("Mkdir", 1)]);
        scratch.assert_clean();
    }
}
