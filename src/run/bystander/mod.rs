//! The bystander (`--probe`): what a person at the machine waits for while the clients load it.
//!
//! Four small clients with time to think in between: a closed loop, as a person's is, so that one long stall is one long
//! wait and not the many that an open loop would count. They are measured twice: right before the run, on the idle
//! machine, and in the run's measured window.

mod errand;
mod failure;
mod place;
mod team;
mod think;
mod tree;
mod window;

use super::plan::{Plan, ProbePlan};
use crate::measure::clock::Nanos;
use crate::measure::probe::{Activity, ProbeActivity, ProbeResult};
use crate::measure::sampler::{Machine, ProcessorTimes};
use crate::replay::gate::Gate;
use crate::replay::home::Home;
use crate::result::Warning;
pub use failure::BystanderError;
use place::{Place, Wanted};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use team::{Stage, Tally, Team};

/// How long activities that go on are waited for when the clients have ended.
const PATIENCE: Duration = Duration::from_secs(60);
/// Share of the processors that is in use on a machine that is not idle. The bystander itself uses far less.
const BUSY: f64 = 0.1;
/// In a shorter time single ticks (10 ms) would decide.
const BUSY_WINDOW: Duration = Duration::from_secs(1);
/// Less figures than that say nothing.
const FEW: u64 = 5;
/// How often the idle phase looks whether it is to end.
const LOOK: Duration = Duration::from_millis(20);

/// The bystander of a run: measured on the idle machine, and ready for the run.
#[derive(Debug)]
pub struct Bystander {
    place: Place,
    idle: Idle,
    team: Team,
    warnings: Vec<Warning>,
}

impl Bystander {
    /// Makes the bystander's directory, measures on the idle machine, and has its clients wait for the release.
    ///
    /// # Errors
    /// It cannot be set up, or the run is stopped meanwhile. What was made is removed; the gate may not be used any more.
    pub fn prepare(
        plan: &Plan,
        probe: &ProbePlan,
        home: &Home,
        gate: &Arc<Gate>,
        command: &str,
    ) -> Result<Bystander, BystanderError> {
        let wanted = Wanted {
            run: &plan.directory,
            probe: probe.directory.as_deref(),
            command,
            space: plan.space_check.then(|| plan.space()),
        };
        let (place, mut warnings) = Place::make(wanted, home, gate.stop_flag())?;
        // Each run of several meets the load at other moments.
        let run = u64::from(plan.info.run_number) << 32;
        let seed = plan.settings.seed.wrapping_add(run);
        let prepared = measure_idle(&place, probe.idle, gate, seed).and_then(|idle| {
            let stage = Stage::run(gate, &plan.settings, probe.think);
            let started = Team::start(stage, place.directory(), place.path(), seed);
            let team = started.inspect_err(|_| {
                // Those that wait for it.
                gate.release();
            })?;
            Ok((idle, team))
        });
        match prepared {
            Ok((idle, team)) => {
                warnings.extend(idle.doubt());
                Ok(Bystander {
                    place,
                    idle,
                    team,
                    warnings,
                })
            }
            Err(error) => {
                place.remove(home, &AtomicBool::new(false));
                Err(error)
            }
        }
    }

    /// The clients of the run have ended; returns at once.
    pub fn close(&self, now: Nanos) {
        self.team.close(now);
    }

    /// Waits for what still goes on, removes the bystander's directory, and answers what was measured.
    pub fn finish(self, home: &Home, leave: &AtomicBool) -> (ProbeResult, Vec<Warning>) {
        let loaded = self.team.finish(PATIENCE, leave);
        let mut warnings = self.warnings;
        warnings.extend(self.place.remove(home, leave));
        let saves = loaded.first().map_or(0, |tally| tally.latency.len());
        if saves < FEW && loaded.iter().all(|tally| tally.errors == 0) {
            warnings.push(Warning::ProbeFewFigures { count: saves });
        }
        let both = self.idle.tallies.into_iter().zip(loaded);
        let mut activities = Vec::new();
        for (activity, (idle, loaded)) in Activity::ALL.into_iter().zip(both) {
            let what = idle.first_error.or(loaded.first_error);
            warnings.extend(what.map(|what| Warning::ProbeFailed {
                activity: activity.to_string(),
                what,
            }));
            activities.push(ProbeActivity {
                activity,
                idle: idle.latency,
                loaded: loaded.latency,
                errors: idle.errors + loaded.errors,
            });
        }
        let result = ProbeResult {
            idle_length: self.idle.length,
            activities,
        };
        (result, warnings)
    }
}

/// What was measured on the idle machine.
#[derive(Debug)]
struct Idle {
    /// In the order of [`Activity::ALL`].
    tallies: Vec<Tally>,
    length: Duration,
    /// Share of the processors that was in use; absent where the kernel does not tell.
    busy: Option<f64>,
}

impl Idle {
    /// Whether it was idle.
    fn doubt(&self) -> Option<Warning> {
        let busy = self.busy.filter(|_| self.length >= BUSY_WINDOW)?;
        (busy > BUSY).then_some(Warning::ProbeNotIdle { busy })
    }
}

/// Measures on the idle machine.
fn measure_idle(place: &Place, length: Duration, gate: &Gate, seed: u64) -> Result<Idle, BystanderError> {
    let team = Team::start(Stage::Idle(length), place.directory(), place.path(), seed)?;
    let (start, before) = (Nanos::now(), processors());
    let end = start.after(length);
    let mut now = start;
    while now < end && !gate.is_stopped() {
        std::thread::sleep(LOOK.min(end.duration_since(now)));
        now = Nanos::now();
    }
    let busy = before
        .zip(processors())
        .and_then(|(before, after)| after.since(&before).busy());
    // Who wants to end the run wants no figures.
    let tallies = team.finish(PATIENCE, gate.stop_flag());
    if gate.is_stopped() {
        return Err(BystanderError::Interrupted);
    }
    Ok(Idle {
        tallies,
        length: now.duration_since(start),
        busy,
    })
}

fn processors() -> Option<ProcessorTimes> {
    Machine::now().map(|machine| machine.all)
}
