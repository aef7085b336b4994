//! Directives: loops, pauses, sequence points, random strings and what else is no operation.

use super::Dialect;
use super::fault::{Fault, shown};
use super::grammar::{read_fixed, read_number, read_word};
use super::part::{Context, Part};
use super::paths;
use super::references::{self, Into};
use super::tokens::{self, Token};
use crate::op::{Action, Status, TextId};
use nom::bytes::complete::{tag, take_till1};
use nom::combinator::{map, recognize};
use nom::multi::many0;
use nom::sequence::delimited;
use nom::{IResult, Parser, branch::alt};
use std::ops::Range;

const FIVE: &[&str] = &[
    "LOOP",
    "ENDLOOP",
    "REPEAT",
    "SLEEP",
    "Sleep",
    "SETSP",
    "WAITSP",
    "RANDOMSTRING",
    "WRITEPATTERN",
];
const OURS: &[&str] = &[
    "LOOP",
    "ENDLOOP",
    "REPEAT",
    "SLEEP",
    "Sleep",
    "SETSP",
    "WAITSP",
    "RANDOMSTRING",
    "WRITEPATTERN",
    "PARAM",
    "PREPARE",
    "ENDPREPARE",
    "RESOLVE",
];

/// The directives of a dialect.
pub(super) fn names(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Nb3 => OURS,
        Dialect::Nfs | Dialect::Smb5 => FIVE,
        Dialect::Smb1 | Dialect::Nb2 => &[],
    }
}

/// Whether a name is a directive in some dialect.
pub(super) fn is_directive(name: &[u8]) -> bool {
    OURS.iter().any(|directive| directive.as_bytes() == name)
}

/// A directive at hand: its name, and the line that it stands in.
pub(super) struct Directive<'a, 'c> {
    pub name: Token<'a>,
    pub line: &'a [u8],
    /// End of the line without blanks.
    pub end: usize,
    pub context: &'c Context<'c>,
}

