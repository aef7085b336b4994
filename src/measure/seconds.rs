//! What all clients together did in each second, while they do it.
//!
//! Each client adds what it has recorded when it passes from one second into the next, with plain atomic additions: a
//! lock's holder that loses the processor would stall all others.

use super::buckets::{BUCKETS, bucket_middle};
use super::clock::Nanos;
use super::series::{Second, SecondLatency};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

pub(super) const SECOND_NANOS: u64 = 1_000_000_000;
const SECOND: Duration = Duration::from_secs(1);
/// Seconds that are made at once.
const CHUNK: u64 = 32;

/// One second of all clients; 4.7 KiB.
#[derive(Debug)]
#[repr(align(64))]
pub struct SecondCell {
    operations: AtomicU64,
    bytes_read: AtomicU64,
    bytes_written: AtomicU64,
    /// Nanoseconds.
    max: AtomicU64,
    /// Latencies in the recorder's buckets. 2^32 operations a second would take a hundred processors.
    counts: [AtomicU32; BUCKETS],
}

impl Default for SecondCell {
    fn default() -> Self {
        SecondCell {
            operations: AtomicU64::new(0),
            bytes_read: AtomicU64::new(0),
            bytes_written: AtomicU64::new(0),
            max: AtomicU64::new(0),
            counts: [const { AtomicU32::new(0) }; BUCKETS],
        }
    }
}

impl SecondCell {
    /// Adds what a client did.
    pub fn add(&self, operations: u64, bytes_read: u64, bytes_written: u64, max: u64) {
        self.operations.fetch_add(operations, Relaxed);
        self.bytes_read.fetch_add(bytes_read, Relaxed);
        self.bytes_written.fetch_add(bytes_written, Relaxed);
        self.max.fetch_max(max, Relaxed);
    }

    /// Adds so many latencies of one bucket.
    #[inline]
    pub fn add_latencies(&self, bucket: usize, count: u32) {
        if count > 0 {
            self.counts[bucket].fetch_add(count, Relaxed);
        }
    }

    fn add_to(&self, sums: &mut Sums) {
        sums.operations += self.operations.load(Relaxed);
        sums.bytes_read += self.bytes_read.load(Relaxed);
        sums.bytes_written += self.bytes_written.load(Relaxed);
        sums.max = sums.max.max(self.max.load(Relaxed));
        for (sum, count) in sums.counts.iter_mut().zip(&self.counts) {
            *sum += u64::from(count.load(Relaxed));
        }
    }
}

/// What ended in a second, read once all clients have ended.
struct Sums {
    operations: u64,
    bytes_read: u64,
    bytes_written: u64,
    max: u64,
    counts: Vec<u64>,
}

impl Sums {
    fn new() -> Sums {
        Sums {
            operations: 0,
            bytes_read: 0,
            bytes_written: 0,
            max: 0,
            counts: vec![0; BUCKETS],
        }
    }

    /// The latency that a share of the operations did not exceed: the middle of its step, but not above the longest.
    fn quantile(&self, quantile: f64) -> Duration {
        let total: u64 = self.counts.iter().sum();
        let rank = ((quantile * total as f64).ceil() as u64).max(1);
        let mut passed = 0;
        let found = self.counts.iter().position(|count| {
            passed += count;
            passed >= rank
        });
        let middle = found.map_or(self.max, bucket_middle);
        Duration::from_nanos(middle.min(self.max))
    }

    fn second(&self, start: Duration, length: Duration) -> Second {
        Second {
            start,
            length,
            operations: self.operations,
            bytes_read: self.bytes_read,
            bytes_written: self.bytes_written,
            latency: (self.operations > 0).then(|| SecondLatency {
                p50: self.quantile(0.5),
                p99: self.quantile(0.99),
                max: Duration::from_nanos(self.max),
            }),
            sample: None,
        }
    }
}

/// Seconds that follow one another, and those after them.
#[derive(Debug)]
struct Chunk {
    cells: Box<[SecondCell]>,
    next: OnceLock<Box<Chunk>>,
}

