//! Sleeping to an absolute time, so that a signal or a late wake costs nothing twice.

use crate::measure::clock::Nanos;

/// Sleeps until `time` of the monotonic clock, or until a signal comes.
pub fn until(time: Nanos) {
    // A time beyond the clock's range is cut: the caller looks again.
    let time = time.0.min(i64::MAX as u64);
    let time = libc::timespec {
        tv_sec: (time / 1_000_000_000) as libc::time_t,
        tv_nsec: (time % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: `time` is valid for reading and no remainder is asked for. (nix has no clock_nanosleep with
    // TIMER_ABSTIME on every target; an error or EINTR only makes the caller look again.)
    unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &time,
            std::ptr::null_mut(),
        );
    }
}
