//! `rbench history export` and `import`.

use super::super::results_file::results_text;
use super::super::{Failure, print, tell};
use super::{failed, printable_line, selected, told};
use crate::cli::{HistoryExportArgs, HistoryImportArgs};
use crate::output::document::{ReadError, results_as_written};
use crate::output::file::Destination;
use crate::report::printable;
use crate::store::{Imported, Store, StoreError};
use anyhow::anyhow;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Writes runs as lines of JSON: all, in the order in which they were added, or those that are meant.
///
/// # Errors
/// None is meant (exit 2); the store cannot be read, or the file not written (1).
pub(super) fn export(store: &Store, args: &HistoryExportArgs) -> Result<(), Failure> {
    let numbers = match &args.runs {
        Some(runs) => selected(store, runs)?,
        None => store.all_numbers().map_err(failed)?,
    };
    if args.output == Path::new("-") {
        let mut out = io::stdout().lock();
        lines(store, &numbers, &mut out)?;
        return Ok(out.flush()?);
    }
    let destination = Destination::find(&args.output).map_err(Failure::usage)?;
    destination.replace(|out| lines(store, &numbers, out))
}

fn lines(store: &Store, numbers: &[i64], out: &mut dyn Write) -> Result<(), Failure> {
    for &number in numbers {
        let line = store.text(number).map_err(failed)? + "\n";
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Why a file is not imported.
enum NotImported {
    Read(ReadError),
    Store(StoreError),
}

impl From<StoreError> for NotImported {
    fn from(error: StoreError) -> NotImported {
        NotImported::Store(error)
    }
}

/// Adds the results of files; of each file all, or none where one of them cannot be read.
///
/// # Errors
/// A file holds what is no result (exit 2; the others are imported); the store cannot be opened (2) or written (1).
pub(super) fn import(store: Option<&Path>, args: &HistoryImportArgs) -> Result<ExitCode, Failure> {
    let store = Store::open(store).map_err(|error| Failure::usage(told(&error)))?;
    let mut code = 0;
    for path in &args.files {
        match file(&store, path) {
            Ok((shown, Imported { new, known })) => {
                let runs = if new == 1 { "run" } else { "runs" };
                print(&printable_line(&format!(
                    "{shown}: {new} {runs} added, {known} were there already"
                )))?;
            }
            Err(failure) if failure.code == 2 => {
                tell(format_args!("rbench: {:#}", failure.error));
                code = 2;
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(ExitCode::from(code))
}

fn file(store: &Store, path: &Path) -> Result<(String, Imported), Failure> {
    let (shown, text) = results_text(path)?;
    let runs = results_as_written(&text).map(|read| read.map_err(NotImported::Read));
    match store.import(runs) {
        Ok(imported) => Ok((shown, imported)),
        Err(NotImported::Store(error)) => Err(failed(error)),
        Err(NotImported::Read(error)) => {
            let what = printable(&error.to_string());
            Err(Failure::usage(anyhow!(
                "{shown}:{what}; nothing of this file was added"
            )))
        }
    }
}
