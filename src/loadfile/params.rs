//! PARAM: parameters that a loadfile declares at its top, and the putting in of their values.

use super::fault::{Collector, Fault, shown};
use super::part::LONGEST_LINE;
use super::tokens::{self, Token};
use super::{Dialect, Param, Problem, ReadOptions, directives};
use crate::units::Bytes;
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
/// The longest text after the values have been put in: as long as a line.
const LONGEST_TEXT: usize = 64 << 10;
/// How many of the declared names a message lists.
const LISTED: usize = 20;

const USAGE: &str = "expected: PARAM name default \"help\"";

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

fn declared(params: &[Param]) -> String {
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

fn name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn declare<'a>(
    line: &'a [u8],
    from: usize,
    options: &ReadOptions,
    params: &mut Vec<Param>,
    tokens: &mut Vec<Token<'a>>,
) -> Result<(), Fault> {
    tokens::split_tokens(line, from, tokens)?;
    let [name, default, help] = tokens[..] else {
        return Err(match tokens.get(3) {
            Some(extra) => Fault::new(extra.at, "too many parameters for PARAM", USAGE),
            None => Fault::new(line.len(), "too few parameters for PARAM", USAGE),
        });
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
    params.push(Param {
        value: set.unwrap_or(&default).clone(),
        name: name_text,
        default,
        help,
    });
    Ok(())
}

/// A decimal or `0x` number, or a size with a suffix.
fn size(value: &str) -> Option<u64> {
    match tokens::number(value.as_bytes()) {
        Ok(number) => Some(number),
        Err(_) => value.parse::<Bytes>().ok().map(|size| size.0),
    }
}

/// What a value is put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Into {
    /// A number or expression: the value is a size and is put in as a decimal number.
    Number,
    /// A path or other text: the value is put in as it is.
    Text,
}

/// Whether parameters have to be put into a text.
pub(super) fn has_reference(text: &[u8], params: &[Param]) -> bool {
    !params.is_empty() && memchr::memmem::find(text, b"${").is_some()
}

/// Puts the parameters' values into a text, in one pass: values are not looked through again.
///
/// # Errors
/// `${` without `}`, a parameter that is not declared, a value that is no number where one is needed.
/// Positions are in the text.
pub(super) fn substitute(text: &[u8], params: &[Param], into: Into) -> Result<Vec<u8>, Fault> {
    let mut built = Vec::with_capacity(text.len());
    let mut from = 0;
    while let Some(start) = memchr::memmem::find(&text[from..], b"${") {
        let start = from + start;
        built.extend_from_slice(&text[from..start]);
        let Some(length) = memchr::memchr(b'}', &text[start..]) else {
            return Err(Fault::new(
                start,
                "`${` without a closing `}`",
                "a parameter's value is written ${name}",
            ));
        };
        let name = &text[start + 2..start + length];
        let Some(param) = params.iter().find(|param| param.name.as_bytes() == name) else {
            let what = format!("no parameter `{}`", shown(name));
            return Err(Fault::new(start, what, declared(params)));
        };
        match into {
            Into::Text => built.extend_from_slice(param.value.as_bytes()),
            Into::Number => {
                let Some(value) = size(&param.value) else {
                    return Err(Fault::new(
                        start,
                        format!(
                            "the value `{}` of parameter `{}` is no number",
                            shown(param.value.as_bytes()),
                            param.name
                        ),
                        "a number, or a size such as 64K, 1M, 2GB",
                    ));
                };
                built.extend_from_slice(value.to_string().as_bytes());
            }
        }
        if built.len() > LONGEST_TEXT {
            return Err(Fault::new(
                start,
                "too long with the parameters' values put in",
                "at most 64 KiB",
            ));
        }
        from = start + length + 1;
    }
    built.extend_from_slice(&text[from..]);
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(name: &str, value: &str) -> Param {
        Param {
            name: name.into(),
            default: value.into(),
            help: String::new(),
            value: value.into(),
        }
    }

    #[test]
    fn a_size_is_a_number_of_a_loadfile_or_one_as_options_take_it() {
        assert_eq!(size("64K"), Some(65_536));
        assert_eq!(size("2GB"), Some(2_000_000_000));
        assert_eq!(size("0x10"), Some(16));
        for bad in ["", "K", "-1K", "1 K", "99999999999G"] {
            assert_eq!(size(bad), None, "{bad}");
        }
    }

    #[test]
    fn values_are_put_in_once_and_not_looked_through_again() {
        let params = [param("a", "${b}"), param("b", "64K")];
        assert_eq!(
            substitute(b"/x${a}y${b}z", &params, Into::Text).unwrap(),
            b"/x${b}y64Kz"
        );
        assert_eq!(
            substitute(b"*%${b}/4096", &params, Into::Number).unwrap(),
            b"*%65536/4096"
        );
        assert_eq!(substitute(b"ab${c}", &params, Into::Text).unwrap_err().at, 2);
        assert_eq!(substitute(b"ab${a", &params, Into::Text).unwrap_err().at, 2);
        assert!(substitute(b"${a}", &params, Into::Number).is_err());
    }

    #[test]
    fn without_a_param_line_a_reference_is_literal() {
        assert!(!has_reference(b"/${a}", &[]));
        assert!(has_reference(b"/${a}", &[param("a", "1")]));
    }

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
