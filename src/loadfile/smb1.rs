//! The smb1 dialect (dbench 1.x): lines of SMB requests and replies, as a sniffer saw them.
//!
//! Some operations are executed where their request stands, others where the reply does, since only it says the
//! outcome. Packets were lost when it was sniffed, so a request without a reply is no error.

mod packet;

use super::fault::{Fault, shown};
use super::part::{self, Context, LONGEST_LINE, Part};
use super::paths::Place;
use super::tokens::{self, Token};
use super::{Dialect, directives};
use crate::op::{Action, Kind, Line, PathId, Status};
use packet::Packet;

/// The operations of the dialect, those that are never executed too.
pub(super) const NAMES: &[&str] = &[
    "SMBopenX",
    "CREATE",
    "SMBclose",
    "SMBread",
    "SMBreadbraw",
    "SMBwrite",
    "SMBwritebraw",
    "SMBgetatr",
    "SMBunlink",
    "SMBmv",
    "SMBmkdir",
    "SMBrmdir",
    "SMBtrans2",
    "SMBfindclose",
    "SMBlockingX",
    "SMBlseek",
    "SMBflush",
    "SMBsetatr",
    "SMBdskattr",
];

/// A path of a request, until its reply comes.
type Asked<'a> = Option<(&'a [u8], Place)>;

/// What is remembered from line to line.
#[derive(Debug, Default)]
struct Conversation<'a> {
    open: Asked<'a>,
    getatr: Asked<'a>,
    unlink: Asked<'a>,
}

/// Reads all lines of a text.
pub(super) fn read(text: &[u8], dialect_line: u32) -> Part<'_> {
    let context = Context {
        dialect: Dialect::Smb1,
        dialect_line,
        params: &[],
        bare_slots: false,
    };
    let mut part = Part::default();
    let mut conversation = Conversation::default();
    let mut tokens = Vec::new();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        part.total_lines += 1;
        let number = part.total_lines;
        if line.len() > LONGEST_LINE {
            part.problems.add(number, Dialect::Smb1, part::too_long(line));
            continue;
        }
        tokens::split_words(line, 0, &mut tokens);
        let Some(&name) = tokens.first().filter(|name| name.text[0] != b'#') else {
            continue;
        };
        let packet = Packet {
            tokens: &tokens,
            number,
            end: tokens.last().map_or(0, Token::end),
        };
        let read = if NAMES.iter().any(|known| known.as_bytes() == name.text) {
            conversation.take(&packet, &mut part)
        } else if directives::is_directive(name.text) {
            Err(Fault::new(
                name.at,
                format!("{} is not possible in the smb1 dialect", shown(name.text)),
                "directives belong to nb3, nfs and smb5",
            ))
        } else {
            Err(part::unknown(line, name, &context))
        };
        match read {
            Ok(None) => {}
            Ok(Some(action)) => part.lines.push(Line {
                number,
                status: Status::Ok,
                due: None,
                action,
            }),
            Err(fault) => part.problems.add(number, Dialect::Smb1, fault),
        }
    }
    part
}

impl<'a> Conversation<'a> {
    /// Takes a line; gives what is executed at it, if anything is.
    fn take(&mut self, packet: &Packet<'a, '_>, part: &mut Part<'a>) -> Result<Option<Action>, Fault> {
        match packet.tokens.get(1).map(|token| token.text) {
            Some(b"REQUEST") => self.request(packet, part),
            Some(b"REPLY") => self.reply(packet, part),
            _ => {
                let at = packet.tokens.get(1).map_or(packet.end, |token| token.at);
                let what = format!("{} is neither REQUEST nor REPLY", shown(packet.name()));
                Err(Fault::new(at, what, "expected: name REQUEST … or name REPLY …"))
            }
        }
    }

