//! What a client notes of each operation that it times: for the live view, the record, the series and the slowest.

use super::clock::Nanos;
use super::live::LiveCell;
use super::recorder::{Block, Flushed, Recorder};
use super::seconds::{Cursor, Seconds, end_of_second, second_of};
use super::slowest::{SlowestTen, Target};
use crate::op::Kind;

/// Memory of one client's [`Meter`], zeroed.
#[derive(Debug)]
pub struct MeterMemory<'m> {
    /// For the record: [`blocks`](super::recorder::blocks) of the program's kinds.
    pub blocks: &'m mut [Block],
    /// For what of it is in the series: [`OCTAVES`](super::buckets::OCTAVES).
    pub flushed: &'m mut [Block],
}

/// What one client measures.
#[derive(Debug)]
pub struct Meter<'m> {
    recorder: Recorder<'m>,
    live: &'m LiveCell,
    kinds: &'m [Kind],
    /// Since the release, what was skipped included.
    operations: u64,
    bytes: u64,
    /// An operation that took no less is looked at again: it may be one of the slowest, or the slowest of its second.
    /// One comparison for both.
    noted_from: u64,
    /// The longest latency of the present second, nanoseconds.
    second_max: u64,
    slowest: SlowestTen,
    flushed: Flushed<'m>,
    cursor: Cursor<'m>,
}

