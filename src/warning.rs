//! Doubts about a run, in the words that the user reads.

use crate::units::nanos;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A doubt about a result; the text says what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Warning {
    /// Clients share kernel objects, because the sandbox forbids private ones.
    SharedKernelObjects { what: Cow<'static, str>, errno: String },
    /// The lock of the marker file is not supported there.
    NoLock { errno: String },
    /// A tree that a killed run had left was removed first.
    RemovedLeftovers { pid: Option<u32> },
    /// Written data are zeros and the file system compresses.
    ZerosOnCompression { file_system: String },
    /// The run was shorter than a second.
    Short {
        #[serde(rename = "elapsed_ns", with = "nanos")]
        elapsed: Duration,
    },
    /// Throughput changed within the run: of five equal parts of the measured window, the spread of their means and the
    /// change along the fitted line, both as a share of the mean.
    Unsteady { spread: f64, drift: f64 },
    /// `--warmup auto`: throughput had not settled when the warm-up had to end.
    NotSettled {
        #[serde(rename = "after_ns", with = "nanos")]
        after: Duration,
    },
    /// Others took this share of the machine's processor time during the run; of that, what the hypervisor took.
    OtherLoad { busy: f64, stolen: f64 },
    /// The wall clock was set by so many seconds during the run.
    ClockStepped { seconds: f64 },
    /// Tasks waited for memory for this share of the run (absent where the kernel does not tell), or so much was moved
    /// to or from swap.
    MemoryPressure {
        stalled: Option<f64>,
        swapped_bytes: Option<u64>,
    },
    /// The file system was so full, 0 to 1.
    NearlyFull { fill_level: f64 },
    /// The processors' frequency follows the load.
    Governor { governor: String },
    /// A control group limits what the run may use.
    ContainerLimit { what: String },
    /// More than half of what was written was not on the disk yet when the run ended.
    Unwritten {
        unwritten_bytes: u64,
        written_bytes: u64,
    },
    /// Writeback in the background was to start (vm.dirty_background_ratio or _bytes) where writers have to wait already
    /// (vm.dirty_ratio or _bytes): the kernel starts it at half of that. In percent or bytes, as `unit` says.
    BackgroundNotBelow {
        background: u64,
        limit: u64,
        unit: Cow<'static, str>,
    },
    /// `--skip-cleanup`: the tree could not be marked as kept, so that the next run will remove it.
    NotKept { why: String },
    /// Something in the tree could not be removed at the end.
    CleanupIncomplete { names: Vec<String> },
    /// `--probe`: the first failure of one of the bystander's activities.
    ProbeFailed { activity: String, what: String },
    /// `--probe`: this share of the machine's processor time was used while it was to be idle.
    ProbeNotIdle { busy: f64 },
    /// `--probe`: the bystander saved a file only so often during the run.
    ProbeFewFigures { count: u64 },
    /// This signal came when all was measured, during the cleanup.
    SignalAfterEnd { signal: i32 },
    /// `--completions`: they could not be counted.
    NoCompletions { why: String },
    /// Read from a result of another version of rbench, which says it so.
    #[serde(skip)]
    Unknown { kind: String, text: String },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::SharedKernelObjects { what, errno } => write!(
                f,
                "clients share {what} ({errno}): figures with several clients are lower than the file system's; run outside the sandbox"
            ),
            Warning::NoLock { errno } => write!(
                f,
                "the marker file cannot be locked here ({errno}): make sure that no second run uses this directory"
            ),
            Warning::RemovedLeftovers { pid: Some(pid) } => {
                write!(f, "removed what a killed run (pid {pid}) had left")
            }
            Warning::RemovedLeftovers { pid: None } => write!(f, "removed what a killed run had left"),
            Warning::ZerosOnCompression { file_system } => write!(
                f,
                "the {file_system} mount compresses and the data written are zeros: throughput says little about real data; use --data random, or mount without compression"
            ),
            Warning::Short { elapsed } => write!(
                f,
                "the measured window was only {:.3} s: use a longer -t, or more clients, for figures that repeat",
                elapsed.as_secs_f64()
            ),
            Warning::Unsteady { spread, drift } => write!(
                f,
                "throughput was not steady: within the run it varied by {:.0} % and drifted by {:.0} %; use a longer -t, or --warmup auto",
                spread * 100.0,
                drift * 100.0
            ),
            Warning::NotSettled { after } => write!(
                f,
                "throughput had not settled after {:.0} s of warm-up: the figures hold for a state that still changes; raise --warmup-max",
                after.as_secs_f64()
            ),
            Warning::OtherLoad { busy, stolen } => other_load(f, *busy, *stolen),
            Warning::ClockStepped { seconds } => write!(
                f,
                "the wall clock was set by {seconds:+.3} s during the run: the figures do not depend on it, the times of day in the result do"
            ),
            Warning::MemoryPressure {
                stalled,
                swapped_bytes,
            } => memory_pressure(f, *stalled, *swapped_bytes),
            Warning::NearlyFull { fill_level } => write!(
                f,
                "the file system was {:.0} % full before the run, and full ones are slower: make room",
                fill_level * 100.0
            ),
            Warning::Governor { governor } => write!(
                f,
                "the processors run under the governor `{governor}`, which changes their frequency: set `performance` for figures that repeat"
            ),
            Warning::ContainerLimit { what } => write!(
                f,
                "a control group limits {what}: the figures are the limit's as much as the file system's; run outside the container, or raise the limit"
            ),
            Warning::Unwritten {
                unwritten_bytes,
                written_bytes,
            } => write!(
                f,
                "{:.1} MB were not on the disk yet at the end (of the whole machine), and {:.1} MB were written: much of the throughput is the memory's; use --final-sync, or a longer -t",
                *unwritten_bytes as f64 / 1e6,
                *written_bytes as f64 / 1e6
            ),
            Warning::BackgroundNotBelow {
                background,
                limit,
                unit,
            } => write!(
                f,
                "writeback in the background was set to start at {background} {unit}, which is not below the {limit} {unit} at which writers wait: the kernel starts it at half of that; set vm.dirty_background_* below vm.dirty_*, or do not read these figures as those of {background} {unit}"
            ),
            Warning::NotKept { why } => {
                write!(f, "the files are there, but the next run will remove them: {why}")
            }
            Warning::CleanupIncomplete { names } => write!(
                f,
                "could not remove {}: remove it with `rbench clean` when it is no longer in use",
                names.join(", ")
            ),
            Warning::ProbeFailed { activity, what } => write!(
                f,
                "the bystander's {activity}: {what} (what fails is in none of its figures): see to the cause, and run again"
            ),
            Warning::ProbeFewFigures { count } => write!(
                f,
                "the bystander saved only {count} times during the run, too few to say how long that takes: use a longer -t, or let it think shorter (--probe-think)"
            ),
            Warning::ProbeNotIdle { busy } => write!(
                f,
                "the machine was not idle when the bystander was measured on it ({:.0} % of the processors were in use): its factors are too low; stop what else runs",
                busy * 100.0
            ),
            Warning::SignalAfterEnd { signal } => write!(
                f,
                "signal {signal} came after the end of the run: the figures are of the whole run"
            ),
            Warning::NoCompletions { why } => {
                write!(f, "completions of block requests were not counted: {why}")
            }
            Warning::Unknown { text, .. } => f.write_str(text),
        }
    }
}

