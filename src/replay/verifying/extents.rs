//! Which bytes of a file this run has written last, and by whom.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes with one author, up to `end`; where they start is the map's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    end: u64,
    client: u32,
    write: u32,
}

/// A stretch of a file that one client's writes have given one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    pub start: u64,
    pub end: u64,
    pub client: u32,
    pub write: u32,
}

/// The last write of each byte.
///
/// Neighbours of one client with one number are one extent, so that a file that is written from its start to its end
/// has one, in however many writes; what is overwritten is forgotten.
#[derive(Debug)]
pub struct Extents {
    map: BTreeMap<u64, Extent>,
    /// Above every number that forgotten bytes had, so that these are told from later ones.
    floor: u32,
}

impl Default for Extents {
    fn default() -> Self {
        Extents {
            map: BTreeMap::new(),
            floor: 1,
        }
    }
}

impl Extents {
    /// The number for a write of a range: one that none of its bytes has had.
    pub fn next_write(&self, range: Range<u64>) -> u32 {
        let highest = self.within(range).map(|stretch| stretch.write).max();
        self.floor.max(highest.unwrap_or(0).saturating_add(1))
    }

    /// A client has written a range, with the number that [`next_write`](Self::next_write) gave.
    pub fn note(&mut self, range: Range<u64>, client: u32, write: u32) {
        if range.is_empty() {
            return;
        }
        self.remove(range.clone());
        let (mut start, mut end) = (range.start, range.end);
        if let Some((&before, extent)) = self.map.range(..start).next_back()
            && (extent.end, extent.client, extent.write) == (start, client, write)
        {
            start = before;
        }
        if let Some(extent) = self.map.get(&end)
            && (extent.client, extent.write) == (client, write)
        {
            let merged = extent.end;
            self.map.remove(&end);
            end = merged;
        }
        self.map.insert(start, Extent { end, client, write });
    }

    /// Nothing is known of a range any more.
    pub fn forget(&mut self, range: Range<u64>) {
        let Some(highest) = self.within(range.clone()).map(|stretch| stretch.write).max() else {
            return;
        };
        self.raise_floor(highest);
        self.remove(range);
    }

    /// A write with this number may have left something, nobody knows where.
    pub fn raise_floor(&mut self, write: u32) {
        self.floor = self.floor.max(write.saturating_add(1));
    }

    /// Whether nothing was ever known.
    pub fn is_untouched(&self) -> bool {
        self.map.is_empty() && self.floor == 1
    }

    /// The end of the last extent.
    pub fn end(&self) -> u64 {
        self.map.last_key_value().map_or(0, |(_, extent)| extent.end)
    }

    /// What is known within a range, in order.
    pub fn within(&self, range: Range<u64>) -> impl Iterator<Item = Stretch> {
        let before = self.map.range(..range.start).next_back();
        // An empty or inverted range would panic in the map.
        let end = range.end.max(range.start);
        let inside = self.map.range(range.start..end);
        before
            .into_iter()
            .chain(inside)
            .filter_map(move |(&start, extent)| {
                let stretch = Stretch {
                    start: start.max(range.start),
                    end: extent.end.min(range.end),
                    client: extent.client,
                    write: extent.write,
                };
                (stretch.start < stretch.end).then_some(stretch)
            })
    }

    fn remove(&mut self, range: Range<u64>) {
        if let Some((&start, &extent)) = self.map.range(..range.start).next_back()
            && extent.end > range.start
        {
            let end = range.start;
            self.map.insert(start, Extent { end, ..extent });
            if extent.end > range.end {
                self.map.insert(range.end, extent);
            }
        }
        while let Some((&start, &extent)) = self.map.range(range.clone()).next() {
            self.map.remove(&start);
            if extent.end > range.end {
                self.map.insert(range.end, extent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stretches(extents: &Extents) -> Vec<(u64, u64, u32, u32)> {
        let all = extents.within(0..u64::MAX);
        all.map(|one| (one.start, one.end, one.client, one.write))
            .collect()
    }

    /// A write as the file system makes one.
    fn write(extents: &mut Extents, range: Range<u64>, client: u32) -> u32 {
        let write = extents.next_write(range.clone());
        extents.note(range, client, write);
        write
    }

    #[test]
    fn writes_one_after_the_other_are_one_extent_also_when_the_gap_is_filled_last() {
        let mut extents = Extents::default();
        for range in [0..10, 20..30, 10..20, 30..40] {
            assert_eq!(write(&mut extents, range, 7), 1);
        }
        assert_eq!(stretches(&extents), [(0, 40, 7, 1)]);
    }

    #[test]
    fn an_overwrite_gets_a_higher_number_and_cuts_what_was_there() {
        let mut extents = Extents::default();
        write(&mut extents, 0..100, 1);
        assert_eq!(write(&mut extents, 40..60, 2), 2);
        assert_eq!(
            stretches(&extents),
            [(0, 40, 1, 1), (40, 60, 2, 2), (60, 100, 1, 1)]
        );
        assert_eq!(write(&mut extents, 0..100, 1), 3);
        assert_eq!(stretches(&extents), [(0, 100, 1, 3)]);
    }

    #[test]
    fn numbers_of_forgotten_bytes_do_not_come_again() {
        let mut extents = Extents::default();
        write(&mut extents, 0..100, 1);
        write(&mut extents, 50..100, 1);
        extents.forget(60..u64::MAX);
        assert_eq!(extents.end(), 60);
        assert_eq!(write(&mut extents, 60..70, 1), 3);
        extents.forget(0..0);
        assert_eq!(write(&mut extents, 200..300, 1), 3);
    }

    proptest! {
        #[test]
        fn every_byte_has_its_last_write(
            changes in proptest::collection::vec((0..100u64, 0..40u64, 0..3u32, 0..5u8), 0..40),
        ) {
            let mut extents = Extents::default();
            let mut bytes = vec![None; 200];
            for (start, length, client, kind) in changes {
                let range = start..start + length;
                let own = start as usize..(start + length) as usize;
                if kind == 0 {
                    extents.forget(range);
                    bytes[own].fill(None);
                } else {
                    let number = write(&mut extents, range, client);
                    bytes[own].fill(Some((client, number)));
                }
            }
            for (at, &byte) in bytes.iter().enumerate() {
                let at = at as u64;
                let known = extents.within(at..at + 1).next();
                prop_assert_eq!(known.map(|stretch| (stretch.client, stretch.write)), byte);
            }
            let all = stretches(&extents);
            for pair in all.windows(2) {
                prop_assert!(pair[0].1 <= pair[1].0);
                let same = (pair[0].2, pair[0].3) == (pair[1].2, pair[1].3);
                prop_assert!(!same || pair[0].1 < pair[1].0, "{:?} are one", pair);
            }
        }
    }
}
