//! What a client records of each operation: counts, sums, the slowest, and a histogram of latencies.
//!
//! The histogram is log-linear with 32 steps an octave. A value stands for the middle of its step, so the relative
//! error is at most 1/64 (1.6 %); below 64 ns it is exact. Blocks of one octave are taken from a pool as they occur,
//! so that a client's record stays far below 64 KiB.

use super::buckets::{OCTAVES, STEPS, middle, position};
use super::clock::Nanos;
use super::seconds::SecondCell;
use crate::op::Kind;
use crate::units::nanos;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One kind of operation.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct KindRecord {
    count: u64,
    differed: u64,
    bytes: u64,
    total: u64,
    slowest: u64,
    slowest_at: Nanos,
    slowest_line: u32,
    /// Block of each octave in the pool, plus 1; 0: none yet.
    blocks: [u16; OCTAVES],
}

impl KindRecord {
    const EMPTY: KindRecord = KindRecord {
        count: 0,
        differed: 0,
        bytes: 0,
        total: 0,
        slowest: 0,
        slowest_at: Nanos(0),
        slowest_line: 0,
        blocks: [0; OCTAVES],
    };
}

/// The counters of one octave.
pub type Block = [u32; STEPS];

/// The record of one client.
#[derive(Debug)]
pub struct Recorder<'m> {
    kinds: Box<[KindRecord]>,
    pool: &'m mut [Block],
    used: u16,
    /// A bit for each octave that occurred with any kind.
    octaves: u64,
}

/// What of a record has already been added to the seconds of all clients.
#[derive(Debug)]
pub struct Flushed<'m> {
    operations: u64,
    bytes_read: u64,
    bytes_written: u64,
    /// Of all kinds together, an entry for each octave.
    counts: &'m mut [Block],
}

impl<'m> Flushed<'m> {
    /// Nothing; `counts` holds [`OCTAVES`] zeros.
    pub fn new(counts: &'m mut [Block]) -> Flushed<'m> {
        debug_assert!(counts.len() >= OCTAVES);
        Flushed {
            operations: 0,
            bytes_read: 0,
            bytes_written: 0,
            counts,
        }
    }

    fn reset(&mut self) {
        let Flushed {
            operations,
            bytes_read,
            bytes_written,
            counts,
        } = self;
        (*operations, *bytes_read, *bytes_written) = (0, 0, 0);
        counts.fill([0; STEPS]);
    }
}

/// How many blocks a record of so many kinds can need.
pub const fn blocks(kinds: usize) -> usize {
    kinds * OCTAVES
}

/// What one client recorded of one kind, without its histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindSummary {
    pub count: u64,
    /// Read or written, counted.
    pub bytes: u64,
    pub total: Duration,
    pub slowest: Duration,
}

/// The slowest operation of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Slowest {
    #[serde(rename = "latency_ns", with = "nanos")]
    pub latency: Duration,
    pub client: u32,
    /// Line of the loadfile, from 1.
    pub line: u32,
    /// End of the operation after the release of the clients.
    #[serde(rename = "at_ns", with = "nanos")]
    pub at: Duration,
}

/// What was recorded of one kind over all clients.
#[derive(Debug, Clone)]
pub struct KindTotals {
    pub count: u64,
    pub differed: u64,
    /// Read or written, counted.
    pub bytes: u64,
    pub total: Duration,
    pub slowest: Slowest,
    pub latency: Histogram<u64>,
}

