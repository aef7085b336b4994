//! Paths as one client uses them: those that carry its number, and those put together from string slots.

use crate::program::place::{PATH_CAPACITY, PathError, push_decimal};
use crate::program::{Piece, Place, PlaceBuf, Program, ProgramPath, Root};
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
    /// Where random paths are put together; absent in a program that has none.
    assembled: Option<Box<[PlaceBuf; 2]>>,
    text: Vec<u8>,
}

fn errno(error: PathError) -> Errno {
    match error {
        PathError::DotDot | PathError::Nul => Errno::EINVAL,
        PathError::LongComponent | PathError::Long => Errno::ENAMETOOLONG,
    }
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
        let random = program
            .paths
            .iter()
            .any(|path| matches!(path, ProgramPath::Random(_)));
        Ok(Names {
            client,
            per_client: own.collect::<Result<_, _>>()?,
            strings: Default::default(),
            assembled: random
                .then(|| Box::new([PlaceBuf::with_full_capacity(), PlaceBuf::with_full_capacity()])),
            text: Vec::with_capacity(if random { PATH_CAPACITY } else { 0 }),
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

    /// Puts a random path together; does nothing for others. To be called before [`Names::place`].
    ///
    /// # Errors
    /// EINVAL for a path that holds `..` by now, ENAMETOOLONG for one that is too long.
    #[inline]
    pub fn assemble(&mut self, program: &Program, path: u32, which: Which) -> Result<(), Errno> {
        match &program.paths[path as usize] {
            ProgramPath::Random(text) => self.assemble_random(text, which),
            _ => Ok(()),
        }
    }

    fn assemble_random(&mut self, template: &[u8], which: Which) -> Result<(), Errno> {
        let Some(assembled) = &mut self.assembled else {
            return Err(Errno::EINVAL);
        };
        let assembled = &mut assembled[which as usize];
        self.text.clear();
        let mut rest = template;
        while let Some((&byte, after)) = rest.split_first() {
            match after.first() {
                Some(digit @ b'0'..=b'9') if byte == b'$' => {
                    let string = &self.strings[usize::from(digit - b'0')];
                    if self.text.len() + string.len() > PATH_CAPACITY {
                        // What was there before is another operation's.
                        assembled.locate(b"", self.client).map_err(errno)?;
                        return Err(Errno::ENAMETOOLONG);
                    }
                    self.text.extend_from_slice(string);
                    rest = &after[1..];
                }
                _ => {
                    self.text.push(byte);
                    rest = after;
                }
            }
        }
        assembled.locate(&self.text, self.client).map_err(errno)
    }

    /// Where a path of the program leads for this client.
    #[inline]
    pub fn place<'a>(&'a self, program: &'a Program, path: u32, which: Which) -> Place<'a> {
        match &program.paths[path as usize] {
            ProgramPath::Fixed(place) => place.place(),
            ProgramPath::PerClient(index, _) => self.per_client[*index as usize].place(),
            ProgramPath::Random(_) => match &self.assembled {
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
                    push_decimal(out, self.client);
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
