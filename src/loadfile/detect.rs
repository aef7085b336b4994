//! Which dialect a loadfile is in, and what is no loadfile at all.

use super::fault::{Fault, shown};
use super::grammar::{self, Parameter};
use super::part::LONGEST_LINE;
use super::tokens::{self, Token};
use super::{Dialect, directives, smb1};
use crate::op::Kind;

/// How much of a text is looked at to see whether it is text.
const SAMPLE: usize = 64 << 10;

/// What to do with a loadfile for block devices.
pub(super) const NOT_FILES: &str =
    "rbench replays traces of file systems; SCSI, iSCSI and block loadfiles need dbench 5 and a device";

/// SCSI commands that end in the size of their command block: READ10, WRITESAME16 ….
const SCSI_SIZED: &[&str] = &[
    "READ",
    "WRITE",
    "VERIFY",
    "WRITEVERIFY",
    "READCAPACITY",
    "SYNCHRONIZECACHE",
    "PREFETCH",
    "ORWRITE",
    "WRITESAME",
    "MODESENSE",
    "MODESELECT",
    "RESERVE",
    "RELEASE",
];
const SCSI: &[&str] = &[
    "TESTUNITREADY",
    "INQUIRY",
    "REPORTLUNS",
    "REPORTSUPPORTEDOPCODES",
    "PERSISTENTRESERVEIN",
    "PERSISTENTRESERVEOUT",
    "STARTSTOPUNIT",
    "PREVENTALLOW",
    "REQUESTSENSE",
    "UNMAP",
    "COMPAREANDWRITE",
    "GETLBASTATUS",
    "READDEFECTDATA10",
    "READDEFECTDATA12",
    "READTOC",
];

/// Whether a name is a SCSI command.
pub(super) fn is_block_device_operation(name: &[u8]) -> bool {
    let size = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (stem, size) = name.split_at(name.len() - size);
    let sized = matches!(size, b"6" | b"10" | b"12" | b"16" | b"32");
    let listed = |list: &[&str], name: &[u8]| list.iter().any(|known| known.as_bytes() == name);
    (sized && listed(SCSI_SIZED, stem)) || listed(SCSI, name)
}

/// The dialect whose operation a name is; the nb dialects count as nb3, and Deltree is no evidence.
pub(super) fn dialect_of_name(name: &[u8]) -> Option<Dialect> {
    if name == Kind::Deltree.name().as_bytes() {
        return None;
    }
    if smb1::NAMES.iter().any(|known| known.as_bytes() == name) {
        return Some(Dialect::Smb1);
    }
    [Dialect::Nb3, Dialect::Nfs, Dialect::Smb5]
        .into_iter()
        .find(|&dialect| grammar::shape(dialect, name).is_some())
}

/// Whether a byte belongs in no text.
fn is_no_text(byte: u8) -> bool {
    byte == 0x7f || (byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x1b))
}

/// Says what is wrong with a text that is none.
pub(super) fn binary(text: &[u8]) -> Option<(&'static str, &'static str)> {
    let sample = &text[..text.len().min(SAMPLE)];
    if sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff") {
        return Some(("the file is UTF-16 text", "save it as UTF-8 or ASCII"));
    }
    let odd = sample.iter().filter(|&&byte| is_no_text(byte)).count();
    let high = sample.iter().filter(|byte| !byte.is_ascii()).count();
    // Names may be in any encoding, so high bytes alone are odd only where nearly everything is one.
    let share = |part: usize, hundredths: usize| part * 100 > sample.len() * hundredths;
    let binary = (odd >= 8 && share(odd, 5)) || share(high, 70) || (odd >= 2 && share(odd + high, 30));
    binary.then_some((
        "the file holds binary data, not text",
        "a loadfile is text, plain or gzip-compressed",
    ))
}

/// Whether a line with an unknown operation is no text.
pub(super) fn is_binary_line(line: &[u8]) -> bool {
    let odd = line.iter().filter(|&&byte| is_no_text(byte)).count();
    let high = line.iter().filter(|byte| !byte.is_ascii()).count();
    odd > 0 || high * 2 > line.len()
}

/// A dialect and the line that shows it, from 1; line 0 when nothing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Detected {
    pub dialect: Dialect,
    pub line: u32,
}

/// What a line says of the dialect.
enum Evidence {
    None,
    /// It can be of this dialect and of another.
    Weak(Dialect),
    Strong(Dialect),
}

/// Finds the dialect from the first line that only one can have; nb3 where no line says anything.
///
/// # Errors
/// A loadfile for SCSI, iSCSI or block devices, with the line.
pub(super) fn dialect(text: &[u8]) -> Result<Detected, (u32, Fault)> {
    let mut weak = None;
    let mut found = Vec::new();
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        match evidence(line, &mut found).map_err(|fault| (number, fault))? {
            Evidence::None => {}
            Evidence::Weak(dialect) => {
                weak.get_or_insert(Detected {
                    dialect,
                    line: number,
                });
            }
            Evidence::Strong(dialect) => {
                return Ok(Detected {
                    dialect,
                    line: number,
                });
            }
        }
    }
    Ok(weak.unwrap_or(Detected {
        dialect: Dialect::Nb3,
        line: 0,
    }))
}