fn other_load(f: &mut fmt::Formatter<'_>, busy: f64, stolen: f64) -> fmt::Result {
    let percent = busy * 100.0;
    // What the hypervisor takes cannot be stopped from here.
    if stolen < busy / 4.0 {
        return write!(
            f,
            "other processes used {percent:.0} % of the processors during the run: stop them, or expect lower figures"
        );
    }
    let stolen = stolen * 100.0;
    write!(
        f,
        "{percent:.0} % of the processors' time went to others during the run, {stolen:.0} % to other virtual machines: use a quieter host, or expect lower figures"
    )
}

fn memory_pressure(
    f: &mut fmt::Formatter<'_>,
    stalled: Option<f64>,
    swapped_bytes: Option<u64>,
) -> fmt::Result {
    let waited = stalled.map(|share| format!("tasks waited for it for {:.0} % of the run", share * 100.0));
    let swapped = swapped_bytes.map(|bytes| format!("{:.1} MB went to or from swap", bytes as f64 / 1e6));
    let what: Vec<String> = waited.into_iter().chain(swapped).collect();
    write!(
        f,
        "memory was short ({}): the figures hold for this amount of memory only; use fewer clients, or stop what else needs memory",
        what.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_the_hypervisor_took_is_told_where_it_is_much_of_it() {
        let text = |busy, stolen| Warning::OtherLoad { busy, stolen }.to_string();
        assert_eq!(
            text(0.3, 0.01),
            "other processes used 30 % of the processors during the run: stop them, or expect lower figures"
        );
        assert_eq!(
            text(0.3, 0.2),
            "30 % of the processors' time went to others during the run, 20 % to other virtual machines: \
             use a quieter host, or expect lower figures"
        );
    }

    #[test]
    fn short_memory_is_told_by_what_is_known_of_it() {
        let text = |stalled, swapped_bytes| {
            let warning = Warning::MemoryPressure {
                stalled,
                swapped_bytes,
            };
            let text = warning.to_string();
            text[..text.find(':').unwrap()].to_owned()
        };
        assert_eq!(
            text(Some(0.123), None),
            "memory was short (tasks waited for it for 12 % of the run)"
        );
        assert_eq!(
            text(None, Some(2_500_000)),
            "memory was short (2.5 MB went to or from swap)"
        );
        assert_eq!(
            text(Some(0.01), Some(2_500_000)),
            "memory was short (tasks waited for it for 1 % of the run, 2.5 MB went to or from swap)"
        );
    }
}
