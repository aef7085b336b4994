//! The monotonic clock.

use std::time::Duration;

/// Nanoseconds of CLOCK_MONOTONIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// A time that never comes.
    pub const NEVER: Nanos = Nanos(u64::MAX);

    /// Reads the clock.
    #[inline(always)]
    pub fn now() -> Nanos {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is valid for writing; CLOCK_MONOTONIC exists on every Linux, so the call cannot fail.
        // (nix's wrapper checks an error that cannot come, in the timed loop.)
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
        Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }

    /// Time from an earlier reading to this one; 0 if it was not earlier.
    #[inline(always)]
    pub fn since(self, earlier: Nanos) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The same as a [`Duration`].
    pub fn duration_since(self, earlier: Nanos) -> Duration {
        Duration::from_nanos(self.since(earlier))
    }

    /// A later time.
    pub fn after(self, duration: Duration) -> Nanos {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Nanos(self.0.saturating_add(nanos))
    }
}
