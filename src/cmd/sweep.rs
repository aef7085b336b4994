//! `rbench sweep`: a grid of runs.

use super::Failure;
use crate::cli::SweepArgs;
use std::process::ExitCode;

/// Does it.
///
/// # Errors
/// It is not there yet.
pub fn run(_args: &SweepArgs) -> Result<ExitCode, Failure> {
    Err(Failure::failed(anyhow::anyhow!("not there yet")))
}
