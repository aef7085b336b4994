//! Writing a loadfile as nb3, the dialect of dbench 3.x to 5.x.

mod check;
mod flatten;
mod from_smb1;
mod line;
mod tree;

use super::fault::Collector;
use super::{Dialect, Loadfile, Problem, Problems};
use crate::op::Line;
use line::Writer;
use std::io::{BufWriter, Write};

/// The program that is to run what is written with [`WriteOptions::flatten`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Target {
    /// dbench 4.0: operations only.
    #[default]
    Dbench4,
    /// dbench 5: also random numbers, sequence points, RANDOMSTRING, WRITEPATTERN, and `*` for a status.
    Dbench5,
}

/// How a loadfile is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Whether loops are unrolled, expressions worked out and rbench's own directives put into effect.
    pub flatten: bool,
    /// Who is to run it; only with `flatten`.
    pub target: Target,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteReport {
    /// Lines written.
    pub lines: u64,
    /// Bytes written by lines that give a file of an smb1 trace the size that it had, though the trace never wrote it.
    pub fill_bytes: u64,
}

/// Why a loadfile was not written, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something in it cannot be written; nothing was.
    #[error("{0}")]
    Problems(Problems),
    #[error("the loadfile cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

/// Writes a loadfile in any of the dialects nb2, nb3 and smb1 as nb3.
///
/// The text is written as it comes: a loop that is unrolled is never in memory.
///
/// # Errors
/// What the target cannot express (with lines, and then nothing is written), or a failing `out`.
pub fn write(
    loadfile: &Loadfile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    let mut out = BufWriter::with_capacity(64 << 10, out);
    let report = match loadfile.dialect {
        Dialect::Nfs | Dialect::Smb5 => return Err(no_equivalent(loadfile)),
        Dialect::Smb1 => {
            // Run through once for the problems, so that nothing is written when there is one.
            from_smb1::write(loadfile, options, &mut std::io::sink())?;
            from_smb1::write(loadfile, options, &mut out)?
        }
        Dialect::Nb2 | Dialect::Nb3 => {
            let loops = check::check(loadfile, options)?;
            let mut writer = Writer::new(loadfile, &mut out);
            if loadfile.dialect == Dialect::Nb2 && options.flatten {
                writer.empty_first(true)?;
            }
            match options.flatten {
                true => flatten::write(loadfile, options, &loops, &mut writer)?,
                false => keep(loadfile, &mut writer)?,
            }
            writer.report()
        }
    };
    out.flush()?;
    Ok(report)
}

fn no_equivalent(loadfile: &Loadfile) -> WriteError {
    let line = loadfile.lines.iter().next().map_or(0, |line| line.number);
    let problem = Problem {
        line,
        column: 0,
        what: format!(
            "operations of the {} dialect have no equivalent in nb3",
            loadfile.dialect
        ),
        help: "nb2, nb3 and smb1 can be converted; rbench runs the others as they are".into(),
    };
    WriteError::Problems(Problems::new(loadfile.source.clone(), vec![problem]))
}

/// The problems as an error, if there are any.
fn refuse(loadfile: &Loadfile, problems: Collector) -> Result<(), WriteError> {
    if problems.is_empty() {
        return Ok(());
    }
    let (list, omitted) = problems.finish();
    Err(WriteError::Problems(Problems {
        source: loadfile.source.clone(),
        list,
        omitted,
    }))
}

/// A problem of a whole line.
fn problem(line: &Line, what: impl Into<String>, help: &str) -> Problem {
    Problem {
        line: line.number,
        column: 0,
        what: what.into(),
        help: help.into(),
    }
}

/// Writes nb2 or nb3 with its loops, expressions and directives.
fn keep(loadfile: &Loadfile, writer: &mut Writer<'_>) -> std::io::Result<()> {
    // nb2 was replayed without the look-up of names that nb3 pays for.
    let resolve = match loadfile.dialect {
        Dialect::Nb2 => Some(false),
        _ => loadfile.resolve,
    };
    for param in &loadfile.params {
        writer.param(param)?;
    }
    if let Some(resolve) = resolve {
        writer.resolve(resolve)?;
    }
    if loadfile.dialect == Dialect::Nb2 {
        writer.empty_first(false)?;
    }
    if !loadfile.params.is_empty() {
        return keep_text(loadfile, writer);
    }
    for line in &loadfile.lines {
        writer.line(line)?;
    }
    Ok(())
}

/// Writes the lines as they stand in the text, since the read ones have lost their `${name}`s.
fn keep_text(loadfile: &Loadfile, writer: &mut Writer<'_>) -> std::io::Result<()> {
    let mut wanted = loadfile.lines.iter().map(|line| line.number).peekable();
    let mut number = 0u32;
    for text in loadfile.source.text.split(|&byte| byte == b'\n') {
        number = number.saturating_add(1);
        if wanted.next_if_eq(&number).is_some() {
            writer.text(text.trim_ascii())?;
        }
    }
    Ok(())
}
