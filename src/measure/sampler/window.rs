//! The measured window: its samples, and its totals as their sums.

use super::Sampled;
use super::device_counts::DeviceCounts;
use super::doubts::{self, ProcessorUse};
use super::machine::ProcessorTimes;
use super::reading::{Boundary, Reading};
use crate::measure::clock::Nanos;
use crate::measure::counters::{Counters, Device, Pressure, Sample, Usage};
use nix::unistd::{SysconfVar, sysconf};
use std::time::Duration;

/// The window so far.
#[derive(Debug)]
pub struct Window {
    start: Nanos,
    first: Boundary,
    /// What the last sample saw; what could not be read is as before.
    last_device: Option<DeviceCounts>,
    last_pressure: Option<Pressure>,
    last_processors: Option<ProcessorTimes>,
}

impl Window {
    /// A window that starts at `start`, with what was read then.
    pub fn new(start: Nanos, first: Boundary) -> Window {
        let reading = &first.reading;
        Window {
            start,
            last_device: reading.device.clone(),
            last_pressure: reading.pressure,
            last_processors: reading.machine.as_ref().map(|machine| machine.all),
            first,
        }
    }

    /// The sample that a reading makes: flows since the reading before, so that they add up to the window's.
    pub fn sample(&mut self, now: Nanos, reading: Reading) -> Sample {
        let processors = reading.machine.map(|machine| machine.all);
        let device = between(&mut self.last_device, reading.device, DeviceCounts::bytes_since);
        // A counter that could not be read at the start counts from where it could.
        self.first.reading.device = self.first.reading.device.take().or(self.last_device.clone());
        let pressure = between(&mut self.last_pressure, reading.pressure, Pressure::since);
        self.first.reading.pressure = self.first.reading.pressure.or(self.last_pressure);
        let processors = between(&mut self.last_processors, processors, ProcessorTimes::since);
        Sample {
            at: now.duration_since(self.start),
            dirty_bytes: reading.memory.dirty_bytes(),
            writeback_bytes: reading.memory.writeback_bytes(),
            device_read_bytes: device.map(|(read, _)| read),
            device_written_bytes: device.map(|(_, written)| written),
            pressure,
            processors_busy: processors.and_then(|times| times.busy()),
        }
    }

    /// The devices that could be read, if the one under the directory could.
    fn devices(&self, end: &Reading) -> Vec<Device> {
        let Some((first, last)) = self.first.reading.device.as_ref().zip(self.last_device.as_ref()) else {
            return Vec::new();
        };
        let below = self.first.reading.below.iter().zip(&end.below);
        let below = below.filter_map(|(first, end)| Some(end.as_ref()?.since(first.as_ref()?)));
        std::iter::once(last.since(first)).chain(below).collect()
    }

    /// All counters of the window. Lines of vmstat, and the time that reading took, are not known here.
    fn counters(&self, end: &Reading, usage: Usage) -> Counters {
        let first = &self.first.reading;
        let machines = end.machine.as_ref().zip(first.machine.as_ref());
        Counters {
            usage,
            vmstat: Vec::new(),
            devices: self.devices(end),
            dirty_start_bytes: first.memory.dirty_bytes(),
            dirty_end_bytes: end.memory.dirty_bytes(),
            writeback_start_bytes: first.memory.writeback_bytes(),
            writeback_end_bytes: end.memory.writeback_bytes(),
            pressure: self
                .last_pressure
                .zip(first.pressure)
                .map(|(last, first)| last.since(&first)),
            processors_busy: machines
                .map(|(end, first)| end.each_busy_since(first))
                .unwrap_or_default(),
            sampling: Duration::ZERO,
        }
    }

    fn processor_use(&self, end: &Boundary, usage: &Usage) -> Option<ProcessorUse> {
        let machine = end.reading.machine.as_ref()?;
        let threads = end
            .kernel_threads
            .as_ref()
            .zip(self.first.kernel_threads.as_ref());
        Some(ProcessorUse {
            window: usage.elapsed,
            machine: machine.all.since(&self.first.reading.machine.as_ref()?.all),
            ticks_per_second: system_value(SysconfVar::CLK_TCK).unwrap_or(100),
            own_user: usage.user,
            own_system: usage.system,
            kernel_threads: threads.map(|(end, first)| end.since(first)),
        })
    }

