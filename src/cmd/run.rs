//! `rbench CLIENTS`: runs.

use super::{CLOSED_PIPE, Failure, load, print, tell};
use crate::cli::{BackendName, Flush, RunArgs, Warmup};
use crate::measure::Tick;
use crate::program::CompileOptions;
use crate::replay::pace::Pacing;
use crate::replay::{DataKind, OnMismatch, Settings};
use crate::report::{ReportOptions, Style, campaign, diagnostics, run_header, started, summary, tick};
use crate::result::{End, RunInfo, RunOptions, RunResult, Warning};
use crate::run::between::{Between, BetweenError, RunNumber};
use crate::run::{Backend, Interrupts, Measurement, Plan, View, execute};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Runs what was asked for.
///
/// # Errors
/// A bad loadfile or combination of options (exit 2); a run that could not be started (1).
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let mut plan = plan(args)?;
    let options = report_options(args);
    let between = between(args)?;
    let interrupts = Interrupts::remember().map_err(Failure::failed)?;
    let mut results = Vec::new();
    let mut code = 0;
    let mut ended = Ok(());
    for number in 1..=args.runs {
        plan.info.run_number = number;
        let run = RunNumber {
            number,
            runs: args.runs,
        };
        let result = match one(&plan, run, &between, &interrupts, &options) {
            Ok(result) => result,
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        };
        code = code.max(exit_code(&result, args.on_mismatch));
        let completed = result.end == End::Completed;
        results.push(result);
        if !completed {
            break;
        }
        if let Err(error) = between.after(run, &interrupts) {
            ended = Err(around(error));
            break;
        }
    }
    if args.runs > 1 && code != CLOSED_PIPE {
        print(&campaign(&results, &options))?;
    }
    ended.map(|()| ExitCode::from(code))
}

/// One run of a campaign, with what comes before it.
fn one(
    plan: &Plan,
    run: RunNumber,
    between: &Between,
    interrupts: &Interrupts,
    options: &ReportOptions,
) -> Result<RunResult, Failure> {
    between.before(run, interrupts).map_err(around)?;
    if run.runs > 1 && !options.machine_readable {
        print(&run_header(run.number, run.runs))?;
    }
    let mut screen = Screen::new(*options);
    let done = execute(plan, &mut screen);
    screen.finish();
    let result = done.map_err(|error| Failure {
        code: error.exit_code(),
        error: error.into(),
    })?;
    let diagnostics = diagnostics(&result);
    if !diagnostics.is_empty() {
        tell(diagnostics.trim_end());
    }
    if result.end != End::Interrupted(libc::SIGPIPE) {
        print(&summary(&result, options))?;
    }
    Ok(result)
}

/// The failure of what comes before or after a run.
fn around(error: BetweenError) -> Failure {
    match error {
        BetweenError::Interrupted(signal) => Failure {
            code: 128u8.saturating_add(signal as u8),
            error: error.into(),
        },
        _ => Failure::failed(error),
    }
}

/// What is done around each run.
fn between(args: &RunArgs) -> Result<Between, Failure> {
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

fn exit_code(result: &RunResult, on_mismatch: OnMismatch) -> u8 {
    let late_signal = result.warnings.iter().find_map(|warning| match warning {
        Warning::SignalAfterEnd { signal } => Some(*signal),
        _ => None,
    });
    if let Some(signal) = late_signal {
        return 128u8.saturating_add(signal as u8);
    }
    match result.end {
        End::Interrupted(libc::SIGPIPE) => CLOSED_PIPE,
        End::Interrupted(signal) => 128u8.saturating_add(signal as u8),
        End::Failed(_) => 1,
        // What was written has been lost: no --on-mismatch makes that right.
        End::Completed if is_corrupt(result) => 1,
        End::Completed if result.outcomes.differed > 0 && on_mismatch != OnMismatch::Ignore => 1,
        End::Completed => 0,
    }
}

fn is_corrupt(result: &RunResult) -> bool {
    result
        .verification
        .as_ref()
        .is_some_and(|found| found.corrupt_reads > 0)
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

/// From what was typed to what will run.
fn plan(args: &RunArgs) -> Result<Plan, Failure> {
    check_verify(args)?;
    let typed = args.clients.unwrap_or(1);
    let clients = typed
        .checked_mul(args.clients_per_process)
        .filter(|&clients| clients <= 100_000);
    let Some(clients) = clients else {
        return Err(Failure::usage(anyhow::anyhow!(
            "{typed} times {} clients are too many: at most 100,000",
            args.clients_per_process
        )));
    };
    let trunc_io = args
        .trunc_io
        .map(|bytes| u32::try_from(bytes.0).unwrap_or(u32::MAX));
    let compile_options = CompileOptions {
        resolve: match (args.resolve, args.no_resolve) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        },
        flush_fsync: args.flush == Flush::Fsync,
        slice: args.read.slice,
        trunc_io: trunc_io.filter(|&bytes| bytes > 0),
    };
    let mut programs = Vec::new();
    for file in load::read_all(loadfiles(&args.loadfile), &args.read)? {
        programs.push(Arc::new(load::compiled(&file, compile_options)?));
    }
    if programs.is_empty() {
        return Err(Failure::usage(anyhow::anyhow!(
            "-c names no loadfile: give a file, or the name of a bundled load"
        )));
    }
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
        ..RunInfo::now(run_options(args, &settings, compile_options))
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
        settings,
        space_check: !args.no_space_check,
        skip_cleanup: args.skip_cleanup,
        per_client: args.per_client_results,
        measurement: Measurement {
            vmstat_every: args.vmstat.map(|span| span.0),
            final_sync: args.final_sync,
            environment: !args.no_environment,
        },
        info,
    })
}

