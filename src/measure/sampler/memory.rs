//! The machine's memory and what is moved in and out of it: /proc/meminfo and /proc/vmstat (proc(5)).

use super::source::Source;

/// Where the kernel tells of its memory.
pub const MEMINFO: &str = "/proc/meminfo";

/// What /proc/meminfo says, in KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    pub free: Option<u64>,
    pub buffers: Option<u64>,
    pub cached: Option<u64>,
    /// Caches of names and inodes, which `vmstat` counts as cache.
    pub reclaimable: Option<u64>,
    pub swap_total: Option<u64>,
    pub swap_free: Option<u64>,
    pub dirty: Option<u64>,
    pub writeback: Option<u64>,
}

/// What /proc/vmstat says has been moved since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Paging {
    pub in_kib: u64,
    pub out_kib: u64,
    /// Absent where the kernel has no swapping.
    pub swap_in_pages: Option<u64>,
    pub swap_out_pages: Option<u64>,
}

/// The lines of a text as a name and the number that follows it.
fn numbers(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let name = words.next()?;
        Some((name, words.next()?.parse().ok()?))
    })
}

impl Memory {
    /// What the kernel says now; nothing where that cannot be read.
    pub fn now() -> Memory {
        let mut buffer = Vec::new();
        let text = Source::open(MEMINFO);
        text.read(&mut buffer).map_or_else(Memory::default, Memory::parse)
    }

    /// Reads the text of /proc/meminfo.
    pub fn parse(text: &str) -> Memory {
        let mut memory = Memory::default();
        for (name, kib) in numbers(text) {
            let field = match name {
                "MemFree:" => &mut memory.free,
                "Buffers:" => &mut memory.buffers,
                "Cached:" => &mut memory.cached,
                "SReclaimable:" => &mut memory.reclaimable,
                "SwapTotal:" => &mut memory.swap_total,
                "SwapFree:" => &mut memory.swap_free,
                "Dirty:" => &mut memory.dirty,
                "Writeback:" => &mut memory.writeback,
                _ => continue,
            };
            *field = Some(kib);
        }
        memory
    }

    /// Changed in memory, and not on the way to a disk yet.
    pub fn dirty_bytes(&self) -> Option<u64> {
        self.dirty?.checked_mul(1024)
    }

    /// On the way to a disk.
    pub fn writeback_bytes(&self) -> Option<u64> {
        self.writeback?.checked_mul(1024)
    }

    /// What has been written to files and is not on the disk yet; absent where a part of it is not told.
    pub fn unwritten_bytes(&self) -> Option<u64> {
        self.dirty_bytes()?.checked_add(self.writeback_bytes()?)
    }
}

impl Paging {
    /// Reads the text of /proc/vmstat; None where it does not say what was read and written.
    pub fn parse(text: &str) -> Option<Paging> {
        let (mut in_kib, mut out_kib) = (None, None);
        let (mut swap_in_pages, mut swap_out_pages) = (None, None);
        for (name, number) in numbers(text) {
            let field = match name {
                "pgpgin" => &mut in_kib,
                "pgpgout" => &mut out_kib,
                "pswpin" => &mut swap_in_pages,
                "pswpout" => &mut swap_out_pages,
                _ => continue,
            };
            *field = Some(number);
        }
        Some(Paging {
            in_kib: in_kib?,
            out_kib: out_kib?,
            swap_in_pages,
            swap_out_pages,
        })
    }

    /// Pages moved between memory and swap, either way, since an earlier reading.
    pub fn swapped_pages_since(&self, earlier: &Paging) -> Option<u64> {
        let into = self.swap_in_pages?.saturating_sub(earlier.swap_in_pages?);
        let out = self.swap_out_pages?.saturating_sub(earlier.swap_out_pages?);
        Some(into.saturating_add(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_meminfo_are_found_by_their_whole_names() {
        let text = "MemTotal: 900 kB\nMemFree:  10 kB\nBuffers: 20 kB\nCached: 30 kB\nSwapCached: 99 kB\n\
                    SwapTotal: 50 kB\nSwapFree: 40 kB\nDirty: 60 kB\nWriteback: 70 kB\nWritebackTmp: 98 kB\nSReclaimable: 80 kB\n";
        let memory = Memory {
            free: Some(10),
            buffers: Some(20),
            cached: Some(30),
            reclaimable: Some(80),
            swap_total: Some(50),
            swap_free: Some(40),
            dirty: Some(60),
            writeback: Some(70),
        };
        assert_eq!(Memory::parse(text), memory);
        assert_eq!(
            (memory.dirty_bytes(), memory.writeback_bytes()),
            (Some(61_440), Some(71_680))
        );
        assert_eq!(memory.unwritten_bytes(), Some(133_120));
        assert_eq!(
            Memory::parse("Dirty: 60 kB\nMemTotal: 900 kB\n").unwritten_bytes(),
            None
        );
    }

    #[test]
    fn odd_texts_are_absent() {
        let odd = Memory::parse(
            "Dirty:\nWriteback: x kB\nMemFree 10\n\n:\nCached: -1 kB\nBuffers: 99999999999999999999",
        );
        assert_eq!(odd, Memory::default());
        let large = Memory::parse("Dirty: 18446744073709551615 kB");
        assert_eq!(large.dirty_bytes(), None);
        for text in ["", "pgpgin 5", "pgpgin\npgpgout", "pgpgout x\npgpgin 4"] {
            assert_eq!(Paging::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn pages_swapped_count_both_ways_and_are_absent_without_swapping() {
        let parse = |text| Paging::parse(text).unwrap();
        let earlier = parse("pgpgin 1\npgpgout 2\npswpin 10\npswpout 20\n");
        let now = parse("pgpgin 1\npgpgout 2\npswpin 13\npswpout 24\n");
        assert_eq!(now.swapped_pages_since(&earlier), Some(7));
        let without = parse("pgpgin 1\npgpgout 2\n");
        assert_eq!(without.swapped_pages_since(&without), None);
    }
}
