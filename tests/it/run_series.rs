//! The series of a run and its slowest operations agree with its totals, to the last operation and byte.

use crate::scratch::{LOAD, Scratch, plan};
use rbench::loadfile::{ReadOptions, Source, parse};
use rbench::op::Kind;
use rbench::program::{CompileOptions, compile, totals};
use rbench::replay::OnMismatch;
use rbench::replay::failing::{Call, Failing, Fault};
use rbench::replay::null::Null;
use rbench::result::{RunResult, SlowOperation};
use rbench::run::{Plan, Silent, execute_with};
use std::sync::Arc;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Never ends by itself; of each kind something is skipped by no client.
const ENDLESS: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
LOOP 1000000000000
WriteX 1 0 1000 1000 NT_STATUS_OK
ReadX 1 0 500 500 NT_STATUS_OK
QUERY_PATH_INFORMATION "\clients\client1\f" 1 NT_STATUS_OK
ENDLOOP
"#;

/// One pass of more than two seconds.
const WITH_A_PAUSE: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
LOOP 7
LOOP 1000
WriteX 1 0 1000 1000 NT_STATUS_OK
ReadX 1 0 500 500 NT_STATUS_OK
ENDLOOP
SLEEP 350000
ENDLOOP
Close 1 NT_STATUS_OK
"#;

fn execute(load: &str, change: impl FnOnce(&mut Plan)) -> RunResult {
    let mut plan = plan(load);
    change(&mut plan);
    execute_with(&plan, &mut Silent, &|_| Ok(Null::default())).unwrap()
}

fn limited(clients: u32, warmup: Duration, limit: Duration) -> impl FnOnce(&mut Plan) {
    move |plan| {
        plan.clients = clients;
        plan.settings.warmup = warmup;
        plan.settings.time_limit = Some(limit);
        plan.settings.loops = true;
    }
}

/// All that a result says twice it says alike.
fn assert_sums(result: &RunResult) {
    let series = &result.series;
    let sum = |of: fn(&rbench::result::Second) -> u64| series.iter().map(of).sum::<u64>();
    assert_eq!(sum(|second| second.operations), result.total_operations());
    assert_eq!(sum(|second| second.bytes_read), result.bytes_read);
    assert_eq!(sum(|second| second.bytes_written), result.bytes_written);
    let clients: u64 = result.per_client.iter().map(|client| client.operations).sum();
    assert_eq!(clients, result.total_operations());
    let bytes: u64 = result.per_client.iter().map(|client| client.bytes).sum();
    assert_eq!(bytes, result.bytes_read + result.bytes_written);

    assert_eq!(result.latency.len(), result.total_operations());
    for operation in &result.operations {
        assert_eq!(operation.latency.len(), operation.count, "{}", operation.kind);
    }

    let lengths: Duration = series.iter().map(|second| second.length).sum();
    assert_eq!(lengths, result.elapsed);
    assert_eq!(
        series.len() as u64,
        result.elapsed.as_nanos().div_ceil(SECOND.as_nanos()) as u64
    );
    for (index, second) in series.iter().enumerate() {
        assert_eq!(second.start, SECOND * index as u32);
        assert!(second.length == SECOND || index + 1 == series.len());
        assert_eq!(second.latency.is_some(), second.operations > 0);
        if let Some(latency) = second.latency {
            assert!(
                latency.p50 <= latency.p99 && latency.p99 <= latency.max,
                "{latency:?}"
            );
        }
    }
    let slowest = series
        .iter()
        .filter_map(|second| second.latency)
        .map(|latency| latency.max);
    assert_eq!(slowest.max().unwrap_or_default(), result.max_latency());
    assert_slowest(result);
}

fn assert_slowest(result: &RunResult) {
    let slowest = &result.slowest;
    assert_eq!(slowest.len() as u64, result.total_operations().min(10));
    assert!(slowest.is_sorted_by(|one, next| one.latency >= next.latency));
    assert_eq!(
        slowest.first().map_or(Duration::ZERO, |one| one.latency),
        result.max_latency()
    );
    let Some(tenth) = slowest.last() else { return };
    for operation in &result.operations {
        let kind = operation.slowest;
        let is_it = |one: &SlowOperation| {
            (one.kind, one.latency, one.line, one.client, one.at)
                == (operation.kind, kind.latency, kind.line, kind.client, kind.at)
        };
        assert!(
            kind.latency <= tenth.latency || slowest.iter().any(is_it),
            "{kind:?} in {slowest:?}"
        );
    }
    let window = result.warm_up.length..=result.warm_up.length + result.elapsed;
    assert!(slowest.iter().all(|one| window.contains(&one.at)), "{slowest:?}");
}

#[test]
fn the_seconds_of_a_limited_run_add_up_to_its_totals() {
    for (clients, warmup) in [(1, Duration::ZERO), (3, Duration::ZERO), (3, 400 * MS)] {
        let result = execute(ENDLESS, limited(clients, warmup, 2300 * MS));
        assert!(result.total_operations() > 0);
        assert_eq!(result.series.len(), 3);
        assert_sums(&result);
    }
}

#[test]
fn the_seconds_of_one_pass_add_up_to_its_totals() {
    for (clients, warmup) in [(1, Duration::ZERO), (2, 500 * MS)] {
        let result = execute(WITH_A_PAUSE, |plan| {
            plan.clients = clients;
            plan.settings.warmup = warmup;
        });
        assert!(result.series.len() >= 2, "{:?}", result.elapsed);
        assert_sums(&result);
    }
}

