//! `rbench loads`: the bundled loads.

use super::Failure;
use crate::cli::LoadsArgs;
use std::process::ExitCode;

/// Does it.
///
/// # Errors
/// It is not there yet.
pub fn run(_args: &LoadsArgs) -> Result<ExitCode, Failure> {
    Err(Failure::failed(anyhow::anyhow!("not there yet")))
}
