//! `rbench report`: stored results as runs show theirs.

use super::{Failure, print, tell};
use crate::cli::ReportArgs;
use crate::output::document::results;
use crate::report::{ReportOptions, Style, campaign, diagnostics, run_header, summary};
use crate::result::RunResult;
use anyhow::{Context, anyhow};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

/// How a gzip-compressed file starts (RFC 1952).
const GZIP: &[u8] = b"\x1f\x8b";

/// Shows stored results: those before the first that cannot be read, file by file.
///
/// # Errors
/// A file cannot be read, or holds no result (exit 2); the others are shown all the same.
pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let mut failure: Option<Failure> = None;
    for path in &args.files {
        match show(path, args) {
            Ok(()) => {}
            Err(one) if one.is_closed_pipe() => return Err(one),
            Err(one) => {
                if let Some(earlier) = failure.replace(one) {
                    tell(format_args!("rbench: {:#}", earlier.error));
                }
            }
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Shows the results of a file.
fn show(path: &Path, args: &ReportArgs) -> Result<(), Failure> {
    let shown = match path.to_str() {
        Some("-") => "standard input".into(),
        _ => path.display().to_string(),
    };
    let text = text(path)
        .with_context(|| format!("{shown}: cannot be read"))
        .map_err(Failure::usage)?;
    let mut campaign: Vec<RunResult> = Vec::new();
    for result in results(&text) {
        let result = match result {
            Ok(result) => result,
            Err(error) => {
                end(&mut campaign, args)?;
                return Err(Failure::usage(anyhow!("{shown}:{error}")));
            }
        };
        if !campaign.last().is_none_or(|last| follows(last, &result)) {
            end(&mut campaign, args)?;
        }
        one(&result, args)?;
        campaign.push(result);
    }
    end(&mut campaign, args)
}

/// Whether a result is of the same campaign as the one before it.
fn follows(before: &RunResult, result: &RunResult) -> bool {
    before.info.runs == result.info.runs && before.info.run_number < result.info.run_number
}

fn one(result: &RunResult, args: &ReportArgs) -> Result<(), Failure> {
    let options = options(result, args);
    if result.info.runs > 1 && !options.machine_readable {
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
fn end(results: &mut Vec<RunResult>, args: &ReportArgs) -> Result<(), Failure> {
    if let Some(first) = results.first().filter(|first| first.info.runs > 1) {
        print(&campaign(results, &options(first, args)))?;
    }
    results.clear();
    Ok(())
}

fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.read_to_end(&mut bytes)?;
    }
    if bytes.starts_with(GZIP) {
        let mut plain = Vec::new();
        MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain)?;
        bytes = plain;
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"))
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
        ..ReportOptions::new(args.style.unwrap_or(default))
    }
}
