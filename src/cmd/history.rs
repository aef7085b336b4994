//! `rbench history`: results from night to night.

pub(super) mod check;
mod transfer;

use super::report::show_stored;
use super::{Failure, print};
use crate::cli::{
    HistoryArgs, HistoryJob, HistoryListArgs, HistoryPinArgs, HistoryPruneArgs, HistoryShowArgs,
};
use crate::report::{cells, printable, stored_runs};
use crate::store::{Selector, Store, StoreError};
use anyhow::{Context, anyhow};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// Does what is asked for with the store.
///
/// # Errors
/// There is no store, it is something else, or nothing in it is meant (exit 2); it cannot be read or written (1).
pub fn run(args: &HistoryArgs) -> Result<ExitCode, Failure> {
    let store = args.store.as_deref();
    match &args.job {
        HistoryJob::List(args) => list(&opened(store)?, args)?,
        HistoryJob::Show(args) => show(&opened(store)?, args)?,
        HistoryJob::Pin(args) => pin(&opened(store)?, args)?,
        HistoryJob::Export(args) => transfer::export(&opened(store)?, args)?,
        HistoryJob::Import(args) => return transfer::import(store, args),
        HistoryJob::Prune(args) => prune(&opened(store)?, args)?,
        HistoryJob::Check(args) => return check::run(store, args),
    }
    Ok(ExitCode::SUCCESS)
}

/// The store, which must be there.
fn opened(store: Option<&Path>) -> Result<Store, Failure> {
    Store::open_existing(store).map_err(|error| Failure::usage(told(&error)))
}

/// What is wrong, with names made safe to print.
fn told(error: &StoreError) -> anyhow::Error {
    anyhow!(printable(&error.to_string()))
}

fn failed(error: StoreError) -> Failure {
    match error {
        StoreError::NothingSelected { .. } | StoreError::PinName { .. } => Failure::usage(told(&error)),
        error => Failure::failed(told(&error)),
    }
}

fn selector(text: &str) -> Selector {
    let Ok(selector) = text.parse();
    selector
}

/// The numbers of the runs that are meant.
fn selected(store: &Store, text: &str) -> Result<Vec<i64>, Failure> {
    let selector = selector(text);
    let numbers = store.numbers(&selector).map_err(failed)?;
    if numbers.is_empty() {
        return Err(failed(store.nothing(&selector)));
    }
    Ok(numbers)
}

fn list(store: &Store, args: &HistoryListArgs) -> Result<(), Failure> {
    let text = if args.runs {
        let runs = store.list_runs().map_err(failed)?;
        match args.json {
            true => lines(&runs)?,
            false => stored_runs(&runs),
        }
    } else {
        let all = store.list_cells().map_err(failed)?;
        match args.json {
            true => lines(&all)?,
            false => cells(&all),
        }
    };
    Ok(print(&text)?)
}

/// An object a line.
fn lines<T: Serialize>(all: &[T]) -> Result<String, Failure> {
    let mut text = String::new();
    for one in all {
        let line = serde_json::to_string(one);
        text += &line
            .context("it cannot be told as JSON")
            .map_err(Failure::failed)?;
        text.push('\n');
    }
    Ok(text)
}

fn show(store: &Store, args: &HistoryShowArgs) -> Result<(), Failure> {
    let numbers = selected(store, &args.runs)?;
    show_stored(
        numbers
            .into_iter()
            .map(|number| store.run(number).map_err(failed)),
    )
}

fn pin(store: &Store, args: &HistoryPinArgs) -> Result<(), Failure> {
    let count = store.pin(&args.name, &selector(&args.runs)).map_err(failed)?;
    let runs = if count == 1 { "run" } else { "runs" };
    Ok(print(&printable_line(&format!(
        "pin:{} names {count} {runs}",
        args.name
    )))?)
}

fn prune(store: &Store, args: &HistoryPruneArgs) -> Result<(), Failure> {
    let before = moment(&args.before, Timestamp::now()).ok_or_else(|| {
        Failure::usage(anyhow!(
            "--before {}: expected a day such as 2026-01-31, or so many days ago such as 90d",
            printable(&args.before)
        ))
    })?;
    let pruned = store.prune(before, args.dry_run).map_err(failed)?;
    let removed = if args.dry_run {
        "would be removed"
    } else {
        "removed"
    };
    Ok(print(&format!(
        "runs started before {} UTC: {} {removed}, {} kept because a pin names them; {} left\n",
        before.strftime("%Y-%m-%d %H:%M"),
        pruned.removed,
        pruned.pinned,
        pruned.left
    ))?)
}

/// The start of a day (UTC), or so many days before now.
fn moment(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Some(days) = text.strip_suffix('d') {
        let days: u32 = days.parse().ok()?;
        return now
            .checked_sub(SignedDuration::from_hours(i64::from(days) * 24))
            .ok();
    }
    let day: Date = text.parse().ok()?;
    format!("{day}T00:00:00Z").parse().ok()
}

fn printable_line(line: &str) -> String {
    printable(line) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_day_or_so_many_days_ago() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let told = |text| moment(text, now).map(|at| at.to_string());
        assert_eq!(told("2026-01-31").as_deref(), Some("2026-01-31T00:00:00Z"));
        assert_eq!(told("90d").as_deref(), Some("2025-12-01T12:00:00Z"));
        for text in ["", "d", "-1d", "90", "2026-02-30", "4000000000d", "yesterday"] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
