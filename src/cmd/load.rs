//! From the name of a load to its lines and its program.

use super::Failure;
use crate::bundled;
use crate::cli::ReadArgs;
use crate::loadfile::{self, LoadError, Loadfile, ReadOptions, Source};
use crate::program::{CompileOptions, Program, compile};
use std::path::Path;

/// Reads a bundled load or a file.
pub fn read(name: &str, args: &ReadArgs) -> Result<Loadfile, Failure> {
    read_with(name, &options(args))
}

/// Reads several; it suffices that one of them declares a parameter that `--set` names.
pub fn read_all<'n>(names: impl Iterator<Item = &'n str>, args: &ReadArgs) -> Result<Vec<Loadfile>, Failure> {
    let names: Vec<&str> = names.collect();
    if let [name] = names[..] {
        return Ok(vec![read(name, args)?]);
    }
    let options = ReadOptions {
        set_for_others: true,
        ..options(args)
    };
    let files = names.iter().map(|name| read_with(name, &options));
    let files = files.collect::<Result<Vec<Loadfile>, Failure>>()?;
    let declared = |name: &str| {
        files
            .iter()
            .any(|file| file.params.iter().any(|param| param.name == name))
    };
    match options.set.keys().find(|name| !declared(name)) {
        Some(name) => Err(Failure::usage(anyhow::anyhow!(
            "--set names a parameter `{name}` that none of the loadfiles declares"
        ))),
        None => Ok(files),
    }
}

fn options(args: &ReadArgs) -> ReadOptions {
    ReadOptions {
        set: args.set.iter().cloned().collect(),
        set_for_others: false,
    }
}

/// A name that a bundled load has means that load; `./name` is a file.
fn read_with(name: &str, options: &ReadOptions) -> Result<Loadfile, Failure> {
    let parsed = match bundled::text(name) {
        Some(text) => loadfile::parse(Source::new(name, text), options).map_err(LoadError::Problems),
        None => loadfile::read(Path::new(name), options),
    };
    parsed.map_err(|error| match error {
        LoadError::Read { error: ref why, .. }
            if why.kind() == std::io::ErrorKind::NotFound && !name.contains('/') =>
        {
            let names: Vec<_> = bundled::names().collect();
            let names = names.join(", ");
            Failure::usage(anyhow::anyhow!(
                "{name}: no such file, and no bundled load of that name (there is: {names})"
            ))
        }
        error => Failure::usage(error),
    })
}

/// Compiles what was read.
pub fn compiled(file: &Loadfile, options: CompileOptions) -> Result<Program, Failure> {
    compile(file, options).map_err(|problems| Failure::usage(LoadError::Problems(problems)))
}
