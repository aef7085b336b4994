//! A result as a run would give it, with figures chosen so that every column differs.

use hdrhistogram::Histogram;
use rbench::loadfile::Dialect;
use rbench::op::Kind;
use rbench::result::{
    Axis, BlockDevice, ClientOperation, ClientResult, ContainerLimits, Corruption, Counters, Device,
    Durability, End, Environment, FileSystem, FinalSync, Identity, Lag, LoadInfo, Mismatch, Nuisance,
    OperationResult, Outcomes, PassEnd, Pressure, RunInfo, RunOptions, RunResult, Sample, Second,
    SecondLatency, SlowOperation, Slowest, Usage, Verification, Vmstat, VmstatMoment, WarmUp, Warning,
};
use std::collections::BTreeMap;
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
            seed: u64::MAX,
            set: named("64K".into()),
            ..RunOptions::default()
        },
    }
}

fn named<T>(value: T) -> BTreeMap<String, T> {
    BTreeMap::from([("NAME".to_owned(), value)])
}

fn pressure() -> Pressure {
    Pressure {
        cpu_some: Duration::from_micros(1),
        memory_some: Duration::from_micros(2),
        memory_full: Duration::from_micros(3),
        io_some: Duration::from_micros(4),
        io_full: Duration::from_micros(5),
    }
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

fn counters() -> Counters {
    Counters {
        usage: Usage {
            user: Duration::from_millis(400),
            system: Duration::from_millis(600),
            elapsed: Duration::from_secs(10),
            minor_faults: 12,
            ..Usage::default()
        },
        vmstat: vec![Vmstat {
            moment: VmstatMoment::During,
            at: Duration::from_secs(1),
            running: 2,
            blocked: 1,
            swapped_kib: 0,
            free_kib: 1_000_000,
            buffers_kib: 2000,
            cache_kib: 300_000,
            swap_in_kib_per_second: 0,
            swap_out_kib_per_second: 0,
            blocks_in_kib_per_second: 5,
            blocks_out_kib_per_second: 6,
            interrupts_per_second: 700,
            context_switches_per_second: 800,
            user_percent: 10,
            system_percent: 20,
            idle_percent: 60,
            wait_percent: 10,
            stolen_percent: 0,
        }],
        devices: vec![Device {
            name: "vda1".into(),
            reads: 1,
            read_bytes: 4096,
            writes: 2,
            written_bytes: 8192,
            flushes: Some(3),
            busy: Duration::from_millis(55),
        }],
        dirty_start_bytes: Some(1),
        dirty_end_bytes: Some(2),
        writeback_start_bytes: Some(3),
        writeback_end_bytes: Some(4),
        pressure: Some(pressure()),
        processors_busy: vec![0.25, 1.0 / 3.0],
        sampling: Duration::from_micros(321),
    }
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

fn environment() -> Environment {
    Environment {
        identity: Identity {
            file_system: Some(FileSystem {
                kind: "ext4".into(),
                mount_options: vec!["relatime".into()],
                super_options: vec!["errors=remount-ro".into()],
                features: vec!["extents".into()],
                block_size_bytes: Some(4096),
                size_bytes: Some(1 << 34),
            }),
            devices: vec![BlockDevice {
                name: "vda1".into(),
                model: Some("a model".into()),
                size_bytes: Some(1 << 34),
                kind: "partition".into(),
                rotational: Some(false),
            }],
            machine_id_sha256: Some("0".repeat(64)),
        },
        axis: Axis {
            kernel_release: Some("6.1.0".into()),
            kernel_version: Some("#1 SMP".into()),
            kernel_command_line: Some("quiet".into()),
        },
        nuisance: Nuisance {
            cpu_model: Some("a processor".into()),
            processors_online: Some(2),
            cpu_governor: Some("performance".into()),
            smt: Some("off".into()),
            mitigations: named("Mitigation: PTI".into()),
            numa_nodes: Some(1),
            memory_bytes: Some(1 << 33),
            swap_bytes: Some(0),
            transparent_hugepages: Some("madvise".into()),
            sysctls: named("20".into()),
            queue: named("none".into()),
            fill_level: Some(0.42),
            load_average_before: Some(0.1),
            load_average_after: Some(1.9),
            pressure_before: named(0.0),
            pressure_after: named(12.34),
            container: Some(ContainerLimits {
                memory_bytes: Some(1 << 30),
                processors: Some(1.5),
                io: vec!["8:0 rbps=1000".into()],
            }),
            virtual_machine: Some("kvm".into()),
            taint: Some(4096),
        },
    }
}

/// One warning of each kind.
pub(crate) fn every_warning() -> Vec<Warning> {
    let errno = || "EPERM".to_owned();
    vec![
        Warning::SharedKernelObjects {
            what: "the table of descriptors".into(),
            errno: errno(),
        },
        Warning::NoLock { errno: errno() },
        Warning::RemovedLeftovers { pid: Some(42) },
        Warning::ZerosOnCompression {
            file_system: "btrfs".into(),
        },
        Warning::Short {
            elapsed: Duration::from_nanos(346_251_501),
        },
        Warning::Unsteady {
            spread: 0.1 + 0.2,
            drift: -0.25,
        },
        Warning::NotSettled {
            after: Duration::from_secs(300),
        },
        Warning::OtherLoad {
            busy: 1.0 / 3.0,
            stolen: 0.1,
        },
        Warning::ClockStepped { seconds: -3600.5 },
        Warning::MemoryPressure {
            stalled: Some(0.07),
            swapped_bytes: Some(8192),
        },
        Warning::NearlyFull { fill_level: 0.97 },
        Warning::Governor {
            governor: "powersave".into(),
        },
        Warning::ContainerLimit {
            what: "memory".into(),
        },
        Warning::Unwritten {
            unwritten_bytes: 60_000_000,
            written_bytes: 100_000_000,
        },
        Warning::NotKept {
            why: "no space".into(),
        },
        Warning::CleanupIncomplete {
            names: vec!["clients/client0/f".into()],
        },
        Warning::SignalAfterEnd { signal: 15 },
    ]
}

/// Which of [`every_warning`] it is. A new kind does not compile until it has its place in both.
pub(crate) fn place(warning: &Warning) -> Option<usize> {
    Some(match warning {
        Warning::SharedKernelObjects { .. } => 0,
        Warning::NoLock { .. } => 1,
        Warning::RemovedLeftovers { .. } => 2,
        Warning::ZerosOnCompression { .. } => 3,
        Warning::Short { .. } => 4,
        Warning::Unsteady { .. } => 5,
        Warning::NotSettled { .. } => 6,
        Warning::OtherLoad { .. } => 7,
        Warning::ClockStepped { .. } => 8,
        Warning::MemoryPressure { .. } => 9,
        Warning::NearlyFull { .. } => 10,
        Warning::Governor { .. } => 11,
        Warning::ContainerLimit { .. } => 12,
        Warning::Unwritten { .. } => 13,
        Warning::NotKept { .. } => 14,
        Warning::CleanupIncomplete { .. } => 15,
        Warning::SignalAfterEnd { .. } => 16,
        Warning::Unknown { .. } => return None,
    })
}
