//! Memory for data, aligned for every device that O_DIRECT can meet.

use std::ops::{Deref, DerefMut};

/// Alignment in memory that suffices for O_DIRECT everywhere: a page.
pub const ALIGNMENT: usize = 4096;

/// Bytes that start at a multiple of [`ALIGNMENT`].
#[derive(Debug, Default)]
pub struct Aligned {
    bytes: Box<[u8]>,
    start: usize,
    length: usize,
}

impl Aligned {
    /// Zeros; large ones are pages that are not touched yet.
    pub fn zeros(length: usize) -> Aligned {
        if length == 0 {
            return Aligned::default();
        }
        // (The box never moves what it holds.)
        let bytes = vec![0; length + ALIGNMENT].into_boxed_slice();
        let start = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Aligned { bytes, start, length }
    }
}

impl Deref for Aligned {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_aligned_and_as_long_as_asked_for() {
        for length in [0, 1, 512, 4096, 5_000_000] {
            let mut bytes = Aligned::zeros(length);
            assert_eq!(bytes.len(), length);
            bytes.fill(7);
            assert!(length == 0 || bytes.as_ptr().addr().is_multiple_of(ALIGNMENT));
        }
    }
}
