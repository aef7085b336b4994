//! What writes write: made once before the run, shared by all clients, only read.

use super::aligned::{ALIGNMENT, Aligned};
use super::settings::{DataKind, Settings};
use crate::program::Program;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// Random data repeat after so many bytes of a client's writes, and then shifted against the blocks of the file system:
/// far beyond what compression (128 KiB on btrfs and ZFS by default) looks back at.
pub const RANDOM_WINDOW: usize = 16 << 20;
/// File systems and devices look for duplicates of data by units of this, or of multiples of it.
const BLOCK: usize = 4096;
/// By how much each round through the window is shifted: odd, so that all shifts within a block come before one again.
const SHIFT: usize = 1031;

/// The pattern in force before any WRITEPATTERN: zeros, or random bytes.
const PLAIN: usize = 0;

/// Zeros or random bytes, and the texts of WRITEPATTERN repeated, each at least as long as the program's largest write.
#[derive(Debug, Clone)]
pub struct WriteData {
    patterns: Vec<Arc<Aligned>>,
    /// Each write takes another part of the plain data.
    moves: bool,
    longest: usize,
}

/// Where a client is in the data.
#[derive(Debug, Clone, Copy)]
pub struct Cursor {
    pattern: usize,
    position: usize,
    /// Where the next round starts.
    shift: usize,
    /// Each write's data start at a multiple of this in memory.
    unit: usize,
}

impl Cursor {
    /// Clients start far from one another, and at different places within a block.
    ///
    /// With `direct` all data are aligned. Only blocks can then start anywhere, so that they come again with each round.
    pub fn new(client: u32, direct: bool) -> Cursor {
        // Fibonacci hashing: the high bits of multiples of the golden ratio are spread evenly.
        let spread = u64::from(client).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let unit = if direct { ALIGNMENT } else { 1 };
        let aligned = |position: usize| position - position % unit;
        Cursor {
            pattern: PLAIN,
            position: aligned((spread >> 32) as usize % RANDOM_WINDOW),
            shift: aligned((spread >> 20) as usize % BLOCK),
            unit,
        }
    }

    /// WRITEPATTERN: later writes take the program's pattern of that number.
    pub fn take_pattern(&mut self, index: usize) {
        self.pattern = index + 1;
    }
}

impl WriteData {
    /// The data of several programs, in their order; they share the random ones, which follow from the seed.
    pub fn of_programs<'p>(
        programs: impl Iterator<Item = &'p Program> + Clone,
        settings: &Settings,
    ) -> Vec<WriteData> {
        let longest = programs.clone().map(|program| program.max_write as usize).max();
        let longest = longest.unwrap_or_default();
        let moves = settings.data == DataKind::Random && longest > 0;
        let plain = Arc::new(match moves {
            true => random(settings.seed, RANDOM_WINDOW + longest),
            false => Aligned::zeros(longest),
        });
        let data = programs.map(|program| {
            let longest = program.max_write as usize;
            let texts = program.patterns.iter();
            let repeated = texts.map(|text| Arc::new(repeated(text, longest)));
            WriteData {
                patterns: std::iter::once(plain.clone()).chain(repeated).collect(),
                moves,
                longest,
            }
        });
        data.collect()
    }

    /// The most that can be asked for at once, bytes; 0 in a program that writes nothing.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// What the next write of `length` bytes writes.
    #[inline(always)]
    pub fn next(&self, cursor: &mut Cursor, length: usize) -> &[u8] {
        if self.moves && cursor.pattern == PLAIN {
            return self.moved(cursor, length);
        }
        &self.patterns[cursor.pattern][..length]
    }

    #[inline]
    fn moved(&self, cursor: &mut Cursor, length: usize) -> &[u8] {
        let start = cursor.position;
        cursor.position += length.next_multiple_of(cursor.unit);
        if cursor.position >= RANDOM_WINDOW {
            let shift = if cursor.unit == 1 { SHIFT } else { 0 };
            cursor.shift = (cursor.shift + shift) % BLOCK;
            cursor.position = cursor.shift;
        }
        &self.patterns[PLAIN][start..start + length]
    }
}

