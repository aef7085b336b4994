//! Lines as `vmstat` prints them, from two readings.

use super::machine::{Machine, ProcessorTimes};
use super::memory::{Memory, Paging};
use crate::measure::counters::{Vmstat, VmstatMoment};
use std::time::Duration;

/// What a line is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub machine: Machine,
    pub memory: Memory,
    pub paging: Paging,
}

/// A line over the time `over` since `earlier`, or since boot.
///
/// None where the kernel does not tell all of it. Where it knows no swap, none is used.
pub fn line(
    moment: VmstatMoment,
    at: Duration,
    earlier: Option<&State>,
    now: &State,
    over: Duration,
    page_kib: u64,
) -> Option<Vmstat> {
    let State {
        machine,
        memory,
        paging,
    } = now;
    let rate = |now: u64, earlier: Option<u64>| per_second(now.saturating_sub(earlier.unwrap_or(0)), over);
    let swap_rate = |pages: fn(&Paging) -> Option<u64>| {
        let before = earlier.and_then(|earlier| pages(&earlier.paging)).unwrap_or(0);
        per_second(
            pages(paging)
                .unwrap_or(0)
                .saturating_sub(before)
                .saturating_mul(page_kib),
            over,
        )
    };
    let times = machine
        .all
        .since(&earlier.map_or_else(ProcessorTimes::default, |earlier| earlier.machine.all));
    let percent = |ticks| percent(ticks, &times);
    Some(Vmstat {
        moment,
        at,
        // The thread that reads runs too.
        running: machine.running?.saturating_sub(1),
        blocked: machine.blocked?,
        swapped_kib: memory
            .swap_total
            .unwrap_or(0)
            .saturating_sub(memory.swap_free.unwrap_or(0)),
        free_kib: memory.free?,
        buffers_kib: memory.buffers?,
        cache_kib: memory.cached?.saturating_add(memory.reclaimable.unwrap_or(0)),
        swap_in_kib_per_second: swap_rate(|paging| paging.swap_in_pages),
        swap_out_kib_per_second: swap_rate(|paging| paging.swap_out_pages),
        blocks_in_kib_per_second: rate(paging.in_kib, earlier.map(|earlier| earlier.paging.in_kib)),
        blocks_out_kib_per_second: rate(paging.out_kib, earlier.map(|earlier| earlier.paging.out_kib)),
        interrupts_per_second: rate(
            machine.interrupts?,
            earlier.and_then(|earlier| earlier.machine.interrupts),
        ),
        context_switches_per_second: rate(
            machine.context_switches?,
            earlier.and_then(|earlier| earlier.machine.context_switches),
        ),
        user_percent: percent(times.user + times.nice),
        system_percent: percent(times.system + times.interrupts + times.soft_interrupts),
        idle_percent: percent(times.idle),
        wait_percent: percent(times.wait),
        stolen_percent: percent(times.stolen),
    })
}

fn per_second(count: u64, over: Duration) -> u64 {
    let seconds = over.as_secs_f64();
    if seconds > 0.0 {
        (count as f64 / seconds).round() as u64
    } else {
        0
    }
}

/// Share of the time, rounded as procps does it.
fn percent(ticks: u64, times: &ProcessorTimes) -> u64 {
    let total = times.total();
    (100 * ticks + total / 2) / total.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(scale: u64) -> State {
        let all = ProcessorTimes {
            user: 20 * scale,
            nice: 10 * scale,
            system: 25 * scale,
            idle: 30 * scale,
            wait: 5 * scale,
            interrupts: 2 * scale,
            soft_interrupts: 3 * scale,
            stolen: 5 * scale,
        };
        State {
            machine: Machine {
                all,
                each: Vec::new(),
                interrupts: Some(1000 * scale),
                context_switches: Some(3000 * scale),
                running: Some(4),
                blocked: Some(2),
            },
            memory: Memory {
                free: Some(100),
                buffers: Some(10),
                cached: Some(40),
                reclaimable: Some(5),
                swap_total: Some(90),
                swap_free: Some(70),
                dirty: None,
                writeback: None,
            },
            paging: Paging {
                in_kib: 500 * scale,
                out_kib: 700 * scale,
                swap_in_pages: Some(6 * scale),
                swap_out_pages: Some(9 * scale),
            },
        }
    }

    fn during(earlier: Option<&State>, now: &State, seconds: u64) -> Option<Vmstat> {
        let over = Duration::from_secs(seconds);
        line(
            VmstatMoment::During,
            Duration::from_secs(7),
            earlier,
            now,
            over,
            4,
        )
    }

    const EXPECTED: Vmstat = Vmstat {
        moment: VmstatMoment::During,
        at: Duration::from_secs(7),
        running: 3,
        blocked: 2,
        swapped_kib: 20,
        free_kib: 100,
        buffers_kib: 10,
        cache_kib: 45,
        swap_in_kib_per_second: 12,
        swap_out_kib_per_second: 18,
        blocks_in_kib_per_second: 250,
        blocks_out_kib_per_second: 350,
        interrupts_per_second: 500,
        context_switches_per_second: 1500,
        user_percent: 30,
        system_percent: 30,
        idle_percent: 30,
        wait_percent: 5,
        stolen_percent: 5,
    };

    #[test]
    fn rates_are_by_the_second_since_the_line_before_and_levels_as_they_are() {
        assert_eq!(during(Some(&state(5)), &state(6), 2), Some(EXPECTED));
    }

    #[test]
    fn the_first_line_has_means_since_boot() {
        assert_eq!(during(None, &state(1), 2), Some(EXPECTED));
    }

    #[test]
    fn a_line_over_no_time_is_no_panic_and_counters_that_went_back_are_no_flow() {
        let line = during(Some(&state(5)), &state(5), 0).unwrap();
        assert_eq!((line.interrupts_per_second, line.idle_percent), (0, 0));
        let line = during(Some(&state(6)), &state(5), 1).unwrap();
        assert_eq!((line.blocks_out_kib_per_second, line.user_percent), (0, 0));
    }

    #[test]
    fn the_largest_counts_that_are_read_are_no_panic() {
        let mut now = state(1);
        let largest = (1u64 << 52) - 1;
        let line = format!("cpu {}", [largest.to_string().as_str(); 8].join(" "));
        let counts = Machine::parse(&line).unwrap();
        (now.machine.all, now.memory.cached) = (counts.all, Some(u64::MAX));
        now.paging.swap_in_pages = Some(u64::MAX);
        let line = during(None, &now, 1).unwrap();
        assert_eq!((line.user_percent, line.cache_kib), (25, u64::MAX));
        let before = Paging {
            swap_in_pages: Some(0),
            swap_out_pages: Some(0),
            ..now.paging
        };
        now.paging.swap_out_pages = Some(u64::MAX);
        assert_eq!(now.paging.swapped_pages_since(&before), Some(u64::MAX));
    }

    #[test]
    fn without_swap_there_is_a_line_and_without_counted_interrupts_there_is_none() {
        let mut now = state(1);
        now.memory.swap_total = None;
        now.memory.swap_free = None;
        now.paging.swap_in_pages = None;
        now.paging.swap_out_pages = None;
        let line = during(None, &now, 2).unwrap();
        assert_eq!((line.swapped_kib, line.swap_in_kib_per_second), (0, 0));
        now.machine.interrupts = None;
        assert_eq!(during(None, &now, 2), None);
    }
}
