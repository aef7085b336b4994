//! Runs: from a plan to a result.

pub mod between;
mod collect;
mod crew;
mod doubts;
mod durability;
mod isolate;
pub mod limits;
mod memory;
mod plan;
mod signals;
mod view;
mod watch;

pub use plan::{Backend, Measurement, Plan};
pub use signals::Interrupts;
pub use view::{Silent, View};

use crate::loadfile::Problems;
use crate::measure::clock::Nanos;
use crate::measure::environment::{self, Environment};
use crate::measure::mount::Mount;
use crate::measure::sampler::Sampler;
use crate::measure::seconds::Seconds;
use crate::measure::{LiveCell, Phase, Tick};
use crate::replay::OnMismatch;
use crate::replay::data::WriteData;
use crate::replay::fs::Filesystem;
use crate::replay::gate::{Gate, StopReason};
use crate::replay::home::{Home, HomeError, HomeOptions};
use crate::replay::null::Null;
use crate::replay::real::{Real, Roots, can_resolve_beneath};
use crate::replay::verifying::{Ledger, Verifying};
use crate::result::{End, RunResult, Warning};
use collect::Clock;
use crew::{Crew, Supplies};
use limits::LimitError;
use memory::Memory;
use nix::errno::Errno;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
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
    #[error(
        "{directory}: extended attributes of users do not work here ({errno}): run without -x, or on a file system (and mount) that has them"
    )]
    Attributes { directory: String, errno: Errno },
    #[error(
        "the load makes symbolic links, or the kept tree holds one, and this kernel cannot keep them inside it (openat2: {errno}): needs Linux 5.6 or later, and a sandbox that allows openat2"
    )]
    Confinement { errno: Errno },
    #[error("stopped by signal {signal} before the clients were released: {directory} is as before")]
    Interrupted { directory: String, signal: i32 },
    #[error("signals cannot be handled: {0}")]
    Signals(std::io::Error),
}

impl RunError {
    /// The exit code that tells it: 2 the loadfile is wrong, 128 + signal, 1 anything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            RunError::Loadfile(_) => 2,
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
    plan.check().map_err(RunError::Loadfile)?;
    limits::check_memory(plan.buffers())?;
    let gate = Arc::new(Gate::new(plan.clients));
    let leave = Arc::new(AtomicBool::new(false));
    let _listener = signals::Listener::start(gate.clone(), leave.clone()).map_err(RunError::Signals)?;
    signals::install_wake().map_err(|errno| RunError::Signals(errno.into()))?;
    match plan.backend {
        // It reads nothing, so that there is nothing to verify.
        Backend::Null => {
            let environment = environment_of(plan, None);
            let make = |_| Ok(Null::default());
            let mut result = replay(plan, &gate, view, &make, Vec::new(), Sampler::none());
            result.environment = environment.map(environment::completed);
            Ok(result)
        }
        Backend::FileIo => on_disk(plan, &gate, &leave, view),
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
    ))
}

fn on_disk(
    plan: &Plan,
    gate: &Gate,
    leave: &Arc<AtomicBool>,
    view: &mut dyn View,
) -> Result<RunResult, RunError> {
    limits::raise_descriptor_limit(descriptors(plan))?;
    let (mut home, mut warnings) = prepare(plan, gate)?;
    let beneath = match ready(plan, &home) {
        Ok(beneath) => beneath,
        Err(error) => {
            if home.is_kept() {
                // Preparing has marked it as in use. Should this fail too, the next run removes it.
                let _ = home.mark_kept();
            } else {
                home.remove(leave);
            }
            return Err(error);
        }
    };
    warnings.extend(environment::doubts(home.clients_fd()));
    let environment = environment_of(plan, Some(home.clients_fd()));
    let dirty_before = durability::unwritten();
    let sampler = Sampler::new(home.clients_fd(), plan.measurement.vmstat_every);
    let mut result = if beneath {
        replay_checked(
            plan,
            gate,
            view,
            &|client| real::<true>(&home, client),
            warnings,
            sampler,
        )
    } else {
        replay_checked(
            plan,
            gate,
            view,
            &|client| real::<false>(&home, client),
            warnings,
            sampler,
        )
    };
    // Before the final sync, which loads the machine too.
    result.environment = environment.map(environment::completed);
    durability::finish(
        &mut result,
        home.clients_fd(),
        dirty_before,
        plan.measurement.final_sync,
    );
    if plan.writes_zeros()
        && let Some(mount) = Mount::of(home.clients_fd()).filter(Mount::compresses)
    {
        let file_system = mount.kind;
        result.warnings.push(Warning::ZerosOnCompression { file_system });
    }
    if plan.skip_cleanup && result.end == End::Completed {
        if let Err(error) = home.mark_kept() {
            result.warnings.push(Warning::NotKept {
                why: error.to_string(),
            });
        }
    } else if !plan.skip_cleanup {
        result.warnings.extend(clean_up(home, leave, gate, view));
    }
    if result.end == End::Completed
        && let Some(StopReason::Signal(signal)) = gate.reason()
    {
        result.warnings.push(Warning::SignalAfterEnd { signal });
    }
    Ok(result)
}