impl Chunk {
    fn new() -> Chunk {
        Chunk {
            cells: (0..CHUNK).map(|_| SecondCell::default()).collect(),
            next: OnceLock::new(),
        }
    }

    fn next(&self) -> &Chunk {
        self.next.get_or_init(|| Box::new(Chunk::new()))
    }
}

impl Drop for Chunk {
    /// One after the other: a run of weeks has more chunks than a stack has room for their drops.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut chunk) = next {
            next = chunk.next.take();
        }
    }
}

/// The seconds of a run's measured window, shared by its clients.
#[derive(Debug)]
pub struct Seconds {
    first: Chunk,
}

impl Seconds {
    pub fn new() -> Seconds {
        Seconds { first: Chunk::new() }
    }

    /// Makes what is needed until a good while after `time`, so that no client has to. (One that comes to a second
    /// that is not there makes it.)
    pub fn prepare(&self, from: Nanos, time: Nanos) {
        let chunks = (second_of(from, time) + CHUNK) / CHUNK;
        let mut chunk = &self.first;
        for _ in 0..chunks {
            chunk = chunk.next();
        }
    }

    /// A client's place in the seconds, at the first.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor {
            chunk: &self.first,
            chunk_start: 0,
            second: 0,
        }
    }

    /// The series of a window that lasted `elapsed`; all clients have ended. What ended at the very end of a whole
    /// second that is the last belongs to that second.
    pub fn series(&self, elapsed: Duration) -> Vec<Second> {
        let nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        let last = nanos.div_ceil(SECOND_NANOS).saturating_sub(1);
        let mut series = Vec::new();
        let mut cursor = self.cursor();
        for index in 0..last {
            let mut sums = Sums::new();
            if let Some(cell) = cursor.existing(index) {
                cell.add_to(&mut sums);
            }
            series.push(sums.second(Duration::from_secs(index), SECOND));
        }
        let mut sums = Sums::new();
        let mut index = last;
        while let Some(cell) = cursor.existing(index) {
            cell.add_to(&mut sums);
            index += 1;
        }
        let start = Duration::from_secs(last);
        let length = elapsed.saturating_sub(start);
        if !length.is_zero() || sums.operations > 0 {
            series.push(sums.second(start, length));
        }
        series
    }
}

impl Default for Seconds {
    fn default() -> Self {
        Seconds::new()
    }
}

/// In which second of a window that starts at `from` a time lies.
pub fn second_of(from: Nanos, time: Nanos) -> u64 {
    time.since(from) / SECOND_NANOS
}

/// When a second of a window that starts at `from` ends.
pub fn end_of_second(from: Nanos, second: u64) -> Nanos {
    let nanos = second.saturating_add(1).saturating_mul(SECOND_NANOS);
    Nanos(from.0.saturating_add(nanos))
}

/// A place in the seconds that moves forward only.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'m> {
    chunk: &'m Chunk,
    /// Number of its first second.
    chunk_start: u64,
    second: u64,
}

impl<'m> Cursor<'m> {
    /// The present second.
    pub fn second(&self) -> u64 {
        self.second
    }