/// `-c a,b` means two files, unless there is a file of that very name.
fn loadfiles(typed: &[String]) -> impl Iterator<Item = &str> {
    typed.iter().flat_map(|text| {
        let whole = std::path::Path::new(text).exists();
        let separator = if whole { '\0' } else { ',' };
        text.split(separator).filter(|name| !name.is_empty())
    })
}

/// The options that a comparison looks at.
fn run_options(args: &RunArgs, settings: &Settings, compile: CompileOptions) -> RunOptions {
    let (rate, scale) = match settings.pacing {
        Pacing::Rate { bytes_per_second } => (Some(bytes_per_second), None),
        Pacing::Timestamps { scale } => (None, Some(scale)),
        Pacing::None => (None, None),
    };
    let backend = match args.backend {
        BackendName::FileIo => "fileio",
        BackendName::Null => "null",
    };
    let on_mismatch = match args.on_mismatch {
        OnMismatch::Report => "report",
        OnMismatch::Stop => "stop",
        OnMismatch::Ignore => "ignore",
    };
    let data = match args.data {
        DataKind::Zeros => "zeros",
        DataKind::Random => "random",
    };
    RunOptions {
        backend: backend.to_owned(),
        time_limit: settings.time_limit,
        warmup_auto: settings.warmup_auto,
        warmup: settings.warmup,
        loops: settings.loops,
        target_bytes_per_second: rate,
        time_scale: scale,
        sync_open: args.sync,
        sync_dir: args.sync_dir,
        fsync: args.fsync,
        xattr: args.xattr,
        resolve: compile.resolve,
        stat_check: args.stat_check,
        one_byte_write_fix: args.one_byte_write_fix,
        fake_io: args.fake_io,
        trunc_io_bytes: compile.trunc_io.map(u64::from),
        flush_fsync: compile.flush_fsync,
        slice: compile.slice,
        skip_cleanup: args.skip_cleanup,
        on_mismatch: on_mismatch.to_owned(),
        data: data.to_owned(),
        verify: args.verify,
        final_sync: args.final_sync,
        seed: args.seed,
        set: args.read.set.iter().cloned().collect(),
    }
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

fn report_options(args: &RunArgs) -> ReportOptions {
    let style = args.style.unwrap_or(if args.machine_readable || args.run_once {
        Style::Dbench5
    } else if args.timelimit.is_some() {
        Style::Dbench4
    } else {
        Style::Dbench1
    });
    ReportOptions {
        machine_readable: args.machine_readable,
        per_client: args.per_client_results,
        show_table: args.table,
        sync_open: args.sync,
        sync_dirs: args.sync_dir,
        show_execute_time: args.show_execute_time,
        counters: args.counters || args.vmstat.is_some(),
        ..ReportOptions::new(style)
    }
}

/// What is seen while it runs: dbench's lines on stdout, or a bar on a terminal's stderr.
struct Screen {
    options: ReportOptions,
    bar: Option<ProgressBar>,
}

impl Screen {
    fn new(options: ReportOptions) -> Screen {
        Screen { options, bar: None }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl View for Screen {
    fn started(&mut self, clients: u32, expected: Option<u64>) {
        if self.options.style != Style::Dbench1 || self.options.machine_readable {
            return;
        }
        // A closed pipe is noticed at the next line.
        let _ = print(&started(clients));
        let Some(expected) = expected.filter(|_| io::stderr().is_terminal()) else {
            return;
        };
        let template = "{bar:40} {percent:>3} %  {per_sec}  {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar = Some(ProgressBar::new(expected).with_style(style));
    }

    fn tick(&mut self, now: &Tick, operations: u64) -> io::Result<()> {
        if let Some(bar) = &self.bar {
            if operations > 0 {
                bar.set_position(operations);
            }
            return Ok(());
        }
        match tick(now, &self.options) {
            Some(line) => print(&line),
            None => Ok(()),
        }
    }
}