impl<'m> Recorder<'m> {
    /// An empty record for `kinds` kinds of operation. `pool` holds [`blocks`] zeros: of a large allocation, whose
    /// pages come as they are used, so that what never occurs costs nothing.
    pub fn new(kinds: usize, pool: &'m mut [Block]) -> Recorder<'m> {
        debug_assert!(pool.len() >= blocks(kinds));
        Recorder {
            kinds: vec![KindRecord::EMPTY; kinds].into_boxed_slice(),
            pool,
            used: 0,
            octaves: 0,
        }
    }

    /// Records an operation of kind index `kind` that ended at `now` after `latency` ns and moved `bytes`.
    #[inline(always)]
    pub fn record(&mut self, kind: u8, latency: u64, now: Nanos, line: u32, bytes: u64) {
        let record = &mut self.kinds[kind as usize];
        record.count += 1;
        record.bytes += bytes;
        record.total += latency;
        if latency > record.slowest {
            record.slowest = latency;
            record.slowest_at = now;
            record.slowest_line = line;
        }
        let (octave, step) = position(latency);
        let mut block = record.blocks[octave];
        if block == 0 {
            self.used += 1;
            block = self.used;
            record.blocks[octave] = block;
            self.octaves |= 1 << octave;
        }
        let counter = &mut self.pool[block as usize - 1][step];
        *counter = counter.saturating_add(1);
    }

    /// Counts an outcome that differed from the trace.
    pub fn differed(&mut self, kind: u8) {
        self.kinds[kind as usize].differed += 1;
    }

    /// Operations recorded.
    pub fn operations(&self) -> u64 {
        self.kinds.iter().map(|record| record.count).sum()
    }

    /// Longest operation recorded.
    pub fn slowest(&self) -> Duration {
        let slowest = self.kinds.iter().map(|record| record.slowest).max();
        Duration::from_nanos(slowest.unwrap_or(0))
    }

    /// What was recorded of kind index `kind`.
    pub fn kind_summary(&self, kind: u8) -> KindSummary {
        let record = &self.kinds[kind as usize];
        KindSummary {
            count: record.count,
            bytes: record.bytes,
            total: Duration::from_nanos(record.total),
            slowest: Duration::from_nanos(record.slowest),
        }
    }

    /// Forgets everything (the end of the warm-up).
    pub fn reset(&mut self, flushed: Option<&mut Flushed<'_>>) {
        self.kinds.fill(KindRecord::EMPTY);
        self.pool[..self.used as usize].fill([0; STEPS]);
        self.used = 0;
        self.octaves = 0;
        if let Some(flushed) = flushed {
            flushed.reset();
        }
    }

    /// Adds to a second of all clients what was recorded since the last flush; `kinds` are those of the program, and
    /// `max` the longest latency since then.
    pub fn flush(&self, kinds: &[Kind], flushed: &mut Flushed<'_>, max: u64, cell: &SecondCell) {
        let (mut operations, mut bytes_read, mut bytes_written) = (0, 0, 0);
        for (kind, record) in kinds.iter().zip(&self.kinds) {
            operations += record.count;
            bytes_read += if kind.reads() { record.bytes } else { 0 };
            bytes_written += if kind.writes() { record.bytes } else { 0 };
        }
        if operations == flushed.operations {
            return;
        }
        cell.add(
            operations - flushed.operations,
            bytes_read - flushed.bytes_read,
            bytes_written - flushed.bytes_written,
            max,
        );
        flushed.operations = operations;
        flushed.bytes_read = bytes_read;
        flushed.bytes_written = bytes_written;
        let mut octaves = self.octaves;
        while octaves != 0 {
            let octave = octaves.trailing_zeros() as usize;
            octaves &= octaves - 1;
            self.flush_octave(octave, &mut flushed.counts[octave], cell);
        }
    }

    fn flush_octave(&self, octave: usize, flushed: &mut Block, cell: &SecondCell) {
        let mut sums: Block = [0; STEPS];
        for record in &self.kinds {
            let block = record.blocks[octave];
            if block == 0 {
                continue;
            }
            for (sum, &count) in sums.iter_mut().zip(&self.pool[block as usize - 1]) {
                // What is beyond 32 bits falls out of the difference below.
                *sum = sum.wrapping_add(count);
            }
        }
        for (step, (sum, flushed)) in sums.iter().zip(flushed).enumerate() {
            cell.add_latencies(octave * STEPS + step, sum.wrapping_sub(*flushed));
            *flushed = *sum;
        }
    }

    /// Adds what was recorded of kind index `kind` to totals over all clients; `release` is when they were released.
    pub fn add_to(&self, kind: u8, client: u32, release: Nanos, totals: &mut KindTotals) {
        let KindRecord {
            count,
            differed,
            bytes,
            total,
            slowest,
            slowest_at,
            slowest_line,
            blocks,
        } = &self.kinds[kind as usize];
        totals.count += count;
        totals.differed += differed;
        totals.bytes += bytes;
        totals.total += Duration::from_nanos(*total);
        let latency = Duration::from_nanos(*slowest);
        if *count > 0 && (latency > totals.slowest.latency || totals.slowest.line == 0) {
            totals.slowest = Slowest {
                latency,
                client,
                line: *slowest_line,
                at: slowest_at.duration_since(release),
            };
        }
        for (octave, &block) in blocks.iter().enumerate().filter(|&(_, &block)| block > 0) {
            for (step, &count) in self.pool[block as usize - 1].iter().enumerate() {
                if count > 0 {
                    totals
                        .latency
                        .saturating_record_n(middle(octave, step), u64::from(count));
                }
            }
        }
    }
}

/// An empty histogram of nanoseconds as results keep it.
///
/// Three significant digits add at most 0.1 % to the recorder's error.
pub fn empty_histogram() -> Histogram<u64> {
    let bounded = Histogram::new_with_bounds(1, 1 << 42, 3);
    bounded.unwrap_or_else(|_| unreachable!("the bounds are constants that hdrhistogram accepts"))
}

/// A quantile (0 to 1) of a histogram of nanoseconds; absent where there are none. The histogram tells the upper end of one
/// of its steps, which must not be above `most`, the longest.
pub fn quantile_of(latencies: &Histogram<u64>, quantile: f64, most: Duration) -> Option<Duration> {
    let nanoseconds = latencies.value_at_quantile(quantile);
    (!latencies.is_empty()).then(|| Duration::from_nanos(nanoseconds).min(most))
}

/// The longest of a histogram of nanoseconds, to its precision; 0 where there are none.
pub fn longest_of(latencies: &Histogram<u64>) -> Duration {
    Duration::from_nanos(latencies.max())
}

impl KindTotals {
    pub fn new() -> KindTotals {
        KindTotals {
            count: 0,
            differed: 0,
            bytes: 0,
            total: Duration::ZERO,
            slowest: Slowest::default(),
            latency: empty_histogram(),
        }
    }
}

impl Default for KindTotals {
    fn default() -> Self {
        KindTotals::new()
    }
}

#[cfg(test)]
mod tests;
