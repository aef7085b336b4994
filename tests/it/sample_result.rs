//! A result as a run would give it, with figures chosen so that every column differs.

use hdrhistogram::Histogram;
use rbench::loadfile::Dialect;
use rbench::op::Kind;
use rbench::result::{
    ClientOperation, ClientResult, End, LoadInfo, OperationResult, Outcomes, PassEnd, RunInfo, RunOptions,
    RunResult, Slowest, WarmUp,
};
use std::time::Duration;

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
        info: RunInfo::now(RunOptions::default()),
        clients: 1,
        processes: 1,
        loadfiles: vec![LoadInfo {
            name: "client".into(),
            dialect: Dialect::Nb3,
            sha256: "0".repeat(64),
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