#[test]
fn the_seconds_of_a_run_on_a_file_system_add_up_to_its_totals() {
    let result = Scratch::in_memory().execute(ENDLESS, limited(2, 200 * MS, 1200 * MS));
    assert!(result.series.iter().all(|second| second.operations > 0));
    assert_sums(&result);
    assert_sums(&Scratch::in_memory().execute(WITH_A_PAUSE, |plan| plan.clients = 2));
}

#[test]
fn a_client_that_is_stuck_for_seconds_skips_them() {
    let load = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\nFlush 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";
    let mut plan = plan(load);
    plan.clients = 2;
    let result = execute_with(&plan, &mut Silent, &|client| {
        let slow = Fault::Slow {
            call: Call::Sync,
            delay: 2100 * MS,
        };
        Ok(Failing::new(
            Null::default(),
            if client == 1 { vec![slow] } else { Vec::new() },
        ))
    })
    .unwrap();
    assert_sums(&result);
    assert!(result.series[0].operations >= 1);
    assert_eq!(result.series[1].operations, 0);
    let flush = &result.slowest[0];
    assert_eq!((flush.kind, flush.client, flush.line), (Kind::Flush, 1, 2));
    assert_eq!(flush.path, "client1/f");
}

#[test]
fn bytes_and_operations_are_those_that_the_program_says() {
    let text = rbench::bundled::text("client").unwrap();
    let file = parse(Source::new(LOAD, text), &ReadOptions::default()).unwrap();
    let program = Arc::new(compile(&file, CompileOptions::default()).unwrap());
    let expected = totals(&program);
    let result = execute(ENDLESS, |plan| {
        plan.programs = vec![program];
        plan.clients = 3;
    });
    assert_eq!(result.bytes_read, 3 * expected.bytes_read);
    assert_eq!(result.bytes_written, 3 * expected.bytes_written);
    for operation in &result.operations {
        assert_eq!(
            operation.count,
            3 * expected.count(operation.kind),
            "{}",
            operation.kind
        );
    }
    assert_sums(&result);
}

#[test]
fn the_slowest_operations_are_named_with_client_line_kind_and_path() {
    let mut load = String::from("Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n");
    load.push_str("RANDOMSTRING 1 \"[abc]\"\n");
    load.push_str("NTCreateX \"\\clients\\client1\\d\\a\" 0x40 0x2 1 NT_STATUS_OK\n");
    for index in 0..200 {
        load.push_str("WriteX 1 0 100 100 NT_STATUS_OK\n");
        match index {
            20 => load.push_str("Flush 1 NT_STATUS_OK\n"),
            50 => load
                .push_str("Rename \"\\clients\\client1\\d\\a\" \"\\clients\\client1\\d\\b\" NT_STATUS_OK\n"),
            90 => load.push_str("Unlink \"\\clients\\client1\\d\\$1\" NT_STATUS_OK\n"),
            120 => load.push_str("Unlink \"\\x\" NT_STATUS_OK\n"),
            _ => {}
        }
    }
    let mut plan = plan(&load);
    plan.clients = 3;
    let result = execute_with(&plan, &mut Silent, &|client| {
        let slow = |call| Fault::Slow {
            call,
            delay: 300 * MS,
        };
        let faults = [Call::Sync, Call::Rename, Call::Unlink].map(slow).to_vec();
        Ok(Failing::new(
            Null::default(),
            if client == 2 { faults } else { Vec::new() },
        ))
    })
    .unwrap();
    assert_sums(&result);
    let slow: Vec<_> = result
        .slowest
        .iter()
        .filter(|one| one.latency >= 300 * MS)
        .collect();
    let line = |start: &str| load.lines().position(|line| line.starts_with(start)).unwrap() as u32 + 1;
    let planted = [
        (line("Flush"), Kind::Flush, "client2/d/a"),
        (line("Rename"), Kind::Rename, "client2/d/a"),
        (line("Unlink \"\\clients"), Kind::Unlink, "client2/d/"),
        (line("Unlink \"\\x"), Kind::Unlink, "shared/x"),
    ];
    for (line, kind, path) in planted {
        let found = slow.iter().find(|one| one.line == line && one.client == 2);
        let found = found.unwrap_or_else(|| panic!("line {line} is not in {slow:?}"));
        assert_eq!((found.kind, found.loadfile.as_str()), (kind, LOAD));
        match path.strip_suffix('/') {
            Some(directory) => {
                let name = found.path.strip_prefix(directory).unwrap();
                assert!(["/a", "/b", "/c"].contains(&name), "{}", found.path);
            }
            None => assert_eq!(found.path, path),
        }
    }
}

#[test]
fn a_run_that_fails_in_its_warm_up_has_neither_seconds_nor_slow_operations() {
    for auto in [false, true] {
        let mut plan = plan(ENDLESS);
        limited(2, 100 * SECOND, SECOND)(&mut plan);
        plan.settings.warmup_auto = auto;
        plan.settings.on_mismatch = OnMismatch::Stop;
        let result = execute_with(&plan, &mut Silent, &|_| {
            let fault = Fault::Fail {
                call: Call::Write,
                nth: 1000,
                every: 0,
                errno: nix::errno::Errno::ENOSPC,
            };
            Ok(Failing::new(Null::default(), vec![fault]))
        })
        .unwrap();
        assert!(
            matches!(result.end, rbench::result::End::Failed(_)),
            "{:?}",
            result.end
        );
        assert_eq!((result.total_operations(), result.elapsed), (0, Duration::ZERO));
        assert!(result.series.is_empty() && result.slowest.is_empty());
        assert_eq!(result.warm_up.settled, None);
        assert!(result.warm_up.length < 100 * SECOND, "it did not last so long");
    }
}
