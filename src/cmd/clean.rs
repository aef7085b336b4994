//! `rbench clean`: removes what a killed or kept run has left.

use super::{Failure, print, tell};
use crate::cli::CleanArgs;
use crate::replay::home::{self, CleanOutcome};
use std::process::ExitCode;

/// Cleans a directory by the rules of a run.
///
/// # Errors
/// What is there is not ours, is in use, or cannot be removed.
pub fn run(args: &CleanArgs) -> Result<ExitCode, Failure> {
    let outcome = home::clean(&args.directory).map_err(Failure::failed)?;
    print(&format!("{outcome}\n"))?;
    let warnings = match &outcome {
        CleanOutcome::Nothing { .. } => &[][..],
        CleanOutcome::Removed { warnings, .. } => warnings,
    };
    for warning in warnings {
        tell(format_args!("rbench: {warning}"));
    }
    Ok(match warnings {
        [] => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}
