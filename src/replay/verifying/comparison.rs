//! What was read against what was written.

use super::cells::{self, Author, CELL};
use super::extents::{Extents, Stretch};

/// How a read differs from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Offset in the file of the first byte that differs.
    pub offset: u64,
    pub expected: u8,
    /// Absent: the file ends before it.
    pub got: Option<u8>,
    /// What stands there, in words.
    pub found: String,
}

/// What a comparison came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Bytes that this run has written.
    pub bytes: u64,
    pub difference: Option<Difference>,
}

/// The bytes that are compared at once.
const CHUNK: usize = 4096;

/// A read of one file.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'b> {
    /// Number of the file within the run.
    pub file: u64,
    pub offset: u64,
    pub bytes: &'b [u8],
}

impl Reading<'_> {
    /// Holds the bytes that were read against the extents.
    pub fn compare(self, extents: &Extents) -> Comparison {
        let end = self.offset.saturating_add(self.bytes.len() as u64);
        let mut comparison = Comparison::default();
        for stretch in extents.within(self.offset..end) {
            comparison.bytes += stretch.end - stretch.start;
            if comparison.difference.is_none() {
                let first = self.first_difference(stretch);
                comparison.difference = first.map(|index| self.difference(extents, stretch, index));
            }
        }
        comparison
    }

    fn author(&self, stretch: Stretch) -> Author {
        Author {
            client: stretch.client,
            file: self.file,
            write: stretch.write,
        }
    }

    /// The bytes of a stretch: where they start in the read, what was read, and what was written, piece by piece.
    fn pieces(&self, stretch: Stretch, mut each: impl FnMut(usize, &[u8], &[u8]) -> bool) {
        let author = self.author(stretch);
        let start = (stretch.start - self.offset) as usize;
        let end = (stretch.end - self.offset) as usize;
        let mut expected = [0; CHUNK];
        for (index, got) in self.bytes[start..end].chunks(CHUNK).enumerate() {
            let at = start + index * CHUNK;
            let expected = &mut expected[..got.len()];
            cells::fill(expected, author, self.offset + at as u64);
            if !each(at, got, expected) {
                return;
            }
        }
    }

    /// Index in the read of the first byte of a stretch that differs.
    fn first_difference(&self, stretch: Stretch) -> Option<usize> {
        let mut first = None;
        self.pieces(stretch, |at, got, expected| {
            if got != expected {
                let pairs = got.iter().zip(expected.iter());
                first = pairs
                    .into_iter()
                    .position(|(got, expected)| got != expected)
                    .map(|index| at + index);
            }
            first.is_none()
        });
        first
    }

    /// How many bytes of the read differ, of how many.
    fn differing(&self, extents: &Extents) -> (u64, u64) {
        let (mut differing, mut all) = (0, 0);
        let end = self.offset + self.bytes.len() as u64;
        for stretch in extents.within(self.offset..end) {
            self.pieces(stretch, |_, got, expected| {
                differing += got
                    .iter()
                    .zip(expected.iter())
                    .filter(|(got, expected)| got != expected)
                    .count() as u64;
                all += got.len() as u64;
                true
            });
        }
        (differing, all)
    }

    #[cold]
    fn difference(&self, extents: &Extents, stretch: Stretch, index: usize) -> Difference {
        let offset = self.offset + index as u64;
        let (expected, got) = (cells::byte(self.author(stretch), offset), self.bytes[index]);
        Difference {
            offset,
            expected,
            got: Some(got),
            found: self.found(extents, stretch, index, expected ^ got),
        }
    }

    /// What stands in the place of a stretch's bytes from `index` on, in words; `changed` are the bits of the first.
    fn found(&self, extents: &Extents, stretch: Stretch, index: usize, changed: u8) -> String {
        let (differing, all) = self.differing(extents);
        if differing == 1 && all > 1 {
            let what = if changed.is_power_of_two() { "bit" } else { "byte" };
            return format!("one {what} differs");
        }
        let end = (stretch.end - self.offset) as usize;
        let rest = &self.bytes[index..end.min(index + CELL)];
        if rest.iter().all(|&byte| byte == 0) {
            return "zeros".to_owned();
        }
        match cells::find(self.bytes, index) {
            Some((found, start)) => self.whose(stretch, found, self.offset + start as u64),
            None => format!("other data: {differing} of {all} bytes differ"),
        }
    }

    /// Whose data a cell that stands at `at` is.
    fn whose(&self, stretch: Stretch, found: cells::Found, at: u64) -> String {
        let expected = cells::shown(self.author(stretch));
        let cells::Found { author, offset } = found;
        let Author { client, file, write } = author;
        if file == expected.file && offset == at {
            let (own, written_by) = (expected.write, expected.client);
            let kind = if write < own { "stale" } else { "other" };
            return format!(
                "{kind} data: write {write} of this place, by client {client}, not write {own}, by client {written_by}"
            );
        }
        let file = match file == expected.file {
            true => "this file".to_owned(),
            false => format!("file {file}"),
        };
        format!("data of client {client}, {file}, offset {offset}, write {write}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: u64 = 7;

    /// A file of 8 KiB that client 3 has written, and its second half once more.
    fn written() -> (Vec<u8>, Extents) {
        let mut extents = Extents::default();
        extents.note(0..8192, 3, 1);
        extents.note(4096..8192, 3, 2);
        let mut bytes = vec![0; 8192];
        fill(&mut bytes[..4096], 3, FILE, 0, 1);
        fill(&mut bytes[4096..], 3, FILE, 4096, 2);
        (bytes, extents)
    }

    fn fill(bytes: &mut [u8], client: u32, file: u64, offset: u64, write: u32) {
        cells::fill(bytes, Author { client, file, write }, offset);
    }

    /// What is found when the file is changed.
    fn found(change: impl FnOnce(&mut [u8])) -> (u64, String) {
        let (mut bytes, extents) = written();
        change(&mut bytes);
        let reading = Reading {
            file: FILE,
            offset: 0,
            bytes: &bytes,
        };
        let comparison = reading.compare(&extents);
        assert_eq!(comparison.bytes, 8192);
        let difference = comparison.difference.expect("it is found");
        assert_eq!(difference.got, Some(bytes[difference.offset as usize]));
        (difference.offset, difference.found)
    }

    #[test]
    fn what_was_written_differs_in_nothing_wherever_it_is_read() {
        let (bytes, extents) = written();
        for (offset, length) in [(0, 8192), (17, 5000), (4090, 10), (8191, 1), (100, 0)] {
            let reading = Reading {
                file: FILE,
                offset: offset as u64,
                bytes: &bytes[offset..offset + length],
            };
            let expected = Comparison {
                bytes: length as u64,
                difference: None,
            };
            assert_eq!(reading.compare(&extents), expected);
        }
    }

    #[test]
    fn what_stands_in_the_place_of_written_data_is_named() {
        assert_eq!(found(|bytes| bytes[5001] ^= 4), (5001, "one bit differs".into()));
        assert_eq!(
            found(|bytes| bytes[5001] = 255),
            (5001, "one byte differs".into())
        );
        assert_eq!(found(|bytes| bytes[100..300].fill(0)), (100, "zeros".into()));
        let other = "other data: 2 of 8192 bytes differ".to_owned();
        assert_eq!(found(|bytes| bytes[9..11].fill(255)), (9, other));
        let stale = "stale data: write 1 of this place, by client 3, not write 2, by client 3";
        let place = found(|bytes| fill(&mut bytes[4096..4608], 3, FILE, 4096, 1));
        assert_eq!(place, (4096 + 31, stale.into()));
        let misplaced = "data of client 3, this file, offset 512, write 1";
        let place = found(|bytes| bytes.copy_within(512..1024, 0));
        assert_eq!(place.1, misplaced);
        let foreign = "data of client 12, file 99, offset 0, write 5";
        let place = found(|bytes| fill(&mut bytes[..512], 12, 99, 0, 5));
        assert_eq!(place, (4, foreign.into()));
    }
}
