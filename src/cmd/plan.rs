//! What was typed, as what will run.

mod options;

use super::{Failure, load};
use crate::cli::{BackendName, Flush, RunArgs, Warmup};
use crate::program::{CompileOptions, Program};
use crate::replay::pace::Pacing;
use crate::replay::{DataKind, Settings};
use crate::result::RunInfo;
use crate::run::between::Between;
use crate::run::{Backend, Measurement, Plan, ProbePlan};
use std::sync::Arc;
use std::time::Duration;

/// `--probe-idle` and `--probe-think` where they are not typed.
const DEFAULT_TIMES: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(2)];

/// From what was typed to what will run.
///
/// # Errors
/// A bad loadfile or combination of options (exit 2).
pub fn plan(args: &RunArgs) -> Result<Plan, Failure> {
    check_verify(args)?;
    check_probe(args)?;
    if args.direct && args.backend == BackendName::Null {
        return Err(Failure::usage(anyhow::anyhow!(
            "--direct cannot be used with -B null: no file is opened: leave one of them out"
        )));
    }
    let clients = clients(args)?;
    let compile_options = compile_options(args);
    args.pin.assigned(clients).map_err(Failure::usage)?;
    let programs = programs(args, compile_options)?;
    if args.timelimit.is_some_and(|limit| limit.0.is_zero()) {
        return Err(Failure::usage(anyhow::anyhow!(
            "-t 0 leaves nothing to measure: give a time above 0, or no -t for one pass"
        )));
    }
    let timed = programs.iter().any(|program| program.has_due_times());
    let settings = settings(args, timed)?;
    let info = RunInfo {
        label: args.label.clone(),
        tags: args.tag.iter().cloned().collect(),
        runs: args.runs,
        ..RunInfo::now(options::run_options(args, &settings, compile_options))
    };
    Ok(Plan {
        programs,
        clients,
        clients_per_process: args.clients_per_process,
        directory: args.directory.clone(),
        backend: match args.backend {
            BackendName::FileIo => Backend::FileIo,
            BackendName::Null => Backend::Null,
        },
        pin: args.pin.clone(),
        settings,
        space_check: !args.no_space_check,
        skip_cleanup: args.skip_cleanup,
        per_client: args.per_client_results,
        measurement: Measurement {
            vmstat_every: args.vmstat.map(|span| span.0),
            final_sync: args.final_sync,
            environment: !args.no_environment,
            completions: args.completions,
            drop_caches: args.drop_caches,
            probe: args.probe.then(|| ProbePlan {
                directory: args.probe_dir.clone(),
                idle: args.probe_idle.0,
                think: args.probe_think.0,
            }),
        },
        info,
    })
}

/// `--verify` needs data of its own, and files that they are written to.
fn check_verify(args: &RunArgs) -> Result<(), Failure> {
    let why = if !args.verify {
        return Ok(());
    } else if args.backend == BackendName::Null {
        "-B null: nothing is written that could be read: leave one of them out"
    } else if args.fake_io {
        "--fake-io: nothing is written that could be read: leave one of them out"
    } else if args.data == DataKind::Random {
        "--data random: it writes data of its own, which say where they belong: leave --data out"
    } else {
        return Ok(());
    };
    Err(Failure::usage(anyhow::anyhow!(
        "--verify cannot be used with {why}"
    )))
}

/// `--probe` needs a directory, as the run does; and its options need it. (Not by clap: a sweep can have it as an axis.)
fn check_probe(args: &RunArgs) -> Result<(), Failure> {
    let times = [args.probe_idle.0, args.probe_think.0];
    let why = if args.probe && args.backend == BackendName::Null {
        "--probe cannot be used with -B null: nothing is loaded that a bystander could feel: leave one of them out"
    } else if !args.probe && (args.probe_dir.is_some() || times != DEFAULT_TIMES) {
        "--probe-dir, --probe-idle and --probe-think are options of the bystander: give --probe too"
    } else {
        return Ok(());
    };
    Err(Failure::usage(anyhow::anyhow!(why)))
}

fn clients(args: &RunArgs) -> Result<u32, Failure> {
    let (typed, each) = (args.clients.unwrap_or(1), args.clients_per_process);
    let clients = typed.checked_mul(each).filter(|&clients| clients <= 100_000);
    clients.ok_or_else(|| {
        Failure::usage(anyhow::anyhow!(
            "{typed} times {each} clients are too many: at most 100,000"
        ))
    })
}

