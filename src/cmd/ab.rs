//! `rbench ab`: two configurations in turns, and what became of the second.

mod definition;
mod detect;
mod engine;
mod judging;
mod progress;

use super::live::roughly;
use super::repeated::Notes;
use super::run::{are_no_loadfiles, kept, store_of};
use super::{Failure, print, tell};
use crate::campaign::{Order, Schedule, SeededOrder};
use crate::cli::AbArgs;
use crate::compare::Comparison;
use crate::output::{Output, OutputKind, Outputs};
use crate::report::printable;
use crate::run::Interrupts;
use anyhow::anyhow;
use definition::{Side, sides};
use engine::Engine;
use judging::Judging;
use progress::Progress;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Pairs where neither --pairs nor --detect says how many.
const PAIRS: u32 = 10;

/// Runs both sides in turns, and compares them.
///
/// # Errors
/// Options or loadfiles that make no campaign (exit 2; nothing was touched); a switch, a command or a run that failed, or
/// results that cannot be stored (1); a signal.
pub fn run(args: &AbArgs) -> Result<ExitCode, Failure> {
    let sides = sides(args)?;
    let started_at = jiff::Timestamp::now();
    let file = results_file(args, started_at)?;
    let outputs = outputs(args, &sides, &file)?;
    let judging = Judging::new(args);
    let order = seeded(args.order, started_at);
    let known = sides.iter().map(Side::run_takes).sum::<Option<_>>();
    let mut engine = Engine {
        started_at,
        order,
        schedule: Schedule::new(order),
        outputs,
        interrupts: Interrupts::remember().map_err(Failure::failed)?,
        progress: Progress::new(known.map(|both: std::time::Duration| both / 2)),
        notes: Notes::default(),
        observations: Vec::new(),
        pairs: 0,
        switched: None,
        sides,
    };
    announce(args, &engine, &file);
    let ended = campaign(&mut engine, args, &judging);
    conclude(engine, &judging, ended)
}

/// The seed where none was typed: the time, in few digits.
fn seeded(order: Order, now: jiff::Timestamp) -> SeededOrder {
    order.seeded(now.as_microsecond().unsigned_abs() % 1_000_000)
}

/// What is going to happen, on standard error.
fn announce(args: &AbArgs, engine: &Engine, file: &Path) {
    tell(format_args!("results: {}", file.display()));
    let whats = engine.sides.each_ref().map(|side| side.what.as_str());
    let is_same = args.a.options == args.b.options && args.switch_a == args.switch_b;
    if is_same {
        tell("a and b are the same: what they differ by is noise (an A/A campaign)");
    } else {
        for (name, what) in ["a", "b"].into_iter().zip(whats) {
            tell(format_args!("{name}: {}", printable(what)));
        }
    }
    let order = match engine.order {
        SeededOrder::Abba => "abba".to_owned(),
        order @ SeededOrder::Random { .. } => format!("random (--order {order} repeats it)"),
    };
    match args.detect {
        Some(share) => tell(format_args!(
            "order: {order}; a pilot of {} pairs tells how many show a difference of {share}",
            detect::PILOT
        )),
        None => {
            let pairs = args.pairs.unwrap_or(PAIRS);
            let time = engine.progress.time_of(pairs * 2);
            let time = time.map_or(String::new(), |time| {
                format!("; takes {} at least", roughly(time))
            });
            tell(format_args!("order: {order}; {}{time}", counted_pairs(pairs)));
        }
    }
}

fn counted_pairs(pairs: u32) -> String {
    format!("{pairs} pair{}", if pairs == 1 { "" } else { "s" })
}

