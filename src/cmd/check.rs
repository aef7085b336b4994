//! `rbench check`: what loadfiles do, without running them.

use super::{Failure, load, print, tell};
use crate::cli::CheckArgs;
use crate::loadfile::Loadfile;
use crate::program::{CompileOptions, Program, totals};
use crate::report::{CheckReport, OperationCount};
use std::process::ExitCode;

/// Checks each file; the first that is wrong decides the exit code, the others are checked all the same.
///
/// # Errors
/// A loadfile that cannot be read or has problems.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let mut failure: Option<Failure> = None;
    for (index, name) in args.files.iter().enumerate() {
        match check(name, args, index + 1 == args.files.len()) {
            Ok(text) => print(&text)?,
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

fn check(name: &str, args: &CheckArgs, is_last: bool) -> Result<String, Failure> {
    let file = load::read(name, &args.read)?;
    let options = CompileOptions {
        slice: args.read.slice,
        ..CompileOptions::default()
    };
    let program = load::compiled(&file, options)?;
    let report = report(&file, &program);
    if is_last {
        // The process ends now, which frees all of it at once: page by page it would take a tenth of the time.
        std::mem::forget((file, program));
    }
    if args.json {
        let json = report.json().map_err(Failure::failed)?;
        return Ok(format!("{}\n", json.trim_end()));
    }
    Ok(report.text())
}

fn report(file: &Loadfile, program: &Program) -> CheckReport {
    let totals = totals(program);
    let counts = totals.operations.iter();
    CheckReport {
        name: file.source.name.clone(),
        dialect: file.dialect,
        lines: u64::from(file.total_lines),
        operations: counts
            .map(|&(kind, count)| OperationCount { kind, count })
            .collect(),
        bytes_read: totals.bytes_read,
        bytes_written: totals.bytes_written,
        expected_failures: totals.expected_failures,
        distinct_paths: program.paths.len() as u64,
        peak_handles: u64::from(program.peak_handles),
        disk_bytes_per_client: Some(program.space.bytes(1)),
        inodes_per_client: Some(program.space.inodes(1)),
        duration_seconds: totals.duration_micros.map(|micros| micros as f64 / 1e6),
        params: file.params.iter().map(Into::into).collect(),
        warnings: program.warnings.iter().map(Into::into).collect(),
    }
}
