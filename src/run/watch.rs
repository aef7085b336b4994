//! The run as it goes on: what is seen of it each second, and what is sampled.

use super::View;
use super::crew::Crew;
use super::plan::Plan;
use crate::measure::clock::Nanos;
use crate::measure::live::LiveReading;
use crate::measure::sampler::Sampler;
use crate::measure::{LiveCell, Phase, Tick};
use crate::replay::gate::{Gate, StopReason};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Shows the run once a second until the clients have ended.
pub fn watch(
    plan: &Plan,
    gate: &Gate,
    live: &[LiveCell],
    release: Nanos,
    crew: &mut Crew<'_, '_>,
    view: &mut dyn View,
    sampler: &mut Sampler,
) {
    let measured = release.after(plan.settings.warmup);
    let deadline = plan
        .settings
        .time_limit
        .map_or(Nanos::NEVER, |limit| measured.after(limit));
    sampler.release(release);
    let mut phase = if measured > release {
        Phase::Warmup
    } else {
        sampler.begin(release);
        Phase::Execute
    };
    let mut phase_start = release;
    // Bytes moved before the phase began.
    let mut before = 0;
    let mut next = release.after(SECOND);
    while crew.at_work() > 0 {
        let change = if phase == Phase::Warmup {
            measured
        } else {
            Nanos::NEVER
        };
        let wake = next.min(change).min(sampler.next_line());
        crew.wait(gate, wake, deadline.after(Duration::from_millis(50)));
        let now = Nanos::now();
        // Lines that are due with the end of a second are taken with its sample.
        if now < next.min(change) {
            sampler.line(now);
        }
        if now >= change {
            before = reading(live, now).bytes;
            sampler.begin(measured);
            phase = Phase::Execute;
            phase_start = measured;
            next = measured.after(SECOND);
            continue;
        }
        if now < next || crew.at_work() == 0 {
            continue;
        }
        next = next.after(SECOND);
        sampler.sample(now);
        if now >= deadline {
            continue;
        }
        let LiveReading {
            operations,
            bytes,
            worst,
        } = reading(live, now);
        let elapsed = now.duration_since(phase_start);
        let tick = Tick {
            phase,
            clients: crew.at_work(),
            lines_per_client: operations / u64::from(plan.clients),
            bytes_per_second: bytes.saturating_sub(before) as f64 / elapsed.as_secs_f64(),
            elapsed,
            latency: Duration::from_nanos(worst),
        };
        if view.tick(&tick, operations).is_err() {
            gate.stop(StopReason::OutputClosed);
        }
    }
    sampler.end(Nanos::now());
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
