//! `rbench clean`: removes what a killed or kept run has left.

use super::{Failure, print};
use crate::cli::CleanArgs;
use crate::replay::home::{self, CleanOutcome};
use std::process::ExitCode;

/// Cleans a directory by the rules of a run.
///
/// # Errors
/// What is there is not ours, is in use, or cannot be removed.
pub fn run(args: &CleanArgs) -> Result<ExitCode, Failure> {
    let clients = args.directory.join("clients");
    match home::clean(&args.directory).map_err(Failure::failed)? {
        CleanOutcome::Removed => print(&format!("removed {}\n", clients.display()))?,
        CleanOutcome::Nothing => print(&format!("{} is not there: nothing to clean\n", clients.display()))?,
        CleanOutcome::Incomplete(names) => {
            let what = format!("{}: could not remove {}", clients.display(), names.join(", "));
            return Err(Failure::failed(anyhow::anyhow!(what)));
        }
    }
    Ok(ExitCode::SUCCESS)
}
