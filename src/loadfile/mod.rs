//! Loadfiles: from text in any dialect to [`Line`](crate::op::Line)s.

mod chunks;
mod detect;
mod directives;
pub mod error;
mod expr;
mod fast;
mod fault;
mod grammar;
pub mod lines;
mod nb;
mod nfs;
mod params;
mod part;
mod paths;
mod references;
mod smb1;
mod smb5;
pub mod source;
mod tokens;
pub mod write;

use crate::op::{Action, Expression};
pub use error::{LoadError, Problem, Problems};
use fault::Collector;
pub use lines::Lines;
use part::{Context, Part};
use paths::KnownLater;
pub use source::Source;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A loadfile dialect; see README for what each looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// dbench 1.x: pairs of SMB requests and replies.
    Smb1,
    /// dbench 2.x: paths unquoted, no status.
    Nb2,
    /// dbench 3.x to 5.x, file I/O backend; the one that rbench writes.
    Nb3,
    /// dbench 4.x and 5.x, NFS backend.
    Nfs,
    /// dbench 4.x and 5.x, SMB backend.
    Smb5,
}

impl Dialect {
    /// The dialect's name as `rbench check` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Smb1 => "smb1",
            Dialect::Nb2 => "nb2",
            Dialect::Nb3 => "nb3",
            Dialect::Nfs => "nfs",
            Dialect::Smb5 => "smb5",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a loadfile is to be read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// `--set name=value`: values of the file's PARAMs.
    pub set: BTreeMap<String, String>,
    /// Names in `set` may be meant for another file.
    pub set_for_others: bool,
}

/// A parameter that a loadfile declares with PARAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub default: String,
    pub help: String,
    /// The value in force: the default, or what `--set` gave.
    pub value: String,
    /// The values that it can have; empty: any.
    pub choices: Vec<String>,
}

/// A path as the loadfile spells it (parameters already put in).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathText {
    /// The path's bytes, without quotes. With [`Loadfile::has_random_strings`], `$0`-`$9` in it are slots; with
    /// [`Loadfile::has_loop_variables`], `@a`-`@z` are loops' turns.
    pub text: Box<[u8]>,
    /// Line where it first stands, from 1.
    pub line: u32,
    /// Column where it first stands, in bytes, from 1.
    pub column: u32,
}

/// A parsed loadfile. Structure (loops, handles) is checked by the compiler, everything that one line shows here.
#[derive(Debug, Clone)]
pub struct Loadfile {
    pub source: Arc<Source>,
    pub dialect: Dialect,
    /// Lines that do something, in order.
    pub lines: Lines,
    pub paths: Vec<PathText>,
    pub expressions: Vec<Expression>,
    /// Texts of RANDOMSTRING and WRITEPATTERN.
    pub texts: Vec<Box<[u8]>>,
    pub params: Vec<Param>,
    /// `RESOLVE on|off`, if the file says.
    pub resolve: Option<bool>,
    /// Whether a RANDOMSTRING occurs, so that `$0`-`$9` in paths mean slots.
    pub has_random_strings: bool,
    /// Whether a LOOP has a variable, so that `@a`-`@z` in paths mean loops' turns.
    pub has_loop_variables: bool,
    /// All lines of the text, comments and empty ones too.
    pub total_lines: u32,
    /// Things worth saying that are no errors, in line order.
    pub warnings: Vec<Problem>,
}

/// The most lines of a loadfile: paths, expressions and lines are numbered with 32 bits.
const MOST_LINES: usize = 1 << 30;
/// The mark that some editors put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a loadfile from a file, gzip-compressed or not.
///
/// # Errors
/// The file cannot be read, or is no right loadfile (all that is wrong with it, with lines).
pub fn read(path: &Path, options: &ReadOptions) -> Result<Loadfile, LoadError> {
    parse(Source::read(path)?, options).map_err(LoadError::Problems)
}

