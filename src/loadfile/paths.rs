//! Paths: interning them, and the rules that each must keep.

use super::Problem;
use super::fault::{Collector, Fault, KEPT, shown};
use crate::loadfile::PathText;
use crate::op::PathId;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The longest path, in bytes: Linux's PATH_MAX less the closing NUL.
const LONGEST_PATH: usize = 4095;
/// The longest component, in bytes: Linux's NAME_MAX.
const LONGEST_COMPONENT: usize = 255;

/// A path and where it first stands.
#[derive(Debug, Clone)]
struct Entry<'a> {
    text: Cow<'a, [u8]>,
    line: u32,
    column: u32,
    /// Whether a quote stands before the text at `column`; absent when parameters were put in.
    quoted: Option<bool>,
}

/// Where a path stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// From 1.
    pub line: u32,
    /// Of the token, its quote included, in bytes from 0.
    pub at: usize,
    pub quoted: bool,
}

/// The distinct paths of a loadfile or of a part of it, numbered as they first occur.
#[derive(Debug, Default)]
pub(super) struct Paths<'a> {
    ids: FxHashMap<Cow<'a, [u8]>, PathId>,
    entries: Vec<Entry<'a>>,
}

impl<'a> Paths<'a> {
    /// The number of a path that stands in the text as it is.
    #[inline]
    pub fn intern(&mut self, text: &'a [u8], place: Place) -> PathId {
        match self.ids.get(text) {
            Some(&id) => id,
            None => self.insert(Cow::Borrowed(text), place, Some(place.quoted)),
        }
    }

    /// The number of a path that parameters were put into.
    pub fn intern_built(&mut self, text: Vec<u8>, place: Place) -> PathId {
        match self.ids.get(&text[..]) {
            Some(&id) => id,
            None => self.insert(Cow::Owned(text), place, None),
        }
    }

    #[cold]
    fn insert(&mut self, text: Cow<'a, [u8]>, place: Place, quoted: Option<bool>) -> PathId {
        let id = PathId(self.entries.len() as u32);
        self.entries.push(Entry {
            text: text.clone(),
            line: place.line,
            column: place.at as u32 + 1,
            quoted,
        });
        self.ids.insert(text, id);
        id
    }

    /// Takes in the paths of the part that starts `lines` lines further on; gives their new numbers.
    pub fn absorb(&mut self, later: Paths<'a>, lines: u32) -> Vec<PathId> {
        if self.entries.is_empty() && lines == 0 {
            *self = later;
            return (0..self.entries.len() as u32).map(PathId).collect();
        }
        let mut numbers = Vec::with_capacity(later.entries.len());
        for mut entry in later.entries {
            let next = PathId(self.entries.len() as u32);
            let id = match self.ids.get(&entry.text) {
                Some(&id) => id,
                None => {
                    self.ids.insert(entry.text.clone(), next);
                    entry.line += lines;
                    self.entries.push(entry);
                    next
                }
            };
            numbers.push(id);
        }
        numbers
    }

    /// Checks every path once, where it first stands.
    pub fn check(&self, later: KnownLater, problems: &mut Collector) {
        let mut found = 0;
        for entry in &self.entries {
            let Some(fault) = check(&entry.text, later) else {
                continue;
            };
            found += 1;
            if found > KEPT {
                continue;
            }
            let inside = match entry.quoted {
                Some(quoted) => fault.at + usize::from(quoted),
                None => 0,
            };
            problems.push(Problem {
                line: entry.line,
                column: entry.column + inside as u32,
                what: fault.what,
                help: fault.help.into(),
            });
        }
        problems.add_unkept(found.saturating_sub(KEPT));
    }

    /// The paths in the order of their numbers.
    pub fn finish(self) -> Vec<PathText> {
        drop(self.ids);
        let entries = self.entries.into_iter();
        entries
            .map(|entry| PathText {
                text: entry.text.into_owned().into_boxed_slice(),
                line: entry.line,
                column: entry.column,
            })
            .collect()
    }
}

/// What is wrong with a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PathFault {
    /// Position in the path, in bytes from 0.
    pub at: usize,
    pub what: String,
    pub help: &'static str,
}

/// What of paths is known only in the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct KnownLater {
    /// `$0`-`$9` stand for strings.
    pub strings: bool,
    /// `@a`-`@z` stand for the turns of loops: decimal digits.
    pub turns: bool,
}

/// Checks a path, as far as it is known.
pub(super) fn check(path: &[u8], later: KnownLater) -> Option<PathFault> {
    let fault = |at, what: String, help| Some(PathFault { at, what, help });
    if path.is_empty() {
        return fault(0, "the path is empty".into(), "the root is \\ or /");
    }
    if path.len() > LONGEST_PATH {
        let what = format!("the path is {} bytes long", path.len());
        return fault(0, what, "a path has at most 4095 bytes");
    }
    if let Some(at) = memchr::memchr(0, path) {
        return fault(at, "a NUL byte in the path".into(), "no file name can hold it");
    }
    let mut start = 0;
    for component in path.split(|byte| matches!(byte, b'/' | b'\\')) {
        if component == b".." {
            let help = "paths must stay inside the run's directory; name the directory itself";
            return fault(start, "`..` in the path".into(), help);
        }
        let length = literal_length(component, later);
        if length > LONGEST_COMPONENT {
            let what = format!("`{}` is a name of {length} bytes", shown(component));
            return fault(start, what, "a file name has at most 255 bytes");
        }
        start += component.len() + 1;
    }
    None
}

