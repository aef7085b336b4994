//! Paths as one client uses them: those that carry its number, and those put together from string slots.

use crate::program::place::{PATH_CAPACITY, PathError, push_decimal};
use crate::program::{PathPiece, Piece, Place, PlaceBuf, Program, ProgramPath, Root};
use nix::errno::Errno;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::ffi::CStr;

/// How many strings RANDOMSTRING can keep.
const STRINGS: usize = 10;

/// Which of an operation's two paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    First = 0,
    Second = 1,
}

/// A client's own paths. Nothing is allocated after it is made.
pub struct Names {
    client: u32,
    per_client: Box<[PlaceBuf]>,
    strings: [Vec<u8>; STRINGS],
    /// The turn of the loop with each variable, from 0; those of no variable are never read. (32, so that no index
    /// has to be checked.)
    turns: [u64; 32],
    /// Where paths are put together; absent in a program that has no such paths.
    assembled: Option<Box<[PlaceBuf; 2]>>,
    text: Vec<u8>,
}

fn errno(error: PathError) -> Errno {
    match error {
        PathError::DotDot | PathError::Nul => Errno::EINVAL,
        PathError::LongComponent | PathError::Long => Errno::ENAMETOOLONG,
    }
}

/// The most bytes that a path comes to while it is put together; text and strings end at [`PATH_CAPACITY`].
fn longest_text(pieces: &[PathPiece]) -> usize {
    const DIGITS: usize = 20;
    let turns = pieces
        .iter()
        .filter(|piece| matches!(piece, PathPiece::Turn(_)))
        .count();
    PATH_CAPACITY + DIGITS * turns
}

impl Names {
    /// The paths of client number `client`.
    ///
    /// # Errors
    /// A path that the client's number makes too long.
    pub fn new(program: &Program, client: u32) -> Result<Names, PathError> {
        let own = program.paths.iter().filter_map(|path| match path {
            ProgramPath::PerClient(_, text) => Some(PlaceBuf::of(text, client)),
            _ => None,
        });
        let assembled = program.paths.iter().filter_map(|path| match path {
            ProgramPath::Assembled(pieces) => Some(longest_text(pieces)),
            _ => None,
        });
        let longest = assembled.max();
        Ok(Names {
            client,
            per_client: own.collect::<Result<_, _>>()?,
            strings: Default::default(),
            turns: [0; 32],
            assembled: longest
                .map(|_| Box::new([PlaceBuf::with_full_capacity(), PlaceBuf::with_full_capacity()])),
            text: Vec::with_capacity(longest.unwrap_or(0)),
        })
    }

    /// RANDOMSTRING: fills a slot.
    pub fn set_string(&mut self, slot: u32, template: &[Piece], random: &mut ChaCha8Rng) {
        let Some(string) = self.strings.get_mut(slot as usize) else {
            return;
        };
        string.clear();
        for piece in template {
            match piece {
                Piece::Text(text) => string.extend_from_slice(text),
                Piece::OneOf(set) => {
                    let pick = random.next_u64() % set.len().max(1) as u64;
                    string.extend(set.get(pick as usize));
                }
            }
        }
    }

    /// A loop with that variable starts (26: it has none).
    #[inline]
    pub fn first_turn(&mut self, variable: usize) {
        self.turns[variable % 32] = 0;
    }

    /// It starts another turn.
    #[inline]
    pub fn next_turn(&mut self, variable: usize) {
        self.turns[variable % 32] += 1;
    }

    /// The turns of all variables.
    #[inline]
    pub fn turns(&self) -> &[u64; 32] {
        &self.turns
    }

    /// Puts a path together at run time; does nothing for others. To be called before [`Names::place`].
    ///
    /// # Errors
    /// EINVAL for a path that holds `..` by now, ENAMETOOLONG for one that is too long.
    #[inline]
    pub fn assemble(&mut self, program: &Program, path: u32, which: Which) -> Result<(), Errno> {
        match &program.paths[path as usize] {
            ProgramPath::Assembled(pieces) => self.assemble_pieces(pieces, which),
            _ => Ok(()),
        }
    }

    fn assemble_pieces(&mut self, pieces: &[PathPiece], which: Which) -> Result<(), Errno> {
        let Some(assembled) = &mut self.assembled else {
            return Err(Errno::EINVAL);
        };
        let assembled = &mut assembled[which as usize];
        self.text.clear();
        for piece in pieces {
            let piece: &[u8] = match piece {
                PathPiece::Text(text) => text,
                PathPiece::String(slot) => &self.strings[usize::from(*slot) % STRINGS],
                PathPiece::Turn(variable) => {
                    push_decimal(&mut self.text, self.turns[usize::from(*variable) % 32]);
                    continue;
                }
            };
            if self.text.len() + piece.len() > PATH_CAPACITY {
                // What was there before is another operation's.
                assembled.locate(b"", self.client).map_err(errno)?;
                return Err(Errno::ENAMETOOLONG);
            }
            self.text.extend_from_slice(piece);
        }
        assembled.locate(&self.text, self.client).map_err(errno)
    }

    /// Where a path of the program leads for this client.
    #[inline]
    pub fn place<'a>(&'a self, program: &'a Program, path: u32, which: Which) -> Place<'a> {
        match &program.paths[path as usize] {
            ProgramPath::Fixed(place) => place.place(),
            ProgramPath::PerClient(index, _) => self.per_client[*index as usize].place(),
            ProgramPath::Assembled(_) => match &self.assembled {
                Some(assembled) => assembled[which as usize].place(),
                None => unreachable!("a program with random paths has buffers for them"),
            },
        }
    }

    /// What a symbolic link at `link` must hold to lead to `target`: a relative path inside the clients' tree.
    ///
    /// # Errors
    /// ENAMETOOLONG.
    pub fn link_target<'b>(
        &self,
        link: Place<'_>,
        target: Place<'_>,
        out: &'b mut Vec<u8>,
    ) -> Result<&'b CStr, Errno> {
        out.clear();
        let depth = link.path.to_bytes().iter().filter(|&&byte| byte == b'/').count();
        let across = link.root != target.root;
        for _ in 0..depth + usize::from(across) {
            out.extend_from_slice(b"../");
        }
        if across {
            match target.root {
                Root::Clients => {}
                Root::Shared => out.extend_from_slice(b"shared/"),
                Root::Client => {
                    out.extend_from_slice(b"client");
                    push_decimal(out, u64::from(self.client));
                    out.push(b'/');
                }
            }
        }
        out.extend_from_slice(target.path.to_bytes_with_nul());
        if out.len() > PATH_CAPACITY {
            return Err(Errno::ENAMETOOLONG);
        }
        CStr::from_bytes_with_nul(out).map_err(|_| Errno::EINVAL)
    }
}
