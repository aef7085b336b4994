//! Signals: the first SIGINT, SIGTERM or SIGHUP ends the run, a SIGINT after it leaves the tree behind.

use crate::measure::clock::Nanos;
use crate::replay::gate::{Gate, StopReason};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Signals that come so close together are one request: `timeout` sends its signal to the process, then to its group.
const ONE_REQUEST: Duration = Duration::from_millis(20);

/// Wakes a client out of a blocking call, which then fails with EINTR.
pub const WAKE: Signal = Signal::SIGUSR1;

/// Listens until it is dropped.
pub struct Listener {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Starts to listen: the first signal stops the gate, a later SIGINT sets `leave`.
    ///
    /// # Errors
    /// Handlers cannot be installed or the thread cannot be started.
    pub fn start(gate: Arc<Gate>, leave: Arc<AtomicBool>) -> std::io::Result<Listener> {
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        if !hangup_is_ignored() {
            signals.add_signal(SIGHUP)?;
        }
        let handle = signals.handle();
        let thread = std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                let mut first: Option<Nanos> = None;
                for signal in signals.forever() {
                    let now = Nanos::now();
                    match first {
                        None => first = Some(now),
                        Some(first) if signal == SIGINT && now >= first.after(ONE_REQUEST) => {
                            leave.store(true, Ordering::Relaxed);
                        }
                        Some(_) => {}
                    }
                    gate.stop(StopReason::Signal(signal));
                }
            })?;
        Ok(Listener {
            handle,
            thread: Some(thread),
        })
    }
}

/// Remembers the last of the signals that end a run, also while no run goes on.
#[derive(Debug, Clone)]
pub struct Interrupts {
    last: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Remembers from now on; the signals do not end the process any more.
    ///
    /// # Errors
    /// Handlers cannot be installed.
    pub fn remember() -> std::io::Result<Interrupts> {
        let last = Arc::new(AtomicUsize::new(0));
        let hangup = (!hangup_is_ignored()).then_some(SIGHUP);
        for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
            signal_hook::flag::register_usize(signal, last.clone(), signal as usize)?;
        }
        Ok(Interrupts { last })
    }

    /// Takes the signal that came, if one did: from now on another is waited for.
    pub fn take(&self) -> Option<i32> {
        i32::try_from(self.last.swap(0, Ordering::Relaxed))
            .ok()
            .filter(|&signal| signal > 0)
    }

    /// As if the signal came now.
    pub fn put_back(&self, signal: i32) {
        if let Ok(signal) = usize::try_from(signal) {
            self.last.store(signal, Ordering::Relaxed);
        }
    }

    /// The signal that came, if one did.
    pub fn signal(&self) -> Option<i32> {
        match self.last.load(Ordering::Relaxed) {
            0 => None,
            signal => i32::try_from(signal).ok(),
        }
    }
}

/// Whether whoever started us wants us to outlive the terminal (nohup): then SIGHUP stays ignored.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignores(&status, SIGHUP)
}

/// Looks a signal up in the mask of ignored ones in the text of /proc/PID/status (proc(5)).
fn ignores(status: &str, signal: libc::c_int) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

extern "C" fn ignore(_: libc::c_int) {}

/// Makes [`WAKE`] interrupt system calls instead of ending the process.
///
/// # Errors
/// The handler cannot be installed.
pub fn install_wake() -> nix::Result<()> {
    let action = SigAction::new(SigHandler::Handler(ignore), SaFlags::empty(), SigSet::empty());
    // SAFETY: the handler does nothing, which is async-signal-safe.
    unsafe { nix::sys::signal::sigaction(WAKE, &action) }.map(drop)
}

/// Blocks every signal but [`WAKE`] in the calling thread, so that no handler runs in a timed loop.
pub fn only_wake() {
    let mut blocked = SigSet::all();
    blocked.remove(WAKE);
    // Failing would need an invalid argument; the loop is only less quiet then.
    let _ = blocked.thread_set_mask();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read_from_the_lowest_bit() {
        let status = "Name:\trbench\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert!(ignores(status, SIGHUP));
        assert!(!ignores(status, SIGINT));
        assert!(!ignores("", SIGHUP));
    }
}