    fn request(&mut self, packet: &Packet<'a, '_>, part: &mut Part<'a>) -> Result<Option<Action>, Fault> {
        let action = match packet.name() {
            b"SMBopenX" => {
                packet.expect(6, 6, "SMBopenX REQUEST Size size Path path")?;
                self.open = Some(packet.asked(5)?);
                return Ok(None);
            }
            b"SMBgetatr" => {
                packet.expect(4, 4, "SMBgetatr REQUEST Path path")?;
                self.getatr = Some(packet.asked(3)?);
                return Ok(None);
            }
            b"SMBunlink" => {
                packet.expect(4, 4, "SMBunlink REQUEST Path path")?;
                self.unlink = Some(packet.asked(3)?);
                return Ok(None);
            }
            b"SMBclose" => {
                packet.expect(4, 4, "SMBclose REQUEST Handle handle")?;
                Action::Handle {
                    kind: Kind::SmbClose,
                    handle: packet.handle()?,
                    level: 0,
                }
            }
            b"SMBmkdir" => self.path(packet, part, Kind::SmbMkdir, "SMBmkdir REQUEST Path path")?,
            b"SMBrmdir" => self.path(packet, part, Kind::SmbRmdir, "SMBrmdir REQUEST Path path")?,
            b"SMBmv" => {
                packet.expect(6, 6, "SMBmv REQUEST OldPath old NewPath new")?;
                Action::TwoPaths {
                    kind: Kind::SmbMv,
                    first: packet.path(3, part)?,
                    second: packet.path(5, part)?,
                }
            }
            b"CREATE" => {
                packet.expect(6, 6, "CREATE REQUEST Path path Size size")?;
                let size = packet.size(5, "size")?;
                Action::Sized {
                    kind: Kind::SmbCreate,
                    path: packet.path(3, part)?,
                    size,
                }
            }
            b"SMBread" | b"SMBwrite" | b"SMBreadbraw" | b"SMBwritebraw" => transfer(packet)?,
            _ => return Ok(None),
        };
        Ok(Some(action))
    }

    fn path(
        &self,
        packet: &Packet<'a, '_>,
        part: &mut Part<'a>,
        kind: Kind,
        usage: &str,
    ) -> Result<Action, Fault> {
        packet.expect(4, 4, usage)?;
        Ok(Action::Path {
            kind,
            path: packet.path(3, part)?,
            level: 0,
        })
    }

