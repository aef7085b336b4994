//! What a line parser finds wrong, and the collecting of it over a whole loadfile.

use super::Problem;
use super::grammar::nearest_name;
use crate::loadfile::Dialect;

/// How many problems are kept with their texts; beyond, only their number.
///
/// Bounds the memory that a file of nothing but bad lines takes.
pub(super) const KEPT: usize = 100;

/// Something wrong in one line.
#[derive(Debug)]
pub(super) struct Fault {
    /// Position in the line, in bytes from 0.
    pub at: usize,
    pub what: What,
    pub help: String,
}

/// The phrase of a [`Fault`], put together only if it will be kept where that is expensive.
#[derive(Debug)]
pub(super) enum What {
    Text(String),
    /// An operation that no dialect has; the nearest name is looked for when the problem is kept.
    UnknownOperation(Vec<u8>),
    /// A line that is no text; all of them become one problem.
    Binary,
}

impl Fault {
    pub fn new(at: usize, what: impl Into<String>, help: impl Into<String>) -> Fault {
        Fault {
            at,
            what: What::Text(what.into()),
            help: help.into(),
        }
    }

    /// The same fault in a text that starts `by` bytes into the line.
    pub fn shifted(mut self, by: usize) -> Fault {
        self.at += by;
        self
    }
}

/// A token as messages show it: printable and not too long.
pub(super) fn shown(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let cut = &token[..token.len().min(LONGEST)];
    let mut text: String = String::from_utf8_lossy(cut)
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if cut.len() < token.len() {
        text.push('…');
    }
    text
}

/// The problems of a loadfile or of a part of it.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// The first [`KEPT`], in line order.
    list: Vec<Problem>,
    total: usize,
    /// Lines that are no text: how many, and where the first stands.
    binary: usize,
    first_binary: Option<(u32, u32)>,
}

impl Collector {
    pub fn is_empty(&self) -> bool {
        self.total == 0 && self.binary == 0
    }

    /// Takes a line's fault; lines are numbered from 1.
    pub fn add(&mut self, line: u32, dialect: Dialect, fault: Fault) {
        let column = u32::try_from(fault.at).unwrap_or(u32::MAX - 1) + 1;
        let (what, help) = match fault.what {
            What::Binary => {
                self.binary += 1;
                self.first_binary.get_or_insert((line, column));
                return;
            }
            _ if self.list.len() >= KEPT => {
                self.total += 1;
                return;
            }
            What::Text(what) => (what, fault.help),
            What::UnknownOperation(name) => (
                format!("unknown operation `{}`", shown(&name)),
                match nearest_name(&name, dialect) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("no {dialect} operation has a name like this"),
                },
            ),
        };
        self.push(Problem {
            line,
            column,
            what,
            help,
        });
    }

    /// Takes a problem as it is.
    pub fn push(&mut self, problem: Problem) {
        self.total += 1;
        if self.list.len() < KEPT {
            self.list.push(problem);
        }
    }

    /// Counts problems that are not kept.
    pub fn add_unkept(&mut self, number: usize) {
        self.total += number;
    }

    /// Appends what was found in the part that starts `lines` lines further on.
    pub fn append(&mut self, mut later: Collector, lines: u32) {
        self.total += later.total;
        self.binary += later.binary;
        if let (None, Some((line, column))) = (self.first_binary, later.first_binary) {
            self.first_binary = Some((line.saturating_add(lines), column));
        }
        for problem in &mut later.list {
            problem.line = problem.line.saturating_add(lines);
        }
        let room = KEPT.saturating_sub(self.list.len());
        later.list.truncate(room);
        self.list.append(&mut later.list);
    }

    /// The problems in line order, and how many there are besides.
    pub fn finish(mut self) -> (Vec<Problem>, usize) {
        if let Some((line, column)) = self.first_binary {
            let lines = if self.binary == 1 { "line is" } else { "lines are" };
            self.list.push(Problem {
                line,
                column,
                what: format!("binary data: {} {lines} no text", self.binary),
                help: "a loadfile is text, plain or gzip-compressed; the file is damaged or something else"
                    .into(),
            });
            self.total += 1;
        }
        self.list.sort_by_key(|problem| (problem.line, problem.column));
        let omitted = self.total - self.list.len();
        (self.list, omitted)
    }
}
