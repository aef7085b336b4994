//! The fast way for nb3 lines as traces have them: single blanks, plain numbers, quoted paths.
//!
//! A line that this does not take goes to the grammar, which takes the same lines in the same way and words the errors.

use super::part::LONGEST_LINE;
use super::paths::{Paths, Place};
use crate::op::{Action, Kind, Line, Number, PathId, Status};

/// What is left of a line, and where it stands.
struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
    number: u32,
}

/// Reads a line (without its line end) if it is a usual one.
#[inline]
pub(super) fn read<'a>(line: &'a [u8], number: u32, paths: &mut Paths<'a>) -> Option<Line> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut cursor = Cursor { line, at: 0, number };
    let name = cursor.word()?;
    let (action, status) = match name {
        b"ReadX" => cursor.transfer(Kind::ReadX)?,
        b"WriteX" => cursor.transfer(Kind::WriteX)?,
        b"NTCreateX" => cursor.create(paths)?,
        b"QUERY_PATH_INFORMATION" => cursor.path_and_level(Kind::QueryPathInformation, paths)?,
        b"Unlink" => cursor.path_and_level(Kind::Unlink, paths)?,
        b"Close" => cursor.handle(Kind::Close)?,
        b"Flush" => cursor.handle(Kind::Flush)?,
        b"FIND_FIRST" => cursor.find(paths)?,
        b"QUERY_FILE_INFORMATION" => cursor.handle_and_level(Kind::QueryFileInformation)?,
        b"SET_FILE_INFORMATION" => cursor.handle_and_level(Kind::SetFileInformation)?,
        b"QUERY_FS_INFORMATION" => cursor.file_system()?,
        b"Rename" => cursor.rename(paths)?,
        _ => return None,
    };
    Some(Line {
        number,
        status,
        due: None,
        action,
    })
}

