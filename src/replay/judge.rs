//! What an operation has come to: recorded, and held against the trace.

use super::execute::{Failure, Outcome};
use super::fs::Filesystem;
use super::names::Names;
use super::names::Which::First;
use super::outcome::{Differed, EXAMPLES, Expected, Got, SlowRecord, stops_the_run};
use super::replayer::Replayer;
use super::settings::OnMismatch;
use super::slots::Slot;
use crate::measure::clock::Nanos;
use crate::measure::slowest::{SlowEntry, SlowTarget, SlowestTen, Target};
use crate::op::Status;
use crate::program::{Code, Op, PathPiece, Program, ProgramPath, Root, flag};
use crate::replay::gate::StopReason;
use std::time::Duration;

impl<F: Filesystem> Replayer<'_, F> {
    /// Records what an operation has done.
    #[inline(always)]
    pub(super) fn account(&mut self, op: &Op, outcome: Outcome, last: Nanos, now: Nanos) {
        let bytes = outcome.unwrap_or_default();
        self.measured_to = now;
        if outcome == Err(Failure::Skipped) {
            self.meter.skip(last, now);
        } else if self.meter.record(op.kind, op.line, bytes, last, now) {
            self.note(op, last, now);
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
        self.meter.differed(op.kind);
        let stop = fatal || self.settings.on_mismatch == OnMismatch::Stop;
        if !stop && self.differed.len() >= EXAMPLES {
            // What is only counted must not cost the run a path put together for nobody.
            return;
        }
        let one = Differed {
            at: now,
            line: op.line,
            kind: self.program.kinds[op.kind as usize],
            path: self.shown(target(&self.slots, &self.names, self.program, op)),
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

    /// One of the slowest operations so far: keeps it, with what it acted on.
    #[cold]
    fn note(&mut self, op: &Op, last: Nanos, now: Nanos) {
        let target = target(&self.slots, &self.names, self.program, op);
        self.meter.note(op.kind, op.line, last, now, target);
    }

    /// What an operation acts on as people read it: a path below `DIR/clients`.
    fn shown(&self, target: Target<'_>) -> String {
        match target {
            Target::Top => ".".to_owned(),
            Target::Program(path) => self.program_path_shown(path),
            Target::Place(place) => self.below(place.root, &place.path.to_string_lossy()),
        }
    }

    fn program_path_shown(&self, path: u32) -> String {
        match self.program.paths.get(path as usize) {
            // It could not be put together.
            Some(ProgramPath::Assembled(pieces)) => PathPiece::spelled(pieces),
            Some(_) => {
                let place = self.names.place(self.program, path, First);
                self.below(place.root, &place.path.to_string_lossy())
            }
            None => ".".to_owned(),
        }
    }

    fn below(&self, root: Root, path: &str) -> String {
        root.shown(self.client, path)
    }

    /// The slowest operations, for the result.
    pub(super) fn slow_records(&self, slowest: &SlowestTen) -> Vec<SlowRecord> {
        let record = |entry: SlowEntry<'_>| SlowRecord {
            latency: Duration::from_nanos(entry.latency),
            at: entry.at,
            line: entry.line,
            kind: self.program.kinds[entry.kind as usize],
            path: match entry.target {
                SlowTarget::Top => ".".to_owned(),
                SlowTarget::Program(path) => self.program_path_shown(path),
                SlowTarget::Text { root, path, cut } => {
                    let path = String::from_utf8_lossy(path);
                    let more = if cut { "…" } else { "" };
                    self.below(root, &format!("{path}{more}"))
                }
            },
        };
        slowest.entries().map(record).collect()
    }
}

/// What an operation that has just been executed acted on.
fn target<'a, File>(slots: &'a [Slot<File>], names: &'a Names, program: &'a Program, op: &Op) -> Target<'a> {
    match op.code {
        Code::QueryFs => Target::Top,
        Code::Close
        | Code::Flush
        | Code::QueryFile
        | Code::SetFile
        | Code::Read
        | Code::Write
        | Code::Lock
        | Code::Unlock => {
            let slot = &slots[op.a as usize];
            match slot.own_place() {
                Some(place) => Target::Place(place),
                None if (slot.path() as usize) < program.paths.len() => Target::Program(slot.path()),
                None => Target::Top,
            }
        }
        _ => match program.paths.get(op.a as usize) {
            Some(ProgramPath::Assembled(_)) => {
                let place = names.place(program, op.a, First);
                match place.is_root() {
                    // It could not be put together.
                    true => Target::Program(op.a),
                    false => Target::Place(place),
                }
            }
            Some(_) => Target::Program(op.a),
            None => Target::Top,
        },
    }
}
