//! What the process and this thread have used, and the clocks.

use crate::measure::counters::Usage;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What the process has used since it was started (getrusage(2)): threads that have ended count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    user: Duration,
    system: Duration,
    major_faults: u64,
    minor_faults: u64,
    blocks_in: u64,
    blocks_out: u64,
    voluntary_context_switches: u64,
    involuntary_context_switches: u64,
    max_resident_kib: u64,
}

impl Used {
    /// Reads it; None where the system has no getrusage.
    pub fn now() -> Option<Used> {
        let used = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
        Some(Used {
            user: duration(used.user_time()),
            system: duration(used.system_time()),
            major_faults: count(used.major_page_faults()),
            minor_faults: count(used.minor_page_faults()),
            blocks_in: count(used.block_reads()),
            blocks_out: count(used.block_writes()),
            voluntary_context_switches: count(used.voluntary_context_switches()),
            involuntary_context_switches: count(used.involuntary_context_switches()),
            max_resident_kib: count(used.max_rss()),
        })
    }

    /// What was used from an earlier reading to this one, `elapsed` apart.
    pub fn since(&self, earlier: &Used, elapsed: Duration) -> Usage {
        Usage {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            elapsed,
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            blocks_in: self.blocks_in.saturating_sub(earlier.blocks_in),
            blocks_out: self.blocks_out.saturating_sub(earlier.blocks_out),
            voluntary_context_switches: self
                .voluntary_context_switches
                .saturating_sub(earlier.voluntary_context_switches),
            involuntary_context_switches: self
                .involuntary_context_switches
                .saturating_sub(earlier.involuntary_context_switches),
            max_resident_kib: self.max_resident_kib,
        }
    }
}

fn duration(time: TimeVal) -> Duration {
    let micros = time
        .tv_sec()
        .saturating_mul(1_000_000)
        .saturating_add(time.tv_usec());
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// A clock's reading. None where the system has no such clock.
fn clock(id: ClockId) -> Option<i128> {
    let time = clock_gettime(id).ok()?;
    Some(i128::from(time.tv_sec()) * 1_000_000_000 + i128::from(time.tv_nsec()))
}

/// Processor time of this thread. Exact to the nanosecond, where getrusage(2) tells a running thread's time as of the
/// last tick, and would miss a reading that lies between two ticks.
pub fn thread_time() -> Duration {
    let nanos = clock(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

/// Time since the machine was started.
pub fn since_boot() -> Option<Duration> {
    u64::try_from(clock(ClockId::CLOCK_BOOTTIME)?)
        .ok()
        .map(Duration::from_nanos)
}

/// The wall clock less the time since boot, in nanoseconds: it changes when the clock is set, but not when NTP slews it
/// (which moves both) and not when the machine sleeps (which CLOCK_MONOTONIC does not count).
pub fn wall_clock_offset() -> Option<i128> {
    Some(clock(ClockId::CLOCK_REALTIME)? - clock(ClockId::CLOCK_BOOTTIME)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_of_all_but_the_largest_memory() {
        let earlier = Used {
            user: Duration::from_secs(1),
            minor_faults: 10,
            max_resident_kib: 500,
            ..Used::default()
        };
        let now = Used {
            user: Duration::from_secs(3),
            minor_faults: 15,
            blocks_out: 8,
            max_resident_kib: 700,
            ..Used::default()
        };
        let usage = Usage {
            user: Duration::from_secs(2),
            elapsed: Duration::from_secs(9),
            minor_faults: 5,
            blocks_out: 8,
            max_resident_kib: 700,
            ..Usage::default()
        };
        assert_eq!(now.since(&earlier, Duration::from_secs(9)), usage);
    }

    #[test]
    fn a_thread_that_computes_has_used_processor_time() {
        let start = thread_time();
        let sum = (0..1_000_000u64).fold(0, |sum: u64, n| std::hint::black_box(sum.wrapping_add(n)));
        assert!(thread_time() > start, "{sum}");
    }
}
