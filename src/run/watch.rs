//! The run as it goes on: what is seen of it each second, what is sampled, and when the measured window starts.

use super::View;
use super::bystander::Bystander;
use super::crew::Crew;
use super::plan::Plan;
use crate::measure::clock::Nanos;
use crate::measure::live::LiveReading;
use crate::measure::sampler::Sampler;
use crate::measure::seconds::{Seconds, second_of};
use crate::measure::steadiness::has_settled;
use crate::measure::{LiveCell, Phase, Tick};
use crate::replay::gate::{Gate, StopReason};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// A window of the warm-up that was cut shorter by a late look says little.
const SHORTEST_WINDOW: Duration = Duration::from_millis(500);
/// Whole seconds from the one in which throughput has settled to the measured window: at least one is left for the
/// word to reach all clients.
const NOTICE: u64 = 2;

/// What is watched.
pub struct Watch<'r> {
    pub plan: &'r Plan,
    pub gate: &'r Gate,
    pub live: &'r [LiveCell],
    pub seconds: &'r Seconds,
    pub release: Nanos,
    /// Sees by the gate when its figures count, and is told here when that ends.
    pub bystander: Option<&'r Bystander>,
}

/// What was found out about the phases of a run.
#[derive(Debug)]
pub struct Phases {
    /// Start of the measured window; where the run has ended before, when it would have started.
    pub measured_from: Nanos,
    /// When all clients had ended.
    pub ended: Nanos,
    /// `--warmup auto`: whether throughput had settled; absent otherwise, and where the run has ended before that was
    /// known.
    pub settled: Option<bool>,
    /// `--warmup auto`: what was moved in each window of the warm-up, a second.
    pub windows: Vec<f64>,
}

/// The windows of a warm-up that ends when throughput has settled.
#[derive(Debug)]
struct Windows {
    last: Nanos,
    seen: LiveReading,
    bytes: Vec<f64>,
    operations: Vec<f64>,
}

impl Windows {
    fn new(release: Nanos) -> Windows {
        Windows {
            last: release,
            seen: LiveReading::default(),
            bytes: Vec::new(),
            operations: Vec::new(),
        }
    }

    /// A window has ended at `now`.
    fn end(&mut self, now: Nanos, reading: LiveReading) {
        let length = now.duration_since(self.last);
        if length < SHORTEST_WINDOW {
            return;
        }
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / length.as_secs_f64();
        self.bytes.push(rate(reading.bytes, self.seen.bytes));
        self.operations
            .push(rate(reading.operations, self.seen.operations));
        (self.last, self.seen) = (now, reading);
    }

    /// Bytes per second; operations per second where no bytes are moved.
    fn rates(&self) -> &[f64] {
        if self.seen.bytes > 0 {
            &self.bytes
        } else {
            &self.operations
        }
    }
}

/// The state of a watch.
struct Watching<'w, 'r> {
    watch: &'w Watch<'r>,
    phase: Phase,
    phase_start: Nanos,
    /// Bytes moved before the phase began.
    before: u64,
    measured_from: Nanos,
    deadline: Nanos,
    windows: Option<Windows>,
    settled: Option<bool>,
}

impl<'w, 'r> Watching<'w, 'r> {
    fn new(watch: &'w Watch<'r>) -> Watching<'w, 'r> {
        let (settings, release) = (&watch.plan.settings, watch.release);
        let warms_up = !settings.warmup.is_zero();
        let mut watching = Watching {
            watch,
            phase: if warms_up { Phase::Warmup } else { Phase::Execute },
            phase_start: release,
            before: 0,
            measured_from: release,
            deadline: Nanos::NEVER,
            windows: (warms_up && settings.warmup_auto).then(|| Windows::new(release)),
            settled: None,
        };
        watching.set_window(release.after(settings.warmup));
        watching
    }

    fn set_window(&mut self, start: Nanos) {
        self.measured_from = start;
        if let Some(limit) = self.watch.plan.settings.time_limit {
            self.deadline = start.after(limit);
        }
    }

    /// The end of the warm-up, if that is still to come.
    fn change(&self) -> Nanos {
        match self.phase {
            Phase::Warmup => self.measured_from,
            _ => Nanos::NEVER,
        }
    }

