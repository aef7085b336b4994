//! `rbench mix`: groups of clients with different loads.

use super::Failure;
use crate::cli::MixArgs;
use std::process::ExitCode;

/// Does it.
///
/// # Errors
/// It is not there yet.
pub fn run(_args: &MixArgs) -> Result<ExitCode, Failure> {
    Err(Failure::failed(anyhow::anyhow!("not there yet")))
}