    fn reply(&mut self, packet: &Packet<'a, '_>, part: &mut Part<'a>) -> Result<Option<Action>, Fault> {
        let failed = packet
            .tokens
            .get(2)
            .is_some_and(|token| token.text.starts_with(b"ERR"));
        if failed {
            return Ok(None);
        }
        let action = match packet.name() {
            b"SMBopenX" => {
                packet.expect(6, 6, "SMBopenX REPLY Handle handle Size size")?;
                let (handle, size) = (packet.handle()?, packet.size(5, "size")?);
                Action::SmbOpen {
                    path: take(self.open, packet, part)?,
                    handle,
                    size,
                }
            }
            b"SMBgetatr" => {
                packet.expect(4, 4, "SMBgetatr REPLY Size size")?;
                let size = packet.size(3, "size")?;
                Action::Sized {
                    kind: Kind::SmbGetatr,
                    path: take(self.getatr, packet, part)?,
                    size,
                }
            }
            b"SMBunlink" => {
                packet.expect(2, 2, "SMBunlink REPLY")?;
                Action::Path {
                    kind: Kind::SmbUnlink,
                    path: take(self.unlink, packet, part)?,
                    level: 0,
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(action))
    }
}

/// A request to read or write. The raw ones name the offset first.
fn transfer(packet: &Packet<'_, '_>) -> Result<Action, Fault> {
    let (kind, most, usage, offset, size) = match packet.name() {
        b"SMBread" => (
            Kind::SmbRead,
            8,
            "SMBread REQUEST Handle handle ByteCount size Offset offset",
            7,
            5,
        ),
        b"SMBwrite" => (
            Kind::SmbWrite,
            8,
            "SMBwrite REQUEST Handle handle ByteCount size Offset offset",
            7,
            5,
        ),
        b"SMBreadbraw" => (
            Kind::SmbReadBraw,
            8,
            "SMBreadbraw REQUEST Handle handle Offset offset MaxCount size",
            5,
            7,
        ),
        _ => (
            Kind::SmbWriteBraw,
            10,
            "SMBwritebraw REQUEST Handle handle Offset offset DataSize size [DataOff offset]",
            5,
            7,
        ),
    };
    packet.expect(8, most, usage)?;
    packet.transfer(kind, offset, size)
}

/// The path of the last request of a reply's kind.
fn take<'a>(asked: Asked<'a>, packet: &Packet<'a, '_>, part: &mut Part<'a>) -> Result<PathId, Fault> {
    match asked {
        Some((text, place)) => Ok(part.paths.intern(text, place)),
        None => {
            let name = shown(packet.name());
            let at = packet.tokens.first().map_or(0, |token| token.at);
            Err(Fault::new(
                at,
                format!("a reply to {name}, but no request before it"),
                format!("the path stands in the {name} REQUEST line"),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Number;

    fn actions(text: &str) -> Vec<(u32, Action)> {
        let part = read(text.as_bytes(), 1);
        assert!(part.problems.is_empty(), "{:?}", part.problems);
        part.lines
            .into_iter()
            .map(|line| (line.number, line.action))
            .collect()
    }

    #[test]
    fn an_open_is_executed_at_its_reply_with_the_last_requests_path() {
        let text = "SMBopenX REQUEST  Size 0 Path \\A\nSMBopenX REQUEST  Size 0 Path \\B\n\
                    SMBopenX REPLY  ERRbadfile\nSMBopenX REPLY  Handle 7 Size 1386\n";
        let part = read(text.as_bytes(), 1);
        let open = Action::SmbOpen {
            path: PathId(0),
            handle: 7,
            size: 1386,
        };
        assert_eq!((part.lines[0].number, &part.lines[0].action), (4, &open));
        let paths = part.paths.finish();
        assert_eq!(
            (&paths[0].text[..], paths[0].line, paths[0].column),
            (&b"\\B"[..], 2, 31)
        );
    }

    #[test]
    fn raw_reads_and_writes_name_the_offset_first() {
        let fixed = |(_, action): &(u32, Action)| match action {
            Action::Transfer {
                kind,
                offset: Number::Fixed(offset),
                size: Number::Fixed(size),
                returned,
                handle,
            } => {
                assert_eq!(*returned, Number::Fixed(*size));
                (*kind, *handle, *offset, *size)
            }
            other => panic!("{other:?}"),
        };
        let all = actions(
            "SMBread REQUEST  Handle 1 ByteCount 20 Offset 300\nSMBread REPLY  Count 20\n\
             SMBwrite REQUEST  Handle 1 ByteCount 20 Offset 300\nSMBwrite REPLY  Count 20\n\
             SMBreadbraw REQUEST  Handle 1 Offset 300 MaxCount 20\n\
             SMBwritebraw REQUEST  Handle 1 Offset 300 DataSize 20 DataOff 60\nSMBwritebraw REPLY \n",
        );
        let kinds = [
            Kind::SmbRead,
            Kind::SmbWrite,
            Kind::SmbReadBraw,
            Kind::SmbWriteBraw,
        ];
        let expected: Vec<_> = kinds.into_iter().map(|kind| (kind, 1, 300, 20)).collect();
        assert_eq!(all.iter().map(fixed).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn replies_that_say_an_error_and_ignored_operations_execute_nothing() {
        let all = actions(
            "SMBgetatr REQUEST  Path \\A\nSMBgetatr REPLY  ERRbadfile\nSMBunlink REQUEST  Path \\A\n\
             SMBunlink REPLY  ERRbadfile\nSMBtrans2 REQUEST  X\nSMBlockingX REPLY \nSMBflush REQUEST  Handle 1\n",
        );
        assert_eq!(all, []);
    }
}
