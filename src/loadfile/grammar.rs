//! What operations look like in the dialects that have one operation a line, and the reading of such a line.

use super::expr;
use super::fault::{Fault, shown};
use super::part::{Context, Part};
use super::paths::{self, Place};
use super::references::{self, Into};
use super::tokens::{self, BadNumber, Token};
use super::{Dialect, directives, nb, nfs, smb1, smb5};
use crate::op::{Action, Kind, Number, PathId, Status};
use std::fmt::Write;

/// One parameter of an operation; the text is what messages call it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Parameter {
    Path(&'static str),
    /// A number of at most 32 bits that is no expression.
    Word(&'static str),
    /// A number of at most 64 bits, or an expression.
    Number(&'static str),
}

/// An operation of a dialect: its parameters, and what becomes of their values.
#[derive(Debug)]
pub(super) struct Shape {
    pub kind: Kind,
    pub parameters: &'static [Parameter],
    /// How many of the last parameters may be missing.
    pub optional: usize,
    pub build: fn(Kind, &Values) -> Action,
}

/// The most parameters that a shape has.
const MOST: usize = 4;

/// A line's parameters, each kind in order; what is missing is 0.
#[derive(Debug)]
pub(super) struct Values {
    pub paths: [PathId; 2],
    pub words: [u32; MOST],
    pub numbers: [Number; 3],
}

/// How a dialect writes paths and outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Paths in quotes, the expected status last.
    QuotedWithStatus,
    /// nb2: paths up to the next blank, no status.
    Bare,
}

impl Parameter {
    fn name(self) -> &'static str {
        match self {
            Parameter::Path(name) | Parameter::Word(name) | Parameter::Number(name) => name,
        }
    }
}

/// The operations of a dialect.
pub(super) fn shapes(dialect: Dialect) -> &'static [Shape] {
    match dialect {
        Dialect::Nb2 => nb::NB2,
        Dialect::Nb3 => nb::NB3,
        Dialect::Nfs => nfs::SHAPES,
        Dialect::Smb5 => smb5::SHAPES,
        Dialect::Smb1 => &[],
    }
}

/// The shape of an operation of a dialect.
pub(super) fn shape(dialect: Dialect, name: &[u8]) -> Option<&'static Shape> {
    let mut all = shapes(dialect).iter();
    all.find(|shape| shape.kind.name().as_bytes() == name)
}

impl Shape {
    /// How the operation is written, for messages.
    pub fn usage(&self, style: Style) -> String {
        let mut text = format!("expected: {}", self.kind.name());
        let required = self.parameters.len() - self.optional;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let quote = match parameter {
                Parameter::Path(_) if style == Style::QuotedWithStatus => "\"",
                _ => "",
            };
            let (open, close) = if index < required { ("", "") } else { ("[", "]") };
            let _ = write!(text, " {open}{quote}{}{quote}{close}", parameter.name());
        }
        if style == Style::QuotedWithStatus {
            text.push_str(" status");
        }
        text
    }
}

/// Reads an operation's parameters and status from the tokens after its name.
///
/// # Errors
/// Too few or too many parameters, one that is not what it should be, a status that is none.
pub(super) fn read_operation<'a>(
    shape: &Shape,
    style: Style,
    tokens: &[Token<'a>],
    line_end: usize,
    number: u32,
    context: &Context<'_>,
    part: &mut Part<'a>,
) -> Result<(Action, Status), Fault> {
    let with_status = usize::from(style == Style::QuotedWithStatus);
    let found = tokens.len();
    let most = shape.parameters.len() + with_status;
    if found + shape.optional < most {
        let what = format!("too few parameters for {}", shape.kind);
        return Err(Fault::new(line_end, what, shape.usage(style)));
    }
    if found > most {
        // A status that ends the line is none of the surplus.
        let ends_right = tokens
            .last()
            .is_some_and(|last| tokens::status(last.text).is_some());
        let extra = if ends_right { shape.parameters.len() } else { most };
        let at = tokens.get(extra).map_or(line_end, |extra| extra.at);
        let what = format!("too many parameters for {}", shape.kind);
        return Err(Fault::new(at, what, shape.usage(style)));
    }
    let (given, last) = tokens.split_at(found - with_status);
    let mut values = Values {
        paths: [PathId(0); 2],
        words: [0; MOST],
        numbers: [Number::Fixed(0); 3],
    };
    let mut failing = None;
    let (mut path, mut word, mut wide) = (0, 0, 0);
    let mut places = [None; 2];
    for (parameter, &token) in shape.parameters.iter().zip(given) {
        match parameter {
            Parameter::Path(_) => {
                places[path] = Some(checked_path(token, style, context)?);
                path += 1;
            }
            Parameter::Word(name) => {
                let minus_one = style == Style::Bare && shape.kind == Kind::NtCreateX && token.text == b"-1";
                if minus_one && *name == "handle" {
                    values.words[word] = u32::MAX;
                    failing = Some(Status::Fail);
                } else {
                    values.words[word] = read_word(token, name, context)?;
                }
                word += 1;
            }
            Parameter::Number(name) => {
                values.numbers[wide] = read_number(token, name, context, part)?;
                wide += 1;
            }
        }
    }
    let status = match last.first() {
        Some(&token) => read_status(token, shape, style)?,
        None => failing.unwrap_or(nb::nb2_status(shape.kind)),
    };
    // Paths are taken in last, so that a bad line leaves none behind.
    for (id, place) in values.paths.iter_mut().zip(places) {
        if let Some(token) = place {
            *id = take_path(token, number, context, part)?;
        }
    }
    Ok(((shape.build)(shape.kind, &values), status))
}

