//! What the system counted during a run. What a kernel does not tell is absent, never 0.

use crate::units::nanos;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Counters of the measured window, start-up and cleanup excluded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    pub usage: Usage,
    /// The machine as `vmstat` shows it: before the run (since boot), each `--vmstat` seconds, after it.
    pub vmstat: Vec<Vmstat>,
    /// The block devices under the directory, in the order of the environment's: the one that is mounted first, then
    /// what it is made of.
    pub devices: Vec<Device>,
    /// At the start and end of the measured window.
    pub dirty_start_bytes: Option<u64>,
    pub dirty_end_bytes: Option<u64>,
    pub writeback_start_bytes: Option<u64>,
    pub writeback_end_bytes: Option<u64>,
    /// Time stalled in the window (PSI); absent where the kernel does not tell.
    pub pressure: Option<Pressure>,
    /// Busy share of each processor over the window, 0 to 1, in order of their numbers; what the hypervisor took counts
    /// as busy.
    pub processors_busy: Vec<f64>,
    /// Processor time that reading these counters took, from the release of the clients on.
    #[serde(rename = "sampling_ns", with = "nanos")]
    pub sampling: Duration,
}

/// What the process used in the measured window, as getrusage(2) tells and `time` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    #[serde(rename = "user_ns", with = "nanos")]
    pub user: Duration,
    #[serde(rename = "system_ns", with = "nanos")]
    pub system: Duration,
    #[serde(rename = "elapsed_ns", with = "nanos")]
    pub elapsed: Duration,
    pub major_faults: u64,
    pub minor_faults: u64,
    /// Of 512 bytes.
    pub blocks_in: u64,
    pub blocks_out: u64,
    pub voluntary_context_switches: u64,
    pub involuntary_context_switches: u64,
    /// Most memory that the process ever had, up to the end of the window.
    pub max_resident_kib: u64,
}

/// When a line of `vmstat` was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VmstatMoment {
    /// Means since the machine was started.
    Before,
    /// Since the line before.
    During,
    After,
}

/// A line as `vmstat` prints it. Memory in KiB; swap and blocks in KiB per second; processor times in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Vmstat {
    pub moment: VmstatMoment,
    /// Since the release of the clients; 0 before it.
    #[serde(rename = "at_ns", with = "nanos")]
    pub at: Duration,
    pub running: u64,
    pub blocked: u64,
    pub swapped_kib: u64,
    pub free_kib: u64,
    pub buffers_kib: u64,
    pub cache_kib: u64,
    pub swap_in_kib_per_second: u64,
    pub swap_out_kib_per_second: u64,
    pub blocks_in_kib_per_second: u64,
    pub blocks_out_kib_per_second: u64,
    pub interrupts_per_second: u64,
    pub context_switches_per_second: u64,
    pub user_percent: u64,
    pub system_percent: u64,
    pub idle_percent: u64,
    pub wait_percent: u64,
    pub stolen_percent: u64,
}

/// /proc/diskstats of a block device, over the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The kernel's name: `vda1`, `dm-0`.
    pub name: String,
    pub reads: u64,
    pub read_bytes: u64,
    pub writes: u64,
    pub written_bytes: u64,
    pub flushes: Option<u64>,
    /// Time in which at least one request was under way.
    #[serde(rename = "busy_ns", with = "nanos")]
    pub busy: Duration,
}

/// Time in which tasks were stalled (PSI), in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pressure {
    /// Some task waited for a processor.
    #[serde(rename = "cpu_some_ns", with = "nanos")]
    pub cpu_some: Duration,
    #[serde(rename = "memory_some_ns", with = "nanos")]
    pub memory_some: Duration,
    /// All tasks that were not idle waited for memory.
    #[serde(rename = "memory_full_ns", with = "nanos")]
    pub memory_full: Duration,
    #[serde(rename = "io_some_ns", with = "nanos")]
    pub io_some: Duration,
    #[serde(rename = "io_full_ns", with = "nanos")]
    pub io_full: Duration,
}

impl Pressure {
    /// Of two stretches of time together.
    pub fn plus(&self, other: &Pressure) -> Pressure {
        self.with(other, Duration::saturating_add)
    }

    /// Time stalled from an earlier reading to this one.
    pub fn since(&self, earlier: &Pressure) -> Pressure {
        self.with(earlier, Duration::saturating_sub)
    }

    fn with(&self, other: &Pressure, combine: fn(Duration, Duration) -> Duration) -> Pressure {
        let Pressure {
            cpu_some,
            memory_some,
            memory_full,
            io_some,
            io_full,
        } = *other;
        Pressure {
            cpu_some: combine(self.cpu_some, cpu_some),
            memory_some: combine(self.memory_some, memory_some),
            memory_full: combine(self.memory_full, memory_full),
            io_some: combine(self.io_some, io_some),
            io_full: combine(self.io_full, io_full),
        }
    }
}

/// Counters of the system at the end of a second. Flows are since the sample before (the start of the window for the
/// first), so that their sums are the window's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Since the start of the measured window.
    #[serde(rename = "at_ns", with = "nanos")]
    pub at: Duration,
    pub dirty_bytes: Option<u64>,
    pub writeback_bytes: Option<u64>,
    /// Of the device under the directory (the first of [`Counters::devices`]).
    pub device_read_bytes: Option<u64>,
    pub device_written_bytes: Option<u64>,
    pub pressure: Option<Pressure>,
    /// Share of the machine's processor time that was not idle, 0 to 1.
    pub processors_busy: Option<f64>,
}
