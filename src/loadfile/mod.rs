//! Loadfiles: from text in any dialect to [`Line`]s.

pub mod error;
pub mod source;

use crate::op::{Expression, Line};
pub use error::{LoadError, Problem, Problems};
pub use source::Source;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A loadfile dialect; see README for what each looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
}

/// A parameter that a loadfile declares with PARAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub default: String,
    pub help: String,
    /// The value in force: the default, or what `--set` gave.
    pub value: String,
}

/// A path as the loadfile spells it (parameters already put in).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathText {
    /// The path's bytes, without quotes. With [`Loadfile::has_random_strings`], `$0`-`$9` in it are slots.
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
    pub lines: Vec<Line>,
    pub paths: Vec<PathText>,
    pub expressions: Vec<Expression>,
    /// Texts of RANDOMSTRING and WRITEPATTERN.
    pub texts: Vec<Box<[u8]>>,
    pub params: Vec<Param>,
    /// `RESOLVE on|off`, if the file says.
    pub resolve: Option<bool>,
    /// Whether a RANDOMSTRING occurs, so that `$0`-`$9` in paths mean slots.
    pub has_random_strings: bool,
    /// All lines of the text, comments and empty ones too.
    pub total_lines: u32,
    /// Things worth saying that are no errors, in line order.
    pub warnings: Vec<Problem>,
}