fn read_status(token: Token<'_>, shape: &Shape, style: Style) -> Result<Status, Fault> {
    let status = if token.quoted {
        None
    } else {
        tokens::status(token.text)
    };
    status.ok_or_else(|| {
        Fault::new(
            token.at,
            format!("`{}` is no status", shown(token.text)),
            format!(
                "{}; a status is NT_STATUS_…, 0x…, SUCCESS, ERROR or *",
                shape.usage(style)
            ),
        )
    })
}

fn checked_path<'a>(token: Token<'a>, style: Style, context: &Context<'_>) -> Result<Token<'a>, Fault> {
    match style {
        Style::QuotedWithStatus if token.quoted => Ok(token),
        Style::QuotedWithStatus if context.bare_slots && paths::is_slot_alone(token.text) => Ok(token),
        Style::QuotedWithStatus => Err(Fault::new(
            token.at,
            format!("the path `{}` is not in quotes", shown(token.text)),
            format!("{} paths stand in double quotes", context.dialect),
        )),
        Style::Bare if token.text.first() == Some(&b'"') => Err(Fault::new(
            token.at,
            "mixed dialects: a quoted path (nb3) in an nb2 loadfile",
            format!(
                "nb2 paths have no quotes; line {} makes this an nb2 loadfile",
                context.dialect_line
            ),
        )),
        Style::Bare => Ok(token),
    }
}

fn take_path<'a>(
    token: Token<'a>,
    number: u32,
    context: &Context<'_>,
    part: &mut Part<'a>,
) -> Result<PathId, Fault> {
    let place = Place {
        line: number,
        at: token.at,
        quoted: token.quoted,
    };
    if !token.quoted && paths::is_slot_alone(token.text) {
        part.bare_slot = true;
    }
    if references::has_reference(token.text, context.params) {
        let built = references::substitute(token.text, context.params, Into::Text)
            .map_err(|fault| fault.shifted(token.text_at()))?;
        return Ok(part.paths.intern_built(built, place));
    }
    Ok(part.paths.intern(token.text, place))
}

/// Reads a number of at most 32 bits.
pub(super) fn read_word(token: Token<'_>, name: &str, context: &Context<'_>) -> Result<u32, Fault> {
    let value = read_fixed(token, name, context)?;
    u32::try_from(value).map_err(|_| does_not_fit(token, name, 32))
}

/// Reads a number of at most 64 bits that is no expression.
pub(super) fn read_fixed(token: Token<'_>, name: &str, context: &Context<'_>) -> Result<u64, Fault> {
    let built;
    let mut text = token.text;
    if references::has_reference(text, context.params) {
        built = references::substitute(text, context.params, Into::Number)
            .map_err(|fault| fault.shifted(token.text_at()))?;
        text = &built;
    }
    let value = if token.quoted {
        Err(BadNumber::NotANumber)
    } else {
        tokens::number(text)
    };
    value.map_err(|bad| match bad {
        BadNumber::TooLarge => does_not_fit(token, name, 64),
        BadNumber::NotANumber if expr::is_expression(text) => Fault::new(
            token.at,
            format!("no expression is possible for the {name}"),
            "a decimal or 0x number",
        ),
        BadNumber::NotANumber => Fault::new(
            token.at,
            format!("the {name} `{}` is no number", shown(token.text)),
            "a decimal or 0x number",
        ),
    })
}

