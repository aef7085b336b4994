//! What can be seen of a client while it runs.

use super::clock::Nanos;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters that one client writes and the live view reads, on cache lines of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct LiveCell {
    operations: AtomicU64,
    bytes: AtomicU64,
    /// End of the last operation; 0 before the first, and after the end.
    last: AtomicU64,
    /// Longest operation since the last look, nanoseconds.
    worst: AtomicU64,
}

/// A reading of a [`LiveCell`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveReading {
    pub operations: u64,
    pub bytes: u64,
    /// Longest operation since the last reading, the present one included, nanoseconds.
    pub worst: u64,
}

impl LiveCell {
    /// Written after each operation: plain stores to a line that no other client writes.
    #[inline(always)]
    pub fn store(&self, operations: u64, bytes: u64, now: Nanos, latency: u64) {
        self.operations.store(operations, Relaxed);
        self.bytes.store(bytes, Relaxed);
        self.last.store(now.0, Relaxed);
        if latency > self.worst.load(Relaxed) {
            self.worst.store(latency, Relaxed);
        }
    }

    /// The client starts or ends a stretch in which an operation can be under way.
    pub fn mark(&self, at: Option<Nanos>) {
        self.last.store(at.map_or(0, |at| at.0), Relaxed);
    }

    /// Reads the counters, and starts a new stretch for the longest operation.
    pub fn read(&self, now: Nanos) -> LiveReading {
        let last = self.last.load(Relaxed);
        let present = if last == 0 { 0 } else { now.since(Nanos(last)) };
        LiveReading {
            operations: self.operations.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            worst: self.worst.swap(0, Relaxed).max(present),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_operation_counts_once_and_the_present_one_counts_too() {
        let cell = LiveCell::default();
        cell.store(1, 10, Nanos(1_000), 70);
        cell.store(2, 20, Nanos(1_050), 50);
        let reading = cell.read(Nanos(1_060));
        assert_eq!((reading.operations, reading.bytes, reading.worst), (2, 20, 70));
        assert_eq!(cell.read(Nanos(1_090)).worst, 40);
    }
}
