//! What `--verify` writes: every byte of a file follows from who wrote it, where, and how often.
//!
//! The file is a row of cells of 32 bytes, `c00003f000002a@000000001000w0001`: client (decimal), number of the file
//! within the run, offset of the cell, and number of the write of these bytes (all hexadecimal). A write that does not
//! start or end at a cell's edge writes a part of it. Numbers that are too long for their place lose their high digits.

use std::ops::Range;

/// Bytes of a cell; cells start at multiples of it.
pub const CELL: usize = 32;

const CLIENT: Range<usize> = 1..6;
const FILE: Range<usize> = 7..14;
const OFFSET: Range<usize> = 15..27;
const WRITE: Range<usize> = 28..32;

/// Who wrote bytes of a file, and which write of these bytes it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Author {
    pub client: u32,
    /// Number of the file within the run.
    pub file: u64,
    /// From 1; higher at each place with each write of it.
    pub write: u32,
}

/// A cell as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub author: Author,
    /// Of the cell.
    pub offset: u64,
}

/// Fills `bytes` with what stands at `offset` of a file.
pub fn fill(bytes: &mut [u8], author: Author, offset: u64) {
    let mut cell = empty(author);
    let into_cell = offset % CELL as u64;
    let mut at = offset - into_cell;
    let head = (CELL - into_cell as usize) % CELL;
    let (head, rest) = bytes.split_at_mut(head.min(bytes.len()));
    if !head.is_empty() {
        put_hex(&mut cell[OFFSET], at);
        let from = into_cell as usize;
        head.copy_from_slice(&cell[from..from + head.len()]);
        at += CELL as u64;
    }
    put_hex(&mut cell[OFFSET], at);
    let (whole, tail) = rest.as_chunks_mut::<CELL>();
    for bytes in whole {
        // The others change only every 4096 bytes.
        let changes = if at.is_multiple_of(1 << 12) {
            OFFSET
        } else {
            OFFSET.end - 3..OFFSET.end
        };
        put_hex(&mut cell[changes], at);
        *bytes = cell;
        at = at.wrapping_add(CELL as u64);
    }
    put_hex(&mut cell[OFFSET], at);
    tail.copy_from_slice(&cell[..tail.len()]);
}

/// What stands at one place of a file.
pub fn byte(author: Author, offset: u64) -> u8 {
    let mut byte = [0];
    fill(&mut byte, author, offset);
    byte[0]
}

/// The author as [`find`] would see him: without the digits that a cell has no place for.
pub fn shown(author: Author) -> Author {
    Author {
        client: author.client % 100_000,
        file: author.file & low_digits(FILE.len()),
        write: author.write & low_digits(WRITE.len()) as u32,
    }
}

/// Finds a whole cell of any author in `bytes` that holds the byte at `index`, and where it starts.
pub fn find(bytes: &[u8], index: usize) -> Option<(Found, usize)> {
    let first = (index + 1).saturating_sub(CELL);
    let starts = first..=index.min(bytes.len().checked_sub(CELL)?);
    starts
        .into_iter()
        .find_map(|start| Some((parse(&bytes[start..start + CELL])?, start)))
}

fn parse(cell: &[u8]) -> Option<Found> {
    let marks = [
        cell[0],
        cell[FILE.start - 1],
        cell[OFFSET.start - 1],
        cell[WRITE.start - 1],
    ];
    if marks != *b"cf@w" {
        return None;
    }
    let number = |range: Range<usize>, radix| {
        cell[range].iter().try_fold(0u64, |number, &digit| {
            let value = char::from(digit).to_digit(radix)?;
            Some(number * u64::from(radix) + u64::from(value))
        })
    };
    Some(Found {
        author: Author {
            client: number(CLIENT, 10)? as u32,
            file: number(FILE, 16)?,
            write: number(WRITE, 16)? as u32,
        },
        offset: number(OFFSET, 16)?,
    })
}

fn low_digits(count: usize) -> u64 {
    (1 << (4 * count)) - 1
}

/// A cell without its offset.
fn empty(author: Author) -> [u8; CELL] {
    let mut cell = *b"c00000f0000000@000000000000w0000";
    let mut client = author.client;
    for digit in cell[CLIENT].iter_mut().rev() {
        *digit = b'0' + (client % 10) as u8;
        client /= 10;
    }
    put_hex(&mut cell[FILE], author.file);
    put_hex(&mut cell[WRITE], u64::from(author.write));
    cell
}

#[inline]
fn put_hex(digits: &mut [u8], mut number: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number & 15) as usize];
        number >>= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AUTHOR: Author = Author {
        client: 3,
        file: 42,
        write: 1,
    };

    #[test]
    fn a_cell_can_be_read_in_a_hex_dump() {
        let mut bytes = [0; 32];
        fill(&mut bytes, AUTHOR, 4096);
        assert_eq!(&bytes, b"c00003f000002a@000000001000w0001");
    }

    #[test]
    fn a_cell_is_found_wherever_it_stands_and_nothing_is_found_in_other_bytes() {
        let mut bytes = vec![b'x'; 100];
        fill(&mut bytes[17..49], AUTHOR, 64);
        let found = Found {
            author: AUTHOR,
            offset: 64,
        };
        for index in 17..49 {
            assert_eq!(find(&bytes, index), Some((found, 17)), "{index}");
        }
        assert_eq!(find(&bytes, 16), None);
        assert_eq!(find(&bytes, 49), None);
        assert_eq!(find(&bytes[..40], 30), None);
        assert_eq!(find(&[], 0), None);
    }

    proptest! {
        #[test]
        fn each_byte_depends_on_its_place_alone(offset in 0..1u64 << 62, length in 0..200usize, cut in 0..200usize) {
            let mut whole = vec![0; length];
            fill(&mut whole, AUTHOR, offset);
            let cut = cut.min(length);
            let mut parts = vec![0; length];
            let (left, right) = parts.split_at_mut(cut);
            fill(left, AUTHOR, offset);
            fill(right, AUTHOR, offset + cut as u64);
            prop_assert_eq!(whole, parts);
        }

        #[test]
        fn what_is_found_is_what_was_written(
            client in 0..100_000u32, file in any::<u64>(), write in any::<u32>(), cell in 0..1u64 << 43,
        ) {
            let author = Author { client, file, write };
            let mut bytes = [0; CELL];
            fill(&mut bytes, author, cell * 32);
            let found = Found { author: shown(author), offset: cell * 32 };
            prop_assert_eq!(find(&bytes, 5), Some((found, 0)));
        }
    }
}
