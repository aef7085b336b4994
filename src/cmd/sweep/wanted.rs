//! The sweep that is wanted: a new one, or one of which a file holds some runs.

use super::super::{Failure, results_file};
use super::definition::Definition;
use crate::cli::{Cli, Command, SweepArgs};
use crate::output::document::results;
use crate::report::printable;
use crate::sweep::Done;
use anyhow::{Context, anyhow};
use clap::Parser;
use std::path::Path;

/// A sweep that is to be run, or gone on with.
pub struct Wanted {
    pub args: SweepArgs,
    pub definition: Definition,
    /// What was typed after `rbench sweep`.
    pub command: Vec<String>,
    /// Where that was: the present directory.
    pub directory: String,
    pub done: Done,
    /// Runs that have failed are to be made again.
    pub retry: bool,
    /// The results of runs that are done already, as they stand in the file: read, they would take megabytes each.
    pub stored: String,
}

/// A new sweep.
pub fn started(args: &SweepArgs) -> Result<Wanted, Failure> {
    let words = std::env::args_os().skip(2).map(|word| word.into_string());
    let command = words.collect::<Result<Vec<String>, _>>().map_err(|word| {
        Failure::usage(anyhow!(
            "{}: is no UTF-8, and could not be stored",
            word.display()
        ))
    })?;
    let definition = Definition::of(args)?;
    Ok(Wanted {
        args: args.clone(),
        definition,
        command,
        directory: present_directory()?,
        done: Done::default(),
        retry: false,
        stored: String::new(),
    })
}

fn present_directory() -> Result<String, Failure> {
    let directory = std::env::current_dir()
        .context("the present directory cannot be told")
        .map_err(Failure::usage)?;
    directory.into_os_string().into_string().map_err(|directory| {
        Failure::usage(anyhow!(
            "{}: is no UTF-8, and could not be stored",
            directory.display()
        ))
    })
}

/// A sweep of which a file holds some runs.
pub fn resumed(typed: &SweepArgs, file: &Path) -> Result<Wanted, Failure> {
    if !typed.axes.0.is_empty() || !typed.base.is_empty() {
        return Err(Failure::usage(anyhow!(
            "--resume takes everything from the file: leave out all but --retry-failed, --list, --layout, --form and --bystander"
        )));
    }
    let shown = file.display();
    let text = results_file::text(file)
        .with_context(|| format!("{shown}: cannot be read"))
        .map_err(Failure::usage)?;
    let mut done = Done::default();
    for result in results(&text) {
        let result = result.map_err(|error| Failure::usage(anyhow!("{shown}:{error}")))?;
        done.add(&result)
            .map_err(|error| Failure::usage(anyhow!("{shown}: {error}")))?;
    }
    let Some(sweep) = done.sweep() else {
        return Err(Failure::usage(anyhow!(
            "{shown}: holds no run: start the sweep anew"
        )));
    };
    let command = sweep.sweep_command.clone();
    let file = std::path::absolute(file).map_err(Failure::usage)?;
    // Relative paths in the command are from where it was typed.
    std::env::set_current_dir(&sweep.sweep_directory)
        .with_context(|| {
            format!(
                "{shown}: the sweep was started in {}, which cannot be gone to",
                printable(&sweep.sweep_directory)
            )
        })
        .map_err(Failure::usage)?;
    let words = ["rbench", "sweep"]
        .map(str::to_owned)
        .into_iter()
        .chain(command.clone());
    let args = match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Some(Command::Sweep(args))) => args,
        _ => {
            return Err(Failure::usage(anyhow!(
                "{shown}: this version of rbench does not understand the sweep's command: rbench sweep {}",
                printable(&command.join(" "))
            )));
        }
    };
    let definition = Definition::of(&args)?;
    done.check_grid(&definition.grid)
        .map_err(|error| Failure::usage(anyhow!("{shown}: {error}")))?;
    let args = SweepArgs {
        results: Some(file.clone()),
        list: typed.list,
        layout: typed.layout.or(args.layout),
        form: typed.form.or(args.form),
        bystander: typed.bystander.or(args.bystander),
        ..args
    };
    Ok(Wanted {
        args,
        definition,
        command,
        directory: present_directory()?,
        done,
        retry: typed.retry_failed,
        stored: text,
    })
}
