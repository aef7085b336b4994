//! A run on a file system: what comes before and after the replay.

use super::bystander::{Bystander, BystanderError};
use super::cleanup::clean_up;
use super::plan::Plan;
use super::{RunError, View, direct, durability, environment_of, isolate, limits, replay_checked};
use crate::measure::environment;
use crate::measure::mount::Mount;
use crate::measure::sampler::Sampler;
use crate::replay::gate::{Gate, StopReason};
use crate::replay::home::{Home, HomeError, HomeOptions};
use crate::replay::real::{Real, Roots, can_resolve_beneath, probe_attributes};
use crate::result::{End, RunResult, Warning};
use nix::errno::Errno;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Executes a plan in its directory: makes the clients' tree there, runs, cleans up.
///
/// # Errors
/// See [`RunError`]; whatever was made is removed again.
pub fn on_disk(
    plan: &Plan,
    gate: &Arc<Gate>,
    leave: &Arc<AtomicBool>,
    view: &mut dyn View,
) -> Result<RunResult, RunError> {
    limits::raise_descriptor_limit(descriptors(plan))?;
    let (mut home, mut warnings) = prepare(plan, gate)?;
    let prepared = ready(plan, &home).and_then(|beneath| Ok((beneath, bystander(plan, &home, gate)?)));
    let (beneath, bystander) = match prepared {
        Ok(prepared) => prepared,
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
    let mut sampler = Sampler::new(home.clients_fd(), plan.measurement.vmstat_every);
    if plan.measurement.completions {
        sampler.count_completions(home.clients_fd());
    }
    let mut result = if beneath {
        let make = |client| real::<true>(&home, client);
        replay_checked(plan, gate, view, &make, warnings, sampler, bystander.as_ref())
    } else {
        let make = |client| real::<false>(&home, client);
        replay_checked(plan, gate, view, &make, warnings, sampler, bystander.as_ref())
    };
    // Before the final sync, which loads the machine too.
    result.environment = environment.map(environment::completed);
    let final_sync = plan.measurement.final_sync;
    durability::finish(&mut result, home.clients_fd(), final_sync);
    // After the final sync, since what goes on can take long; that only adds to the load.
    if let Some(bystander) = bystander {
        let (probe, warnings) = bystander.finish(&home, leave);
        result.probe = Some(probe);
        result.warnings.extend(warnings);
    }
    if plan.writes_zeros()
        && let Some(mount) = Mount::of(home.clients_fd()).filter(Mount::compresses)
    {
        let file_system = mount.kind;
        result.warnings.push(Warning::ZerosOnCompression { file_system });
    }
    view.before_cleanup();
    let completed = result.end == End::Completed;
    result.warnings.extend(match plan.skip_cleanup {
        false => clean_up(home, leave, gate, view),
        true if completed => keep(home).into_iter().collect(),
        true => Vec::new(),
    });
    if completed && let Some(StopReason::Signal(signal)) = gate.reason() {
        result.warnings.push(Warning::SignalAfterEnd { signal });
    }
    Ok(result)
}

/// `--probe`: measured on the idle machine, and ready for the release.
fn bystander(plan: &Plan, home: &Home, gate: &Arc<Gate>) -> Result<Option<Bystander>, RunError> {
    let Some(probe) = &plan.measurement.probe else {
        return Ok(None);
    };
    let prepared = Bystander::prepare(plan, probe, home, gate, &command());
    match (prepared, gate.reason()) {
        (Err(BystanderError::Interrupted), Some(StopReason::Signal(signal))) => Err(RunError::Interrupted {
            directory: home.path().display().to_string(),
            signal,
        }),
        (prepared, _) => Ok(Some(prepared?)),
    }
}

/// Marks the tree as one that the next run finds ready.
fn keep(mut home: Home) -> Option<Warning> {
    let why = home.mark_kept().err()?.to_string();
    Some(Warning::NotKept { why })
}

/// Makes the clients' directory, or takes it over.
fn prepare(plan: &Plan, gate: &Gate) -> Result<(Home, Vec<Warning>), RunError> {
    let options = HomeOptions {
        command: command(),
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

/// The command line, for markers.
fn command() -> String {
    let words: Vec<_> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    words.join(" ")
}

/// How many descriptors the process, or each client's own table, needs.
fn descriptors(plan: &Plan) -> u64 {
    // Descriptors that are open when a client's own table is made are in it too.
    let tracer = match plan.measurement.completions {
        true => Sampler::descriptors_of_completions(),
        false => 0,
    };
    let one = plan.descriptors_per_client().saturating_add(tracer);
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
        let probe = probe_attributes(home.clients_fd());
        probe.map_err(|errno| RunError::Attributes {
            directory: plan.directory.display().to_string(),
            errno,
        })?;
    }
    if plan.settings.direct {
        direct::check(plan, home.clients_fd())?;
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
