//! `rbench compare`: what became of a candidate beside its baseline.

mod stored;

use super::results_file::results_text;
use super::{Failure, print};
use crate::cli::{CompareArgs, JudgeArgs, JudgeForm};
use crate::compare::{
    CellKey, Comparison, Gate, Metric, Observation, Refusal, Settings, SideRuns, compare, compare_turns,
};
use crate::output::document::results;
use crate::report::{
    ComparisonView, comparison_csv, comparison_json, comparison_markdown, comparison_text, printable,
};
use anyhow::{Context, anyhow};
use std::path::Path;
use std::process::ExitCode;
pub(super) use stored::{Stored, campaigns};

/// The exit code where runs must not be compared.
const NOT_COMPARABLE: u8 = 4;

/// Compares two sets of stored runs, and prints what became of them.
///
/// # Errors
/// Runs cannot be read (exit 2), or must not be compared (exit 4).
pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let store = Stored::find(args.store.as_deref())?;
    let base = observations(&args.base, &store)?;
    let candidate = match &args.candidate {
        Some(name) => Some((name, observations(name, &store)?)),
        None => None,
    };
    let gate = args.judge.gate.clone().unwrap_or_default();
    let of_candidate = candidate.iter().flat_map(|(_, runs)| runs);
    let judged = campaigns(base.iter().chain(of_candidate));
    let equal = |cell: &CellKey, metric: Metric| store.equal_runs(cell, metric, &judged);
    let settings = Settings {
        equal_runs: Some(&equal),
        ..settings(&args.judge, &gate)
    };
    let comparison = match candidate {
        Some((name, candidate)) => compare(side(&args.base, base), side(name, candidate), &settings),
        None => {
            took_turns(&args.base, &base)?;
            compare_turns(&base, &settings, false)
        }
    };
    let comparison = comparison.map_err(|refusal| refused(&refusal))?;
    let view = ComparisonView {
        ratio: args.ratio,
        all: args.all,
    };
    print(&told(&comparison, args.form, view)?)?;
    Ok(ExitCode::from(comparison.exit_code(args.judge.strict)))
}

/// Compares what two names stand for, as typed; or why they must not be compared.
///
/// # Errors
/// Runs cannot be read (exit 2).
pub(super) fn compared(
    names: (&str, &str),
    place: Option<&Path>,
    judge: &JudgeArgs,
) -> Result<Result<Comparison, Refusal>, Failure> {
    let store = Stored::find(place)?;
    let (base, candidate) = (observations(names.0, &store)?, observations(names.1, &store)?);
    let gate = judge.gate.clone().unwrap_or_default();
    let judged = campaigns(base.iter().chain(&candidate));
    let equal = |cell: &CellKey, metric: Metric| store.equal_runs(cell, metric, &judged);
    let settings = Settings {
        equal_runs: Some(&equal),
        ..settings(judge, &gate)
    };
    Ok(compare(side(names.0, base), side(names.1, candidate), &settings))
}

/// How a comparison is made, as typed.
pub(super) fn settings<'s>(args: &JudgeArgs, gate: &'s Gate) -> Settings<'s> {
    Settings {
        floor: args.floor.map(|floor| floor.0),
        force: args.force,
        ..Settings::new(gate)
    }
}

/// A comparison in the form that was asked for.
///
/// # Errors
/// It cannot be encoded.
pub(super) fn told(
    comparison: &Comparison,
    form: JudgeForm,
    view: ComparisonView,
) -> Result<String, Failure> {
    Ok(match form {
        JudgeForm::Text => comparison_text(comparison, view),
        JudgeForm::Markdown => comparison_markdown(comparison, view),
        JudgeForm::Csv => comparison_csv(comparison),
        JudgeForm::Json => comparison_json(comparison)
            .context("the comparison cannot be told as JSON")
            .map_err(Failure::failed)?,
    })
}

/// A refusal as the failure of a command: exit 4, with names made safe to print.
pub(super) fn refused(refusal: &Refusal) -> Failure {
    let lines: Vec<String> = refusal.lines().iter().map(|line| printable(line)).collect();
    Failure {
        code: NOT_COMPARABLE,
        error: anyhow!(lines.join("\n")),
    }
}

/// Whether there are two sides in one file.
fn took_turns(name: &str, runs: &[Observation]) -> Result<(), Failure> {
    if runs.iter().any(|run| run.turn.is_some()) {
        return Ok(());
    }
    Err(Failure::usage(anyhow!(
        "{}: its runs did not take turns: give a candidate too, or a file of rbench ab",
        shown(name)
    )))
}

fn side(name: &str, runs: Vec<Observation>) -> SideRuns {
    SideRuns {
        name: shown(name),
        runs,
    }
}

fn shown(name: &str) -> String {
    match name {
        "-" => "standard input".to_owned(),
        name => printable(name),
    }
}

/// The runs of a file, or what is selected in the store.
fn observations(name: &str, store: &Stored) -> Result<Vec<Observation>, Failure> {
    let path = Path::new(name);
    if name != "-" && !path.exists() {
        return store.selected(name);
    }
    let (shown, text) = results_text(path)?;
    // Only what is compared is kept of each: a file may hold thousands.
    let runs = results(&text).map(|result| result.map(|run| Observation::from(&run)));
    runs.collect::<Result<_, _>>()
        .map_err(|error| Failure::usage(anyhow!("{}", printable(&format!("{shown}:{error}")))))
}
