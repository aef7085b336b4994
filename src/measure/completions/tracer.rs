//! Counts completions in a thread of its own, while the clients work.

use super::Completions;
use super::rings::Rings;
use super::tally::{Event, Tally};
use crate::measure::clock::Nanos;
use crate::measure::devices;
use crate::measure::sampler::thread_time;
use nix::sys::signal::SigSet;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the rings are read: one of 64 KiB then lasts for 25,000 requests a second on its processor, one of 1 MiB
/// for 400,000.
const EVERY: Duration = Duration::from_millis(20);
/// A record may come into its ring so much later than the time it holds: events are put in order when they are older.
const SETTLED: Duration = Duration::from_millis(2);

/// The measured window; [`Nanos::NEVER`] where it is not known yet.
#[derive(Debug)]
struct Bounds {
    begin: AtomicU64,
    end: AtomicU64,
}

/// Counts until it is finished or dropped.
#[derive(Debug)]
pub struct Tracer {
    bounds: Arc<Bounds>,
    thread: Option<JoinHandle<Traced>>,
}

/// What was counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Traced {
    /// Absent where no window began.
    pub completions: Option<Completions>,
    /// Processor time that it took.
    pub took: Duration,
}

impl Tracer {
    /// Starts to listen to the requests of the devices under an open directory: of those that are mounted or, where
    /// such a device has no queue of requests of its own (a partition, dm, md), of those that it is made of. Of a loop
    /// device, those of the loop device alone.
    ///
    /// # Errors
    /// Says why that cannot be done, and what to do.
    pub fn start(directory: BorrowedFd<'_>) -> Result<Tracer, String> {
        let devices = devices::with_queues(directory);
        if devices.is_empty() {
            return Err("no block device with a queue of requests is known under the directory: name one on a local disk with -D".to_owned());
        }
        let mut rings = Rings::open(devices)?;
        let bounds = Arc::new(Bounds {
            begin: AtomicU64::new(Nanos::NEVER.0),
            end: AtomicU64::new(Nanos::NEVER.0),
        });
        let theirs = bounds.clone();
        let thread = std::thread::Builder::new()
            .name("completions".into())
            .spawn(move || {
                // No handler is to run here; failing would need an invalid argument.
                let _ = SigSet::all().thread_set_mask();
                trace(&mut rings, &theirs)
            });
        let thread = thread.map_err(|error| format!("no thread can be started to count them: {error}"))?;
        Ok(Tracer {
            bounds,
            thread: Some(thread),
        })
    }

    /// How many descriptors it keeps open.
    pub fn descriptors() -> u64 {
        Rings::descriptors()
    }

    /// The measured window starts at `start`.
    pub fn begin(&self, start: Nanos) {
        self.bounds.begin.store(start.0, Ordering::Release);
    }

