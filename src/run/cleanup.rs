//! The removal of the clients' directory, while the view shows that it goes on.

use super::View;
use crate::measure::clock::Nanos;
use crate::measure::{Phase, Tick};
use crate::replay::gate::{Gate, StopReason};
use crate::replay::home::Home;
use crate::result::Warning;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Removes the tree, telling the view each second; given up once `leave` is set.
pub fn clean_up(home: Home, leave: &Arc<AtomicBool>, gate: &Gate, view: &mut dyn View) -> Vec<Warning> {
    let start = Nanos::now();
    let path = home.path().display().to_string();
    let (sender, done) = channel();
    let (give, given) = channel::<Home>();
    let leave_here = leave.clone();
    let remover = std::thread::Builder::new().name("cleanup".into()).spawn(move || {
        if let Ok(home) = given.recv() {
            let _ = sender.send(home.remove(&leave_here));
        }
    });
    if remover.is_err() {
        return home.remove(leave);
    }
    // The thread waits for it.
    let _ = give.send(home);
    let mut at_work = 1;
    loop {
        let (warnings, ended) = match done.recv_timeout(SECOND) {
            Ok(warnings) => (warnings, true),
            Err(RecvTimeoutError::Timeout) => (Vec::new(), false),
            Err(RecvTimeoutError::Disconnected) => (Vec::new(), true),
        };
        if ended {
            at_work = 0;
        }
        let tick = Tick {
            phase: Phase::Cleanup,
            clients: at_work,
            lines_per_client: 0,
            bytes_per_second: 0.0,
            elapsed: Nanos::now().duration_since(start),
            latency: Duration::ZERO,
        };
        if view.tick(&tick, 0).is_err() {
            gate.stop(StopReason::OutputClosed);
        }
        if ended {
            return warnings;
        }
        if leave.load(Ordering::Relaxed) {
            return vec![Warning::CleanupIncomplete { names: vec![path] }];
        }
    }
}