    /// The warm-up is over; the clients have seen it by themselves.
    fn begin(&mut self, now: Nanos) {
        let reading = reading(self.watch.live, now);
        self.end_window(now, reading);
        if self.windows.is_some() {
            self.settled.get_or_insert(false);
        }
        self.before = reading.bytes;
        self.phase = Phase::Execute;
        self.phase_start = self.measured_from;
    }

    /// A second of the warm-up has ended: where throughput has settled, all are told when the measured window starts.
    /// (A client that did not see it before the start, because this thread lost the processor for a second on the way,
    /// only starts a second later than the others.)
    fn end_window(&mut self, now: Nanos, reading: LiveReading) {
        let Some(windows) = self.windows.as_mut().filter(|_| self.settled.is_none()) else {
            return;
        };
        windows.end(now, reading);
        if !has_settled(windows.rates()) {
            return;
        }
        self.settled = Some(true);
        let release = self.watch.release;
        // Not of the time of the look, which may have taken long where many clients share a processor.
        let told = Nanos::now();
        let start = release.after(Duration::from_secs(second_of(release, told) + NOTICE));
        if start < self.measured_from {
            self.watch.gate.open_window(start);
            self.set_window(start);
        }
    }

    fn tick(&self, now: Nanos, clients: u32, reading: LiveReading) -> Tick {
        let elapsed = now.duration_since(self.phase_start);
        Tick {
            phase: self.phase,
            clients,
            lines_per_client: reading.operations / u64::from(self.watch.plan.clients),
            bytes_per_second: reading.bytes.saturating_sub(self.before) as f64 / elapsed.as_secs_f64(),
            elapsed,
            latency: Duration::from_nanos(reading.worst),
        }
    }

    fn end(self) -> Phases {
        Phases {
            measured_from: self.measured_from,
            ended: Nanos::now(),
            settled: self.settled,
            windows: self
                .windows
                .map_or_else(Vec::new, |windows| windows.rates().to_vec()),
        }
    }
}

/// Shows the run once a second until the clients have ended.
pub fn watch(
    watch: &Watch<'_>,
    crew: &mut Crew<'_, '_>,
    view: &mut dyn View,
    sampler: &mut Sampler,
) -> Phases {
    let gate = watch.gate;
    let mut watching = Watching::new(watch);
    sampler.release(watch.release);
    if watching.phase == Phase::Execute {
        sampler.begin(watch.release);
    }
    let mut next = watch.release.after(SECOND);
    while crew.at_work() > 0 {
        let change = watching.change();
        let wake = next.min(change).min(sampler.next_line());
        let wake_from = watching.deadline.after(Duration::from_millis(50));
        crew.wait(gate, wake, wake_from);
        let now = Nanos::now();
        watch.seconds.prepare(watching.measured_from, now);
        // Lines that are due with the end of a second are taken with its sample.
        if now < next.min(change) {
            sampler.line(now);
        }
        if now >= change {
            watching.begin(now);
            sampler.begin(watching.measured_from);
            next = watching.measured_from.after(SECOND);
            continue;
        }
        if now < next || crew.at_work() == 0 {
            continue;
        }
        next = next.after(SECOND);
        sampler.sample(now);
        if now >= watching.deadline {
            continue;
        }
        let reading = reading(watch.live, now);
        watching.end_window(now, reading);
        let tick = watching.tick(now, crew.at_work(), reading);
        if view.tick(&tick, reading.operations).is_err() {
            gate.stop(StopReason::OutputClosed);
        }
    }
    if let Some(bystander) = watch.bystander {
        bystander.close(Nanos::now());
    }
    sampler.end(Nanos::now());
    watching.end()
}

/// The counters of all clients together.
fn reading(live: &[LiveCell], now: Nanos) -> LiveReading {
    let readings = live.iter().map(|cell| cell.read(now));
    readings.fold(LiveReading::default(), |sum, one| LiveReading {
        operations: sum.operations + one.operations,
        bytes: sum.bytes + one.bytes,
        worst: sum.worst.max(one.worst),
    })
}