fn evidence<'a>(line: &'a [u8], tokens: &mut Vec<Token<'a>>) -> Result<Evidence, Fault> {
    if line.len() > LONGEST_LINE {
        return Ok(Evidence::None);
    }
    let Some(first) = tokens::next_word(line, 0) else {
        return Ok(Evidence::None);
    };
    let timed = first.text[0].is_ascii_digit();
    let name = match timed {
        true => tokens::next_word(line, first.end()),
        false => Some(first),
    };
    let Some(name) = name.filter(|name| name.text[0] != b'#') else {
        return Ok(Evidence::None);
    };
    if directives::is_directive(name.text) {
        return Ok(Evidence::None);
    }
    if is_block_device_operation(name.text) || is_block_transfer(line, name) {
        return Err(Fault::new(
            name.at,
            format!(
                "a loadfile for SCSI or block devices ({}), not a file-system trace",
                shown(name.text)
            ),
            NOT_FILES,
        ));
    }
    Ok(match dialect_of_name(name.text) {
        None => Evidence::None,
        Some(Dialect::Nb3) => nb_evidence(line, name, timed, tokens),
        Some(other) => Evidence::Strong(other),
    })
}

/// READ or WRITE that starts with an offset: smb5's start with a path.
fn is_block_transfer(line: &[u8], name: Token<'_>) -> bool {
    matches!(name.text, b"READ" | b"WRITE")
        && tokens::next_word(line, name.end())
            .is_some_and(|offset| offset.text[0].is_ascii_digit() || matches!(offset.text[0], b'*' | b'+'))
}

/// Tells nb2 from nb3: a path in quotes or a status is nb3, a path without quotes is nb2.
fn nb_evidence<'a>(line: &'a [u8], name: Token<'a>, timed: bool, tokens: &mut Vec<Token<'a>>) -> Evidence {
    tokens::split_words(line, name.end(), tokens);
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return Evidence::None;
    };
    if first.text[0] == b'"' {
        return Evidence::Strong(Dialect::Nb3);
    }
    let shape = grammar::shape(Dialect::Nb3, name.text);
    let parameters = shape.map(|shape| shape.parameters).unwrap_or_default();
    let takes_path = matches!(parameters.first(), Some(Parameter::Path(_)));
    if takes_path && matches!(first.text[0], b'\\' | b'/') {
        return Evidence::Strong(Dialect::Nb2);
    }
    let is_word = |text: &[u8]| tokens::status(text).is_some() && tokens::number(text).is_err();
    if is_word(last.text) {
        return Evidence::Strong(Dialect::Nb3);
    }
    if timed || tokens.len() != parameters.len() {
        return Evidence::Weak(Dialect::Nb3);
    }
    Evidence::Weak(Dialect::Nb2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> (Dialect, u32) {
        let found = dialect(text.as_bytes()).unwrap();
        (found.dialect, found.line)
    }

    #[test]
    fn each_dialect_shows_in_its_first_operation_of_its_own() {
        assert_eq!(
            detected("# c\n\nSMBopenX REQUEST  Size 0 Path \\A\n"),
            (Dialect::Smb1, 3)
        );
        assert_eq!(detected("CREATE REQUEST Path \\A Size 1"), (Dialect::Smb1, 1));
        assert_eq!(detected("NTCreateX \\clients 0x1 0x2 13780"), (Dialect::Nb2, 1));
        assert_eq!(
            detected("NTCreateX \"\\clients\" 0x1 0x2 13780 NT_STATUS_OK"),
            (Dialect::Nb3, 1)
        );
        assert_eq!(
            detected("Deltree \"/x\" 0x0\nLOOP 5\n0.050 CREATE3 \"/f\" 0x0"),
            (Dialect::Nfs, 3)
        );
        assert_eq!(
            detected("Deltree \"/\" *\nOPEN \"/f\" 0x0c SUCCESS"),
            (Dialect::Smb5, 2)
        );
        assert_eq!(detected("READ \"/f\" 0 1 SUCCESS"), (Dialect::Smb5, 1));
    }

    #[test]
    fn a_line_that_nb2_and_nb3_share_waits_for_a_clearer_one() {
        assert_eq!(detected("Close 1\nClose 2\nUnlink \\a"), (Dialect::Nb2, 3));
        assert_eq!(detected("Close 1\nClose 2 NT_STATUS_OK"), (Dialect::Nb3, 2));
        assert_eq!(detected("Close 1\nClose 2"), (Dialect::Nb2, 1));
        assert_eq!(detected("Close 1 0x0\nClose 2 0x0"), (Dialect::Nb3, 1));
        assert_eq!(
            detected("FIND_FIRST \\clients\\client1\\FILLER\"* 260 1366 0"),
            (Dialect::Nb2, 1)
        );
    }

    #[test]
    fn scsi_and_block_loadfiles_are_known_by_their_operations() {
        for text in [
            "0.000 TESTUNITREADY 0x00",
            "READ10 0 256 0 0 0x00",
            "0.0 READCAPACITY16 0x00",
            "LOOP 1000\nWRITE */0x1000%0x40000000 4096 0x00000000",
            "READ 0 4096 0x0",
        ] {
            let (line, fault) = dialect(text.as_bytes()).unwrap_err();
            assert_eq!(line as usize, text.lines().count(), "{text}");
            assert!(!fault.help.is_empty());
        }
    }

    #[test]
    fn binary_files_are_told_from_text_in_other_encodings() {
        assert!(binary(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0").is_some());
        assert!(binary(b"\xff\xfeN\0T\0").is_some());
        assert!(binary(&[0x9c; 400]).is_some());
        assert!(binary("Unlink \"\\ドキュメント\\資料\" NT_STATUS_OK\n".as_bytes()).is_none());
        assert!(binary(b"").is_none());
        assert!(binary(b"\tClose 5 NT_STATUS_OK\r\n").is_none());
    }
}
