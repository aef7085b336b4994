//! Which requests ended on the processor that issued them: a pure state machine that is given the events in order.

use super::format::Extent;
use rustc_hash::FxHashMap;

/// More requests than any queue holds: those that are waited for longer will not come.
const MOST: usize = 1 << 17;

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Issued,
    /// The device had no place for it: it will be issued again.
    Requeued,
    /// Or a part of it.
    Completed,
}

/// An event of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub time: u64,
    pub processor: u32,
    pub what: What,
    pub extent: Extent,
}

/// A request under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Issued {
    processor: u32,
    sectors: u64,
    /// Others from the same sector, which direct reads can have at once; the last processors are known.
    also: [Option<u32>; 3],
}

/// What has been counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub local: u64,
    pub remote: u64,
    /// Of which the other half is missing.
    pub forgotten: u64,
}

/// Matches completions with issues.
#[derive(Debug, Default)]
pub(super) struct Tally {
    under_way: FxHashMap<(u64, u64), Issued>,
    pub counts: Counts,
}

impl Tally {
    /// Takes the next event; what it completes is counted where `counts`.
    ///
    /// A request counts once, where its last part is completed. One whose issue was not seen is not counted.
    pub(super) fn take(&mut self, event: &Event, counts: bool) {
        let Extent {
            device,
            sector,
            sectors,
        } = event.extent;
        // A flush has no place: kernels tell 0 or the last sector there can be.
        let key = (device, if sectors == 0 { u64::MAX } else { sector });
        match event.what {
            What::Issued => self.issue(key, event.processor, sectors),
            What::Requeued => drop(self.end(key)),
            What::Completed => self.complete(key, event.processor, sectors, counts),
        }
    }

    fn issue(&mut self, key: (u64, u64), processor: u32, sectors: u64) {
        if self.under_way.len() >= MOST {
            self.counts.forgotten += self.under_way.len() as u64;
            self.under_way.clear();
        }
        let mut issued = Issued {
            processor,
            sectors,
            also: [None; 3],
        };
        if let Some(before) = self.under_way.get(&key) {
            issued.also = [Some(before.processor), before.also[0], before.also[1]];
        }
        self.under_way.insert(key, issued);
    }

    /// The latest request at a place ends.
    fn end(&mut self, key: (u64, u64)) -> Option<Issued> {
        let issued = self.under_way.remove(&key)?;
        let [first, second, third] = issued.also;
        if let Some(processor) = first {
            let rest = Issued {
                processor,
                also: [second, third, None],
                ..issued
            };
            self.under_way.insert(key, rest);
        }
        Some(issued)
    }

    fn complete(&mut self, key: (u64, u64), processor: u32, sectors: u64, counts: bool) {
        let Some(issued) = self.end(key) else {
            return;
        };
        if sectors < issued.sectors {
            // The rest of it is told from where this part ends.
            let rest = Issued {
                sectors: issued.sectors - sectors,
                also: [None; 3],
                ..issued
            };
            self.under_way
                .insert((key.0, key.1.saturating_add(sectors)), rest);
            return;
        }
        if !counts {
            return;
        }
        if processor == issued.processor {
            self.counts.local += 1;
        } else {
            self.counts.remote += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(what: What, processor: u32, sector: u64, sectors: u64) -> Event {
        Event {
            time: 0,
            processor,
            what,
            extent: Extent {
                device: 7 << 20,
                sector,
                sectors,
            },
        }
    }

    /// Local and remote completions.
    fn counted(events: &[Event]) -> (u64, u64) {
        let mut tally = Tally::default();
        for event in events {
            tally.take(event, true);
        }
        (tally.counts.local, tally.counts.remote)
    }

    use What::{Completed, Issued, Requeued};

    #[test]
    fn a_completion_is_local_where_the_request_was_issued_and_remote_elsewhere() {
        let events = [
            event(Issued, 0, 8, 8),
            event(Issued, 1, 800, 8),
            event(Completed, 1, 800, 8),
            event(Completed, 1, 8, 8),
        ];
        assert_eq!(counted(&events), (1, 1));
    }

    #[test]
    fn a_completion_without_an_issue_is_counted_nowhere() {
        let events = [event(Completed, 0, 8, 8), event(Issued, 0, 8, 8)];
        assert_eq!(counted(&events), (0, 0));
    }

    #[test]
    fn a_request_that_ends_in_parts_counts_once_where_the_last_part_ends() {
        let events = [
            event(Issued, 0, 8, 24),
            event(Completed, 0, 8, 8),
            event(Completed, 0, 16, 8),
            event(Completed, 1, 24, 8),
        ];
        assert_eq!(counted(&events), (0, 1));
    }

    #[test]
    fn a_request_that_is_issued_again_counts_once_by_its_last_issue() {
        let events = [
            event(Issued, 0, 8, 8),
            event(Requeued, 0, 8, 8),
            event(Issued, 1, 8, 8),
            event(Completed, 1, 8, 8),
            event(Completed, 0, 8, 8),
        ];
        assert_eq!(counted(&events), (1, 0));
    }

    #[test]
    fn two_reads_of_the_same_sectors_at_once_both_count() {
        let events = [
            event(Issued, 0, 8, 8),
            event(Issued, 0, 8, 8),
            event(Completed, 0, 8, 8),
            event(Completed, 0, 8, 8),
            event(Completed, 0, 8, 8),
        ];
        assert_eq!(counted(&events), (2, 0));
    }

    #[test]
    fn a_flush_is_matched_whatever_sector_is_told_of_it() {
        let events = [event(Issued, 0, 0, 0), event(Completed, 0, u64::MAX, 0)];
        assert_eq!(counted(&events), (1, 0));
    }

    #[test]
    fn nothing_outside_the_window_counts_but_what_was_issued_before_it_does() {
        let mut tally = Tally::default();
        tally.take(&event(Issued, 0, 8, 8), false);
        tally.take(&event(Issued, 0, 80, 8), false);
        tally.take(&event(Completed, 0, 8, 8), false);
        tally.take(&event(Completed, 0, 80, 8), true);
        assert_eq!((tally.counts.local, tally.counts.remote), (1, 0));
    }

    #[test]
    fn requests_that_never_end_do_not_fill_the_memory() {
        let mut tally = Tally::default();
        for sector in 1..=MOST as u64 + 1 {
            tally.take(&event(Issued, 0, sector, 1), true);
        }
        assert!(tally.under_way.len() <= MOST);
        assert_eq!(tally.counts.forgotten, MOST as u64);
    }
}