    fn swapped_bytes(&self, end: &Reading) -> Option<u64> {
        let pages = end.paging?.swapped_pages_since(&self.first.reading.paging?)?;
        pages.checked_mul(system_value(SysconfVar::PAGE_SIZE)?)
    }
}

/// What lies between the last reading and this, if both are there; this is then the last.
fn between<T, D>(last: &mut Option<T>, now: Option<T>, since: impl FnOnce(&T, &T) -> D) -> Option<D> {
    let now = now?;
    let flow = last.as_ref().map(|last| since(&now, last));
    *last = Some(now);
    flow
}

fn system_value(name: SysconfVar) -> Option<u64> {
    u64::try_from(sysconf(name).ok().flatten()?).ok()
}

impl Sampled {
    /// Ends a window: the last sample, the totals, and what is doubtful.
    pub fn end(&mut self, mut window: Window, end: Nanos, boundary: Boundary) {
        let reading = boundary.reading.clone();
        self.samples.push(window.sample(end, reading));
        let Some((now, first)) = boundary.used.zip(window.first.used) else {
            return;
        };
        let usage = now.since(&first, end.duration_since(window.start));
        let counters = window.counters(&boundary.reading, usage);
        let other_load = window
            .processor_use(&boundary, &usage)
            .and_then(|used| doubts::other_load(&used));
        self.warnings.extend(other_load);
        self.warnings.extend(doubts::memory_pressure(
            usage.elapsed,
            counters.pressure.map(|pressure| pressure.memory_some),
            window.swapped_bytes(&boundary.reading),
        ));
        self.counters = Some(counters);
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Machine;
    use super::super::memory::{Memory, Paging};
    use super::super::used::Used;
    use super::*;
    use proptest::prelude::*;

    /// What a machine says when everything has been counted up to `count`.
    fn reading(count: u64) -> Reading {
        let time = Duration::from_micros(count);
        Reading {
            machine: Some(Machine {
                all: ProcessorTimes {
                    user: count,
                    idle: 3 * count,
                    ..ProcessorTimes::default()
                },
                ..Machine::default()
            }),
            memory: Memory {
                dirty: Some(count),
                ..Memory::default()
            },
            paging: Some(Paging {
                swap_in_pages: Some(count),
                swap_out_pages: Some(0),
                ..Paging::default()
            }),
            pressure: Some(Pressure {
                cpu_some: time,
                memory_some: 2 * time,
                memory_full: 3 * time,
                io_some: 4 * time,
                io_full: 5 * time,
            }),
            device: Some(device("vda1", count)),
            below: vec![Some(device("vda", 2 * count)), None],
        }
    }

    fn device(name: &str, count: u64) -> DeviceCounts {
        DeviceCounts::new(name, count)
    }

    fn boundary(reading: Reading) -> Boundary {
        Boundary {
            reading,
            used: Some(Used::default()),
            kernel_threads: None,
        }
    }

    /// A window from second 100 on, with readings a second apart; the last ends it.
    fn window(mut readings: Vec<Reading>) -> Sampled {
        let at = |second: usize| Nanos((100 + second as u64) * 1_000_000_000);
        let (end, first) = (readings.pop().unwrap(), readings.remove(0));
        let mut window = Window::new(at(0), boundary(first));
        let mut sampled = Sampled::default();
        let seconds = readings.len() + 1;
        for (second, reading) in readings.into_iter().enumerate() {
            sampled.samples.push(window.sample(at(second + 1), reading));
        }
        sampled.end(window, at(seconds), boundary(end));
        sampled
    }

    fn sum(samples: &[Sample], flow: impl Fn(&Sample) -> Option<u64>) -> u64 {
        samples.iter().filter_map(flow).sum()
    }

    /// The samples' sums are the totals, for each flow.
    fn assert_sums(sampled: &Sampled) {
        let counters = sampled.counters.as_ref().unwrap();
        let device = &counters.devices[0];
        let samples = &sampled.samples;
        assert_eq!(sum(samples, |sample| sample.device_read_bytes), device.read_bytes);
        assert_eq!(
            sum(samples, |sample| sample.device_written_bytes),
            device.written_bytes
        );
        let pressures: [fn(&Pressure) -> Duration; 5] = [
            |pressure| pressure.cpu_some,
            |pressure| pressure.memory_some,
            |pressure| pressure.memory_full,
            |pressure| pressure.io_some,
            |pressure| pressure.io_full,
        ];
        for of in pressures {
            let parts = samples.iter().filter_map(|sample| sample.pressure.as_ref());
            assert_eq!(
                parts.map(of).sum::<Duration>(),
                of(counters.pressure.as_ref().unwrap())
            );
        }
    }

    proptest! {
        #[test]
        fn flows_add_up_to_the_windows_totals_exactly(
            start in 0u64..1_000_000_000,
            steps in prop::collection::vec((0u64..1_000_000, any::<bool>()), 1..30),
        ) {
            let mut count = start;
            let mut readings = vec![reading(start)];
            for (step, readable) in steps {
                count += step;
                let mut reading = reading(count);
                if !readable {
                    reading.device = None;
                    reading.pressure = None;
                }
                readings.push(reading);
            }
            readings.push(reading(count + 1));
            let sampled = window(readings);
            assert_sums(&sampled);
            let counters = sampled.counters.unwrap();
            let moved = (count + 1 - start) * 512;
            prop_assert_eq!(counters.devices[0].read_bytes, moved);
            prop_assert_eq!(counters.pressure.unwrap().memory_some, Duration::from_micros(2 * (count + 1 - start)));
        }
    }

    #[test]
    fn what_could_not_be_read_at_the_start_counts_from_where_it_could() {
        let mut readings = vec![reading(10), reading(20), reading(35)];
        readings[0].device = None;
        readings[0].pressure = None;
        let sampled = window(readings);
        assert_eq!(sampled.samples[0].device_read_bytes, None);
        assert_sums(&sampled);
        assert_eq!(sampled.counters.unwrap().devices[0].read_bytes, 15 * 512);
    }

    #[test]
    fn levels_are_those_of_the_ends_and_devices_those_that_could_be_read() {
        let sampled = window(vec![reading(10), reading(20), reading(50)]);
        let counters = sampled.counters.unwrap();
        assert_eq!(
            (counters.dirty_start_bytes, counters.dirty_end_bytes),
            (Some(10_240), Some(51_200))
        );
        let devices: Vec<_> = counters
            .devices
            .iter()
            .map(|device| device.name.as_str())
            .collect();
        assert_eq!(devices, ["vda1", "vda"]);
        assert_eq!(counters.devices[1].written_bytes, 80 * 512);
        let at: Vec<_> = sampled.samples.iter().map(|sample| sample.at.as_secs()).collect();
        assert_eq!(at, [1, 2]);
        assert_eq!(sampled.samples[1].dirty_bytes, Some(51_200));
        assert_eq!(sampled.samples[1].processors_busy, Some(0.25));
    }

    #[test]
    fn a_system_that_tells_nothing_leaves_only_what_the_process_used() {
        let sampled = window(vec![Reading::default(), Reading::default(), Reading::default()]);
        let counters = sampled.counters.unwrap();
        assert_eq!(counters.usage.elapsed, Duration::from_secs(2));
        assert_eq!((counters.devices.len(), counters.pressure), (0, None));
        assert_eq!(
            (counters.dirty_start_bytes, counters.processors_busy.len()),
            (None, 0)
        );
        assert_eq!(sampled.warnings, []);
        let empty = Sample {
            at: Duration::from_secs(1),
            dirty_bytes: None,
            writeback_bytes: None,
            device_read_bytes: None,
            device_written_bytes: None,
            pressure: None,
            processors_busy: None,
        };
        assert_eq!(sampled.samples[0], empty);
    }

    #[test]
    fn other_load_stalls_and_swapping_are_told_of_the_window_alone() {
        let texts = |sampled: Sampled| {
            let texts = sampled.warnings.iter().map(ToString::to_string);
            texts.collect::<Vec<_>>()
        };
        let before_it = texts(window(vec![
            reading(1_000_000_000),
            reading(1_000_000_001),
            reading(1_000_000_002),
        ]));
        assert_eq!(before_it.len(), 1, "{before_it:?}");
        assert!(
            before_it[0].starts_with("other processes used 25 %"),
            "{before_it:?}"
        );
        let within = texts(window(vec![reading(0), reading(500_000)]));
        assert!(
            within[1].starts_with("memory was short (tasks waited"),
            "{within:?}"
        );
        assert!(within[1].contains("MB went to or from swap"), "{within:?}");
    }
}
