//! One line of a recording: its tokens, and what they must be.

use crate::loadfile::fault::{Fault, shown};
use crate::loadfile::part::Part;
use crate::loadfile::paths::Place;
use crate::loadfile::tokens::{self, BadNumber, Token};
use crate::op::{Action, Kind, Number, PathId};

/// The tokens of a line, with its number.
pub(super) struct Packet<'a, 't> {
    pub tokens: &'t [Token<'a>],
    pub number: u32,
    /// Position after the last token, in bytes from 0.
    pub end: usize,
}

impl<'a> Packet<'a, '_> {
    pub fn name(&self) -> &'a [u8] {
        self.tokens.first().map_or(b"", |token| token.text)
    }

    /// Refuses a line with fewer tokens than `least` or more than `most`, the name and direction included.
    pub fn expect(&self, least: usize, most: usize, usage: &str) -> Result<(), Fault> {
        let name = || shown(self.name());
        if self.tokens.len() < least {
            let what = format!("too few parameters for {}", name());
            return Err(Fault::new(self.end, what, format!("expected: {usage}")));
        }
        match self.tokens.get(most) {
            None => Ok(()),
            Some(extra) => Err(Fault::new(
                extra.at,
                format!("too many parameters for {}", name()),
                format!("expected: {usage}"),
            )),
        }
    }

    pub fn token(&self, index: usize) -> Result<Token<'a>, Fault> {
        self.tokens.get(index).copied().ok_or_else(|| {
            let what = format!("too few parameters for {}", shown(self.name()));
            Fault::new(
                self.end,
                what,
                format!("token {index}, counted from 0, is missing"),
            )
        })
    }

    pub fn wide(&self, index: usize, name: &str, bits: u32) -> Result<u64, Fault> {
        let token = self.token(index)?;
        tokens::number(token.text).map_err(|bad| match bad {
            BadNumber::TooLarge => too_large(token, name, bits),
            BadNumber::NotANumber => Fault::new(
                token.at,
                format!("the {name} `{}` is no number", shown(token.text)),
                "a decimal or 0x number",
            ),
        })
    }

    pub fn size(&self, index: usize, name: &str) -> Result<u64, Fault> {
        self.wide(index, name, 64)
    }

    pub fn handle(&self) -> Result<u32, Fault> {
        let value = self.wide(3, "handle", 32)?;
        u32::try_from(value).or_else(|_| Err(too_large(self.token(3)?, "handle", 32)))
    }

    pub fn asked(&self, index: usize) -> Result<(&'a [u8], Place), Fault> {
        let token = self.token(index)?;
        let place = Place {
            line: self.number,
            at: token.at,
            quoted: false,
        };
        Ok((token.text, place))
    }

    pub fn path(&self, index: usize, part: &mut Part<'a>) -> Result<PathId, Fault> {
        let (text, place) = self.asked(index)?;
        Ok(part.paths.intern(text, place))
    }

    /// A read or write, whose offset and size stand where `offset` and `size` say.
    pub fn transfer(&self, kind: Kind, offset: usize, size: usize) -> Result<Action, Fault> {
        let size = Number::Fixed(self.size(size, "size")?);
        Ok(Action::Transfer {
            kind,
            handle: self.handle()?,
            offset: Number::Fixed(self.size(offset, "offset")?),
            size,
            returned: size,
        })
    }
}

fn too_large(token: Token<'_>, name: &str, bits: u32) -> Fault {
    let what = format!("the {name} `{}` does not fit in {bits} bits", shown(token.text));
    let largest = if bits == 32 { u32::MAX.into() } else { u64::MAX };
    Fault::new(token.at, what, format!("at most {largest}"))
}