impl<'a> Directive<'a, '_> {
    /// Reads the directive; one that only says something about the file as a whole gives no action.
    ///
    /// # Errors
    /// It is not one of this dialect, or its parameters are wrong.
    pub fn read(&self, part: &mut Part<'a>) -> Result<Option<(Action, Status)>, Fault> {
        let allowed = names(self.context.dialect).iter();
        if !allowed.into_iter().any(|name| name.as_bytes() == self.name.text) {
            return Err(self.not_here());
        }
        if self.name.text == b"WRITEPATTERN" {
            return self.write_pattern(part).map(|action| Some((action, Status::Ok)));
        }
        let mut tokens = std::mem::take(&mut part.tokens);
        let split = tokens::split_tokens(self.line, self.name.end(), &mut tokens);
        let read = split.and_then(|()| self.read_split(&tokens, part));
        part.tokens = tokens;
        read
    }

    fn read_split(
        &self,
        tokens: &[Token<'a>],
        part: &mut Part<'a>,
    ) -> Result<Option<(Action, Status)>, Fault> {
        let context = self.context;
        let action = match self.name.text {
            b"LOOP" => self.start_loop(tokens, part)?,
            b"REPEAT" => {
                let [count] = self.parameters(tokens, "REPEAT count")?;
                Action::Repeat {
                    count: read_fixed(count, "count", context)?,
                }
            }
            b"ENDLOOP" => {
                let [] = self.parameters(tokens, "ENDLOOP")?;
                Action::EndLoop
            }
            b"PREPARE" => self.prepare(tokens)?,
            b"ENDPREPARE" => {
                let [] = self.parameters(tokens, "ENDPREPARE")?;
                Action::EndPrepare
            }
            b"SLEEP" => {
                let [micros] = self.parameters(tokens, "SLEEP microseconds")?;
                Action::Sleep {
                    micros: read_number(micros, "pause", context, part)?,
                    operation: false,
                }
            }
            b"Sleep" => return self.sleep_operation(tokens, part).map(Some),
            b"SETSP" => {
                let [point] = self.parameters(tokens, "SETSP point")?;
                Action::SetPoint {
                    point: read_fixed(point, "sequence point", context)?,
                }
            }
            b"WAITSP" => {
                let [client, point] = self.parameters(tokens, "WAITSP client point")?;
                Action::WaitPoint {
                    client: read_word(client, "client", context)?,
                    point: read_fixed(point, "sequence point", context)?,
                }
            }
            b"RANDOMSTRING" => self.random_string(tokens, part)?,
            b"RESOLVE" => {
                part.resolve = Some(resolve(self.name, self.end, tokens)?);
                return Ok(None);
            }
            _ => {
                return Err(Fault::new(
                    self.name.at,
                    "PARAM after the first operation",
                    "declare parameters at the top of the loadfile",
                ));
            }
        };
        Ok(Some((action, Status::Ok)))
    }

    /// `LOOP count`, in nb3 also `LOOP count variable`.
    fn start_loop(&self, tokens: &[Token<'a>], part: &mut Part<'a>) -> Result<Action, Fault> {
        let (count, variable) = match (self.context.dialect, tokens) {
            (Dialect::Nb3, [_, _]) => {
                let [count, variable] = self.parameters(tokens, "LOOP count variable")?;
                let [letter @ b'a'..=b'z'] = variable.text else {
                    let what = format!("`{}` is no loop variable", shown(variable.text));
                    return Err(Fault::new(
                        variable.at,
                        what,
                        "one letter, a to z; @letter is then the turn, from 0",
                    ));
                };
                part.loop_variables = true;
                (count, Some(letter - b'a'))
            }
            _ => {
                let [count] = self.parameters(tokens, "LOOP count")?;
                (count, None)
            }
        };
        Ok(Action::Loop {
            count: read_fixed(count, "count", self.context)?,
            variable,
        })
    }

    /// `PREPARE` or `PREPARE ONCE`.
    fn prepare(&self, tokens: &[Token<'a>]) -> Result<Action, Fault> {
        if tokens.is_empty() {
            return Ok(Action::Prepare { once: false });
        }
        let [word] = self.parameters(tokens, "PREPARE or PREPARE ONCE")?;
        match word.text {
            b"ONCE" => Ok(Action::Prepare { once: true }),
            other => Err(Fault::new(
                word.at,
                format!("PREPARE may be followed by ONCE, not by `{}`", shown(other)),
                "PREPARE runs before each pass, PREPARE ONCE before a client's first",
            )),
        }
    }

    fn not_here(&self) -> Fault {
        let dialect = self.context.dialect;
        let name = shown(self.name.text);
        let help = if FIVE.contains(&name.as_str()) {
            "directives belong to nb3, nfs and smb5"
        } else {
            "PARAM, PREPARE, ENDPREPARE and RESOLVE belong to nb3"
        };
        Fault::new(
            self.name.at,
            format!("{name} is not possible in the {dialect} dialect"),
            help,
        )
    }

    fn parameters<const N: usize>(&self, tokens: &[Token<'a>], usage: &str) -> Result<[Token<'a>; N], Fault> {
        parameters(self.name, self.end, tokens, usage)
    }

    fn sleep_operation(&self, tokens: &[Token<'a>], part: &mut Part<'a>) -> Result<(Action, Status), Fault> {
        let usage = "Sleep microseconds status";
        let [micros, status] = self.parameters(tokens, usage)?;
        let action = Action::Sleep {
            micros: read_number(micros, "pause", self.context, part)?,
            operation: true,
        };
        let stated = tokens::status(status.text).filter(|_| !status.quoted);
        let stated = stated.ok_or_else(|| {
            let what = format!("`{}` is no status", shown(status.text));
            Fault::new(status.at, what, format!("expected: {usage}"))
        })?;
        Ok((action, stated))
    }

    fn write_pattern(&self, part: &mut Part<'a>) -> Result<Action, Fault> {
        let rest = self.line.get(self.name.end()..self.end).unwrap_or_default();
        let start = rest.iter().position(|&byte| !tokens::is_blank(byte));
        let Some(start) = start else {
            let what = "too few parameters for WRITEPATTERN";
            return Err(Fault::new(self.end, what, "expected: WRITEPATTERN text"));
        };
        Ok(Action::WritePattern {
            text: part.add_text(&rest[start..]),
        })
    }

    fn random_string(&self, tokens: &[Token<'a>], part: &mut Part<'a>) -> Result<Action, Fault> {
        // Seen even where it is wrong, so that the paths with slots are not reported too.
        part.random_strings = true;
        let [slot, text] = self.parameters(tokens, "RANDOMSTRING slot \"text[set]text\"")?;
        let number = read_fixed(slot, "slot", self.context)?;
        let number = u8::try_from(number).ok().filter(|&number| number <= 9);
        let Some(number) = number else {
            let what = format!("there is no slot {}", shown(slot.text));
            return Err(Fault::new(slot.at, what, "slots are numbered 0 to 9"));
        };
        let built = match references::has_reference(text.text, self.context.params) {
            true => Some(
                references::substitute(text.text, self.context.params, Into::Text)
                    .map_err(|fault| fault.shifted(text.text_at()))?,
            ),
            false => None,
        };
        let template = built.as_deref().unwrap_or(text.text);
        let at = if built.is_some() { text.at } else { text.text_at() };
        let sets = random_sets(template).map_err(|fault| match built {
            Some(_) => Fault { at, ..fault },
            None => fault.shifted(at),
        })?;
        paths::check_random(template, &sets).map_err(|fault| fault.shifted(at))?;
        Ok(Action::RandomString {
            slot: number,
            text: part.add_text(template),
        })
    }
}

/// A directive's parameters, if there are as many as it has.
fn parameters<'a, const N: usize>(
    name: Token<'_>,
    end: usize,
    tokens: &[Token<'a>],
    usage: &str,
) -> Result<[Token<'a>; N], Fault> {
    let name = shown(name.text);
    let usage = || format!("expected: {usage}");
    if let Some(extra) = tokens.get(N) {
        let what = format!("too many parameters for {name}");
        return Err(Fault::new(extra.at, what, usage()));
    }
    let few = |_| Fault::new(end, format!("too few parameters for {name}"), usage());
    <[Token<'a>; N]>::try_from(tokens).map_err(few)
}

/// Reads a RESOLVE line.
///
/// # Errors
/// It says neither on nor off.
pub(super) fn read_resolve(line: &[u8], name: Token<'_>) -> Result<bool, Fault> {
    let mut tokens = Vec::new();
    tokens::split_tokens(line, name.end(), &mut tokens)?;
    resolve(name, line.trim_ascii_end().len(), &tokens)
}

fn resolve(name: Token<'_>, end: usize, tokens: &[Token<'_>]) -> Result<bool, Fault> {
    let [value] = parameters(name, end, tokens, "RESOLVE on|off")?;
    match value.text {
        b"on" => Ok(true),
        b"off" => Ok(false),
        other => Err(Fault::new(
            value.at,
            format!("RESOLVE is on or off, not `{}`", shown(other)),
            "expected: RESOLVE on|off",
        )),
    }
}

impl Part<'_> {
    fn add_text(&mut self, text: &[u8]) -> TextId {
        self.texts.push(text.into());
        TextId(self.texts.len() as u32 - 1)
    }
}

/// Where the `[set]`s of a RANDOMSTRING's text stand, brackets included.
///
/// # Errors
/// A set that is empty or not closed; positions are in the text.
fn random_sets(text: &[u8]) -> Result<Vec<Range<usize>>, Fault> {
    let set = recognize(delimited(tag("["), take_till1(|byte| byte == b']'), tag("]")));
    let plain = take_till1(|byte| byte == b'[');
    let piece = alt((
        map(set, |set: &[u8]| (true, set)),
        map(plain, |plain: &[u8]| (false, plain)),
    ));
    let mut pieces = many0(piece);
    let parsed: IResult<&[u8], Vec<(bool, &[u8])>> = pieces.parse(text);
    let (left, pieces) = parsed.unwrap_or((text, Vec::new()));
    if !left.is_empty() {
        let empty = left.starts_with(b"[]");
        let what = if empty {
            "an empty set `[]`"
        } else {
            "a set without a closing `]`"
        };
        let at = text.len() - left.len();
        return Err(Fault::new(
            at,
            what,
            "each [set] is replaced by one of the bytes in it",
        ));
    }
    let mut at = 0;
    let mut sets = Vec::new();
    for (is_set, piece) in pieces {
        if is_set {
            sets.push(at..at + piece.len());
        }
        at += piece.len();
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_found_with_their_brackets() {
        assert_eq!(random_sets(b"/t[01][ab]]x").unwrap(), [2..6, 6..10]);
        assert!(random_sets(b"plain").unwrap().is_empty());
        assert!(random_sets(b"").unwrap().is_empty());
        assert_eq!(random_sets(b"a[[]").unwrap(), std::slice::from_ref(&(1..4)));
    }

    #[test]
    fn a_set_must_hold_something_and_be_closed() {
        assert_eq!(random_sets(b"ab[]").unwrap_err().at, 2);
        assert_eq!(random_sets(b"ab[a][cd").unwrap_err().at, 5);
        assert_eq!(random_sets(b"[").unwrap_err().at, 0);
    }
}
