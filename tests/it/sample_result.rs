//! A result as a run would give it, with figures chosen so that every column differs.

mod system;
mod warnings;

use hdrhistogram::Histogram;
use rbench::loadfile::Dialect;
use rbench::op::Kind;
use rbench::result::{
    Activity, AxisKind, Cell, ClientOperation, ClientResult, Completions, Coordinate, Corruption, Durability,
    End, FinalSync, Lag, LoadInfo, Mismatch, OperationResult, Outcomes, PassEnd, ProbeActivity, ProbeResult,
    RunInfo, RunOptions, RunResult, Sample, Second, SecondLatency, SlowOperation, Slowest, Turn, TurnSide,
    Verification, WarmUp,
};
use std::collections::BTreeMap;
use std::time::Duration;
use system::{counters, environment, pressure};
pub(crate) use warnings::{every_warning, place};

/// Latencies of 1 µs, 2 µs … up to `count` µs.
pub(crate) fn operation(kind: Kind, count: u64) -> OperationResult {
    let mut latency = Histogram::new_with_bounds(1, 3_600_000_000_000, 3).unwrap();
    for microseconds in 1..=count {
        latency.record(microseconds * 1000).unwrap();
    }
    OperationResult {
        kind,
        count,
        differed: 0,
        total: Duration::from_micros(count * (count + 1) / 2),
        slowest: Slowest {
            latency: Duration::from_micros(count),
            client: 0,
            line: 7,
            at: Duration::from_secs(1),
        },
        latency,
    }
}

pub(crate) fn client(number: u32, operations: u64) -> ClientResult {
    ClientResult {
        client: number,
        operations,
        bytes: 58_856_900,
        passes: 3,
        measured: Duration::from_secs(10),
        bytes_per_second: 5_885_690.0,
        max_latency: Duration::from_micros(5288),
        operations_by_kind: Vec::new(),
    }
}

/// One client, 10 s, 5.88569 MB/s.
pub(crate) fn one_client() -> RunResult {
    RunResult {
        info: RunInfo {
            started_at: "2026-01-02T03:04:05Z".parse().unwrap(),
            ..RunInfo::now(RunOptions::default())
        },
        clients: 1,
        processes: 1,
        loadfiles: vec![LoadInfo {
            name: "client".into(),
            dialect: Dialect::Nb3,
            sha256: "0".repeat(64),
            params: named("64K".into()),
        }],
        warm_up: WarmUp::default(),
        elapsed: Duration::from_secs(10),
        bytes_read: 38_856_900,
        bytes_written: 20_000_000,
        bytes_per_second: 5_885_690.0,
        operations: vec![
            operation(Kind::NtCreateX, 2000),
            operation(Kind::Deltree, 1),
            operation(Kind::QueryPathInformation, 500),
            operation(Kind::QueryFileInformation, 0),
            operation(Kind::FindFirst, 1000),
            operation(Kind::WriteX, 800),
            operation(Kind::ReadX, 1500),
            operation(Kind::Flush, 19_937),
        ],
        latency: operation(Kind::Close, 25_738).latency,
        slowest: Vec::new(),
        series: Vec::new(),
        counters: None,
        completions: None,
        probe: None,
        durability: None,
        verification: None,
        environment: None,
        per_client: vec![client(0, 25_738)],
        passes: vec![
            PassEnd {
                client: 0,
                took: Duration::from_millis(3210),
                at: Duration::from_millis(3215),
            },
            PassEnd {
                client: 0,
                took: Duration::from_millis(3300),
                at: Duration::from_millis(6520),
            },
        ],
        outcomes: Outcomes {
            checked: 4000,
            ..Outcomes::default()
        },
        lag: None,
        end: End::Completed,
        warnings: Vec::new(),
    }
}

/// Two clients, the second slower, with their operations by kind.
pub(crate) fn two_clients() -> RunResult {
    let by_kind = |count| {
        let operation = |kind, count| ClientOperation {
            kind,
            count,
            total: Duration::from_micros(count * 25),
            max_latency: Duration::from_micros(count * 2),
        };
        vec![
            operation(Kind::NtCreateX, count),
            operation(Kind::QueryFsInformation, count / 2),
        ]
    };
    let mut result = one_client();
    result.clients = 2;
    result.processes = 2;
    result.per_client = vec![client(0, 13_000), client(1, 12_738)];
    result.per_client[0].operations_by_kind = by_kind(1100);
    result.per_client[1].operations_by_kind = by_kind(900);
    result
}

