//! `rbench completions`: a shell's completions.

use super::{Failure, print};
use crate::cli::{Cli, CompletionsArgs};
use clap::CommandFactory;
use std::process::ExitCode;

/// Prints the completions of a shell.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rbench", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
