//! Reading the lines of a part of a loadfile, in the dialects that have one operation a line.

use super::expr::Expressions;
use super::fault::{Collector, Fault, What, shown};
use super::grammar::{self, Style};
use super::paths::Paths;
use super::tokens::{self, Token};
use super::{Dialect, Param, detect, directives, fast};
use crate::op::{Action, Line, Status};

/// The longest line, in bytes.
pub(super) const LONGEST_LINE: usize = 64 << 10;

/// What the reading of each line depends on.
#[derive(Debug)]
pub(super) struct Context<'c> {
    pub dialect: Dialect,
    /// The line that shows the dialect, for messages.
    pub dialect_line: u32,
    pub params: &'c [Param],
    /// Whether `$0`-`$9` without quotes is a path.
    pub bare_slots: bool,
}

/// A part of a loadfile, read. Lines are numbered from 1, paths and expressions from 0, as if it stood alone.
#[derive(Debug, Default)]
pub(super) struct Part<'a> {
    pub lines: Vec<Line>,
    pub paths: Paths<'a>,
    pub expressions: Expressions,
    pub texts: Vec<Box<[u8]>>,
    pub problems: Collector,
    /// The last RESOLVE.
    pub resolve: Option<bool>,
    pub random_strings: bool,
    pub loop_variables: bool,
    /// Whether a slot stands as a path without quotes.
    pub bare_slot: bool,
    /// All lines, comments and empty ones too.
    pub total_lines: u32,
    /// Room for the tokens of a line, used again for each.
    pub tokens: Vec<Token<'a>>,
}

/// One line that does something.
struct Read {
    due: Option<u64>,
    action: Action,
    status: Status,
}

impl<'a> Part<'a> {
    /// Reads all lines of a text.
    pub fn read(text: &'a [u8], context: &Context<'_>) -> Part<'a> {
        let newlines = memchr::memchr_iter(b'\n', text).count();
        let mut part = Part {
            lines: Vec::with_capacity(newlines + 1),
            ..Part::default()
        };
        let is_fast = context.dialect == Dialect::Nb3 && context.params.is_empty();
        let mut number = 0u32;
        let mut rest = text;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            let line = &rest[..end.unwrap_or(rest.len())];
            rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
            number += 1;
            if is_fast && let Some(line) = fast::read(line, number, &mut part.paths) {
                part.lines.push(line);
                continue;
            }
            match part.read_line(line, number, context) {
                Ok(None) => {}
                Ok(Some(read)) => part.lines.push(Line {
                    number,
                    status: read.status,
                    due: read.due,
                    action: read.action,
                }),
                Err(fault) => part.problems.add(number, context.dialect, fault),
            }
        }
        part.total_lines = number;
        part
    }

    fn read_line(
        &mut self,
        line: &'a [u8],
        number: u32,
        context: &Context<'_>,
    ) -> Result<Option<Read>, Fault> {
        if line.len() > LONGEST_LINE {
            return Err(too_long(line));
        }
        let Some(first) = tokens::next_word(line, 0) else {
            return Ok(None);
        };
        if first.text[0] == b'#' {
            return Ok(None);
        }
        let (due, name) = timestamp_and_name(line, first, context)?;
        let end = line.len()
            - line
                .iter()
                .rev()
                .take_while(|&&byte| tokens::is_blank(byte))
                .count();
        let found = match grammar::shape(context.dialect, name.text) {
            Some(shape) => Some(self.read_operation(shape, name, line, end, number, context)?),
            None if directives::is_directive(name.text) => directives::Directive {
                name,
                line,
                end,
                context,
            }
            .read(self)?,
            None => return Err(unknown(line, name, context)),
        };
        Ok(found.map(|(action, status)| Read { due, action, status }))
    }

    fn read_operation(
        &mut self,
        shape: &grammar::Shape,
        name: Token<'a>,
        line: &'a [u8],
        end: usize,
        number: u32,
        context: &Context<'_>,
    ) -> Result<(Action, Status), Fault> {
        let mut tokens = std::mem::take(&mut self.tokens);
        let style = match context.dialect {
            Dialect::Nb2 => Style::Bare,
            _ => Style::QuotedWithStatus,
        };
        let split = match style {
            Style::Bare => {
                tokens::split_words(line, name.end(), &mut tokens);
                Ok(())
            }
            Style::QuotedWithStatus => tokens::split_tokens(line, name.end(), &mut tokens),
        };
        let read =
            split.and_then(|()| grammar::read_operation(shape, style, &tokens, end, number, context, self));
        self.tokens = tokens;
        read
    }
}

pub(super) fn too_long(line: &[u8]) -> Fault {
    Fault::new(
        0,
        format!("the line is {} bytes long", line.len()),
        "a line has at most 65536 bytes",
    )
}

fn timestamp_and_name<'a>(
    line: &'a [u8],
    first: Token<'a>,
    context: &Context<'_>,
) -> Result<(Option<u64>, Token<'a>), Fault> {
    if !first.text[0].is_ascii_digit() {
        return Ok((None, first));
    }
    if context.dialect == Dialect::Nb2 {
        return Err(Fault::new(
            first.at,
            format!("`{}` is no operation", shown(first.text)),
            "nb2 lines have no timestamps",
        ));
    }
    let due = tokens::timestamp(first)?;
    match tokens::next_word(line, first.end()) {
        Some(name) => Ok((Some(due), name)),
        None => Err(Fault::new(
            first.end(),
            "a timestamp without an operation",
            "expected: timestamp operation parameters",
        )),
    }
}

/// Says what a name is that the dialect does not have.
pub(super) fn unknown(line: &[u8], name: Token<'_>, context: &Context<'_>) -> Fault {
    if detect::is_binary_line(line) {
        return Fault {
            at: name.at,
            what: What::Binary,
            help: String::new(),
        };
    }
    if detect::is_block_device_operation(name.text) {
        return Fault::new(
            name.at,
            format!("mixed dialects: {} is a SCSI operation", shown(name.text)),
            detect::NOT_FILES,
        );
    }
    let dialect = context.dialect;
    match detect::dialect_of_name(name.text) {
        Some(other) if other != dialect => Fault::new(
            name.at,
            format!(
                "mixed dialects: {} is an operation of {other}, this is an {dialect} loadfile",
                shown(name.text)
            ),
            format!("line {} makes this an {dialect} loadfile", context.dialect_line),
        ),
        _ => Fault {
            at: name.at,
            what: What::UnknownOperation(name.text[..name.text.len().min(64)].to_vec()),
            help: String::new(),
        },
    }
}
