//! What an operation has come to: recorded, and held against the trace.

use super::execute::{Failure, Outcome};
use super::fs::Filesystem;
use super::names::Which::First;
use super::outcome::{Differed, EXAMPLES, Expected, Got, stops_the_run};
use super::replayer::Replayer;
use super::settings::OnMismatch;
use crate::measure::clock::Nanos;
use crate::op::Status;
use crate::program::{Code, Op, Place, ProgramPath, Root, flag};
use crate::replay::gate::StopReason;

impl<F: Filesystem> Replayer<'_, F> {
    /// Records what an operation has done.
    #[inline(always)]
    pub(super) fn account(&mut self, op: &Op, outcome: Outcome, last: Nanos, now: Nanos) {
        let latency = now.since(last);
        let bytes = outcome.unwrap_or_default();
        self.operations += 1;
        self.bytes += bytes;
        self.measured_to = now;
        self.live.store(self.operations, self.bytes, now, latency);
        if outcome != Err(Failure::Skipped) {
            self.recorder.record(op.kind, latency, now, op.line, bytes);
        }
        let as_expected = outcome.is_ok()
            && op.expect == Status::Ok
            && (op.flags & flag::CHECK_BYTES == 0 || bytes == u64::from(op.returned));
        if as_expected {
            self.outcomes.checked += u64::from(op.flags & flag::CHECKED);
        } else {
            self.judge(op, outcome, now);
        }
        if self.lag.is_some() {
            self.pace.moved(bytes);
        }
    }

    /// An outcome that is not simply the success that the trace says.
    pub(super) fn judge(&mut self, op: &Op, outcome: Outcome, now: Nanos) {
        let checked = op.flags & flag::CHECKED != 0 && op.expect != Status::Any;
        let got = match outcome {
            Err(Failure::Skipped) => {
                self.outcomes.skipped += 1;
                return;
            }
            Ok(bytes) if op.flags & flag::CHECK_BYTES != 0 => Got::Bytes(bytes),
            Ok(_) => Got::Success,
            Err(Failure::Errno(errno)) => Got::Errno(errno),
        };
        self.outcomes.checked += u64::from(checked);
        let fatal = match got {
            Got::Errno(errno) => op.expect == Status::Ok && stops_the_run(errno),
            _ => false,
        };
        let differs = match (op.expect, got) {
            (Status::Any, _) => false,
            (Status::Ok, Got::Errno(_)) | (Status::Fail, Got::Success | Got::Bytes(_)) => true,
            (Status::Ok, Got::Bytes(bytes)) => bytes != u64::from(op.returned),
            (Status::Ok, Got::Success) | (Status::Fail, Got::Errno(_)) => false,
        };
        if fatal || (differs && checked) {
            self.differs(op, got, now, fatal);
        }
    }

    #[cold]
    fn differs(&mut self, op: &Op, got: Got, now: Nanos, fatal: bool) {
        if self.gate.is_stopped() {
            return;
        }
        let expected = match op.expect {
            Status::Fail => Expected::Failure,
            _ if op.flags & flag::CHECK_BYTES != 0 => Expected::Bytes(op.returned),
            _ => Expected::Success,
        };
        self.outcomes.differed += 1;
        self.recorder.differed(op.kind);
        let stop = fatal || self.settings.on_mismatch == OnMismatch::Stop;
        if !stop && self.differed.len() >= EXAMPLES {
            // What is only counted must not cost the run a path put together for nobody.
            return;
        }
        let one = Differed {
            at: now,
            line: op.line,
            kind: self.program.kinds[op.kind as usize],
            path: self.path_shown(op),
            expected,
            got,
        };
        if stop {
            self.gate
                .stop(StopReason::Failed(one.sentence(self.program.name())));
        }
        if self.differed.len() < EXAMPLES {
            self.differed.push(one);
        }
    }

    /// The path that an operation acts on, below `DIR/clients`.
    fn path_shown(&self, op: &Op) -> String {
        let below = |place: Place<'_>| {
            let path = place.path.to_string_lossy();
            match place.root {
                Root::Client => format!("client{}/{path}", self.client),
                Root::Shared => format!("shared/{path}"),
                Root::Clients => ".".to_owned(),
            }
        };
        match op.code {
            Code::QueryFs => ".".to_owned(),
            Code::Close
            | Code::Flush
            | Code::QueryFile
            | Code::SetFile
            | Code::Read
            | Code::Write
            | Code::Lock
            | Code::Unlock => {
                let slot = &self.slots[op.a as usize];
                match slot.own_place() {
                    Some(place) => below(place),
                    None if (slot.path() as usize) < self.program.paths.len() => {
                        below(self.names.place(self.program, slot.path(), First))
                    }
                    None => ".".to_owned(),
                }
            }
            _ => {
                let place = self.names.place(self.program, op.a, First);
                match &self.program.paths[op.a as usize] {
                    // It could not be put together.
                    ProgramPath::Random(text) if place.is_root() => {
                        String::from_utf8_lossy(text).into_owned()
                    }
                    _ => below(place),
                }
            }
        }
    }
}
