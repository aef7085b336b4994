//! Several runs at the same time, in one process: prepared first, then started together.

use super::{Plan, RunError, View, execute_gated};
use crate::measure::Tick;
use crate::measure::clock::Nanos;
use crate::replay::gate::{Gate, StopReason};
use crate::result::RunResult;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often whoever waits for others looks whether its own run was stopped.
const LOOK: Duration = Duration::from_millis(20);

/// One of the runs.
#[derive(Debug, Clone)]
pub struct Member<'m> {
    pub name: &'m str,
    pub plan: &'m Plan,
    /// From the start of all.
    pub start: Duration,
    /// Its plan loops without a limit: it ends when the clients of all that do not have ended.
    pub loops: bool,
}

/// Executes plans in different directories at the same time, each as [`execute`](super::execute) does.
///
/// Clients of no member start before those of all are prepared, and nothing is removed before those of all have ended:
/// neither preparing nor cleaning up loads what is measured. A member that fails, or is stopped by a signal, stops all.
///
/// # Errors
/// Those of each, in its place.
pub fn execute_together(members: &[Member<'_>]) -> Vec<Result<RunResult, RunError>> {
    let meeting = Meeting::new(members);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..members.len())
            .map(|index| {
                let meeting = &meeting;
                let thread = std::thread::Builder::new().name(format!("group{index}"));
                let thread = thread.spawn_scoped(scope, move || meeting.take_part(index));
                if thread.is_err() {
                    meeting.give_up(index, "no thread can be started for it");
                }
                thread
            })
            .collect();
        let ends = threads.into_iter().map(|thread| {
            let thread = thread.map_err(RunError::Group)?;
            let panicked = |_| Err(RunError::Group(io::Error::other("it has panicked")));
            thread.join().unwrap_or_else(panicked)
        });
        ends.collect()
    })
}

/// What the members' threads share.
struct Meeting<'m> {
    members: &'m [Member<'m>],
    gates: Vec<Arc<Gate>>,
    state: Mutex<State>,
    changed: Condvar,
}

/// How far the members are.
#[derive(Debug)]
struct State {
    prepared: usize,
    /// When those without an offset start; set when all are prepared.
    start: Option<Nanos>,
    /// Whose clients have ended, or will never start.
    ended: Vec<bool>,
}

/// What one member sees of it.
struct Seat<'s, 'm> {
    meeting: &'s Meeting<'m>,
    index: usize,
}

impl<'m> Meeting<'m> {
    fn new(members: &'m [Member<'m>]) -> Meeting<'m> {
        let gate = |member: &Member<'_>| Arc::new(Gate::new(member.plan.clients));
        Meeting {
            members,
            gates: members.iter().map(gate).collect(),
            state: Mutex::new(State {
                prepared: 0,
                start: None,
                ended: vec![false; members.len()],
            }),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, but no longer than until `until`, or for long.
    fn wait<'g>(&self, state: MutexGuard<'g, State>, until: Nanos) -> MutexGuard<'g, State> {
        let patience = Duration::from_nanos(until.since(Nanos::now())).min(LOOK);
        let waited = self.changed.wait_timeout(state, patience);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// A member's thread.
    fn take_part(&self, index: usize) -> Result<RunResult, RunError> {
        let mut seat = Seat { meeting: self, index };
        let result = execute_gated(self.members[index].plan, &mut seat, &self.gates[index]);
        if let Err(error) = &result {
            self.give_up(index, &error.to_string());
        }
        result
    }

    /// Member `index` could not start: all others end.
    fn give_up(&self, index: usize, why: &str) {
        let reason = match self.gates[index].reason() {
            Some(StopReason::Signal(signal)) => StopReason::Signal(signal),
            _ => self.failed(index, why),
        };
        self.stop_others(index, &reason);
        self.has_ended(index);
    }

    fn failed(&self, index: usize, why: &str) -> StopReason {
        let name = self.members[index].name;
        StopReason::Failed(format!("stopped, because group {name} has failed: {why}"))
    }

    fn stop_others(&self, index: usize, reason: &StopReason) {
        let others = self.gates.iter().enumerate().filter(|&(other, _)| other != index);
        others.for_each(|(_, gate)| gate.stop(reason.clone()));
        self.changed.notify_all();
    }

    /// The clients of member `index` are prepared: waits until all are, and for its own start, or until it is stopped.
    fn meet(&self, index: usize) {
        let mut state = self.state();
        state.prepared += 1;
        if state.prepared == self.members.len() {
            state.start = Some(Nanos::now());
            self.changed.notify_all();
        }
        while !self.gates[index].is_stopped() {
            let due = state.start.map(|start| start.after(self.members[index].start));
            if due.is_some_and(|due| Nanos::now() >= due) {
                return;
            }
            state = self.wait(state, due.unwrap_or(Nanos::NEVER));
        }
    }

    /// The clients of member `index` have ended: when no other is left that ends by itself, those that loop end too.
    fn has_ended(&self, index: usize) {
        let mut state = self.state();
        state.ended[index] = true;
        let mut members = self.members.iter().zip(&state.ended);
        if members.all(|(member, &ended)| ended || member.loops) {
            let looping = self.members.iter().zip(&self.gates);
            let looping = looping.filter(|(member, _)| member.loops);
            looping.for_each(|(_, gate)| gate.stop(StopReason::Enough));
        }
        self.changed.notify_all();
    }
}

impl View for Seat<'_, '_> {
    fn started(&mut self, _: u32, _: Option<u64>) {
        self.meeting.meet(self.index);
    }

    fn tick(&mut self, _: &Tick, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn ended(&mut self) {
        let Seat { meeting, index } = *self;
        match meeting.gates[index].reason() {
            None | Some(StopReason::Enough) => {}
            Some(StopReason::Failed(why)) => meeting.stop_others(index, &meeting.failed(index, &why)),
            Some(reason) => meeting.stop_others(index, &reason),
        }
        meeting.has_ended(index);
    }

    fn before_cleanup(&mut self) {
        let mut state = self.meeting.state();
        while !state.ended.iter().all(|&ended| ended) {
            state = self.meeting.wait(state, Nanos::NEVER);
        }
    }
}

impl Drop for Seat<'_, '_> {
    fn drop(&mut self) {
        // The others would wait for it (where a panic does not abort).
        if std::thread::panicking() {
            self.meeting
                .give_up(self.index, "it has panicked: this is a bug in rbench");
        }
    }
}