/// Reads a number of at most 64 bits, or an expression.
pub(super) fn read_number(
    token: Token<'_>,
    name: &str,
    context: &Context<'_>,
    part: &mut Part<'_>,
) -> Result<Number, Fault> {
    let (turn, dialect) = (expr::is_turn(token.text), context.dialect);
    if turn && !token.quoted && dialect != Dialect::Nb3 {
        return Err(Fault::new(
            token.at,
            format!("the turn of a loop is not possible in the {dialect} dialect"),
            "loops with variables belong to nb3",
        ));
    }
    if token.quoted || !expr::is_expression(token.text) || dialect == Dialect::Nb2 {
        return read_fixed(token, name, context).map(Number::Fixed);
    }
    let expression = if references::has_reference(token.text, context.params) {
        let built = references::substitute(token.text, context.params, Into::Number)
            .map_err(|fault| fault.shifted(token.at))?;
        expr::parse(&built).map_err(|fault| Fault {
            at: token.at,
            ..fault
        })?
    } else {
        expr::parse(token.text).map_err(|fault| fault.shifted(token.at))?
    };
    Ok(Number::Expression(part.expressions.intern(expression)))
}

fn does_not_fit(token: Token<'_>, name: &str, bits: u32) -> Fault {
    let largest = if bits == 32 { u32::MAX.into() } else { u64::MAX };
    Fault::new(
        token.at,
        format!("the {name} `{}` does not fit in {bits} bits", shown(token.text)),
        format!("at most {largest}"),
    )
}

/// The operation or directive of a dialect whose name is nearest to an unknown one, if any is near.
pub(super) fn nearest_name(unknown: &[u8], dialect: Dialect) -> Option<&'static str> {
    const LONGEST: usize = 40;
    if unknown.len() > LONGEST {
        return None;
    }
    let operations = shapes(dialect).iter().map(|shape| shape.kind.name());
    let smb1 = smb1::NAMES.iter().copied().filter(|_| dialect == Dialect::Smb1);
    let directives = directives::names(dialect).iter().copied();
    let near = operations
        .chain(smb1)
        .chain(directives)
        .map(|name| (edit_distance(unknown, name.as_bytes()), name))
        .min()?;
    // More than half of the letters wrong is another word.
    (near.0 * 2 <= near.1.len()).then_some(near.1)
}

/// How many single-byte insertions, deletions and replacements lie between two names; case costs nothing.
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_one_of_the_same_dialect() {
        assert_eq!(nearest_name(b"NTCreatX", Dialect::Nb3), Some("NTCreateX"));
        assert_eq!(nearest_name(b"close", Dialect::Nb3), Some("Close"));
        assert_eq!(nearest_name(b"GETATTR", Dialect::Nfs), Some("GETATTR3"));
        assert_eq!(nearest_name(b"SMBopen", Dialect::Smb1), Some("SMBopenX"));
        assert_eq!(nearest_name(b"ENDLOP", Dialect::Smb5), Some("ENDLOOP"));
        assert_eq!(nearest_name(b"xyzzyplugh", Dialect::Nb3), None);
        assert_eq!(nearest_name(&[b'x'; 60_000], Dialect::Nb3), None);
    }

    #[test]
    fn no_operation_has_more_parameters_than_there_is_room_for() {
        for dialect in [Dialect::Nb2, Dialect::Nb3, Dialect::Nfs, Dialect::Smb5] {
            for shape in shapes(dialect) {
                let count =
                    |test: fn(&Parameter) -> bool| shape.parameters.iter().filter(|p| test(p)).count();
                assert!(count(|p| matches!(p, Parameter::Path(_))) <= 2, "{}", shape.kind);
                assert!(
                    count(|p| matches!(p, Parameter::Word(_))) <= MOST,
                    "{}",
                    shape.kind
                );
                assert!(
                    count(|p| matches!(p, Parameter::Number(_))) <= 3,
                    "{}",
                    shape.kind
                );
                assert!(shape.optional <= shape.parameters.len(), "{}", shape.kind);
            }
        }
    }

    #[test]
    fn usage_names_every_parameter() {
        let shape = shape(Dialect::Nfs, b"WRITE3").unwrap();
        assert_eq!(
            shape.usage(Style::QuotedWithStatus),
            "expected: WRITE3 \"path\" offset size [stable] status"
        );
    }
}