fn compile_options(args: &RunArgs) -> CompileOptions {
    let trunc_io = args
        .trunc_io
        .map(|bytes| u32::try_from(bytes.0).unwrap_or(u32::MAX));
    CompileOptions {
        resolve: match (args.resolve, args.no_resolve) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        },
        flush_fsync: args.flush == Flush::Fsync,
        slice: args.read.slice,
        trunc_io: trunc_io.filter(|&bytes| bytes > 0),
    }
}

fn programs(args: &RunArgs, options: CompileOptions) -> Result<Vec<Arc<Program>>, Failure> {
    let mut programs = Vec::new();
    for file in load::read_all(loadfiles(&args.loadfile), &args.read)? {
        programs.push(Arc::new(load::compiled(&file, options)?));
    }
    if programs.is_empty() {
        return Err(Failure::usage(anyhow::anyhow!(
            "-c names no loadfile: give a file, or the name of a bundled load"
        )));
    }
    Ok(programs)
}

/// `-c a,b` means two files, unless there is a file of that very name.
pub fn loadfiles(typed: &[String]) -> impl Iterator<Item = &str> {
    typed.iter().flat_map(|text| {
        let whole = std::path::Path::new(text).exists();
        let separator = if whole { '\0' } else { ',' };
        text.split(separator).filter(|name| !name.is_empty())
    })
}

fn settings(args: &RunArgs, timed: bool) -> Result<Settings, Failure> {
    let time_limit = args.timelimit.map(|span| span.0);
    let default_warmup = match time_limit {
        Some(limit) if !args.run_once => limit / 5,
        _ => Duration::ZERO,
    };
    let loops = time_limit.is_some() && !args.run_once;
    let (warmup_auto, warmup) = match args.warmup {
        Some(Warmup::Auto) if !loops => {
            return Err(Failure::usage(anyhow::anyhow!(
                "--warmup auto needs -t: a single pass would end before it is known whether it is steady"
            )));
        }
        Some(Warmup::Auto) => (true, args.warmup_max.0),
        Some(Warmup::For(span)) => (false, span.0),
        None => (false, default_warmup),
    };
    Ok(Settings {
        sync_open: args.sync,
        sync_dir: args.sync_dir,
        fsync: args.fsync,
        xattr: args.xattr,
        direct: args.direct,
        stat_check: args.stat_check,
        one_byte_write_fix: args.one_byte_write_fix,
        fake_io: args.fake_io,
        on_mismatch: args.on_mismatch,
        pacing: match args.target_rate {
            Some(rate) => Pacing::Rate {
                bytes_per_second: rate.bytes_per_second(),
            },
            None if timed && !args.ignore_timestamps => Pacing::Timestamps {
                scale: args.time_scale,
            },
            None => Pacing::None,
        },
        data: args.data,
        verify: args.verify,
        warmup,
        warmup_auto,
        time_limit,
        loops,
        seed: args.seed,
        record_passes: args.show_execute_time,
    })
}

/// What is done around each run.
///
/// # Errors
/// A bad combination of options, or one that needs root (exit 2).
pub fn between(args: &RunArgs) -> Result<Between, Failure> {
    if args.skip_cleanup && args.runs > 1 {
        return Err(Failure::usage(anyhow::anyhow!(
            "--runs needs a fresh directory for each run: leave out --skip-cleanup"
        )));
    }
    let between = Between {
        drop_caches: args.drop_caches,
        sync: args.sync_before,
        settle: args.settle.0,
        before: args.before.clone(),
        after: args.after.clone(),
    };
    between.check().map_err(Failure::usage)?;
    Ok(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run_args;

    #[test]
    fn the_bystanders_times_that_are_not_typed_are_those_of_the_options() {
        let args = run_args(["1".into()]).unwrap();
        assert_eq!([args.probe_idle.0, args.probe_think.0], DEFAULT_TIMES);
        for typed in ["--probe-idle=1", "--probe-think=1", "--probe-dir=."] {
            let args = run_args([typed.into(), "1".into()]).unwrap();
            assert!(check_probe(&args).is_err(), "{typed}");
        }
    }
}
