//! What the system counted, and what it is.

use super::named;
use rbench::result::{
    Axis, BlockDevice, ContainerLimits, Counters, Device, Environment, FileSystem, Identity, Nuisance,
    Pressure, Usage, Vmstat, VmstatMoment,
};
use std::time::Duration;

pub(super) fn pressure() -> Pressure {
    Pressure {
        cpu_some: Duration::from_micros(1),
        memory_some: Duration::from_micros(2),
        memory_full: Duration::from_micros(3),
        io_some: Duration::from_micros(4),
        io_full: Duration::from_micros(5),
    }
}

pub(super) fn counters() -> Counters {
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

pub(super) fn environment() -> Environment {
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
