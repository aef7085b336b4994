//! `rbench convert`: writes a loadfile as nb3.

use super::{Failure, load, tell};
use crate::cli::{ConvertArgs, ConvertTarget};
use crate::loadfile::Loadfile;
use crate::loadfile::write::{Target, WriteError, WriteOptions, WriteReport, write};
use crate::units::Grouped;
use anyhow::Context;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
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
    } else if fs::symlink_metadata(&args.output).is_ok_and(|found| !found.is_file()) {
        in_place(&file, &options, &args.output)?
    } else {
        to_file(&file, &options, &args.output)?
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

/// Writes to what is no file, such as `/dev/null`, a pipe or a symbolic link: it must stay what it is.
fn in_place(file: &Loadfile, options: &WriteOptions, output: &Path) -> Result<WriteReport, Failure> {
    let mut out = OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(output)
        .with_context(|| format!("{}: cannot be written", output.display()))
        .map_err(Failure::failed)?;
    write(file, options, &mut out).map_err(failure)
}

fn to_file(file: &Loadfile, options: &WriteOptions, output: &Path) -> Result<WriteReport, Failure> {
    let name = output
        .file_name()
        .ok_or_else(|| Failure::usage(anyhow::anyhow!("{}: is not the name of a file", output.display())))?;
    let mut part_name = name.to_owned();
    part_name.push(format!(".{}.part", std::process::id()));
    let part: PathBuf = output.with_file_name(part_name);
    let context = || format!("{}: cannot be written", output.display());
    let mut out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&part)
        .with_context(context)
        .map_err(Failure::failed)?;
    let written = write(file, options, &mut out)
        .map_err(failure)
        .and_then(|report| {
            out.sync_all()
                .and_then(|()| fs::rename(&part, output))
                .with_context(context)
                .map_err(Failure::failed)?;
            Ok(report)
        });
    if written.is_err() {
        // What went wrong is told already; a part that stays is named after its purpose.
        let _ = fs::remove_file(&part);
    }
    written
}

fn failure(error: WriteError) -> Failure {
    match error {
        WriteError::Io(error) => Failure::from(error),
        problems @ WriteError::Problems(_) => Failure::usage(problems),
    }
}
