//! `rbench report`: stored results as runs show theirs.

use super::{Failure, print, tell};
use crate::cli::ReportArgs;
use crate::output::document::results;
use crate::report::{ReportOptions, Style, diagnostics, summary};
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
    for result in results(&text) {
        let result = result.map_err(|error| Failure::usage(anyhow!("{shown}:{error}")))?;
        let diagnostics = diagnostics(&result);
        if !diagnostics.is_empty() {
            tell(diagnostics.trim_end());
        }
        print(&summary(&result, &options(&result, args)))?;
    }
    // (The summary over several runs belongs here, as the campaign printed it.)
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
        ..ReportOptions::new(args.style.unwrap_or(default))
    }
}
