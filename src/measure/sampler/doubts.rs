//! When what was counted casts a doubt on a run.

use super::machine::ProcessorTimes;
use crate::warning::Warning;
use std::time::Duration;

/// Share of the machine's processor time above which others disturb.
const OTHER_LOAD: f64 = 0.1;
/// In a shorter window single ticks (10 ms) would decide.
const OTHER_LOAD_WINDOW: Duration = Duration::from_secs(1);
/// A change of the wall clock that counts, in nanoseconds.
const CLOCK_STEP: i128 = 100_000_000;
/// Share of the window in which some task waited for memory.
const MEMORY_STALL: f64 = 0.05;
/// A page or two that an idle program fetches back from swap is no want of memory.
const SWAPPED_BYTES: u64 = 1 << 20;

/// Processor time of the window.
#[derive(Debug, Clone, Copy)]
pub struct ProcessorUse {
    pub window: Duration,
    /// The machine's, in ticks.
    pub machine: ProcessorTimes,
    pub ticks_per_second: u64,
    pub own_user: Duration,
    pub own_system: Duration,
    /// Ticks of the kernel's threads; None where they cannot be seen.
    pub kernel_threads: Option<u64>,
}

/// Whether others used more than a tenth of the processors.
///
/// Others' time is all user time that is not ours, system time that is neither ours nor of the kernel's threads, and
/// what the hypervisor took. The kernel's threads and interrupts are left out, because they write back, encrypt and
/// complete what we have written; where the threads cannot be seen, so is all system time.
pub fn other_load(used: &ProcessorUse) -> Option<Warning> {
    let total = used.machine.total() as f64;
    if used.window < OTHER_LOAD_WINDOW || total <= 0.0 {
        return None;
    }
    let ticks = |time: Duration| time.as_secs_f64() * used.ticks_per_second as f64;
    let times = &used.machine;
    let user = (times.user + times.nice) as f64 - ticks(used.own_user);
    let system = used
        .kernel_threads
        .map(|threads| times.system as f64 - threads as f64 - ticks(used.own_system));
    // How a task's time is split into user and system is an estimate: what one has too much, the other lacks.
    let others = (user + system.unwrap_or(0.0)).max(0.0);
    let stolen = times.stolen as f64;
    let busy = (others + stolen) / total;
    (busy > OTHER_LOAD).then_some(Warning::OtherLoad {
        busy,
        stolen: stolen / total,
    })
}

/// Whether the wall clock was set: its offsets from a clock that cannot be set, in nanoseconds, at the release and the end.
pub fn clock_stepped(release: i128, end: i128) -> Option<Warning> {
    let step = end - release;
    (step.abs() > CLOCK_STEP).then_some(Warning::ClockStepped {
        seconds: step as f64 / 1e9,
    })
}

/// Whether memory was short: time that some task waited for it, and bytes moved to or from swap.
pub fn memory_pressure(
    window: Duration,
    stalled: Option<Duration>,
    swapped_bytes: Option<u64>,
) -> Option<Warning> {
    let window = window.as_secs_f64();
    let stalled = stalled
        .filter(|_| window > 0.0)
        .map(|stalled| stalled.as_secs_f64() / window);
    let swapped_bytes = swapped_bytes.filter(|&bytes| bytes >= SWAPPED_BYTES);
    let short = stalled.is_some_and(|share| share > MEMORY_STALL) || swapped_bytes.is_some();
    short.then_some(Warning::MemoryPressure {
        stalled,
        swapped_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten seconds of two processors, half of them idle; all else is ours or the kernel's threads'.
    fn quiet() -> ProcessorUse {
        ProcessorUse {
            window: Duration::from_secs(10),
            machine: ProcessorTimes {
                user: 100,
                system: 800,
                idle: 1000,
                soft_interrupts: 100,
                ..ProcessorTimes::default()
            },
            ticks_per_second: 100,
            own_user: Duration::from_secs(1),
            own_system: Duration::from_secs(4),
            kernel_threads: Some(400),
        }
    }

    fn busy(used: &ProcessorUse) -> Option<(f64, f64)> {
        match other_load(used) {
            Some(Warning::OtherLoad { busy, stolen }) => Some((busy, stolen)),
            _ => None,
        }
    }

    #[test]
    fn our_own_time_the_kernels_threads_and_interrupts_are_no_other_load() {
        assert_eq!(busy(&quiet()), None);
        let mut used = quiet();
        used.kernel_threads = None;
        assert_eq!(busy(&used), None, "what system time cannot be told from ours");
    }

    #[test]
    fn other_programs_user_nice_and_system_time_count() {
        let more: [fn(&mut ProcessorTimes) -> &mut u64; 3] = [
            |times| &mut times.user,
            |times| &mut times.nice,
            |times| &mut times.system,
        ];
        for field in more {
            let mut used = quiet();
            used.machine.idle -= 400;
            *field(&mut used.machine) += 400;
            assert_eq!(busy(&used), Some((0.2, 0.0)));
            used.machine.idle += 300;
            *field(&mut used.machine) -= 300;
            assert_eq!(busy(&used), None, "a twentieth is no disturbance");
        }
    }

    #[test]
    fn a_wrong_split_of_our_own_time_is_no_other_load() {
        let mut used = quiet();
        used.machine.user += 300;
        used.machine.system -= 300;
        assert_eq!(busy(&used), None);
    }

    #[test]
    fn stolen_time_counts_and_is_told() {
        let mut used = quiet();
        used.machine.idle -= 300;
        used.machine.stolen += 300;
        assert_eq!(busy(&used), Some((0.15, 0.15)));
    }

    #[test]
    fn a_window_of_a_few_ticks_says_nothing_about_others() {
        let mut used = quiet();
        used.machine.user += 1000;
        assert!(busy(&used).is_some());
        used.window = Duration::from_millis(900);
        assert_eq!(busy(&used), None);
        used.window = Duration::from_secs(10);
        used.machine = ProcessorTimes::default();
        assert_eq!(busy(&used), None);
    }

    #[test]
    fn a_clock_that_is_set_by_more_than_a_tenth_of_a_second_either_way_is_told() {
        let day = 1_796_050_873_000_000_000;
        assert_eq!(clock_stepped(day, day + 100_000_000), None);
        assert_eq!(
            clock_stepped(day, day + 100_000_001),
            Some(Warning::ClockStepped { seconds: 0.100000001 })
        );
        assert_eq!(
            clock_stepped(day, day - 3_600_000_000_000),
            Some(Warning::ClockStepped { seconds: -3600.0 })
        );
    }

    #[test]
    fn waiting_for_memory_or_swapping_is_told_and_a_page_fetched_back_is_not() {
        let ten = Duration::from_secs(10);
        let pressure = |stalled, swapped| memory_pressure(ten, stalled, swapped);
        let half = Some(Duration::from_millis(500));
        assert_eq!(pressure(half, Some(4096)), None);
        assert_eq!(pressure(None, None), None);
        assert_eq!(
            pressure(Some(Duration::from_secs(1)), Some(4096)),
            Some(Warning::MemoryPressure {
                stalled: Some(0.1),
                swapped_bytes: None
            })
        );
        assert_eq!(
            pressure(None, Some(1 << 20)),
            Some(Warning::MemoryPressure {
                stalled: None,
                swapped_bytes: Some(1 << 20)
            })
        );
        assert_eq!(memory_pressure(Duration::ZERO, half, None), None);
    }
}