fn literal_length(component: &[u8], later: KnownLater) -> usize {
    let known_later = |pair: &&[u8]| later.strings && is_slot(pair) || later.turns && is_turn(pair);
    let pairs = component.windows(2).filter(known_later).count();
    component.len() - 2 * pairs
}

/// Whether two bytes are `@a`-`@z`.
fn is_turn(pair: &[u8]) -> bool {
    pair[0] == b'@' && pair[1].is_ascii_lowercase()
}

/// Whether two bytes are `$0`-`$9`.
fn is_slot(pair: &[u8]) -> bool {
    pair[0] == b'$' && pair[1].is_ascii_digit()
}

/// Whether a whole token is a slot, which is then a path without quotes.
pub(super) fn is_slot_alone(token: &[u8]) -> bool {
    token.len() == 2 && is_slot(token)
}

/// Checks what RANDOMSTRING's text can become: each set counts as one byte that is no separator.
///
/// # Errors
/// Positions are in the text.
pub(super) fn check_random(text: &[u8], sets: &[std::ops::Range<usize>]) -> Result<(), Fault> {
    if text.is_empty() {
        return Ok(());
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut from = 0;
    for set in sets {
        plain.extend_from_slice(&text[from..set.start]);
        plain.push(b'x');
        from = set.end;
    }
    plain.extend_from_slice(&text[from..]);
    match check(&plain, KnownLater::default()) {
        None => Ok(()),
        Some(fault) => Err(Fault::new(0, fault.what, fault.help)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place {
        line: 3,
        at: 7,
        quoted: true,
    };

    const STRINGS: KnownLater = KnownLater {
        strings: true,
        turns: false,
    };

    #[test]
    fn a_path_must_stay_inside_and_fit() {
        assert_eq!(
            check(b"\\clients\\client1\\~dmtmp..\\..x", KnownLater::default()),
            None
        );
        assert_eq!(check(b"\\", KnownLater::default()), None);
        assert_eq!(check(b"/a\\../b", KnownLater::default()).unwrap().at, 3);
        assert_eq!(check(b"..", KnownLater::default()).unwrap().at, 0);
        assert_eq!(
            check(b"", KnownLater::default()).unwrap().what,
            "the path is empty"
        );
        assert_eq!(check(b"/a\0b", KnownLater::default()).unwrap().at, 2);
        let name = |length| [b"/d/".as_slice(), &vec![b'n'; length]].concat();
        assert_eq!(check(&name(255), KnownLater::default()), None);
        assert_eq!(check(&name(256), KnownLater::default()).unwrap().at, 3);
        assert_eq!(check(&b"/n".repeat(2047), KnownLater::default()), None);
        assert!(
            check(&b"/n".repeat(2048), KnownLater::default())
                .unwrap()
                .what
                .contains("4096")
        );
    }

    #[test]
    fn slots_count_nothing_and_may_stand_next_to_dots() {
        let long = [b"$1".as_slice(), &[b'n'; 255], b"$2"].concat();
        assert_eq!(check(&long, STRINGS), None);
        assert!(check(&long, KnownLater::default()).is_some());
        assert_eq!(check(b"/..$1", STRINGS), None);
        assert!(check(b"/$1/../x", STRINGS).is_some());
    }

    #[test]
    fn a_path_keeps_the_place_where_it_first_stands() {
        let mut first = Paths::default();
        first.intern(b"a", PLACE);
        let mut later = Paths::default();
        later.intern(b"b", PLACE);
        later.intern(b"a", PLACE);
        later.intern_built(b"b".to_vec(), PLACE);
        assert_eq!(first.absorb(later, 10), [PathId(1), PathId(0)]);
        let paths = first.finish();
        let places: Vec<_> = paths.iter().map(|p| (&p.text[..], p.line, p.column)).collect();
        assert_eq!(places, [(&b"a"[..], 3, 8), (b"b", 13, 8)]);
    }

    #[test]
    fn bad_paths_beyond_the_kept_ones_are_counted() {
        let texts: Vec<String> = (0..KEPT * 3).map(|index| format!("../{index}")).collect();
        let mut paths = Paths::default();
        for text in &texts {
            paths.intern(text.as_bytes(), PLACE);
        }
        let mut problems = Collector::default();
        paths.check(KnownLater::default(), &mut problems);
        let (list, omitted) = problems.finish();
        assert_eq!((list.len(), omitted), (KEPT, KEPT * 2));
        assert_eq!((list[0].line, list[0].column), (3, 9));
    }
}
