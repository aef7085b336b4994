//! Tokens of a loadfile line: words, quoted paths, numbers, timestamps, statuses.

use super::fault::{Fault, shown};
use crate::op::Status;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till, take_till1, take_while, take_while1};
use nom::combinator::{all_consuming, map, opt, rest};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

/// What separates tokens. A carriage return counts, so that `\r\n` ends a line too.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// One token of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Without the quotes.
    pub text: &'a [u8],
    /// Where it stands in the line, its quote included, in bytes from 0.
    pub at: usize,
    pub quoted: bool,
}

impl Token<'_> {
    /// Position of the text's first byte in the line.
    pub fn text_at(&self) -> usize {
        self.at + usize::from(self.quoted)
    }

    /// Position after the token, its quotes included.
    pub fn end(&self) -> usize {
        self.at + self.text.len() + 2 * usize::from(self.quoted)
    }
}

fn blanks(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while(is_blank).parse(input)
}

fn word(input: &[u8]) -> IResult<&[u8], &[u8]> {
    preceded(blanks, take_till1(is_blank)).parse(input)
}

fn quoted(input: &[u8]) -> IResult<&[u8], &[u8]> {
    delimited(tag("\""), take_till(|byte| byte == b'"'), tag("\"")).parse(input)
}

/// Takes the next word, split at blanks alone, from `line[from..]`.
pub(super) fn next_word(line: &[u8], from: usize) -> Option<Token<'_>> {
    let (left, text) = word(line.get(from..)?).ok()?;
    Some(Token {
        text,
        at: line.len() - left.len() - text.len(),
        quoted: false,
    })
}

/// Splits `line[from..]` at blanks, into unquoted words only (nb2 and smb1).
pub(super) fn split_words<'a>(line: &'a [u8], mut from: usize, tokens: &mut Vec<Token<'a>>) {
    tokens.clear();
    while let Some(token) = next_word(line, from) {
        from = token.end();
        tokens.push(token);
    }
}

/// Splits `line[from..]` into tokens; those in double quotes may hold blanks, and a backslash is never an escape.
///
/// # Errors
/// A quote that is not closed, or text right behind a closing quote.
pub(super) fn split_tokens<'a>(
    line: &'a [u8],
    mut from: usize,
    tokens: &mut Vec<Token<'a>>,
) -> Result<(), Fault> {
    tokens.clear();
    loop {
        from = line.len() - blanks(&line[from..]).map_or(0, |(left, _)| left.len());
        match line.get(from) {
            None => return Ok(()),
            Some(b'"') => {
                let Ok((left, text)) = quoted(&line[from..]) else {
                    return Err(Fault::new(
                        from,
                        "the quote is not closed",
                        "a path ends with \" in the same line",
                    ));
                };
                if left.first().is_some_and(|&byte| !is_blank(byte)) {
                    let at = line.len() - left.len();
                    return Err(Fault::new(
                        at,
                        "no blank after the closing quote",
                        "tokens are split by blanks",
                    ));
                }
                tokens.push(Token {
                    text,
                    at: from,
                    quoted: true,
                });
                from = line.len() - left.len();
            }
            Some(_) => {
                let Some(token) = next_word(line, from) else {
                    return Ok(());
                };
                from = token.end();
                tokens.push(token);
            }
        }
    }
}

/// Why a token is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadNumber {
    NotANumber,
    TooLarge,
}

fn digits(radix: u32) -> impl FnMut(&[u8]) -> IResult<&[u8], Option<u64>> {
    move |input| {
        let mut parser = map(
            take_while1(|byte: u8| (byte as char).is_digit(radix)),
            |digits: &[u8]| {
                digits.iter().try_fold(0u64, |value, &byte| {
                    let digit = (byte as char).to_digit(radix)?;
                    value.checked_mul(radix.into())?.checked_add(digit.into())
                })
            },
        );
        parser.parse(input)
    }
}

/// A decimal or `0x` number that fills the whole token.
pub(super) fn number(token: &[u8]) -> Result<u64, BadNumber> {
    let hexadecimal = preceded(tag_no_case("0x"), digits(16));
    match all_consuming(alt((hexadecimal, digits(10)))).parse(token) {
        Ok((_, Some(value))) => Ok(value),
        Ok((_, None)) => Err(BadNumber::TooLarge),
        Err(_) => Err(BadNumber::NotANumber),
    }
}

