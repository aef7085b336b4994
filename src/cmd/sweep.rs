//! `rbench sweep`: a grid of runs.

mod definition;
mod engine;
mod progress;
mod settings;
mod wanted;

use super::live::roughly;
use super::plan::plan;
use super::repeated::Notes;
use super::run::{are_no_loadfiles, kept, store_of, worse};
use super::{Failure, print, tell};
use crate::cli::{RunArgs, SweepArgs};
use crate::loadfile::LoadError;
use crate::output::document::results;
use crate::output::{Output, OutputKind, Outputs};
use crate::report::{SweepTable, printable};
use crate::result::{Activity, Cell};
use crate::run::Interrupts;
use crate::run::between::Between;
use crate::sweep::{Done, Turn, schedule};
use anyhow::{Context, anyhow};
use definition::{Definition, shown};
use engine::Engine;
use progress::Progress;
use settings::Settings;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wanted::{Wanted, resumed, started};

/// Runs every cell of a grid.
///
/// # Errors
/// Axes, options or loadfiles that make no sweep, and settings that cannot be made (exit 2; nothing was touched); a
/// signal; results that cannot be stored (1).
pub fn run(args: &SweepArgs) -> Result<ExitCode, Failure> {
    let wanted = match &args.resume {
        Some(file) => resumed(args, file)?,
        None => started(args)?,
    };
    let definition = &wanted.definition;
    let turns = schedule(definition.grid.cells(), definition.runs, definition.order);
    let left: Vec<Turn> = turns
        .iter()
        .copied()
        .filter(|&turn| !wanted.done.has(turn) || wanted.retry && wanted.done.has_failed(turn))
        .collect();
    let checked = check_cells(&wanted)?;
    let done = (turns.len() - left.len()) as u32;
    let progress = Progress::new(turns.len() as u32, done, checked.run_takes);
    let table = table(&wanted)?;
    Settings::look(&definition.grid)?;
    if args.list {
        print(&list(definition, &left, &progress))?;
        return Ok(ExitCode::SUCCESS);
    }
    make(wanted, &left, progress, &checked, table)
}

/// The table that the runs will make, without any of them yet.
fn table(wanted: &Wanted) -> Result<SweepTable, Failure> {
    let axes = wanted.definition.grid.axes().iter();
    let table = SweepTable::with_axes(axes.map(|axis| (axis.kind.clone(), axis.values.clone())));
    if let Some(layout) = wanted.args.layout {
        table.check(layout).map_err(Failure::usage)?;
    }
    Ok(table)
}

/// What is known of all cells before the first.
struct Checked {
    /// Where they work.
    directories: BTreeSet<PathBuf>,
    /// What they replay, as typed.
    loadfiles: BTreeSet<String>,
    /// How long a run takes on average, where that is known of all.
    run_takes: Option<Duration>,
}

/// Checks every cell as far as that is possible without touching anything.
fn check_cells(wanted: &Wanted) -> Result<Checked, Failure> {
    let definition = &wanted.definition;
    let cells = definition.grid.cells();
    // Cells that differ in kernel settings alone have the same command.
    let mut seen: BTreeMap<Vec<OsString>, Option<Duration>> = BTreeMap::new();
    let mut all_take = Some(Duration::ZERO);
    let mut checked = Checked {
        directories: BTreeSet::new(),
        loadfiles: BTreeSet::new(),
        run_takes: None,
    };
    for cell in 1..=cells {
        let command = definition.cell_command(cell);
        if let Some(&takes) = seen.get(&command) {
            all_take = sum(all_take, takes);
            continue;
        }
        let args = definition.cell_args(cell)?;
        let takes = check_cell(&args, &wanted.done, &mut checked.directories).map_err(|failure| {
            let at = shown(&definition.grid.coordinates(cell));
            Failure {
                error: failure.error.context(format!("cell {cell} ({at})")),
                ..failure
            }
        })?;
        checked.loadfiles.extend(args.loadfile);
        all_take = sum(all_take, takes);
        seen.insert(command, takes);
    }
    checked.run_takes = all_take.map(|all| all / cells.max(1));
    Ok(checked)
}

