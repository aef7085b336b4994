//! The paths of a program: which places they are, and which are the same.

use super::compile::Compiler;
use super::place::PlaceBuf;
use super::space::is_below;
use super::{Code, Op, PathPiece, ProgramPath, Root};
use crate::loadfile::Dialect;
use rustc_hash::FxHashMap;

impl Compiler<'_> {
    pub(super) fn intern_paths(&mut self) {
        let mut known: FxHashMap<Box<[u8]>, u32> = FxHashMap::default();
        for path in &self.file.paths {
            let upper;
            let text: &[u8] = if self.file.dialect == Dialect::Smb1 {
                upper = path.text.to_ascii_uppercase();
                &upper
            } else {
                &path.text
            };
            let pieces = self.pieces(text);
            let (entry, key) = if let Some(pieces) = pieces {
                self.program.uses_shared_clients |= may_lead_to_shared_clients(text);
                (ProgramPath::Assembled(pieces), text.to_vec())
            } else {
                match PlaceBuf::of(text, 0) {
                    Ok(place) => self.fixed_path(place, text),
                    Err(error) => {
                        self.problem_at(path.line, path.column, error.to_string(), "");
                        self.path_index.push(0);
                        continue;
                    }
                }
            };
            let index = *known.entry(key.into()).or_insert_with(|| {
                self.program.paths.push(entry);
                self.names.push(1);
                self.program.paths.len() as u32 - 1
            });
            self.path_index.push(index);
        }
        self.program.per_client_paths = 0;
        for path in &mut self.program.paths {
            if let ProgramPath::PerClient(index, _) = path {
                *index = self.program.per_client_paths;
                self.program.per_client_paths += 1;
            }
        }
    }

    /// The pieces of a path that is put together at run time; none of one that is known now.
    fn pieces(&self, text: &[u8]) -> Option<Box<[PathPiece]>> {
        let (strings, turns) = (self.file.has_random_strings, self.file.has_loop_variables);
        let mut pieces = Vec::new();
        let mut start = 0;
        let mut at = 0;
        while let Some(pair) = text.get(at..at + 2) {
            let piece = match *pair {
                [b'$', digit @ b'0'..=b'9'] if strings => PathPiece::String(digit - b'0'),
                [b'@', letter @ b'a'..=b'z'] if turns => PathPiece::Turn(letter - b'a'),
                _ => {
                    at += 1;
                    continue;
                }
            };
            pieces.extend((start < at).then(|| PathPiece::Text(text[start..at].into())));
            pieces.push(piece);
            at += 2;
            start = at;
        }
        if pieces.is_empty() {
            return None;
        }
        pieces.extend((start < text.len()).then(|| PathPiece::Text(text[start..].into())));
        Some(pieces.into())
    }

    /// A path that is known now, and what makes it the same as another.
    pub(super) fn fixed_path(&mut self, buffer: PlaceBuf, text: &[u8]) -> (ProgramPath, Vec<u8>) {
        let place = buffer.place();
        if place.root == Root::Shared && is_below(place.path.to_bytes(), b"clients") {
            self.program.uses_shared_clients = true;
        }
        let mut key = vec![place.root as u8, 0];
        key.extend_from_slice(place.path.to_bytes());
        if buffer.names_client() {
            (ProgramPath::PerClient(0, text.into()), key)
        } else {
            (ProgramPath::Fixed(buffer), key)
        }
    }

    /// Whether the file works below its own directory of the share without ever making it.
    pub(super) fn uses_own_shared(&self) -> bool {
        /// How many components follow a first one that names the client.
        fn below_own(path: &ProgramPath) -> Option<usize> {
            let ProgramPath::PerClient(_, text) = path else {
                return None;
            };
            let components = text.split(|byte| matches!(byte, b'/' | b'\\'));
            let mut components = components.filter(|component| !component.is_empty());
            let first = components.next()?;
            first.eq_ignore_ascii_case(b"client1").then(|| components.count())
        }
        let paths = &self.program.paths;
        let makes = |op: &Op| op.code == Code::Mkdir && below_own(&paths[op.a as usize]) == Some(0);
        self.file.dialect == Dialect::Smb5
            && paths.iter().any(|path| below_own(path).is_some())
            && !self.program.ops.iter().any(makes)
    }
}

/// Whether what a path is put together to can lie below `shared/clients`.
fn may_lead_to_shared_clients(text: &[u8]) -> bool {
    let separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let mut components = text.split(separator).filter(|c| !c.is_empty() && *c != b".");
    let (first, second) = (components.next(), components.next());
    let is = |component: Option<&[u8]>, name: &[u8]| component.is_some_and(|c| c.eq_ignore_ascii_case(name));
    first.is_some_and(may_be_any) || is(first, b"clients") && !is(second, b"client1")
}

/// Whether a component holds what is put in at run time (a turn's digits alone make it no other name).
fn may_be_any(text: &[u8]) -> bool {
    text.windows(2)
        .any(|pair| pair[0] == b'$' && pair[1].is_ascii_digit())
}