/// Reads a loadfile from text in memory, in any dialect.
///
/// # Errors
/// All that is wrong in it, with lines; see [`Problems`].
pub fn parse(source: Source, options: &ReadOptions) -> Result<Loadfile, Problems> {
    let source = Arc::new(source);
    let whole_file = |what: &str, help: &str| {
        let problem = Problem {
            line: 0,
            column: 0,
            what: what.into(),
            help: help.into(),
        };
        Problems::new(source.clone(), vec![problem])
    };
    let text = source.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&source.text);
    if let Some((what, help)) = detect::binary(text) {
        return Err(whole_file(what, help));
    }
    if text.len() > MOST_LINES && memchr::memchr_iter(b'\n', text).count() > MOST_LINES {
        return Err(whole_file("the file has too many lines", "at most 1073741824"));
    }
    let mut problems = Collector::default();
    let detected = detect::dialect(text).map_err(|(line, fault)| {
        let mut problems = Collector::default();
        problems.add(line, Dialect::Nb3, fault);
        Problems::new(source.clone(), problems.finish().0)
    })?;
    let (params, lines, part) = read_text(text, detected, options, &mut problems);
    let known_later = KnownLater {
        strings: part.random_strings,
        turns: part.loop_variables,
    };
    part.paths.check(known_later, &mut problems);
    if problems.is_empty() && !lines.iter().any(|line| line.action.is_operation()) {
        let help = "expected lines such as: NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK";
        let what = if text.is_empty() {
            "the file is empty"
        } else {
            "no line holds an operation"
        };
        return Err(whole_file(what, help));
    }
    if !problems.is_empty() {
        let (list, omitted) = problems.finish();
        return Err(Problems {
            source: source.clone(),
            list,
            omitted,
        });
    }
    let warnings = missing_newline(text, part.total_lines).into_iter().collect();
    Ok(Loadfile {
        dialect: detected.dialect,
        lines,
        paths: part.paths.finish(),
        expressions: part.expressions.list,
        texts: part.texts,
        params,
        resolve: part.resolve,
        has_random_strings: part.random_strings,
        has_loop_variables: part.loop_variables,
        total_lines: part.total_lines,
        warnings,
        source: source.clone(),
    })
}

/// Reads all lines; what is wrong goes to `problems`.
fn read_text<'a>(
    text: &'a [u8],
    detected: detect::Detected,
    options: &ReadOptions,
    problems: &mut Collector,
) -> (Vec<Param>, Lines, Part<'a>) {
    let header = match detected.dialect {
        Dialect::Nb3 => params::read_header(text, options, problems),
        _ => params::Header::default(),
    };
    params::check_set(options, &header.params, problems);
    let mut context = Context {
        dialect: detected.dialect,
        dialect_line: detected.line,
        params: &header.params,
        bare_slots: true,
    };
    let body = &text[header.end..];
    let (mut lines, mut part) = match detected.dialect {
        Dialect::Smb1 => {
            let mut part = smb1::read(body, detected.line);
            (std::mem::take(&mut part.lines).into(), part)
        }
        _ => chunks::read(body, &context, header.lines),
    };
    if part.bare_slot && !part.random_strings {
        // `$1` was taken for a slot, but no RANDOMSTRING came: read again, taking it for what it is.
        context.bare_slots = false;
        (lines, part) = chunks::read(body, &context, header.lines);
    }
    part.resolve = part.resolve.or(header.resolve);
    problems.append(std::mem::take(&mut part.problems), 0);
    (header.params, lines, part)
}

fn missing_newline(text: &[u8], line: u32) -> Option<Problem> {
    (!text.ends_with(b"\n")).then(|| Problem {
        line,
        column: 0,
        what: "the last line has no newline".into(),
        help: "the file may have been cut off".into(),
    })
}

impl Action {
    /// Whether it is an operation, as opposed to a directive.
    fn is_operation(&self) -> bool {
        !matches!(
            self,
            Action::Sleep { operation: false, .. }
                | Action::Loop { .. }
                | Action::EndLoop
                | Action::Repeat { .. }
                | Action::SetPoint { .. }
                | Action::WaitPoint { .. }
                | Action::RandomString { .. }
                | Action::WritePattern { .. }
                | Action::Prepare { .. }
                | Action::EndPrepare
        )
    }
}