/// Of two times, where both are known.
fn sum(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    one?.checked_add(other?)
}

/// How long a run of a cell takes, where that is known.
fn check_cell(
    args: &RunArgs,
    done: &Done,
    directories: &mut BTreeSet<PathBuf>,
) -> Result<Option<Duration>, Failure> {
    let plan = plan(args)?;
    plan.check()
        .map_err(|problems| Failure::usage(LoadError::Problems(problems)))?;
    let around: Between = super::plan::between(args)?;
    if plan.backend == crate::run::Backend::FileIo {
        let directory = &args.directory;
        let found = std::fs::metadata(directory)
            .with_context(|| format!("{}: cannot be worked in", directory.display()))
            .map_err(Failure::usage)?;
        if !found.is_dir() {
            return Err(Failure::usage(anyhow!(
                "{}: is no directory",
                directory.display()
            )));
        }
    }
    for program in &plan.programs {
        let sha256 = program.source.sha256();
        done.check_load(program.name(), &sha256).map_err(Failure::usage)?;
    }
    directories.insert(args.directory.clone());
    directories.extend(args.probe_dir.clone());
    let idle = plan.measurement.probe.as_ref().map(|probe| probe.idle);
    let around = around.settle + idle.unwrap_or_default();
    let settings = &plan.settings;
    Ok(settings.time_limit.map(|limit| limit + settings.warmup + around))
}

