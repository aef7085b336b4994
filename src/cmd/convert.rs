//! `rbench convert`: writes a loadfile as nb3.

use super::{Failure, load, tell};
use crate::cli::{ConvertArgs, ConvertTarget};
use crate::loadfile::write::{Target, WriteError, WriteOptions, write};
use crate::output::file::Destination;
use crate::units::Grouped;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Converts a loadfile. An output that is a file appears whole or not at all.
///
/// # Errors
/// The loadfile has problems, or cannot be written in this form (exit 2); the output cannot be written (1).
pub fn run(args: &ConvertArgs) -> Result<ExitCode, Failure> {
    let file = load::read(&args.input, &args.read)?;
    // A conversion keeps slices as they are; what lines show only together is checked all the same.
    load::compiled(
        &file,
        crate::program::CompileOptions {
            slice: args.read.slice,
            ..Default::default()
        },
    )?;
    let options = WriteOptions {
        flatten: args.flatten,
        target: match args.target {
            ConvertTarget::Dbench4 => Target::Dbench4,
            ConvertTarget::Dbench5 => Target::Dbench5,
        },
    };
    let report = if args.output == Path::new("-") {
        write(&file, &options, &mut io::stdout().lock()).map_err(failure)?
    } else {
        let destination = Destination::find(&args.output).map_err(Failure::usage)?;
        destination.replace(|out| write(&file, &options, out).map_err(failure))?
    };
    if report.fill_bytes > 0 {
        tell(format_args!(
            "{}: {} lines; {} bytes of them fill files that the trace read but never wrote",
            args.output.display(),
            Grouped(report.lines),
            Grouped(report.fill_bytes)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn failure(error: WriteError) -> Failure {
    match error {
        WriteError::Io(error) => Failure::from(error),
        problems @ WriteError::Problems(_) => Failure::usage(problems),
    }
}