impl<'a> Cursor<'a> {
    /// The bytes up to the next blank, which is skipped; none if there is no blank.
    #[inline]
    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.line.get(self.at..)?;
        let length = rest.iter().position(|&byte| byte == b' ')?;
        self.at += length + 1;
        Some(&rest[..length])
    }

    /// A decimal or `0x` number that surely fits, and the blank after it.
    #[inline]
    fn wide(&mut self) -> Option<u64> {
        const DECIMAL_DIGITS: usize = 19;
        const HEX_DIGITS: usize = 16;
        let word = self.word()?;
        if let Some(digits) = word.strip_prefix(b"0x") {
            if digits.is_empty() || digits.len() > HEX_DIGITS {
                return None;
            }
            return digits.iter().try_fold(0, |value, &byte| {
                let digit = (byte as char).to_digit(16)?;
                Some(value << 4 | u64::from(digit))
            });
        }
        if word.is_empty() || word.len() > DECIMAL_DIGITS {
            return None;
        }
        let mut value = 0;
        for &byte in word {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u64::from(digit);
        }
        Some(value)
    }

    #[inline]
    fn narrow(&mut self) -> Option<u32> {
        u32::try_from(self.wide()?).ok()
    }

    #[inline]
    fn fixed(&mut self) -> Option<Number> {
        self.wide().map(Number::Fixed)
    }

    /// A path in quotes and the blank after it, not interned yet.
    #[inline]
    fn quoted(&mut self) -> Option<(&'a [u8], Place)> {
        let rest = self.line.get(self.at..)?.strip_prefix(b"\"")?;
        let length = memchr::memchr(b'"', rest)?;
        if rest.get(length + 1) != Some(&b' ') {
            return None;
        }
        let place = Place {
            line: self.number,
            at: self.at,
            quoted: true,
        };
        self.at += length + 3;
        Some((&rest[..length], place))
    }

    /// The status that ends the line.
    #[inline]
    fn status(&self) -> Option<Status> {
        let name = self.line.get(self.at..)?.strip_prefix(b"NT_STATUS_")?;
        if name == b"OK" {
            return Some(Status::Ok);
        }
        let is_name = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
        (!name.is_empty() && name.iter().all(is_name)).then_some(Status::Fail)
    }

    #[inline]
    fn transfer(&mut self, kind: Kind) -> Option<(Action, Status)> {
        let action = Action::Transfer {
            kind,
            handle: self.narrow()?,
            offset: self.fixed()?,
            size: self.fixed()?,
            returned: self.fixed()?,
        };
        Some((action, self.status()?))
    }

    #[inline]
    fn create(&mut self, paths: &mut Paths<'a>) -> Option<(Action, Status)> {
        let (path, place) = self.quoted()?;
        let (options, disposition, handle) = (self.narrow()?, self.narrow()?, self.narrow()?);
        let status = self.status()?;
        let action = Action::Create {
            path: paths.intern(path, place),
            options,
            disposition,
            handle,
        };
        Some((action, status))
    }

    #[inline]
    fn path_and_level(&mut self, kind: Kind, paths: &mut Paths<'a>) -> Option<(Action, Status)> {
        let (path, place) = self.quoted()?;
        let level = self.narrow()?.into();
        let status = self.status()?;
        let path = paths.intern(path, place);
        Some((Action::Path { kind, path, level }, status))
    }

    #[inline]
    fn find(&mut self, paths: &mut Paths<'a>) -> Option<(Action, Status)> {
        let (path, place) = self.quoted()?;
        let (level, max, count) = (self.narrow()?, self.narrow()?, self.narrow()?);
        let status = self.status()?;
        let action = Action::Find {
            path: paths.intern(path, place),
            level,
            max,
            count,
        };
        Some((action, status))
    }

    #[inline]
    fn rename(&mut self, paths: &mut Paths<'a>) -> Option<(Action, Status)> {
        let (old, new) = (self.quoted()?, self.quoted()?);
        let status = self.status()?;
        let [first, second]: [PathId; 2] = [paths.intern(old.0, old.1), paths.intern(new.0, new.1)];
        let kind = Kind::Rename;
        Some((Action::TwoPaths { kind, first, second }, status))
    }

    #[inline]
    fn handle(&mut self, kind: Kind) -> Option<(Action, Status)> {
        let handle = self.narrow()?;
        let level = 0;
        Some((Action::Handle { kind, handle, level }, self.status()?))
    }

    #[inline]
    fn handle_and_level(&mut self, kind: Kind) -> Option<(Action, Status)> {
        let (handle, level) = (self.narrow()?, self.narrow()?);
        Some((Action::Handle { kind, handle, level }, self.status()?))
    }

    #[inline]
    fn file_system(&mut self) -> Option<(Action, Status)> {
        let level = self.narrow()?;
        let kind = Kind::QueryFsInformation;
        Some((Action::FileSystem { kind, level }, self.status()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadfile::Dialect;
    use crate::loadfile::part::{Context, Part};
    use proptest::prelude::*;

    const CONTEXT: Context<'_> = Context {
        dialect: Dialect::Nb3,
        dialect_line: 1,
        params: &[],
        bare_slots: true,
    };

    /// The lines and paths that the grammar gives, reached by a leading blank, which the fast way refuses.
    fn slowly(line: &str) -> Option<Line> {
        let text = format!(" {line}");
        let part = Part::read(text.as_bytes(), &CONTEXT);
        part.lines.into_iter().next()
    }

    fn word() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]{1,21}",
            "0x[0-9a-fA-F]{0,17}",
            r#""[ -!#-~]{0,20}""#,
            Just(String::new()),
            Just("*".to_owned()),
            Just("NT_STATUS_OK".to_owned()),
            "NT_STATUS_[A-Z0-9_]{0,4}",
            "[ -~]{0,4}",
        ]
    }

    fn name() -> impl Strategy<Value = &'static str> {
        let kinds = Kind::ALL[..17].iter().map(|kind| kind.name());
        prop::sample::select(kinds.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn what_the_fast_way_takes_the_grammar_takes_alike(
            name in name(), words in prop::collection::vec(word(), 0..6), end in "(NT_STATUS_(OK|NO))?\r?"
        ) {
            let line = format!("{name} {} {end}", words.join(" "));
            let mut paths = Paths::default();
            if let Some(fast) = read(line.as_bytes(), 1, &mut paths) {
                prop_assert_eq!(Some(fast), slowly(&line));
            }
        }
    }

    #[test]
    fn the_lines_of_a_usual_trace_are_taken_fast() {
        for line in [
            r#"NTCreateX "\clients\client1\~dmtmp" 0x1 0x2 9937 NT_STATUS_OK"#,
            r#"NTCreateX "\clients\client1\x y" 0x40 0x1 9935 NT_STATUS_OBJECT_NAME_NOT_FOUND"#,
            "Close 9937 NT_STATUS_OK\r",
            "WriteX 9938 65534 1 1 NT_STATUS_OK",
            "ReadX 9938 0x10 65536 0 NT_STATUS_OK",
            "Flush 10012 NT_STATUS_OK",
            r#"Unlink "\clients\client1\NEWPCB.PPT" 0x6 NT_STATUS_OK"#,
            r#"Rename "\clients\a" "\clients\b" NT_STATUS_OK"#,
            r#"FIND_FIRST "\clients\client1\FILLER.*" 260 1366 0 NT_STATUS_NO_SUCH_FILE"#,
            "QUERY_FS_INFORMATION 1 NT_STATUS_OK",
            "QUERY_FILE_INFORMATION 9938 258 NT_STATUS_OK",
            "SET_FILE_INFORMATION 10005 1004 NT_STATUS_OK",
            r#"QUERY_PATH_INFORMATION "\clients" 1004 NT_STATUS_OK"#,
        ] {
            let mut paths = Paths::default();
            let fast = read(line.as_bytes(), 1, &mut paths);
            assert!(fast.is_some(), "{line}");
            assert_eq!(fast, slowly(line), "{line}");
        }
    }
}
