//! `rbench CLIENTS`: runs.

mod screen;

use super::plan::{between, loadfiles, plan};
use super::{CLOSED_PIPE, Failure, print, tell};
use crate::cli::{BackendName, BaseOptions, RunArgs};
use crate::output::{Output, OutputErrors, Outputs};
use crate::replay::OnMismatch;
use crate::report::{FinishedRun, ReportOptions, Style, campaign, diagnostics, run_header, summary};
use crate::result::{End, RunResult, Warning};
use crate::run::between::{BetweenError, RunNumber};
use crate::run::{Interrupts, Plan, execute};
use crate::store::StorePlace;
use screen::Screen;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::ExitCode;

/// Runs what was asked for.
///
/// # Errors
/// A bad loadfile or combination of options (exit 2); a run that could not be started (1).
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let mut plan = plan(args)?;
    let options = report_options(args);
    let between = between(args)?;
    outputs_are_no_loadfiles(args)?;
    if let Some(directory) = &args.probe_dir {
        Outputs::prepare(&args.output, directory).map_err(Failure::usage)?;
    }
    let outputs = Outputs::prepare(&args.output, &args.directory).map_err(Failure::usage)?;
    let mut outputs = outputs
        .and_store(args.store.as_ref(), args.store_anyway, directories(args))
        .map_err(Failure::usage)?;
    let interrupts = Interrupts::remember().map_err(Failure::failed)?;
    let mut finished = Vec::new();
    let mut code = 0;
    let mut ended = Ok(());
    for number in 1..=args.runs {
        plan.info.run_number = number;
        let run = RunNumber {
            number,
            runs: args.runs,
        };
        if let Err(error) = between.before(run, &interrupts) {
            ended = Err(around(error));
            break;
        }
        let done = one(&plan, run, args.on_mismatch, &options, &mut outputs);
        // However the run ended, what was set up before it is taken down.
        let signal = interrupts.take();
        let after = between.after(run, &interrupts).map_err(around);
        let goes_on = match done {
            Ok(done) => {
                code = code.max(done.code);
                finished.push(done.finished);
                done.goes_on
            }
            Err(failure) => {
                ended = Err(failure);
                false
            }
        };
        if let Err(failure) = after {
            ended = worse(ended, failure);
            break;
        }
        if let Some(signal) = signal.filter(|_| goes_on && number < args.runs) {
            ended = Err(around(BetweenError::Interrupted(signal)));
        }
        if !goes_on || ended.is_err() {
            break;
        }
    }
    code = code.max(kept(outputs.finish())?);
    if args.runs > 1 && code != CLOSED_PIPE && !outputs.on_stdout() {
        print(&campaign(&finished, &options))?;
    }
    match ended {
        Ok(()) => Ok(ExitCode::from(code)),
        Err(failure) => Err(Failure {
            code: failure.code.max(code),
            ..failure
        }),
    }
}

/// Where a run works: nowhere, if it executes nothing.
pub(super) fn directories(args: &RunArgs) -> impl Iterator<Item = &Path> {
    let all = [Some(args.directory.as_path()), args.probe_dir.as_deref()];
    let any = args.backend == BackendName::FileIo;
    all.into_iter().flatten().filter(move |_| any)
}

/// The store that the options of many runs name.
///
/// # Errors
/// What is named is no UTF-8 (exit 2).
pub(super) fn store_of(base: &BaseOptions) -> Result<Option<StorePlace>, Failure> {
    let Some(named) = base.values("store").last() else {
        return Ok(None);
    };
    let Some(named) = named.to_str() else {
        return Err(Failure::usage(anyhow::anyhow!(
            "--store={}: is no UTF-8",
            named.display()
        )));
    };
    let Ok(place) = named.parse();
    Ok(Some(place))
}

/// A result must not take the place of what is run.
///
/// # Errors
/// It would (exit 2).
pub(super) fn outputs_are_no_loadfiles(args: &RunArgs) -> Result<(), Failure> {
    are_no_loadfiles(&args.output, &args.loadfile)
}

