//! Runs: from a plan to a result.

pub mod between;
mod bystander;
mod cleanup;
mod collect;
mod crew;
mod direct;
mod doubts;
mod durability;
mod isolate;
pub mod limits;
mod memory;
mod on_disk;
pub mod pin;
mod pinning;
mod plan;
mod signals;
mod together;
mod view;
mod watch;

pub use bystander::BystanderError;
pub use pin::Pin;
pub use pinning::PinError;
pub use plan::{Backend, Measurement, Plan, ProbePlan};
pub use signals::Interrupts;
pub use together::{Member, execute_together};
pub use view::{Silent, View};

use crate::loadfile::Problems;
use crate::measure::LiveCell;
use crate::measure::environment::{self, Environment};
use crate::measure::sampler::{Sampled, Sampler};
use crate::measure::seconds::Seconds;
use crate::measure::series::add_samples;
use crate::replay::OnMismatch;
use crate::replay::data::WriteData;
use crate::replay::fs::Filesystem;
use crate::replay::gate::{Gate, StopReason};
use crate::replay::home::HomeError;
use crate::replay::null::Null;
use crate::replay::verifying::{Ledger, Verifying};
use crate::result::{End, RunResult, Warning};
use bystander::Bystander;
use collect::Clock;
use crew::{Crew, Supplies};
use limits::LimitError;
use memory::Memory;
use nix::errno::Errno;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use watch::Watch;

/// Why a run could not be started. The clients' directory is as before.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{0}")]
    Loadfile(Problems),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Limit(#[from] LimitError),
    #[error(transparent)]
    Pin(#[from] PinError),
    #[error(
        "{directory}: extended attributes of users do not work here ({errno}): run without -x, or on a file system (and mount) that has them"
    )]
    Attributes { directory: String, errno: Errno },
    #[error(
        "{directory}: files cannot be opened, written and read with O_DIRECT here ({errno}): run without --direct, or on a file system that has it"
    )]
    Direct { directory: String, errno: Errno },
    #[error(
        "the load makes symbolic links, or the kept tree holds one, and this kernel cannot keep them inside it (openat2: {errno}): needs Linux 5.6 or later, and a sandbox that allows openat2"
    )]
    Confinement { errno: Errno },
    #[error("stopped by signal {signal} before the clients were released: {directory} is as before")]
    Interrupted { directory: String, signal: i32 },
    #[error(transparent)]
    Bystander(#[from] BystanderError),
    #[error("no thread can be started for a group: {0}: raise the limits on threads (ulimit -u) and memory")]
    Group(std::io::Error),
    #[error("signals cannot be handled: {0}")]
    Signals(std::io::Error),
}

impl RunError {
    /// The exit code that tells it: 2 the loadfile or an option is wrong, 128 + signal, 1 anything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            RunError::Loadfile(_) | RunError::Pin(_) => 2,
            RunError::Interrupted { signal, .. } => 128u8.saturating_add(*signal as u8),
            _ => 1,
        }
    }
}

/// Executes a plan: makes the clients' directory, runs, cleans up.
///
/// # Errors
/// See [`RunError`]; whatever was made is removed again.
pub fn execute(plan: &Plan, view: &mut dyn View) -> Result<RunResult, RunError> {
    execute_gated(plan, view, &Arc::new(Gate::new(plan.clients)))
}

/// The same, with a gate (for the plan's clients) that can be stopped from outside.
fn execute_gated(plan: &Plan, view: &mut dyn View, gate: &Arc<Gate>) -> Result<RunResult, RunError> {
    plan.check().map_err(RunError::Loadfile)?;
    plan.pin.assigned(plan.clients)?;
    limits::check_memory(plan.buffers())?;
    let leave = Arc::new(AtomicBool::new(false));
    let _listener = signals::Listener::start(gate.clone(), leave.clone()).map_err(RunError::Signals)?;
    signals::install_wake().map_err(|errno| RunError::Signals(errno.into()))?;
    match plan.backend {
        // It reads nothing, so that there is nothing to verify.
        Backend::Null => {
            let environment = environment_of(plan, None);
            let make = |_| Ok(Null::default());
            let uncounted = plan.measurement.completions.then(|| Warning::NoCompletions {
                why: "-B null asks nothing of any device".to_owned(),
            });
            let warnings = uncounted.into_iter().collect();
            let mut result = replay(plan, gate, view, &make, warnings, Sampler::none(), None);
            result.environment = environment.map(environment::completed);
            Ok(result)
        }
        Backend::FileIo => on_disk::on_disk(plan, gate, &leave, view),
    }
}

/// Executes a plan with any implementation of the calls, and without a directory (tests: errors on demand).
///
/// # Errors
/// The handler of the signal that wakes clients cannot be installed.
pub fn execute_with<F, M>(plan: &Plan, view: &mut dyn View, make: &M) -> Result<RunResult, RunError>
where
    F: Filesystem,
    M: Fn(u32) -> Result<F, String> + Sync,
{
    // Without it the first client that has to be woken would end the process.
    signals::install_wake().map_err(|errno| RunError::Signals(errno.into()))?;
    Ok(replay_checked(
        plan,
        &Gate::new(plan.clients),
        view,
        make,
        Vec::new(),
        Sampler::none(),
        None,
    ))
}

