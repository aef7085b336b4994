//! The timed loop. It parses, allocates, formats and locks nothing, and makes no system call but the operations' own.

use super::control::Flow;
use super::fs::Filesystem;
use super::replayer::Replayer;
use crate::measure::clock::Nanos;
use crate::program::{Code, Op, flag};

impl<F: Filesystem> Replayer<'_, F> {
    /// Replays until the pass, the time or the run ends.
    ///
    /// One reading of the clock an operation: the end of one is the start of the next.
    pub(super) fn replay<const PACED: bool>(&mut self, release: Nanos) {
        let program = self.program;
        let ops: &[Op] = &program.ops;
        let mut last = release;
        let mut next = 0;
        loop {
            let op = &ops[next];
            next += 1;
            if !op.code.is_operation() {
                match self.control(op, next, last) {
                    Flow::Go { to, at } => (next, last) = (to, at),
                    Flow::End => return,
                }
                continue;
            }
            if PACED {
                match self.wait_until_due(next - 1, last) {
                    Some(start) => last = start,
                    None => return,
                }
            }
            let dynamic;
            let op = if op.flags & flag::DYNAMIC == 0 {
                op
            } else {
                dynamic = self.numbers(op);
                &dynamic
            };
            let outcome = self.execute(op);
            let now = Nanos::now();
            let mut resumed = now;
            if now >= self.next_event || self.gate.is_stopped() {
                match self.goes_on(now) {
                    Some(at) => resumed = at,
                    None => return,
                }
            }
            self.account(op, outcome, last, now);
            last = resumed;
        }
    }

    /// An operation whose numbers are worked out afresh.
    #[inline]
    pub(super) fn numbers(&mut self, op: &Op) -> Op {
        match op.code {
            Code::Lock | Code::Unlock | Code::LockPath | Code::UnlockPath | Code::TestLockPath => {
                self.values.range(self.program, op, self.names.turns())
            }
            _ => self.values.transfer(self.program, op, self.names.turns()),
        }
    }
}
