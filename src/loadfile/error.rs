//! What can be wrong with a loadfile, and how it is shown.

use super::Source;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// How many problems are shown in full before only their number is given.
pub const SHOWN: usize = 20;

/// One thing wrong (or worth a warning) at one place of a loadfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1; 0 when it is about the file as a whole.
    pub line: u32,
    /// Column in bytes, from 1; 0 when it is about the whole line.
    pub column: u32,
    /// What is wrong, in one phrase.
    pub what: String,
    /// What was expected or what to do; may be empty.
    pub help: String,
}

/// All problems of one loadfile, with the text to show them in.
#[derive(Debug, Clone)]
pub struct Problems {
    pub source: Arc<Source>,
    /// In line order, never empty.
    pub list: Vec<Problem>,
    /// How many problems there are besides those in `list`, which keeps the first hundred or so of a bad file.
    pub omitted: usize,
}

/// Why a loadfile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{}: cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{0}")]
    Problems(Problems),
}

impl Problems {
    /// All problems of a loadfile, none left out.
    pub fn new(source: Arc<Source>, list: Vec<Problem>) -> Problems {
        Problems {
            source,
            list,
            omitted: 0,
        }
    }

    /// Shows one problem: `name:line:column: what`, the line itself, a caret, and the help.
    fn show(&self, f: &mut fmt::Formatter<'_>, problem: &Problem) -> fmt::Result {
        write!(f, "{}:", self.source.name)?;
        if problem.line > 0 {
            write!(f, "{}:{}:", problem.line, problem.column.max(1))?;
        }
        write!(f, " {}", problem.what)?;
        if let Some(excerpt) = self.source.excerpt(problem.line, problem.column) {
            write!(
                f,
                "\n    {}\n    {:>width$}",
                excerpt.text,
                "^",
                width = excerpt.caret
            )?;
            if !problem.help.is_empty() {
                write!(f, " {}", problem.help)?;
            }
        } else if !problem.help.is_empty() {
            write!(f, "\n    {}", problem.help)?;
        }
        Ok(())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().take(SHOWN).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            self.show(f, problem)?;
        }
        let more = self.list.len().saturating_sub(SHOWN).saturating_add(self.omitted);
        if more > 0 {
            write!(f, "\n… and {more} more")?;
        }
        Ok(())
    }
}