/// Makes the pairs: those of a fixed number, or of a pilot and as many more as it asks for; and as many fresh ones where
/// they are to confirm what the first flag.
fn campaign(engine: &mut Engine, args: &AbArgs, judging: &Judging<'_>) -> Result<(), Failure> {
    match args.detect {
        None => engine.run(args.pairs.unwrap_or(PAIRS), false)?,
        Some(share) => {
            engine.run(detect::PILOT, false)?;
            let more = detect::more_pairs(engine, judging, share)?;
            engine.run(more, false)?;
        }
    }
    let pairs = engine.pairs;
    // What must not be compared is told at the end.
    let flagged = judging.flagged(&engine.observations);
    if args.confirm && !flagged.is_empty() {
        let names: Vec<String> = flagged.iter().map(ToString::to_string).collect();
        tell(format_args!(
            "flagged: {}; {} fresh pairs are to confirm it",
            names.join(", "),
            pairs
        ));
        engine.run(pairs, true)?;
    }
    Ok(())
}

/// Judges what was measured, however the campaign ended, and shows it; answers the exit code.
fn conclude(
    mut engine: Engine,
    judging: &Judging<'_>,
    ended: Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    engine.notes.lines().into_iter().for_each(tell);
    let code = engine.notes.code;
    let written = kept(engine.outputs.finish());
    let judged = judging.judge(&engine.observations);
    let shown = match &judged {
        Ok(comparison) => show(judging, comparison, engine.outputs.on_stdout()),
        Err(_) => Ok(()),
    };
    // What has ended the campaign must not be lost, whatever becomes of its table.
    ended?;
    let code = code.max(written?);
    shown?;
    let comparison = judged.map_err(|failure| Failure {
        code: failure.code.max(code),
        ..failure
    })?;
    Ok(ExitCode::from(match judging.code(&comparison) {
        // It cannot be told, but something went wrong beside it.
        3 if code > 0 => code,
        judged => judged.max(code),
    }))
}

/// Shows the comparison; on standard error where results go to standard output.
fn show(judging: &Judging<'_>, comparison: &Comparison, results_on_stdout: bool) -> Result<(), Failure> {
    let text = judging.text(comparison)?;
    if results_on_stdout {
        tell(text.trim_end());
    } else {
        print(&text)?;
    }
    Ok(())
}

/// Where results are stored.
fn results_file(args: &AbArgs, started_at: jiff::Timestamp) -> Result<PathBuf, Failure> {
    let file = match &args.results {
        Some(file) => file.clone(),
        None => format!("ab-{}.jsonl", started_at.strftime("%Y%m%d-%H%M%S")).into(),
    };
    if file.as_os_str() == "-" {
        return Err(Failure::usage(anyhow!(
            "--results -: results are stored in a file, which `rbench compare` judges once more; for standard output too, add --output jsonl=-"
        )));
    }
    // A device or pipe keeps nothing, but may be wanted.
    if std::fs::metadata(&file).is_ok_and(|found| found.is_file() && found.len() > 0) {
        return Err(Failure::usage(anyhow!(
            "{}: holds something already: name another file, or remove it",
            file.display()
        )));
    }
    Ok(file)
}

/// What runs are stored in: the campaign's own file, and those that `--output` names.
fn outputs(args: &AbArgs, sides: &[Side; 2], file: &Path) -> Result<Outputs, Failure> {
    let mut all = vec![Output {
        kind: OutputKind::JsonLines,
        file: Some(file.to_owned()),
    }];
    for typed in args.base.values("output") {
        let typed = typed.to_string_lossy();
        let output = typed.parse();
        all.push(output.map_err(|why: String| Failure::usage(anyhow!("--output {typed}: {why}")))?);
    }
    let mut prepared = Outputs::default();
    for side in sides {
        are_no_loadfiles(&all, &side.args.loadfile)?;
        for directory in side.directories() {
            prepared = Outputs::prepare(&all, directory).map_err(Failure::usage)?;
        }
    }
    let directories = sides.iter().flat_map(Side::directories).map(PathBuf::as_path);
    prepared
        .and_store(
            store_of(&args.base)?.as_ref(),
            args.base.has("store-anyway"),
            directories,
        )
        .map_err(Failure::usage)
}
