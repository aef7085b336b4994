//! `rbench guardian`: what rbench starts before it changes kernel settings. Not for people: it stands in no help.

use super::tell;
use crate::knob::{SUBCOMMAND, guard};
use std::process::ExitCode;

/// Whether this process is to be one. Its command line is ours and no other, and is looked at before all others are.
pub fn is_asked_for() -> bool {
    let mut words = std::env::args_os().skip(1);
    words.next().is_some_and(|word| word == SUBCOMMAND) && words.next().is_none()
}

/// Does it, until rbench has ended and its settings are back.
pub fn run() -> ExitCode {
    match guard() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("rbench: {error}"));
            ExitCode::FAILURE
        }
    }
}