    /// What all clients do in the present second.
    pub fn cell(&self) -> &'m SecondCell {
        &self.chunk.cells[(self.second - self.chunk_start) as usize]
    }

    /// Goes on to a second that is not before the present one.
    pub fn advance(&mut self, second: u64) {
        while second >= self.chunk_start + CHUNK {
            self.chunk = self.chunk.next();
            self.chunk_start += CHUNK;
        }
        self.second = second.max(self.second);
    }

    /// What was done in a second, which is not before the one asked for last; None after all that there are.
    fn existing(&mut self, second: u64) -> Option<&'m SecondCell> {
        while second >= self.chunk_start + CHUNK {
            self.chunk = self.chunk.next.get()?;
            self.chunk_start += CHUNK;
        }
        self.second = second;
        Some(self.cell())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::buckets::bucket_of;
    use proptest::prelude::*;

    #[test]
    fn seconds_that_nobody_prepared_are_there_when_a_client_skips_to_them() {
        let seconds = Seconds::new();
        let mut cursor = seconds.cursor();
        cursor.cell().add(1, 2, 3, 4);
        cursor.advance(1000);
        cursor.cell().add(10, 20, 30, 40);
        assert_eq!(cursor.second(), 1000);
        let series = seconds.series(Duration::from_millis(1_000_250));
        assert_eq!(series.len(), 1001);
        let ended = |second: &Second| (second.operations, second.bytes_read, second.bytes_written);
        assert_eq!(ended(&series[0]), (1, 2, 3));
        assert_eq!(ended(&series[1000]), (10, 20, 30));
        assert!(series[1..1000].iter().all(|second| ended(second) == (0, 0, 0)));
        assert_eq!(series[1000].start, Duration::from_secs(1000));
        assert_eq!(series[1000].length, Duration::from_millis(250));
    }

    #[test]
    fn a_second_in_which_nothing_ended_has_no_latency() {
        let series = Seconds::new().series(Duration::from_millis(1500));
        assert_eq!(series.len(), 2);
        assert!(series.iter().all(|second| second.latency.is_none()));
        assert_eq!(series[1].length, Duration::from_millis(500));
    }

    #[test]
    fn what_ended_at_the_very_end_of_the_window_is_in_its_last_whole_second() {
        let seconds = Seconds::new();
        let mut cursor = seconds.cursor();
        cursor.advance(2);
        cursor.cell().add(1, 0, 0, 5);
        let series = seconds.series(Duration::from_secs(2));
        assert_eq!(series.len(), 2);
        assert_eq!((series[1].operations, series[1].length), (1, SECOND));
    }

    #[test]
    fn a_window_that_never_began_has_no_seconds() {
        assert_eq!(Seconds::new().series(Duration::ZERO), []);
    }

    #[test]
    fn prepared_seconds_are_not_made_by_clients() {
        let seconds = Seconds::new();
        seconds.prepare(Nanos(0), Nanos(100 * SECOND_NANOS));
        let mut cursor = seconds.cursor();
        assert!(cursor.existing(100 + CHUNK - 1).is_some());
        assert!(cursor.existing(10_000).is_none());
    }

    #[test]
    fn a_week_of_seconds_is_dropped_without_a_deep_stack() {
        let seconds = Seconds::new();
        let mut chunk = &seconds.first;
        for _ in 0..20_000 {
            let next = Chunk {
                cells: Box::default(),
                next: OnceLock::new(),
            };
            chunk = chunk.next.get_or_init(|| Box::new(next));
        }
        let small = std::thread::Builder::new().stack_size(64 << 10);
        small.spawn(move || drop(seconds)).unwrap().join().unwrap();
    }

    proptest! {
        #[test]
        fn percentiles_of_a_second_are_those_of_the_sorted_list(
            mut latencies in prop::collection::vec(0u64..10_000_000_000, 1..400),
        ) {
            let seconds = Seconds::new();
            let cell = seconds.cursor().cell();
            for &latency in &latencies {
                cell.add(1, 0, 0, latency);
                cell.add_latencies(bucket_of(latency), 1);
            }
            latencies.sort_unstable();
            let series = seconds.series(SECOND);
            let told = series[0].latency.unwrap();
            let exact = |percent: usize| latencies[(latencies.len() * percent).div_ceil(100) - 1];
            prop_assert_eq!(told.max.as_nanos(), u128::from(exact(100)));
            for (told, exact) in [(told.p50, exact(50)), (told.p99, exact(99))] {
                let off = (told.as_nanos() as u64).abs_diff(exact);
                prop_assert!(off * 64 <= exact, "{:?} for {}", told, exact);
                prop_assert!(told.as_nanos() as u64 <= latencies[latencies.len() - 1]);
            }
        }
    }
}