impl<'m> Meter<'m> {
    /// A meter for operations of `kinds`; `run_time_paths`: see [`SlowestTen::new`].
    pub fn new(
        kinds: &'m [Kind],
        run_time_paths: bool,
        memory: MeterMemory<'m>,
        live: &'m LiveCell,
        seconds: &'m Seconds,
    ) -> Meter<'m> {
        Meter {
            recorder: Recorder::new(kinds.len(), memory.blocks),
            live,
            kinds,
            operations: 0,
            bytes: 0,
            noted_from: 0,
            second_max: 0,
            slowest: SlowestTen::new(run_time_paths),
            flushed: Flushed::new(memory.flushed),
            cursor: seconds.cursor(),
        }
    }

    /// Records an operation of kind index `kind` that started at `last`, ended at `now` and moved `bytes`; answers
    /// whether [`Meter::note`] has to look at it.
    #[inline(always)]
    #[must_use]
    pub fn record(&mut self, kind: u8, line: u32, bytes: u64, last: Nanos, now: Nanos) -> bool {
        let latency = now.since(last);
        self.operations += 1;
        self.bytes += bytes;
        self.live.store(self.operations, self.bytes, now, latency);
        self.recorder.record(kind, latency, now, line, bytes);
        latency >= self.noted_from
    }

    /// An operation that was not executed: it is seen live, but not recorded.
    pub fn skip(&mut self, last: Nanos, now: Nanos) {
        self.operations += 1;
        self.live.store(self.operations, self.bytes, now, now.since(last));
    }

    /// Keeps an operation that was recorded and is one of the slowest.
    #[cold]
    pub fn note(&mut self, kind: u8, line: u32, last: Nanos, now: Nanos, target: Target<'_>) {
        let latency = now.since(last);
        self.second_max = self.second_max.max(latency);
        if latency >= self.slowest.floor() {
            self.slowest.keep(latency, now, line, kind, target);
        }
        self.note_from();
    }

    fn note_from(&mut self) {
        self.noted_from = self.slowest.floor().min(self.second_max.saturating_add(1));
    }

    /// The second of the measured window that starts at `from` has ended by `now`: adds what was recorded in it to
    /// those of all clients, and answers when the next one ends.
    pub fn end_second(&mut self, from: Nanos, now: Nanos) -> Nanos {
        self.flush();
        let second = second_of(from, now);
        self.cursor.advance(second);
        end_of_second(from, second)
    }

    fn flush(&mut self) {
        let cell = self.cursor.cell();
        self.recorder
            .flush(self.kinds, &mut self.flushed, self.second_max, cell);
        self.second_max = 0;
        self.note_from();
    }

    /// Counts an outcome that differed from the trace.
    pub fn differed(&mut self, kind: u8) {
        self.recorder.differed(kind);
    }

    /// Forgets what was recorded in the warm-up.
    pub fn reset(&mut self) {
        self.recorder.reset(Some(&mut self.flushed));
        self.slowest.reset();
        self.second_max = 0;
        self.note_from();
    }

    /// The client has ended: what was recorded since the last second goes into the present one.
    pub fn finish(mut self) -> Recorder<'m> {
        self.flush();
        self.recorder
    }

    /// The slowest operations so far.
    pub fn slowest(&self) -> &SlowestTen {
        &self.slowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::buckets::{OCTAVES, STEPS};
    use crate::measure::recorder::blocks;
    use crate::measure::seconds::SECOND_NANOS;
    use proptest::prelude::*;
    use std::time::Duration;

    const KINDS: [Kind; 3] = [Kind::ReadX, Kind::WriteX, Kind::Close];

    /// Kind index, bytes, latency in nanoseconds.
    type Operation = (u8, u64, u64);

    /// Two clients replay lists of operations back to back from time 0, and end at the last of them.
    fn series(lists: &[Vec<Operation>]) -> (Vec<crate::measure::series::Second>, Vec<Vec<u64>>) {
        let seconds = Seconds::new();
        let live = LiveCell::default();
        let mut ends = Vec::new();
        let mut slowest = Vec::new();
        for list in lists {
            let mut pool = vec![[0; STEPS]; blocks(KINDS.len())];
            let mut flushed = vec![[0; STEPS]; OCTAVES];
            let memory = MeterMemory {
                blocks: &mut pool,
                flushed: &mut flushed,
            };
            let mut meter = Meter::new(&KINDS, false, memory, &live, &seconds);
            let mut next = Nanos(SECOND_NANOS);
            let mut last = Nanos(0);
            for &(kind, bytes, latency) in list {
                let now = Nanos(last.0 + latency);
                if now >= next {
                    next = meter.end_second(Nanos(0), now);
                }
                if meter.record(kind, 1, bytes, last, now) {
                    meter.note(kind, 1, last, now, Target::Top);
                }
                last = now;
            }
            ends.push(last.0);
            slowest.push(meter.slowest().entries().map(|entry| entry.latency).collect());
            meter.finish();
        }
        let elapsed = ends.into_iter().max().unwrap_or(0);
        (seconds.series(Duration::from_nanos(elapsed)), slowest)
    }

    fn operations() -> impl Strategy<Value = Vec<Operation>> {
        let latency = prop_oneof![1u64..1000, 1u64..200_000_000, 900_000_000u64..2_500_000_000];
        let operation = (0u8..3, 0u64..100_000, latency);
        let operation = operation.prop_map(|(kind, bytes, latency)| match kind {
            2 => (kind, 0, latency),
            _ => (kind, bytes, latency),
        });
        prop::collection::vec(operation, 0..300)
    }

    proptest! {
        #[test]
        fn each_operation_is_in_the_second_in_which_it_ended(lists in prop::collection::vec(operations(), 1..3)) {
            let (series, slowest) = series(&lists);
            let mut expected = vec![(0, 0, 0, Vec::new()); series.len()];
            for list in &lists {
                let mut now = 0;
                for &(kind, bytes, latency) in list {
                    now += latency;
                    let second = (now / SECOND_NANOS).min(series.len() as u64 - 1);
                    let (count, read, written, latencies) = &mut expected[second as usize];
                    *count += 1;
                    *read += if kind == 0 { bytes } else { 0 };
                    *written += if kind == 1 { bytes } else { 0 };
                    latencies.push(latency);
                }
            }
            for (second, (count, read, written, latencies)) in series.iter().zip(&mut expected) {
                let told = (second.operations, second.bytes_read, second.bytes_written);
                prop_assert_eq!(told, (*count, *read, *written));
                latencies.sort_unstable();
                let max = second.latency.map(|latency| latency.max.as_nanos() as u64);
                prop_assert_eq!(max, latencies.last().copied());
                let Some(latency) = second.latency else { continue };
                let exact = latencies[latencies.len().div_ceil(2) - 1];
                let off = (latency.p50.as_nanos() as u64).abs_diff(exact);
                prop_assert!(off * 64 <= exact, "{:?} for {}", latency.p50, exact);
            }
            for (list, mut kept) in lists.iter().zip(slowest) {
                let mut latencies: Vec<_> = list.iter().map(|&(.., latency)| latency).collect();
                latencies.sort_unstable();
                kept.sort_unstable();
                prop_assert_eq!(&kept[..], &latencies[latencies.len().saturating_sub(10)..]);
            }
        }
    }

    #[test]
    fn what_was_recorded_before_a_reset_is_in_no_second() {
        let seconds = Seconds::new();
        let live = LiveCell::default();
        let mut pool = vec![[0; STEPS]; blocks(KINDS.len())];
        let mut flushed = vec![[0; STEPS]; OCTAVES];
        let memory = MeterMemory {
            blocks: &mut pool,
            flushed: &mut flushed,
        };
        let mut meter = Meter::new(&KINDS, false, memory, &live, &seconds);
        if meter.record(0, 1, 100, Nanos(0), Nanos(SECOND_NANOS)) {
            meter.note(0, 1, Nanos(0), Nanos(SECOND_NANOS), Target::Top);
        }
        meter.reset();
        if meter.record(1, 2, 7, Nanos(10), Nanos(30)) {
            meter.note(1, 2, Nanos(10), Nanos(30), Target::Program(4));
        }
        assert_eq!(meter.slowest().entries().count(), 1);
        meter.finish();
        let series = seconds.series(Duration::from_millis(10));
        assert_eq!(series.len(), 1);
        let second = &series[0];
        assert_eq!(
            (second.operations, second.bytes_read, second.bytes_written),
            (1, 0, 7)
        );
        assert_eq!(second.latency.unwrap().max, Duration::from_nanos(20));
    }
}