/// What the run is about to run on, if that is wanted.
fn environment_of(plan: &Plan, directory: Option<BorrowedFd<'_>>) -> Option<Environment> {
    let wanted = plan.measurement.environment;
    wanted.then(|| environment::collect(directory))
}

/// Makes the clients' directory, or takes it over.
fn prepare(plan: &Plan, gate: &Gate) -> Result<(Home, Vec<Warning>), RunError> {
    let options = HomeOptions {
        command: std::env::args_os()
            .map(|word| word.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join(" "),
        shared_subdirs: plan.shared_directories(),
        stop: Some(gate.stop_flag()),
    };
    let prepared = Home::prepare(&plan.directory, plan.clients, &options);
    match (prepared, gate.reason()) {
        (Err(HomeError::Interrupted { path }), Some(StopReason::Signal(signal))) => {
            Err(RunError::Interrupted {
                directory: path.display().to_string(),
                signal,
            })
        }
        (prepared, _) => Ok(prepared?),
    }
}

/// How many descriptors the process, or each client's own table, needs.
fn descriptors(plan: &Plan) -> u64 {
    let one = plan.descriptors_per_client();
    if isolate::can_isolate_descriptors() {
        one
    } else {
        one.saturating_mul(u64::from(plan.clients)).saturating_add(64)
    }
}

/// Whether paths must be resolved beneath their roots, after all that must hold before the first operation.
fn ready(plan: &Plan, home: &Home) -> Result<bool, RunError> {
    if plan.space_check {
        limits::check_space(home.clients_fd(), plan.space())?;
    }
    if plan.settings.xattr {
        let probe = crate::replay::real::probe_attributes(home.clients_fd());
        probe.map_err(|errno| RunError::Attributes {
            directory: plan.directory.display().to_string(),
            errno,
        })?;
    }
    let links = plan.makes_symlinks() || home.is_kept() && home.holds_symlinks();
    if links {
        can_resolve_beneath(home.clients_fd()).map_err(|errno| RunError::Confinement { errno })?;
    }
    Ok(links)
}

fn real<const BENEATH: bool>(home: &Home, client: u32) -> Result<Real<BENEATH>, String> {
    let open = || -> nix::Result<Roots> {
        Ok(Roots {
            clients: home
                .clients_fd()
                .try_clone_to_owned()
                .map_err(|_| Errno::last())?,
            client: home.client_root(client)?,
            shared: home.shared_root()?,
        })
    };
    let roots = open().map_err(|errno| {
        format!(
            "client{client}: its directory cannot be opened: {errno:?} ({})",
            errno.desc()
        )
    })?;
    Ok(Real::new(roots))
}

/// Replays, and with `--verify` checks what is read.
fn replay_checked<F, M>(
    plan: &Plan,
    gate: &Gate,
    view: &mut dyn View,
    make: &M,
    warnings: Vec<Warning>,
    sampler: Sampler,
) -> RunResult
where
    F: Filesystem,
    M: Fn(u32) -> Result<F, String> + Sync,
{
    if !plan.settings.verify {
        return replay(plan, gate, view, make, warnings, sampler);
    }
    let ledger = Ledger::default();
    let stop = (plan.settings.on_mismatch == OnMismatch::Stop).then_some(gate);
    let verifying = |client| {
        let inner = make(client)?;
        Ok(Verifying::new(inner, client, plan.program(client), &ledger, stop))
    };
    let mut result = replay(plan, gate, view, &verifying, warnings, sampler);
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
) -> RunResult
where
    F: Filesystem,
    M: Fn(u32) -> Result<F, String> + Sync,
{
    let data = WriteData::of_programs(plan.programs.iter().map(|program| &**program), &plan.settings);
    let live: Vec<_> = (0..plan.clients).map(|_| LiveCell::default()).collect();
    let seconds = Seconds::new();
    let supplies = Supplies {
        plan,
        data: &data,
        gate,
        live: &live,
        seconds: &seconds,
    };
    let mut memory = Memory::new(plan);
    let mut started_at = plan.info.started_at;
    let (release, phases, records, shared) = std::thread::scope(|scope| {
        let mut crew = Crew::start(scope, &supplies, memory.scratches(), make);
        gate.wait_for_arrivals(plan.clients);
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
        };
        let phases = watch::watch(&watch, &mut crew, view, &mut sampler);
        let (records, shared) = crew.finish();
        (release, phases, records, shared)
    });
    let end = match gate.reason() {
        None => End::Completed,
        Some(StopReason::Signal(signal)) => End::Interrupted(signal),
        Some(StopReason::Failed(what)) => End::Failed(what),
        Some(StopReason::OutputClosed) => End::Interrupted(libc::SIGPIPE),
    };
    let clock = Clock {
        release,
        phases,
        seconds: &seconds,
    };
    let mut result = collect::collect(plan, clock, &records, end, warnings);
    result.info.started_at = started_at;
    let sampled = sampler.finish();
    result.counters = sampled.counters;
    crate::measure::series::add_samples(&mut result.series, sampled.samples);
    result.warnings.extend(sampled.warnings);
    if let Some(shared) = shared {
        result.warnings.push(Warning::SharedKernelObjects {
            what: shared.what.into(),
            errno: shared.errno.desc().to_owned(),
        });
    }
    if result.end == End::Completed && result.elapsed < Duration::from_secs(1) {
        let elapsed = result.elapsed;
        result.warnings.push(Warning::Short { elapsed });
    }
    result.warnings.extend(doubts::doubts(plan, &result));
    result
}