/// What the run is about to run on, if that is wanted.
fn environment_of(plan: &Plan, directory: Option<BorrowedFd<'_>>) -> Option<Environment> {
    let wanted = plan.measurement.environment;
    wanted.then(|| environment::collect(directory))
}

/// Replays, and with `--verify` checks what is read.
fn replay_checked<F, M>(
    plan: &Plan,
    gate: &Gate,
    view: &mut dyn View,
    make: &M,
    warnings: Vec<Warning>,
    sampler: Sampler,
    bystander: Option<&Bystander>,
) -> RunResult
where
    F: Filesystem,
    M: Fn(u32) -> Result<F, String> + Sync,
{
    if !plan.settings.verify {
        return replay(plan, gate, view, make, warnings, sampler, bystander);
    }
    let ledger = Ledger::default();
    let stop = (plan.settings.on_mismatch == OnMismatch::Stop).then_some(gate);
    let verifying = |client| {
        let inner = make(client)?;
        Ok(Verifying::new(inner, client, plan.program(client), &ledger, stop))
    };
    let mut result = replay(plan, gate, view, &verifying, warnings, sampler, bystander);
    result.verification = Some(ledger.verification());
    result
}

/// Releases the clients and waits for them.
fn replay<F, M>(
    plan: &Plan,
    gate: &Gate,
    view: &mut dyn View,
    make: &M,
    warnings: Vec<Warning>,
    mut sampler: Sampler,
    bystander: Option<&Bystander>,
) -> RunResult
where
    F: Filesystem,
    M: Fn(u32) -> Result<F, String> + Sync,
{
    let data = WriteData::of_programs(plan.programs.iter().map(|program| &**program), &plan.settings);
    let live: Vec<_> = (0..plan.clients).map(|_| LiveCell::default()).collect();
    let seconds = Seconds::new();
    let processors = processors(plan, gate);
    let supplies = Supplies {
        plan,
        data: &data,
        processors: &processors,
        gate,
        live: &live,
        seconds: &seconds,
    };
    let loadfiles = collect::load_infos(plan);
    let mut memory = Memory::new(plan);
    let mut started_at = plan.info.started_at;
    let (release, phases, records, shared) = std::thread::scope(|scope| {
        let mut crew = Crew::start(scope, &supplies, memory.scratches(), make);
        gate.wait_for_arrivals(plan.clients);
        forget_prepared(plan, gate);
        view.started(plan.clients, plan.expected_operations());
        sampler.ready();
        let release = gate.release();
        started_at = jiff::Timestamp::now();
        let watch = Watch {
            plan,
            gate,
            live: &live,
            seconds: &seconds,
            release,
            bystander,
        };
        let phases = watch::watch(&watch, &mut crew, view, &mut sampler);
        view.ended();
        let (records, shared) = crew.finish();
        (release, phases, records, shared)
    });
    let clock = Clock {
        release,
        phases,
        seconds: &seconds,
    };
    let mut result = collect::collect(plan, loadfiles, clock, &records, end(gate), warnings);
    result.info.started_at = started_at;
    add_sampled(&mut result, sampler.finish());
    if let Some(shared) = shared {
        result.warnings.push(Warning::SharedKernelObjects {
            what: shared.what.into(),
            errno: shared.errno.desc().to_owned(),
        });
    }
    result.warnings.extend(doubts::doubts(plan, &result));
    result
}

/// Takes what the clients have prepared out of memory, where that was asked for: reads of it are to come from the disk.
fn forget_prepared(plan: &Plan, gate: &Gate) {
    if !plan.measurement.drop_caches || !plan.prepares() || gate.is_stopped() {
        return;
    }
    if let Err(error) = between::drop_caches() {
        gate.stop(StopReason::Failed(error.to_string()));
    }
}

/// The processor of each client, if they are bound. That they can be was found before anything was touched; where it
/// is not so any more the run fails.
fn processors(plan: &Plan, gate: &Gate) -> Vec<u32> {
    plan.pin.assigned(plan.clients).unwrap_or_else(|error| {
        gate.stop(StopReason::Failed(error.to_string()));
        Vec::new()
    })
}

/// Adds what was read of the system's counters.
fn add_sampled(result: &mut RunResult, sampled: Sampled) {
    let Sampled {
        counters,
        completions,
        samples,
        warnings,
    } = sampled;
    result.counters = counters;
    result.completions = completions;
    add_samples(&mut result.series, samples);
    result.warnings.extend(warnings);
}

/// How a run has ended whose gate is as it is now.
fn end(gate: &Gate) -> End {
    match gate.reason() {
        None | Some(StopReason::Enough) => End::Completed,
        Some(StopReason::Signal(signal)) => End::Interrupted(signal),
        Some(StopReason::Failed(what)) => End::Failed(what),
        Some(StopReason::OutputClosed) => End::Interrupted(libc::SIGPIPE),
    }
}
