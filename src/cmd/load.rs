//! From the name of a load to its lines and its program.

use super::Failure;
use crate::bundled;
use crate::cli::ReadArgs;
use crate::loadfile::{self, LoadError, Loadfile, ReadOptions, Source};
use crate::program::{CompileOptions, Program, compile};
use std::path::Path;

/// Reads a bundled load or a file. A name without a slash that a bundled load has means that load.
pub fn read(name: &str, args: &ReadArgs) -> Result<Loadfile, Failure> {
    let options = ReadOptions {
        set: args.set.iter().cloned().collect(),
    };
    let parsed = match bundled::text(name) {
        Some(text) => loadfile::parse(Source::new(name, text), &options).map_err(LoadError::Problems),
        None => loadfile::read(Path::new(name), &options),
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