/// So many of something.
fn counted(count: u32, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// What would be run, in that order.
fn list(definition: &Definition, left: &[Turn], progress: &Progress) -> String {
    let (cells, runs) = (definition.grid.cells(), definition.runs);
    let mut text = format!(
        "{} of each; {} to make\n",
        [counted(cells, "cell"), counted(runs, "run")].join(", "),
        counted(left.len() as u32, "run")
    );
    for turn in left {
        let coordinates = definition.grid.coordinates(turn.cell);
        let command = definition.cell_command(turn.cell);
        let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
        text.push_str(&format!(
            "{:>6}  run {}  {}\n        rbench {}\n",
            turn.cell,
            turn.run,
            printable(&shown(&coordinates)),
            printable(&words.join(" "))
        ));
    }
    text.push_str(&match progress.left() {
        Some(left) => format!(
            "takes {} at least, and the time to prepare and to clean up\n",
            roughly(left)
        ),
        None => {
            "how long it takes is not known before the first run: its loads are run once through\n".into()
        }
    });
    text
}

/// Makes the runs that are left, and shows all.
fn make(
    mut wanted: Wanted,
    left: &[Turn],
    progress: Progress,
    checked: &Checked,
    mut table: SweepTable,
) -> Result<ExitCode, Failure> {
    // Its memory is not to be missing while the cells are measured.
    let stored = std::mem::take(&mut wanted.stored);
    let definition = &wanted.definition;
    let started_at = match wanted.done.sweep() {
        Some(cell) => cell.sweep_started_at,
        None => jiff::Timestamp::now(),
    };
    let file = results_file(&wanted, started_at)?;
    let mut outputs = outputs(&wanted, &file, checked)?;
    for run in results(&stored).flatten() {
        outputs
            .add_to_documents(&run)
            .map_err(|errors| Failure::failed(anyhow!("{errors}")))?;
        table.add(&run);
    }
    drop(stored);
    let settings = Settings::of(&definition.grid)?;
    let interrupts = Interrupts::remember().map_err(Failure::failed)?;
    let mut engine = Engine {
        definition,
        sweep: Cell {
            sweep_started_at: started_at,
            sweep_command: wanted.command.clone(),
            sweep_directory: wanted.directory.clone(),
            number: 0,
            cells: definition.grid.cells(),
            coordinates: Vec::new(),
        },
        settings,
        outputs,
        interrupts,
        progress,
        notes: Notes::default(),
    };
    tell(format_args!("results: {}", file.display()));
    let made = engine.run(left, &mut |run| {
        table.add(run);
    });
    let Engine {
        settings,
        mut outputs,
        notes,
        ..
    } = engine;
    let ended = match settings.restore() {
        Ok(()) => made,
        Err(failure) => worse(made, failure),
    };
    notes.lines().into_iter().for_each(tell);
    let still_failed = if wanted.retry { 0 } else { wanted.done.failed() };
    if still_failed > 0 {
        tell(format_args!(
            "error: {still_failed} runs have failed before; to make them again: rbench sweep --resume {} --retry-failed",
            file.display()
        ));
    }
    let code = notes.code.max(u8::from(still_failed > 0));
    if ended.is_err() && !table.is_empty() {
        tell(format_args!(
            "go on with: rbench sweep --resume {}",
            file.display()
        ));
    }
    let shown = conclude(&wanted, &mut outputs, &table);
    let Err(failure) = ended else {
        return Ok(ExitCode::from(code.max(shown?)));
    };
    // What has ended the sweep must not be lost, whatever becomes of its table.
    match shown {
        Err(other) if !other.is_closed_pipe() => tell(format_args!("rbench: {:#}", other.error)),
        _ => {}
    }
    Err(failure)
}

/// Writes the documents that had to wait for the last run, and shows the table; answers the exit code of that.
fn conclude(wanted: &Wanted, outputs: &mut Outputs, table: &SweepTable) -> Result<u8, Failure> {
    let code = kept(outputs.finish())?;
    if !table.is_empty() && !outputs.on_stdout() {
        let (layout, form) = (wanted.args.layout, wanted.args.form.unwrap_or_default());
        let text = table.text(layout, form, wanted.args.bystander.unwrap_or(Activity::Save));
        print(&text.map_err(Failure::failed)?)?;
    }
    Ok(code)
}

/// Where results are stored.
fn results_file(wanted: &Wanted, started_at: jiff::Timestamp) -> Result<PathBuf, Failure> {
    let file = match &wanted.args.results {
        Some(file) => file.clone(),
        None => format!("sweep-{}.jsonl", started_at.strftime("%Y%m%d-%H%M%S")).into(),
    };
    if file.as_os_str() == "-" {
        return Err(Failure::usage(anyhow!(
            "--results -: results are stored in a file, from which the sweep can be gone on with; for standard output too, add --output jsonl=-"
        )));
    }
    let is_new = wanted.done.sweep().is_none();
    // A device or pipe is no file that could be resumed, but may be wanted.
    if is_new && std::fs::metadata(&file).is_ok_and(|found| found.is_file() && found.len() > 0) {
        return Err(Failure::usage(anyhow!(
            "{0}: holds something already: go on with it (rbench sweep --resume {0}), or name another file",
            file.display()
        )));
    }
    Ok(file)
}

/// What runs are stored in: the sweep's own file, and those that `--output` names.
fn outputs(wanted: &Wanted, file: &Path, checked: &Checked) -> Result<Outputs, Failure> {
    let mut all = vec![Output {
        kind: OutputKind::JsonLines,
        file: Some(file.to_owned()),
    }];
    for typed in wanted.args.base.values("output") {
        let typed = typed.to_string_lossy();
        all.push(
            typed
                .parse()
                .map_err(|why: String| Failure::usage(anyhow!("--output {typed}: {why}")))?,
        );
    }
    let loadfiles: Vec<String> = checked.loadfiles.iter().cloned().collect();
    are_no_loadfiles(&all, &loadfiles)?;
    let mut prepared = Outputs::default();
    for directory in &checked.directories {
        prepared = Outputs::prepare(&all, directory).map_err(Failure::usage)?;
    }
    let base = &wanted.args.base;
    let directories = checked.directories.iter().map(PathBuf::as_path);
    prepared
        .and_store(store_of(base)?.as_ref(), base.has("store-anyway"), directories)
        .map_err(Failure::usage)
}
