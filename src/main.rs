//! The rbench command: dispatches, and maps errors to exit codes.

use clap::Parser;
use rbench::cli::{Cli, Command};
use rbench::cmd::{self, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    if cmd::guardian::is_asked_for() {
        return cmd::guardian::run();
    }
    let cli = Cli::parse();
    let done = cmd::start().and_then(|()| match cli.command {
        None => cmd::run::run(&cli.run),
        Some(Command::Check(args)) => cmd::check::run(&args),
        Some(Command::Convert(args)) => cmd::convert::run(&args),
        Some(Command::Clean(args)) => cmd::clean::run(&args),
        Some(Command::Report(args)) if args.is_page() => cmd::page::run(&args),
        Some(Command::Report(args)) => cmd::report::run(&args),
        Some(Command::Sweep(args)) => cmd::sweep::run(&args),
        Some(Command::Mix(args)) => cmd::mix::run(&args),
        Some(Command::Loads(args)) => cmd::loads::run(&args),
        Some(Command::Compare(args)) => cmd::compare::run(&args),
        Some(Command::Ab(args)) => cmd::ab::run(&args),
        Some(Command::History(args)) => cmd::history::run(&args),
        Some(Command::Man(args)) => cmd::man::run(&args),
        Some(Command::Completions(args)) => cmd::completions::run(&args),
    });
    match done {
        Ok(code) => code,
        // Whoever read our output has gone, and knows.
        Err(failure) if failure.is_closed_pipe() => ExitCode::from(cmd::CLOSED_PIPE),
        Err(Failure { code, error }) => {
            cmd::tell(format_args!("rbench: {error:#}"));
            ExitCode::from(code)
        }
    }
}
