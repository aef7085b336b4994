//! Between operations: loops, pauses, sequence points, passes. Nothing of it is timed or counted.

use super::fs::Filesystem;
use super::replayer::Replayer;
use super::sleep;
use crate::measure::PassEnd;
use crate::measure::clock::Nanos;
use crate::op::{ExprId, Number};
use crate::program::{Code, NOT_DUE, Op, Place, Root, flag};
use crate::replay::gate::{PointWait, StopReason};
use std::time::Duration;

/// Where the timed loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Go { to: usize, at: Nanos },
    End,
}

impl<F: Filesystem> Replayer<'_, F> {
    /// Waits until operation number `index` is due; None when the run ends first.
    #[cold]
    pub(super) fn wait_until_due(&mut self, index: usize, last: Nanos) -> Option<Nanos> {
        let due = self.program.due.get(index).copied();
        let Some(due) = self.pace.due(due.unwrap_or(NOT_DUE)) else {
            return Some(last);
        };
        let start = if due > last { self.sleep_until(due)? } else { last };
        if let Some(lag) = &mut self.lag {
            lag.record(0, start.since(due), start, 0, 0);
        }
        Some(start)
    }

    /// Sleeps; None when the run ends first.
    fn sleep_until(&mut self, time: Nanos) -> Option<Nanos> {
        self.live.mark(None);
        loop {
            let now = self.goes_on_if_due(Nanos::now())?;
            if now >= time {
                self.live.mark(Some(now));
                return Some(now);
            }
            sleep::until(time.min(self.phase_end()));
        }
    }

    /// Executes what is no operation; nothing of it counts.
    pub(super) fn control(&mut self, op: &Op, next: usize, last: Nanos) -> Flow {
        let go = Flow::Go { to: next, at: last };
        match op.code {
            Code::LoopStart => {
                self.counters[op.a as usize] = op.offset;
                self.names.first_turn(op.b as usize);
                go
            }
            Code::LoopEnd => {
                self.names.next_turn(op.offset as usize);
                let left = &mut self.counters[op.a as usize];
                *left = left.saturating_sub(1);
                match *left {
                    0 => go,
                    _ => Flow::Go {
                        to: op.b as usize,
                        at: last,
                    },
                }
            }
            Code::EndOfPass => self.end_pass(),
            // It stands in the preparation only.
            Code::Once => go,
            _ => {
                let at = self.plain_control(op, last);
                at.map_or(Flow::End, |at| Flow::Go { to: next, at })
            }
        }
    }

    /// What neither loops nor ends the pass; answers the time it is then, or None when the run ends.
    fn plain_control(&mut self, op: &Op, last: Nanos) -> Option<Nanos> {
        match op.code {
            Code::Sleep => {
                let micros = match op.flags & flag::DYNAMIC {
                    0 => Number::Fixed(op.offset),
                    _ => Number::Expression(ExprId(op.b)),
                };
                let micros = self
                    .values
                    .pause(&self.program.expressions, micros, self.names.turns());
                let until = Nanos::now().after(Duration::from_micros(micros));
                self.sleep_until(until)
            }
            Code::SetPoint => {
                self.gate.set_point(self.client, op.offset as u32);
                Some(last)
            }
            Code::WaitPoint => self.wait_point(op),
            Code::RandomString => {
                let template = &self.program.templates[op.b as usize];
                self.names.set_string(op.a, template, &mut self.values.random);
                Some(last)
            }
            Code::Pattern => {
                self.cursor.take_pattern(op.a as usize);
                Some(last)
            }
            _ => Some(last),
        }
    }

    fn wait_point(&mut self, op: &Op) -> Option<Nanos> {
        self.live.mark(None);
        loop {
            let waited = self.gate.wait_point(op.a, op.offset as u32, self.phase_end());
            let now = self.goes_on_if_due(Nanos::now())?;
            if waited == PointWait::Never {
                let name = self.program.name();
                let what = format!(
                    "{name}:{}: client {} waits for point {} of client {}, which has ended at another: \
                     check the SETSP lines",
                    op.line, self.client, op.offset, op.a
                );
                self.gate.stop(StopReason::Failed(what));
                return None;
            }
            if waited == PointWait::Reached {
                self.live.mark(Some(now));
                return Some(now);
            }
        }
    }

    /// The pass is over: handles that it left open are closed, and with a time limit the next one starts.
    #[cold]
    fn end_pass(&mut self) -> Flow {
        let end = Nanos::now();
        if self.goes_on_if_due(end).is_none() {
            return Flow::End;
        }
        self.close_all();
        self.passes += 1;
        if self.settings.record_passes {
            self.pass_ends.push(PassEnd {
                client: self.client,
                took: end.duration_since(self.pass_start),
                at: end.duration_since(self.release),
            });
        }
        if !self.settings.loops {
            // Not before the end of a last SLEEP or WAITSP.
            self.measured_to = end;
            return Flow::End;
        }
        self.live.mark(None);
        if self.program.empties_between_passes {
            self.empty_root();
        }
        self.prepare_pass();
        let start = Nanos::now();
        self.unmeasured += start.since(end);
        self.pace.skip(start.since(end));
        self.pace.start_pass(start);
        self.pass_start = start;
        self.live.mark(Some(start));
        Flow::Go { to: 0, at: start }
    }

    /// Executes the PREPARE section: not timed, not counted, but its outcomes are checked.
    pub(super) fn prepare_pass(&mut self) {
        let program = self.program;
        let mut next = 0;
        while let Some(op) = program.prepare.get(next) {
            next += 1;
            match op.code {
                Code::EndOfPass => break,
                Code::Once if self.prepared_once => next = op.b as usize,
                Code::Once => {}
                code if code.is_operation() => {
                    let dynamic;
                    let op = if op.flags & flag::DYNAMIC == 0 {
                        op
                    } else {
                        dynamic = self.numbers(op);
                        &dynamic
                    };
                    let outcome = self.execute(op);
                    if !self.is_over() {
                        self.judge(op, outcome, self.release);
                    }
                }
                _ => match self.control(op, next, self.release) {
                    Flow::Go { to, .. } => next = to,
                    Flow::End => break,
                },
            }
            if self.is_over() {
                break;
            }
        }
        self.close_all();
        self.prepared_once = true;
    }

    /// nb2 and smb1 have no Deltree: between passes the client's root is emptied.
    fn empty_root(&mut self) {
        let root = Place {
            root: Root::Client,
            path: c".",
            parent: c".",
            last: c".",
        };
        if let Err(errno) = self.fs.remove_tree(root, true, self.entries) {
            let what = format!("client{}: cannot be emptied between passes: {errno}", self.client);
            self.gate.stop(StopReason::Failed(what));
        }
    }
}