/// A WRITEPATTERN, over and over.
fn repeated(text: &[u8], length: usize) -> Aligned {
    let mut bytes = Aligned::zeros(length);
    for (byte, of_text) in bytes.iter_mut().zip(text.iter().cycle()) {
        *byte = *of_text;
    }
    bytes
}

/// Bytes that cannot be compressed.
fn random(seed: u64, length: usize) -> Aligned {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    // Another stream than any client's random numbers.
    key[8..].fill(0xff);
    let mut bytes = Aligned::zeros(length);
    ChaCha8Rng::from_seed(key).fill_bytes(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadfile::{ReadOptions, Source, parse};
    use crate::program::{CompileOptions, compile};
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use rustc_hash::FxHashSet;
    use std::io::Write;

    const LOAD: &str = "NTCreateX \"/f\" 0x40 0x2 1 NT_STATUS_OK\nWriteX 1 0 65536 65536 NT_STATUS_OK\n";

    fn data(load: &str, kind: DataKind, seed: u64) -> WriteData {
        let file = parse(Source::new("x.load", load), &ReadOptions::default()).unwrap();
        let program = compile(&file, CompileOptions::default()).unwrap();
        let settings = Settings {
            data: kind,
            seed,
            ..Settings::default()
        };
        WriteData::of_programs([&program].into_iter(), &settings).remove(0)
    }

    /// What several clients write in turns.
    fn written(data: &WriteData, clients: u32, length: usize, writes: usize) -> Vec<u8> {
        let direct = false;
        let mut cursors: Vec<_> = (0..clients).map(|client| Cursor::new(client, direct)).collect();
        let mut bytes = Vec::new();
        for _ in 0..writes {
            for cursor in &mut cursors {
                bytes.extend_from_slice(data.next(cursor, length));
            }
        }
        bytes
    }

    #[test]
    fn random_data_cannot_be_compressed() {
        let bytes = written(&data(LOAD, DataKind::Random, 0), 2, 4096, 100);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes).unwrap();
        assert!(encoder.finish().unwrap().len() >= bytes.len());
    }

    #[test]
    fn blocks_do_not_repeat_in_several_rounds_of_several_clients() {
        let data = data(LOAD, DataKind::Random, 0);
        let rounds = 3 * RANDOM_WINDOW / 65536;
        let bytes = written(&data, 2, 65536, rounds);
        let blocks: FxHashSet<_> = bytes.chunks_exact(BLOCK).collect();
        assert_eq!(blocks.len(), bytes.len() / BLOCK);
    }

    #[test]
    fn for_direct_writes_random_data_and_patterns_are_aligned() {
        let load = format!("WRITEPATTERN ab\n{LOAD}");
        let data = data(&load, DataKind::Random, 0);
        for client in 0..3 {
            let mut cursor = Cursor::new(client, true);
            let rounds = 2 * RANDOM_WINDOW / 65536;
            for write in 0..rounds {
                let bytes = data.next(&mut cursor, if write % 2 == 0 { 512 } else { 65536 });
                assert_eq!(bytes.as_ptr().addr() % ALIGNMENT, 0);
            }
            cursor.take_pattern(0);
            assert_eq!(data.next(&mut cursor, 512).as_ptr().addr() % ALIGNMENT, 0);
        }
    }

    #[test]
    fn random_data_follow_from_the_seed() {
        let start = |seed| written(&data(LOAD, DataKind::Random, seed), 1, 100, 1);
        assert_eq!(start(1), start(1));
        assert_ne!(start(1), start(2));
    }

    #[test]
    fn a_pattern_wins_over_zeros_and_over_random_data() {
        let load = format!("WRITEPATTERN ab\n{LOAD}");
        for kind in [DataKind::Zeros, DataKind::Random] {
            let data = data(&load, kind, 0);
            let mut cursor = Cursor::new(5, false);
            cursor.take_pattern(0);
            assert_eq!(data.next(&mut cursor, 5), b"ababa");
            assert_eq!(data.next(&mut cursor, 3), b"aba");
        }
        let zeros = data(&load, DataKind::Zeros, 0);
        assert_eq!(zeros.next(&mut Cursor::new(5, false), 3), [0; 3]);
    }
}
