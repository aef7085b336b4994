//! The slowest operations of a client, with what they acted on.

use super::clock::Nanos;
use crate::program::{Place, Root};

/// How many of a run's slowest operations are kept.
pub const SLOWEST: usize = 10;
/// Room for a path that was put together at run time; a longer one is cut.
const TEXT_CAPACITY: usize = 512;

/// What an operation acts on.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// `DIR/clients` itself, or nothing that is known.
    Top,
    /// A path of the program.
    Program(u32),
    /// A path that the program does not know: it was put together at run time.
    Place(Place<'a>),
}

/// The same, kept.
#[derive(Debug, Clone, Copy, Default)]
enum Kept {
    #[default]
    Top,
    Program(u32),
    Text {
        root: Root,
        length: u16,
        cut: bool,
    },
}

/// One operation.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    latency: u64,
    at: Nanos,
    line: u32,
    kind: u8,
    target: Kept,
}

/// A slow operation, as it is read again.
#[derive(Debug)]
pub struct SlowEntry<'a> {
    /// Nanoseconds.
    pub latency: u64,
    /// Its end.
    pub at: Nanos,
    pub line: u32,
    /// Index of the kind.
    pub kind: u8,
    pub target: SlowTarget<'a>,
}

/// What a slow operation acted on, as it is read again.
#[derive(Debug, PartialEq, Eq)]
pub enum SlowTarget<'a> {
    Top,
    Program(u32),
    /// A path below a root; `cut`: its beginning.
    Text {
        root: Root,
        path: &'a [u8],
        cut: bool,
    },
}

/// The ten slowest operations of a client. It takes all its memory when it is made.
#[derive(Debug)]
pub struct SlowestTen {
    entries: [Entry; SLOWEST],
    used: usize,
    /// [`TEXT_CAPACITY`] for each entry; empty where the program knows all paths.
    texts: Box<[u8]>,
}

impl SlowestTen {
    /// Room for ten; `run_time_paths`: paths are put together at run time.
    pub fn new(run_time_paths: bool) -> SlowestTen {
        let room = if run_time_paths {
            SLOWEST * TEXT_CAPACITY
        } else {
            0
        };
        SlowestTen {
            entries: [Entry::default(); SLOWEST],
            used: 0,
            texts: vec![0; room].into_boxed_slice(),
        }
    }

    /// The shortest latency, in nanoseconds, that would be kept now.
    pub fn floor(&self) -> u64 {
        match self.entries.get(self.used) {
            Some(_) => 0,
            None => self.least().1.saturating_add(1),
        }
    }

    /// Keeps an operation in the place of the fastest; only for latencies not below [`SlowestTen::floor`].
    pub fn keep(&mut self, latency: u64, at: Nanos, line: u32, kind: u8, target: Target<'_>) {
        let index = if self.used < SLOWEST {
            self.used += 1;
            self.used - 1
        } else {
            self.least().0
        };
        let target = match target {
            Target::Top => Kept::Top,
            Target::Program(path) => Kept::Program(path),
            Target::Place(place) => self.keep_text(index, place),
        };
        self.entries[index] = Entry {
            latency,
            at,
            line,
            kind,
            target,
        };
    }

    fn keep_text(&mut self, index: usize, place: Place<'_>) -> Kept {
        let path = place.path.to_bytes();
        let room = self
            .texts
            .chunks_exact_mut(TEXT_CAPACITY)
            .nth(index)
            .unwrap_or_default();
        let length = path.len().min(room.len());
        room[..length].copy_from_slice(&path[..length]);
        Kept::Text {
            root: place.root,
            length: length as u16,
            cut: length < path.len(),
        }
    }

    /// Place and latency of the fastest of those that are kept.
    fn least(&self) -> (usize, u64) {
        let mut least = (0, u64::MAX);
        for (index, entry) in self.entries[..self.used].iter().enumerate() {
            if entry.latency < least.1 {
                least = (index, entry.latency);
            }
        }
        least
    }

    /// Forgets all (the end of the warm-up).
    pub fn reset(&mut self) {
        self.used = 0;
    }

    /// What is kept, in no order.
    pub fn entries(&self) -> impl Iterator<Item = SlowEntry<'_>> {
        let entries = self.entries[..self.used].iter().enumerate();
        entries.map(|(index, entry)| SlowEntry {
            latency: entry.latency,
            at: entry.at,
            line: entry.line,
            kind: entry.kind,
            target: match entry.target {
                Kept::Program(path) => SlowTarget::Program(path),
                Kept::Text { root, length, cut } => {
                    let start = index * TEXT_CAPACITY;
                    let path = &self.texts[start..start + usize::from(length)];
                    SlowTarget::Text { root, path, cut }
                }
                Kept::Top => SlowTarget::Top,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_from_run_time_is_kept_as_text_and_a_long_one_is_cut() {
        let mut ten = SlowestTen::new(true);
        let long = std::ffi::CString::new(vec![b'x'; 3000]).unwrap();
        for path in [c"a/b", long.as_c_str()] {
            let place = Place {
                root: Root::Shared,
                path,
                parent: c".",
                last: c"b",
            };
            ten.keep(1, Nanos(1), 1, 0, Target::Place(place));
        }
        let targets: Vec<_> = ten.entries().map(|entry| entry.target).collect();
        let text = |path, cut| SlowTarget::Text {
            root: Root::Shared,
            path,
            cut,
        };
        assert_eq!(targets[0], text(b"a/b", false));
        assert_eq!(targets[1], text(&[b'x'; TEXT_CAPACITY], true));
    }

    proptest! {
        #[test]
        fn the_ten_are_the_largest_ten(latencies in prop::collection::vec(0u64..50, 0..100)) {
            let mut ten = SlowestTen::new(false);
            for (line, &latency) in latencies.iter().enumerate() {
                if latency >= ten.floor() {
                    ten.keep(latency, Nanos(0), line as u32, 0, Target::Program(line as u32));
                }
            }
            let mut kept: Vec<_> = ten.entries().map(|entry| entry.latency).collect();
            kept.sort_unstable();
            let mut largest = latencies.clone();
            largest.sort_unstable();
            prop_assert_eq!(&kept[..], &largest[largest.len().saturating_sub(SLOWEST)..]);
            for entry in ten.entries() {
                prop_assert_eq!(latencies[entry.line as usize], entry.latency);
                prop_assert_eq!(entry.target, SlowTarget::Program(entry.line));
            }
        }
    }
}