    /// It has ended at `end`.
    pub fn end(&self, end: Nanos) {
        self.bounds.end.store(end.0, Ordering::Release);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// What was counted; waits some milliseconds for the last records.
    pub fn finish(mut self) -> Traced {
        let thread = self.thread.take();
        let traced = thread.and_then(|thread| {
            self.end_at_once();
            thread.thread().unpark();
            thread.join().ok()
        });
        traced.unwrap_or_default()
    }

    /// Where no end was told, it is now.
    fn end_at_once(&self) {
        let (never, now) = (Nanos::NEVER.0, Nanos::now().0);
        // That it was told is as good.
        let _ = self
            .bounds
            .end
            .compare_exchange(never, now, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.end_at_once();
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Reads the rings until the window has ended.
fn trace(rings: &mut Rings, bounds: &Bounds) -> Traced {
    let mut counting = Counting::default();
    loop {
        // In this order: an end that is seen is later than the beginning.
        let end = bounds.end.load(Ordering::Acquire);
        let begin = bounds.begin.load(Ordering::Acquire);
        let settled = Nanos(Nanos::now().0.saturating_sub(SETTLED.as_nanos() as u64));
        let lost = rings.read(&mut counting.waiting);
        counting.settle(settled.0, begin, end, lost);
        if settled.0 >= end {
            return Traced {
                completions: counting.completions(end),
                took: thread_time(),
            };
        }
        std::thread::park_timeout(if end == Nanos::NEVER.0 { EVERY } else { SETTLED });
    }
}

/// What has been counted so far.
#[derive(Debug, Default)]
struct Counting {
    waiting: Vec<Event>,
    tally: Tally,
    lost: u64,
    /// Everything up to here has been taken.
    taken_to: u64,
    /// From where on completions are counted: the start of the window or, where that was told late, the first event
    /// that had not been taken by then.
    from: Option<u64>,
}

impl Counting {
    /// Takes the events up to `settled`, in order of time.
    fn settle(&mut self, settled: u64, begin: u64, end: u64, lost: u64) {
        if begin != Nanos::NEVER.0 && self.from.is_none() {
            self.from = Some(begin.max(self.taken_to));
        }
        if self.from.is_some() {
            self.lost += lost;
        }
        self.waiting.sort_by_key(|event| event.time);
        let ready = self.waiting.partition_point(|event| event.time <= settled);
        for event in self.waiting.drain(..ready) {
            let counts = self.from.is_some_and(|from| event.time >= from) && event.time <= end;
            self.tally.take(&event, counts);
        }
        self.taken_to = self.taken_to.max(settled);
    }

    fn completions(&self, end: u64) -> Option<Completions> {
        let from = self.from?;
        Some(Completions {
            local: self.tally.counts.local,
            remote: self.tally.counts.remote,
            lost: self.lost + self.tally.counts.forgotten,
            counted: Nanos(end).duration_since(Nanos(from)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Extent;
    use super::super::tally::What;
    use super::*;

    fn event(time: u64, what: What, processor: u32) -> Event {
        Event {
            time,
            processor,
            what,
            extent: Extent {
                device: 1,
                sector: 8,
                sectors: 8,
            },
        }
    }

    fn counting() -> Counting {
        Counting::default()
    }

    #[test]
    fn events_of_several_processors_are_taken_in_order_of_time_and_young_ones_later() {
        let mut counting = counting();
        // A completion that was read from the first ring, before the issue of the second.
        counting.waiting = vec![
            event(150, What::Completed, 1),
            event(250, What::Completed, 0),
            event(100, What::Issued, 0),
        ];
        counting.settle(200, 0, Nanos::NEVER.0, 0);
        assert_eq!(counting.waiting.len(), 1);
        counting.waiting.push(event(240, What::Issued, 0));
        counting.settle(300, 0, 300, 0);
        let found = counting.completions(300).unwrap();
        assert_eq!((found.local, found.remote, found.counted.as_nanos()), (1, 1, 300));
    }

    #[test]
    fn a_window_that_is_told_late_is_counted_from_what_was_not_taken_yet() {
        let mut counting = counting();
        counting.waiting = vec![event(10, What::Issued, 0), event(20, What::Completed, 0)];
        counting.settle(100, Nanos::NEVER.0, Nanos::NEVER.0, 3);
        assert_eq!(counting.completions(100), None);
        counting.waiting = vec![event(110, What::Issued, 0), event(120, What::Completed, 0)];
        counting.settle(200, 15, Nanos::NEVER.0, 2);
        let found = counting.completions(200).unwrap();
        assert_eq!((found.local, found.lost, found.counted.as_nanos()), (1, 2, 100));
    }

    #[test]
    fn completions_after_the_end_are_not_counted() {
        let mut counting = counting();
        counting.waiting = vec![event(10, What::Issued, 0), event(20, What::Completed, 0)];
        counting.settle(100, 0, 15, 0);
        assert_eq!(counting.completions(15).map(|found| found.local), Some(0));
    }
}
