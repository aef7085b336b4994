//! `rbench report`: stored results as runs show theirs, and sweeps as tables.

mod sweeps;

use super::results_file::{results_text, unreadable};
use super::{Failure, print, tell};
use crate::cli::{Cli, Command, ReportArgs};
use crate::output::document::results;
use crate::report::{
    FinishedRun, ReportOptions, Style, campaign, diagnostics, result_header, run_header, summary, turn_header,
};
use crate::result::RunResult;
use anyhow::anyhow;
use clap::Parser;
use std::path::Path;
use std::process::ExitCode;
use sweeps::{Sweeps, show_ratio};

/// Shows stored results: those before the first that cannot be read, file by file; then the sweeps that they belong to.
///
/// # Errors
/// A file cannot be read, or holds no result (exit 2); the others are shown all the same. A sweep has no such table.
/// Something is to be on a page that is not asked for (exit 2).
pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    check(args)?;
    if args.ratio {
        return ratio(args);
    }
    let mut failure: Option<Failure> = None;
    let mut keep = |result: Result<bool, Failure>| match result {
        Ok(any) => Ok(any),
        Err(one) if one.is_closed_pipe() => Err(one),
        Err(one) => {
            if let Some(earlier) = failure.replace(one) {
                tell(format_args!("rbench: {:#}", earlier.error));
            }
            Ok(false)
        }
    };
    let mut sweeps = Sweeps::default();
    let mut any_shown = false;
    for path in &args.files {
        any_shown |= keep(show(path, args, &mut sweeps))?;
    }
    keep(sweeps.show(args, any_shown).map(|()| any_shown))?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Options of a page count for nothing here.
fn check(args: &ReportArgs) -> Result<(), Failure> {
    let of_a_page = [
        ("--compare", !args.compare.is_empty()),
        ("--history", args.history),
        ("--store", args.store.is_some()),
        ("--gate", args.gate.is_some()),
        ("--floor", args.floor.is_some()),
        ("--force", args.force),
    ];
    match of_a_page.iter().find(|(_, is)| *is) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(anyhow!(
            "{option} is for a page: add --html FILE or --svg DIR (in the terminal: rbench compare, rbench history check)"
        ))),
    }
}

/// `--ratio`: the second file's sweep by the first's.
fn ratio(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let mut all = Vec::new();
    for path in &args.files {
        let (shown, text) = results_text(path)?;
        let mut sweeps = Sweeps::default();
        for result in results(&text) {
            sweeps.add(&result.map_err(|error| unreadable(&shown, &error))?);
        }
        all.push((shown, sweeps));
    }
    show_ratio(&all, args)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows the results of a file that belong to no sweep, and keeps the others; answers whether there were any to show.
fn show(path: &Path, args: &ReportArgs, sweeps: &mut Sweeps) -> Result<bool, Failure> {
    let (shown, text) = results_text(path)?;
    let read = results(&text).map(|result| result.map_err(|error| unreadable(&shown, &error)));
    show_results(read, &shown, args, sweeps)
}

/// Shows results that are stored elsewhere than in a file, as they showed themselves; then the sweeps that they belong to.
///
/// # Errors
/// One cannot be read; those before it are shown.
pub(super) fn show_stored(runs: impl Iterator<Item = Result<RunResult, Failure>>) -> Result<(), Failure> {
    let typed = Cli::try_parse_from(["rbench", "report", "-"]).map_err(Failure::failed)?;
    let Some(Command::Report(args)) = typed.command else {
        return Ok(());
    };
    let mut sweeps = Sweeps::default();
    let any = show_results(runs, "the store", &args, &mut sweeps)?;
    sweeps.show(&args, any)
}

fn show_results(
    read: impl Iterator<Item = Result<RunResult, Failure>>,
    shown: &str,
    args: &ReportArgs,
    sweeps: &mut Sweeps,
) -> Result<bool, Failure> {
    let mut campaign: Vec<Shown> = Vec::new();
    let mut any = false;
    for result in read {
        let result = match result {
            Ok(result) => result,
            Err(failure) => {
                end(&mut campaign)?;
                return Err(failure);
            }
        };
        if sweeps.add(&result) {
            continue;
        }
        any = true;
        // What the runs of two sides have in common is told by `rbench compare`.
        if result.info.turn.is_some() {
            end(&mut campaign)?;
            one(&result, shown, args)?;
            continue;
        }
        if !campaign.last().is_none_or(|last| follows(last, &result)) {
            end(&mut campaign)?;
        }
        one(&result, shown, args)?;
        campaign.push(Shown {
            run_number: result.info.run_number,
            runs: result.info.runs,
            options: options(&result, args),
            finished: FinishedRun::from(&result),
        });
    }
    end(&mut campaign)?;
    Ok(any)
}

/// What is kept of a result that was shown.
struct Shown {
    run_number: u32,
    runs: u32,
    options: ReportOptions,
    finished: FinishedRun,
}

/// Whether a result is of the same campaign as the one before it.
fn follows(before: &Shown, result: &RunResult) -> bool {
    before.runs == result.info.runs && before.run_number < result.info.run_number
}

fn one(result: &RunResult, file: &str, args: &ReportArgs) -> Result<(), Failure> {
    let options = options(result, args);
    if args.files.len() > 1 && !options.machine_readable {
        print(&result_header(file, result))?;
    }
    if let Some(turn) = &result.info.turn
        && !options.machine_readable
    {
        print(&turn_header(turn, result.info.runs))?;
    } else if result.info.runs > 1 && !options.machine_readable {
        print(&run_header(result.info.run_number, result.info.runs))?;
    }
    let diagnostics = diagnostics(result);
    if !diagnostics.is_empty() {
        tell(diagnostics.trim_end());
    }
    print(&summary(result, &options))?;
    Ok(())
}

/// The end of a campaign, if it was one of several runs.
fn end(shown: &mut Vec<Shown>) -> Result<(), Failure> {
    let finished: Vec<FinishedRun> = shown.iter().map(|one| one.finished.clone()).collect();
    if let Some(first) = shown.first().filter(|first| first.runs > 1) {
        print(&campaign(&finished, &first.options))?;
    }
    shown.clear();
    Ok(())
}

/// How the run itself showed its result, but for what is asked for now.
fn options(result: &RunResult, args: &ReportArgs) -> ReportOptions {
    let ran = &result.info.options;
    let default = Style::default_of(args.machine_readable, ran.run_once, ran.time_limit.is_some());
    ReportOptions {
        machine_readable: args.machine_readable,
        per_client: args.per_client_results,
        show_table: args.table,
        sync_open: ran.sync_open,
        sync_dirs: ran.sync_dir,
        show_execute_time: args.show_execute_time,
        counters: args.counters,
        slowest: args.slowest,
        ..ReportOptions::new(args.style.unwrap_or(default))
    }
}