/// A timestamp in seconds (`4.742382000`), in whole microseconds; a finer part is dropped.
///
/// # Errors
/// The token is no such number, or its microseconds do not fit in 64 bits.
pub(super) fn timestamp(token: Token<'_>) -> Result<u64, Fault> {
    const DIGITS: usize = 6;
    let fraction = preceded(tag("."), take_while1(|byte: u8| byte.is_ascii_digit()));
    let parsed: IResult<_, _> = all_consuming((digits(10), opt(fraction))).parse(token.text);
    let Ok((_, (seconds, fraction))) = parsed else {
        return Err(Fault::new(
            token.at,
            format!("`{}` is neither an operation nor a timestamp", shown(token.text)),
            "a timestamp is in seconds, such as 4.742382",
        ));
    };
    let fraction = fraction.unwrap_or_default();
    let micros = (0..DIGITS).fold(0u64, |value, place| {
        let digit = fraction.get(place).map_or(0, |byte| u64::from(byte - b'0'));
        value * 10 + digit
    });
    let total = seconds
        .and_then(|seconds| seconds.checked_mul(1_000_000))
        .and_then(|whole| whole.checked_add(micros));
    total.ok_or_else(|| {
        Fault::new(
            token.at,
            format!("the timestamp `{}` does not fit", shown(token.text)),
            "it is in seconds, at most 18446744073709",
        )
    })
}

/// The expected status that a token states, if it is one.
pub(super) fn status(token: &[u8]) -> Option<Status> {
    let nt_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let nt = map(
        preceded(tag("NT_STATUS_"), take_while1(nt_name)),
        |name: &[u8]| if name == b"OK" { Status::Ok } else { Status::Fail },
    );
    let code = map(
        preceded(tag("0x"), take_while1(|byte: u8| byte.is_ascii_hexdigit())),
        |code: &[u8]| {
            let zero = code.iter().all(|&byte| byte == b'0');
            if zero { Status::Ok } else { Status::Fail }
        },
    );
    let word = map_opt_word;
    let parsed: IResult<_, _> = all_consuming(alt((nt, code, word))).parse(token);
    parsed.ok().map(|(_, status)| status)
}

fn map_opt_word(input: &[u8]) -> IResult<&[u8], Status> {
    nom::combinator::map_opt(rest, |word: &[u8]| match word {
        b"SUCCESS" => Some(Status::Ok),
        b"ERROR" => Some(Status::Fail),
        b"*" => Some(Status::Any),
        _ => None,
    })
    .parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Token<'_> {
        Token {
            text: text.as_bytes(),
            at: 0,
            quoted: false,
        }
    }

    #[test]
    fn a_backslash_before_a_quote_does_not_escape_it() {
        let mut tokens = Vec::new();
        split_tokens(br#"  "/clients/client1\" "a b"	0x1"#, 0, &mut tokens).unwrap();
        let texts: Vec<_> = tokens.iter().map(|t| (t.text, t.at, t.quoted)).collect();
        assert_eq!(
            texts,
            [
                (&br"/clients/client1\"[..], 2, true),
                (b"a b", 22, true),
                (b"0x1", 28, false)
            ]
        );
    }

    #[test]
    fn an_open_quote_is_reported_where_it_stands() {
        let fault = split_tokens(br#"Unlink "/a b"#, 6, &mut Vec::new()).unwrap_err();
        assert_eq!(fault.at, 7);
        let fault = split_tokens(br#"Unlink "/a"b"#, 6, &mut Vec::new()).unwrap_err();
        assert_eq!(fault.at, 11);
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal_and_must_fit() {
        assert_eq!(number(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(number(b"0xffffFFFFffffFFFF"), Ok(u64::MAX));
        assert_eq!(number(b"00"), Ok(0));
        assert_eq!(number(b"18446744073709551616"), Err(BadNumber::TooLarge));
        assert_eq!(number(b"0x10000000000000000"), Err(BadNumber::TooLarge));
        for bad in ["", "0x", "-1", "1k", "1 ", "+1", "0b1"] {
            assert_eq!(number(bad.as_bytes()), Err(BadNumber::NotANumber), "{bad}");
        }
    }

    #[test]
    fn a_timestamp_is_kept_in_whole_microseconds() {
        assert_eq!(timestamp(token("4.742382000")).unwrap(), 4_742_382);
        assert_eq!(timestamp(token("0.05")).unwrap(), 50_000);
        assert_eq!(timestamp(token("7")).unwrap(), 7_000_000);
        assert_eq!(timestamp(token("18446744073709.551615999")).unwrap(), u64::MAX);
        assert!(timestamp(token("18446744073709.551616")).is_err());
        for bad in ["1.", "1.2.3", "1e3", "1.x"] {
            assert!(timestamp(token(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_status_means_success_failure_or_either() {
        for ok in ["NT_STATUS_OK", "0x0", "0x00000000", "SUCCESS"] {
            assert_eq!(status(ok.as_bytes()), Some(Status::Ok), "{ok}");
        }
        for fail in ["ERROR", "NT_STATUS_NO_SUCH_FILE", "0x00000002", "0xC0000034"] {
            assert_eq!(status(fail.as_bytes()), Some(Status::Fail), "{fail}");
        }
        assert_eq!(status(b"*"), Some(Status::Any));
        for none in ["", "0", "12", "0x", "NT_STATUS_", "nt_status_ok", "OK", "**"] {
            assert_eq!(status(none.as_bytes()), None, "{none}");
        }
    }
}
