//! When operations are due: timestamps of the loadfile, or a target rate. Pure arithmetic on the time given.

use crate::measure::clock::Nanos;
use crate::program::NOT_DUE;

/// How a run is paced.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pacing {
    /// Back to back.
    #[default]
    None,
    /// By the loadfile's timestamps, waits multiplied by `scale`.
    Timestamps { scale: f64 },
    /// After each operation the client waits until its bytes are due; bytes per second and client.
    Rate { bytes_per_second: f64 },
}

/// The pace of one client.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pacing: Pacing,
    /// Start of the pass (timestamps) or of the client (rate).
    from: Nanos,
    /// Bytes moved since.
    bytes: u64,
}

impl Pace {
    pub fn new(pacing: Pacing, from: Nanos) -> Pace {
        Pace {
            pacing,
            from,
            bytes: 0,
        }
    }

    /// A new pass starts: timestamps count from here. A rate goes on.
    pub fn start_pass(&mut self, now: Nanos) {
        if let Pacing::Timestamps { .. } = self.pacing {
            self.from = now;
        }
    }

    /// Time that is not measured has passed.
    pub fn skip(&mut self, nanos: u64) {
        self.from.0 = self.from.0.saturating_add(nanos);
    }

    /// An operation has moved bytes.
    pub fn moved(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// When the next operation may start; `due` is its timestamp in microseconds. None: at once.
    pub fn due(&self, due: u64) -> Option<Nanos> {
        let wait = match self.pacing {
            Pacing::None => return None,
            Pacing::Timestamps { .. } if due == NOT_DUE => return None,
            Pacing::Timestamps { scale } => due as f64 * 1e3 * scale,
            Pacing::Rate { bytes_per_second } => self.bytes as f64 * 1e9 / bytes_per_second,
        };
        // `as` saturates: a time beyond the clock's range never comes.
        Some(Nanos(self.from.0.saturating_add(wait as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn timestamps_count_from_the_start_of_the_pass_and_scale() {
        let mut pace = Pace::new(Pacing::Timestamps { scale: 0.5 }, Nanos(1_000));
        assert_eq!(pace.due(10), Some(Nanos(6_000)));
        pace.start_pass(Nanos(9_000));
        assert_eq!(pace.due(10), Some(Nanos(14_000)));
        assert_eq!(pace.due(NOT_DUE), None);
    }

    #[test]
    fn a_rate_counts_all_bytes_since_the_start() {
        let mut pace = Pace::new(
            Pacing::Rate {
                bytes_per_second: 1e6,
            },
            Nanos(0),
        );
        assert_eq!(pace.due(NOT_DUE), Some(Nanos(0)));
        pace.moved(500_000);
        pace.start_pass(Nanos(7));
        assert_eq!(pace.due(NOT_DUE), Some(Nanos(500_000_000)));
        pace.skip(100);
        assert_eq!(pace.due(NOT_DUE), Some(Nanos(500_000_100)));
    }

    proptest! {
        #[test]
        fn a_later_timestamp_is_never_due_earlier(a in 0u64..1 << 50, b in 0u64..1 << 50, scale in 0.0f64..10.0) {
            let pace = Pace::new(Pacing::Timestamps { scale }, Nanos(5));
            prop_assert_eq!(pace.due(a.min(b)) <= pace.due(a.max(b)), true);
        }
    }
}