/// The same of any outputs, and loadfiles as typed.
///
/// # Errors
/// An output is one of the loadfiles (exit 2).
pub(super) fn are_no_loadfiles(outputs: &[Output], typed: &[String]) -> Result<(), Failure> {
    let inode = |path: &Path| {
        std::fs::metadata(path)
            .ok()
            .map(|found| (found.dev(), found.ino()))
    };
    let loadfiles: Vec<_> = loadfiles(typed)
        .filter_map(|name| inode(Path::new(name)))
        .collect();
    let outputs = outputs.iter().filter_map(|output| output.file.as_deref());
    for output in outputs {
        if inode(output).is_some_and(|output| loadfiles.contains(&output)) {
            return Err(Failure::usage(anyhow::anyhow!(
                "{}: is the loadfile: name another file for the result",
                output.display()
            )));
        }
    }
    Ok(())
}

/// Of two failures the first is the command's; the other is told.
pub(super) fn worse(ended: Result<(), Failure>, failure: Failure) -> Result<(), Failure> {
    if ended.is_err() {
        tell(format_args!("rbench: {:#}", failure.error));
        return ended;
    }
    Err(failure)
}

/// What is left of a run when all is printed and kept.
struct Done {
    finished: FinishedRun,
    /// Its exit code, with what became of its outputs.
    code: u8,
    /// Whether another may follow.
    goes_on: bool,
}

/// The exit code for what became of the outputs: what cannot be written is told, and is no reason to lose the rest.
///
/// # Errors
/// Nobody reads standard output any more.
pub(super) fn kept(done: Result<(), OutputErrors>) -> Result<u8, Failure> {
    match done {
        Ok(()) => Ok(0),
        Err(errors) if errors.is_closed_pipe() => Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
        Err(errors) => {
            tell(errors);
            Ok(1)
        }
    }
}

/// One run of a campaign.
fn one(
    plan: &Plan,
    run: RunNumber,
    on_mismatch: OnMismatch,
    options: &ReportOptions,
    outputs: &mut Outputs,
) -> Result<Done, Failure> {
    if run.runs > 1 && !options.machine_readable && !outputs.on_stdout() {
        print(&run_header(run.number, run.runs))?;
    }
    let mut screen = Screen::new(*options, outputs.on_stdout());
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
    let kept = kept(outputs.add(&result))?;
    if result.end != End::Interrupted(libc::SIGPIPE) && !outputs.on_stdout() {
        print(&summary(&result, options))?;
    }
    Ok(Done {
        finished: FinishedRun::from(&result),
        code: exit_code(&result, on_mismatch).max(kept),
        goes_on: result.end == End::Completed,
    })
}

/// The failure of what comes before or after a run.
pub(super) fn around(error: BetweenError) -> Failure {
    match error {
        BetweenError::Interrupted(signal) => Failure {
            code: of_signal(signal),
            error: error.into(),
        },
        _ => Failure::failed(anyhow::Error::new(error).context("no further run is made")),
    }
}

/// The exit code of a run that has a result.
pub(super) fn exit_code(result: &RunResult, on_mismatch: OnMismatch) -> u8 {
    let late_signal = result.warnings.iter().find_map(|warning| match warning {
        Warning::SignalAfterEnd { signal } => Some(*signal),
        _ => None,
    });
    if let Some(signal) = late_signal {
        return of_signal(signal);
    }
    match result.end {
        End::Interrupted(libc::SIGPIPE) => CLOSED_PIPE,
        End::Interrupted(signal) => of_signal(signal),
        End::Failed(_) => 1,
        // What was written has been lost: no --on-mismatch makes that right.
        End::Completed if is_corrupt(result) => 1,
        End::Completed if result.outcomes.differed > 0 && on_mismatch != OnMismatch::Ignore => 1,
        End::Completed => 0,
    }
}

/// The exit code of what a signal has ended, as shells tell it.
fn of_signal(signal: i32) -> u8 {
    128u8.saturating_add(signal as u8)
}

fn is_corrupt(result: &RunResult) -> bool {
    result
        .verification
        .as_ref()
        .is_some_and(|found| found.corrupt_reads > 0)
}

fn report_options(args: &RunArgs) -> ReportOptions {
    let default = Style::default_of(args.machine_readable, args.run_once, args.timelimit.is_some());
    let style = args.style.unwrap_or(default);
    ReportOptions {
        machine_readable: args.machine_readable,
        per_client: args.per_client_results,
        show_table: args.table,
        sync_open: args.sync,
        sync_dirs: args.sync_dir,
        show_execute_time: args.show_execute_time,
        counters: args.counters || args.vmstat.is_some(),
        slowest: args.slowest,
        ..ReportOptions::new(style)
    }
}
