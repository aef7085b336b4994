//! `rbench history check`.

use super::super::{Failure, print};
use super::{failed, opened};
use crate::cli::{HistoryCheckArgs, JudgeArgs, JudgeForm};
use crate::history::{CheckSettings, Checked, check};
use crate::report::{history_csv, history_json, history_markdown, history_text, printable};
use anyhow::{Context, anyhow};
use std::path::Path;
use std::process::ExitCode;

/// Judges a night, and shows what became of it.
///
/// # Errors
/// There is no store, or it has no such night or cell (exit 2); it cannot be read (1).
pub(super) fn run(store: Option<&Path>, args: &HistoryCheckArgs) -> Result<ExitCode, Failure> {
    let checked = checked(store, args.night.as_deref(), args.cell.as_deref(), &args.judge)?;
    let text = match args.form {
        JudgeForm::Text => history_text(&checked),
        JudgeForm::Markdown => history_markdown(&checked),
        JudgeForm::Csv => history_csv(&checked),
        JudgeForm::Json => history_json(&checked)
            .context("the history cannot be told as JSON")
            .map_err(Failure::failed)?,
    };
    print(&text)?;
    Ok(ExitCode::from(checked.exit_code(args.judge.strict)))
}

/// A night of the store (the last, unless one is named) of the cells whose names hold a text (all, unless there is
/// one), judged.
///
/// # Errors
/// As those of [`run`].
pub(in crate::cmd) fn checked(
    store: Option<&Path>,
    night: Option<&str>,
    cell: Option<&str>,
    judge: &JudgeArgs,
) -> Result<Checked, Failure> {
    let store = opened(store)?;
    let gate = judge.gate.clone().unwrap_or_default();
    let settings = CheckSettings {
        gate: &gate,
        floor: judge.floor.map(|floor| floor.0),
        force: judge.force,
        night,
        cell,
    };
    let checked = check(&store, &settings).map_err(failed)?;
    let file = printable(&store.file().display().to_string());
    let checked = checked.ok_or_else(|| {
        Failure::usage(match night {
            Some(night) => anyhow!(
                "{file}: has no night {}: rbench history list --runs shows the nights (runs of campaigns, fresh runs and those that were not completed make none)",
                printable(night)
            ),
            None => anyhow!("{file}: has no night yet: add completed runs (rbench --store), or import them"),
        })
    })?;
    let nothing = checked.check.series.is_empty() && checked.check.notes.is_empty();
    match cell.filter(|_| nothing) {
        Some(text) => Err(Failure::usage(anyhow!(
            "{file}: night {} has nothing to judge of cells whose names hold `{}`: rbench history list shows the cells",
            printable(&checked.night),
            printable(text)
        ))),
        None => Ok(checked),
    }
}