/// A result in which nothing is absent or empty. The names in maps are `NAME`.
pub(crate) fn full() -> RunResult {
    let two = two_clients();
    RunResult {
        info: info(),
        warm_up: WarmUp {
            length: Duration::from_millis(2500),
            settled: Some(true),
            windows: vec![1e6, 0.1 + 0.2, f64::MIN_POSITIVE],
        },
        slowest: vec![SlowOperation {
            latency: Duration::from_nanos(19_937_001),
            client: 1,
            loadfile: "client".into(),
            line: 7,
            kind: Kind::Flush,
            path: "client1/a \"b\"\n".into(),
            at: Duration::from_millis(900),
        }],
        series: series(),
        counters: Some(counters()),
        completions: Some(Completions {
            local: 1000,
            remote: 10,
            lost: 1,
            counted: Duration::from_secs(10),
        }),
        probe: Some(probe()),
        durability: Some(Durability {
            unwritten_bytes: Some(4096),
            final_sync: Some(FinalSync {
                took: Duration::from_millis(77),
                bytes_per_second_with_sync: 5_840_716.5,
            }),
        }),
        verification: Some(verification()),
        environment: Some(environment()),
        outcomes: Outcomes {
            checked: 4000,
            differed: 1,
            skipped: 2,
            examples: vec![Mismatch {
                loadfile: "client".into(),
                line: 9,
                client: 1,
                kind: Kind::Unlink,
                path: "client1/absent".into(),
                expected: "success".into(),
                got: "ENOENT (No such file or directory)".into(),
            }],
            ignored: true,
        },
        lag: Some(Lag {
            histogram: operation(Kind::Close, 250).latency,
        }),
        warnings: every_warning(),
        ..two
    }
}

fn info() -> RunInfo {
    RunInfo {
        rbench_version: "0.1.0".into(),
        started_at: "2026-01-02T03:04:05.000000006Z".parse().unwrap(),
        label: Some("a name, with \"quotes\"\nand a line".into()),
        tags: named("value".into()),
        run_number: 2,
        runs: 3,
        cell: Some(cell()),
        turn: Some(Turn {
            campaign_started_at: "2026-01-02T03:00:01Z".parse().unwrap(),
            side: TurnSide::B,
            pair: 11,
            position: 21,
            confirms: true,
            order: "random:7".into(),
            what: "-R 360".into(),
        }),
        options: RunOptions {
            backend: "fileio".into(),
            time_limit: Some(Duration::from_secs(10)),
            warmup_auto: true,
            warmup: Duration::from_secs(300),
            loops: true,
            target_bytes_per_second: Some(1e6 / 3.0),
            time_scale: Some(0.1),
            sync_open: true,
            resolve: Some(false),
            trunc_io_bytes: Some(4096),
            on_mismatch: "report".into(),
            data: "random".into(),
            pin: Some("spread".into()),
            probe_think: Some(Duration::from_secs(2)),
            seed: u64::MAX,
            set: named("64K".into()),
            ..RunOptions::default()
        },
    }
}

fn named<T>(value: T) -> BTreeMap<String, T> {
    BTreeMap::from([("NAME".to_owned(), value)])
}

fn series() -> Vec<Second> {
    let second = |number: u64| Second {
        start: Duration::from_secs(number),
        length: Duration::from_nanos(1_000_000_000 - number),
        operations: 2573 + number,
        bytes_read: 3_885_690,
        bytes_written: 2_000_000 + number,
        latency: Some(SecondLatency {
            p50: Duration::from_nanos(1001),
            p99: Duration::from_nanos(2002),
            max: Duration::from_nanos(3003),
        }),
        sample: Some(Sample {
            at: Duration::from_secs(number + 1),
            dirty_bytes: Some(8192),
            writeback_bytes: Some(4096),
            device_read_bytes: Some(512),
            device_written_bytes: Some(1024),
            pressure: Some(pressure()),
            processors_busy: Some(0.7),
        }),
    };
    vec![second(0), second(1)]
}

fn verification() -> Verification {
    Verification {
        reads_checked: 100,
        bytes_checked: 409_600,
        corrupt_reads: 1,
        examples: vec![Corruption {
            client: 0,
            loadfile: "client".into(),
            line: 12,
            kind: Kind::ReadX,
            path: "client0/f".into(),
            offset: 4096,
            expected_byte: 0x41,
            got_byte: Some(0),
            found: "zeros".into(),
        }],
    }
}

/// A cell with an axis of each form: with a name, and without.
fn cell() -> Cell {
    let at = |axis, value: &str| Coordinate {
        axis,
        value: value.into(),
    };
    Cell {
        sweep_started_at: "2026-01-02T03:00:00Z".parse().unwrap(),
        sweep_command: vec!["--clients".into(), "1,2".into()],
        sweep_directory: "/data".into(),
        number: 2,
        cells: 28,
        coordinates: vec![
            at(AxisKind::Clients, "2"),
            at(AxisKind::Sysctl("vm.dirty_ratio".into()), "60"),
        ],
    }
}

fn probe() -> ProbeResult {
    let activity = |activity| ProbeActivity {
        activity,
        idle: operation(Kind::Close, 10).latency,
        loaded: operation(Kind::Close, 40).latency,
        errors: 1,
    };
    ProbeResult {
        idle_length: Duration::from_secs(3),
        activities: Activity::ALL.map(activity).to_vec(),
    }
}
