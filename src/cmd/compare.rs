//! `rbench compare`: what became of a candidate beside its baseline.

use super::Failure;
use crate::cli::CompareArgs;
use anyhow::anyhow;
use std::process::ExitCode;

/// Does it.
///
/// # Errors
/// Bad usage (exit 2).
pub fn run(_args: &CompareArgs) -> Result<ExitCode, Failure> {
    Err(Failure::usage(anyhow!("rbench compare is not built yet")))
}
