//! `rbench man`: manual pages.

use super::{Failure, print};
use crate::cli::{Cli, ManArgs};
use anyhow::Context;
use clap::CommandFactory;
use std::process::ExitCode;

/// Writes rbench.1 and a page for each command into a directory, which is made if it is not there.
///
/// # Errors
/// The directory cannot be made, or a page cannot be written.
pub fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    let directory = &args.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), directory))
        .with_context(|| format!("{}: the manual pages cannot be written", directory.display()))
        .map_err(Failure::failed)?;
    print(&format!(
        "{}: written; read with man -l {0}/rbench.1\n",
        directory.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}
