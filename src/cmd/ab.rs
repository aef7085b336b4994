//! `rbench ab`: two configurations in turns, and what became of the second.

use super::Failure;
use crate::cli::AbArgs;
use anyhow::anyhow;
use std::process::ExitCode;

/// Does it.
///
/// # Errors
/// Bad usage (exit 2).
pub fn run(_args: &AbArgs) -> Result<ExitCode, Failure> {
    Err(Failure::usage(anyhow!("rbench ab is not built yet")))
}
