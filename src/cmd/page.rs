//! `rbench report --html` and `--svg`: pages and pictures of what is stored and judged.

use super::results_file::{results_text, unreadable};
use super::{Failure, compare, history, print, tell};
use crate::cli::{JudgeArgs, ReportArgs};
use crate::output::document::results;
use crate::output::file::{Destination, FileError};
use crate::report::page::{Page, RunView};
use crate::report::{SweepTable, printable};
use anyhow::anyhow;
use std::path::Path;
use std::process::ExitCode;

/// Writes them.
///
/// # Errors
/// What is to be on the page cannot be read or made (exit 2); it cannot be written (1).
pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    if args.ratio {
        return Err(Failure::usage(anyhow!(
            "--ratio is a table, and no page: leave --html and --svg out"
        )));
    }
    let page = page(args)?;
    if let Some(file) = &args.html {
        let html = page.html();
        if file == Path::new("-") {
            print(&html)?;
        } else {
            let destination = Destination::find(file).map_err(Failure::usage)?;
            write(&destination, &html)?;
            tell(format_args!(
                "{}: {} KB",
                printable(&file.display().to_string()),
                html.len().div_ceil(1000)
            ));
        }
    }
    if let Some(directory) = &args.svg {
        let pictures = page.pictures();
        make(directory)?;
        for picture in &pictures {
            let file = directory.join(format!("{}.svg", picture.name));
            let destination = Destination::find(&file).map_err(Failure::usage)?;
            write(
                &destination,
                &format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", picture.svg),
            )?;
        }
        let (count, shown) = (pictures.len(), printable(&directory.display().to_string()));
        tell(format_args!("{shown}: {count} pictures"));
    }
    Ok(ExitCode::SUCCESS)
}

fn make(directory: &Path) -> Result<(), Failure> {
    match std::fs::create_dir(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(Failure::usage(anyhow!(
            "{}: cannot be made: {error}",
            printable(&directory.display().to_string())
        ))),
        _ => Ok(()),
    }
}

fn write(destination: &Destination, text: &str) -> Result<(), Failure> {
    let done: Result<(), FileError> = destination.replace(|out| {
        let done = out.write_all(text.as_bytes());
        done.map_err(|error| destination.error("cannot be written", error))
    });
    Ok(done?)
}

/// What stands on the page.
fn page(args: &ReportArgs) -> Result<Page, Failure> {
    let mut page = Page {
        bystander: Some(args.bystander),
        ..Page::default()
    };
    for path in &args.files {
        add(path, &mut page)?;
    }
    let judge = JudgeArgs {
        gate: args.gate.clone(),
        floor: args.floor,
        force: args.force,
        strict: false,
    };
    let store = args.store.as_deref();
    if let [base, candidate] = &args.compare[..] {
        let compared = compare::compared((base, candidate), store, &judge)?;
        page.comparison = Some(compared.map_err(|refusal| refusal.lines()));
    }
    if args.history {
        page.history = Some(history::check::checked(store, None, None, &judge)?);
    }
    Ok(page)
}

/// The results of a file.
fn add(path: &Path, page: &mut Page) -> Result<(), Failure> {
    let (shown, text) = results_text(path)?;
    let source = path
        .file_name()
        .map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    for result in results(&text) {
        let result = result.map_err(|error| unreadable(&shown, &error))?;
        if result.info.cell.is_none() {
            page.runs.push(RunView::new(&source, &result));
        } else if !page.sweeps.iter_mut().any(|sweep| sweep.add(&result)) {
            let mut sweep = SweepTable::new();
            sweep.add(&result);
            page.sweeps.push(sweep);
        }
    }
    Ok(())
}
