//! `rbench loads`: the bundled loads, what each models, and its parameters.

use super::{Failure, print};
use crate::bundled;
use crate::cli::LoadsArgs;
use crate::loadfile::{self, LoadError, ReadOptions, Source};
use crate::report::{ListedLoad, ListedParam};
use std::process::ExitCode;

/// Lists the loads that are asked for, or all.
///
/// # Errors
/// A name that no bundled load has.
pub fn run(args: &LoadsArgs) -> Result<ExitCode, Failure> {
    let names: Vec<&str> = match args.names.is_empty() {
        true => bundled::names().collect(),
        false => args.names.iter().map(String::as_str).collect(),
    };
    let loads: Vec<ListedLoad> = names.into_iter().map(listed).collect::<Result<_, _>>()?;
    let mut text = String::new();
    for (index, load) in loads.iter().enumerate() {
        if args.json {
            text += &load.json().map_err(Failure::failed)?;
            continue;
        }
        if index > 0 {
            text.push('\n');
        }
        text += &load.text();
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn listed(name: &str) -> Result<ListedLoad, Failure> {
    let (Some(text), Some(summary)) = (bundled::text(name), bundled::summary(name)) else {
        let names: Vec<_> = bundled::names().collect();
        return Err(Failure::usage(anyhow::anyhow!(
            "{name}: no bundled load of that name (there is: {})",
            names.join(", ")
        )));
    };
    let file = loadfile::parse(Source::new(name, text), &ReadOptions::default())
        .map_err(|problems| Failure::failed(LoadError::Problems(problems)))?;
    Ok(ListedLoad {
        name: name.to_owned(),
        summary,
        params: file.params.iter().map(ListedParam::from).collect(),
    })
}