const SECOND: Duration = Duration::from_secs(1);

/// Removes the tree, showing that it goes on.
fn clean_up(home: Home, leave: &Arc<AtomicBool>, gate: &Gate, view: &mut dyn View) -> Vec<Warning> {
    let start = Nanos::now();
    let path = home.path().display().to_string();
    let (sender, done) = channel();
    let (give, given) = channel::<Home>();
    let leave_here = leave.clone();
    let remover = std::thread::Builder::new().name("cleanup".into()).spawn(move || {
        if let Ok(home) = given.recv() {
            let _ = sender.send(home.remove(&leave_here));
        }
    });
    if remover.is_err() {
        return home.remove(leave);
    }
    // The thread waits for it.
    let _ = give.send(home);
    let mut at_work = 1;
    loop {
        let (warnings, ended) = match done.recv_timeout(SECOND) {
            Ok(warnings) => (warnings, true),
            Err(RecvTimeoutError::Timeout) => (Vec::new(), false),
            Err(RecvTimeoutError::Disconnected) => (Vec::new(), true),
        };
        if ended {
            at_work = 0;
        }
        let tick = Tick {
            phase: Phase::Cleanup,
            clients: at_work,
            lines_per_client: 0,
            bytes_per_second: 0.0,
            elapsed: Nanos::now().duration_since(start),
            latency: Duration::ZERO,
        };
        if view.tick(&tick, 0).is_err() {
            gate.stop(StopReason::OutputClosed);
        }
        if ended {
            return warnings;
        }
        if leave.load(Ordering::Relaxed) {
            return vec![Warning::CleanupIncomplete { names: vec![path] }];
        }
    }
}
