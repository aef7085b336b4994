//! One warning of each kind.

use rbench::result::Warning;
use std::time::Duration;

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
        Warning::ProbeFailed {
            activity: "save".into(),
            what: "cannot sync the new file: Input/output error (EIO)".into(),
        },
        Warning::ProbeNotIdle { busy: 0.25 },
        Warning::ProbeFewFigures { count: 3 },
        Warning::SignalAfterEnd { signal: 15 },
        Warning::NoCompletions {
            why: "run as root".into(),
        },
        Warning::BackgroundNotBelow {
            background: 90,
            limit: 60,
            unit: "percent".into(),
        },
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
        Warning::ProbeFailed { .. } => 16,
        Warning::ProbeNotIdle { .. } => 17,
        Warning::ProbeFewFigures { .. } => 18,
        Warning::SignalAfterEnd { .. } => 19,
        Warning::NoCompletions { .. } => 20,
        Warning::BackgroundNotBelow { .. } => 21,
        Warning::Unknown { .. } => return None,
    })
}
