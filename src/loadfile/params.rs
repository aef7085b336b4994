//! PARAM: parameters that a loadfile declares at its top, and the putting in of their values.

use super::fault::{Collector, Fault, shown};
use super::part::LONGEST_LINE;
use super::tokens::{self, Token};
use super::{Dialect, Param, Problem, ReadOptions, directives};
use nom::bytes::complete::take_while1;
use nom::combinator::all_consuming;
use nom::{IResult, Parser};

/// What the lines at the top of a loadfile say of it as a whole.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub params: Vec<Param>,
    pub resolve: Option<bool>,
    /// Where the lines after the header start: byte from 0, and how many lines stand before.
    pub end: usize,
    pub lines: u32,
}

/// How many parameters a loadfile may declare.
const MOST: usize = 256;
/// The longest name of a parameter, in bytes.
const LONGEST_NAME: usize = 64;
/// How many of the declared names a message lists.
const LISTED: usize = 20;

const USAGE: &str = "expected: PARAM name default \"help\", and values|that|are|possible if they are few";

/// Reads the PARAM and RESOLVE lines before the first line that is neither one, a comment nor empty.
pub(super) fn read_header(text: &[u8], options: &ReadOptions, problems: &mut Collector) -> Header {
    let mut header = Header::default();
    let mut tokens = Vec::new();
    let mut position = 0;
    let mut lines = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        position += line.len();
        lines += 1;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if line.len() > LONGEST_LINE {
            break;
        }
        let Some(name) = tokens::next_word(line, 0) else {
            continue;
        };
        let read = match name.text {
            b"PARAM" => declare(line, name.end(), options, &mut header.params, &mut tokens),
            b"RESOLVE" => directives::read_resolve(line, name).map(|on| header.resolve = Some(on)),
            [b'#', ..] => continue,
            _ => break,
        };
        if let Err(fault) = read {
            problems.add(lines, Dialect::Nb3, fault);
        }
        header.end = position;
        header.lines = lines;
    }
    header
}

/// Reports values of `--set` that no PARAM declares.
pub(super) fn check_set(options: &ReadOptions, params: &[Param], problems: &mut Collector) {
    if options.set_for_others {
        return;
    }
    for name in options.set.keys() {
        if params.iter().any(|param| param.name == *name) {
            continue;
        }
        problems.push(Problem {
            line: 0,
            column: 0,
            what: format!("--set names a parameter `{name}` that this loadfile does not declare"),
            help: declared(params),
        });
    }
}

pub(super) fn declared(params: &[Param]) -> String {
    if params.is_empty() {
        return "it declares no parameters (a PARAM line declares one)".into();
    }
    let names: Vec<&str> = params
        .iter()
        .take(LISTED)
        .map(|param| param.name.as_str())
        .collect();
    let more = if params.len() > LISTED { ", …" } else { "" };
    format!("it declares: {}{more}", names.join(", "))
}

pub(super) fn name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Checks that a parameter's possible values are some, and that its default and its value are among them.
fn check_choices(param: &Param, token: Token<'_>) -> Result<(), Fault> {
    let choices = &param.choices;
    if choices
        .iter()
        .any(|choice| choice.is_empty() || choice.contains(char::is_whitespace))
    {
        let what = format!("`{}` holds an empty value", shown(token.text));
        return Err(Fault::new(
            token.at,
            what,
            "expected values such as: never|end|each",
        ));
    }
    for (value, of) in [(&param.default, "default"), (&param.value, "value")] {
        if choices.contains(value) {
            continue;
        }
        let name = &param.name;
        let what = format!("`{}` is no {of} of parameter `{name}`", shown(value.as_bytes()));
        return Err(Fault::new(
            token.at,
            what,
            format!("one of: {}", choices.join(", ")),
        ));
    }
    Ok(())
}

fn declare<'a>(
    line: &'a [u8],
    from: usize,
    options: &ReadOptions,
    params: &mut Vec<Param>,
    tokens: &mut Vec<Token<'a>>,
) -> Result<(), Fault> {
    tokens::split_tokens(line, from, tokens)?;
    let (name, default, help, choices) = match tokens[..] {
        [name, default, help] => (name, default, help, None),
        [name, default, help, choices] => (name, default, help, Some(choices)),
        [_, _, _, _, extra, ..] => {
            return Err(Fault::new(extra.at, "too many parameters for PARAM", USAGE));
        }
        _ => return Err(Fault::new(line.len(), "too few parameters for PARAM", USAGE)),
    };
    let named: IResult<_, _> = all_consuming(take_while1(name_byte)).parse(name.text);
    if named.is_err() || name.text.len() > LONGEST_NAME {
        return Err(Fault::new(
            name.at,
            format!("`{}` is no name for a parameter", shown(name.text)),
            "a name is made of at most 64 letters, digits, _ and -",
        ));
    }
    if params.len() == MOST {
        return Err(Fault::new(name.at, "too many PARAM lines", "at most 256"));
    }
    let text = |token: Token<'_>| match std::str::from_utf8(token.text) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Fault::new(
            token.at,
            "not UTF-8",
            "a parameter's value and help are UTF-8",
        )),
    };
    let (name_text, default, help) = (text(name)?, text(default)?, text(help)?);
    if params.iter().any(|param| param.name == name_text) {
        return Err(Fault::new(
            name.at,
            format!("the parameter `{name_text}` is declared twice"),
            "remove one of them",
        ));
    }
    let set = options.set.get(&name_text);
    let param = Param {
        value: set.unwrap_or(&default).clone(),
        name: name_text,
        default,
        help,
        choices: match choices {
            Some(token) => text(token)?.split('|').map(str::to_owned).collect(),
            None => Vec::new(),
        },
    };
    // Declared all the same: what refers to it is not wrong too.
    let checked = choices.map_or(Ok(()), |choices| check_choices(&param, choices));
    params.push(param);
    checked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_ends_at_the_first_other_line() {
        let text = b"# load\n\nPARAM size 4K \"of a write\"\nRESOLVE off\nPARAM n 2 \"\"\nLOOP ${n}\nPARAM late 1 \"\"\n";
        let mut options = ReadOptions::default();
        options.set.insert("size".into(), "8K".into());
        let mut problems = Collector::default();
        let header = read_header(text, &options, &mut problems);
        assert!(problems.is_empty());
        assert_eq!(header.lines, 5);
        assert!(text[header.end..].starts_with(b"LOOP"));
        let values: Vec<_> = header
            .params
            .iter()
            .map(|p| (&p.name[..], &p.value[..]))
            .collect();
        assert_eq!(values, [("size", "8K"), ("n", "2")]);
    }
}
