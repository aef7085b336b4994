//! `rbench history`: results from night to night.

use super::Failure;
use crate::cli::HistoryArgs;
use anyhow::anyhow;
use std::process::ExitCode;

/// Does it.
///
/// # Errors
/// Bad usage (exit 2).
pub fn run(_args: &HistoryArgs) -> Result<ExitCode, Failure> {
    Err(Failure::usage(anyhow!("rbench history is not built yet")))
}
