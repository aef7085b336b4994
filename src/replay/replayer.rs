//! One client: its files, its place in the program, its record. The timed loop itself is in `client`.

use super::data::{WriteData, ZEROS};
use super::execute::{Failure, Outcome, empty_slots};
use super::fs::Filesystem;
use super::names::Names;
use super::open_files::{NFS_CACHE, OpenFiles};
use super::outcome::{Differed, Expected, Got, OutcomeCounts, stops_the_run};
use super::pace::Pace;
use super::settings::{OnMismatch, Settings};
use super::slots::Slot;
use super::values::Values;
use crate::loadfile::Dialect;
use crate::measure::clock::Nanos;
use crate::measure::recorder::Block;
use crate::measure::{LiveCell, Recorder};
use crate::op::{ExprId, Number, Status};
use crate::program::place::PathError;
use crate::program::{Code, Op, Place, Program, Root, flag};
use crate::result::PassEnd;
use crate::run::gate::{Gate, PointWait, StopReason};
use nix::errno::Errno;
use std::time::Duration;

/// Size of the buffer for directory entries, 8 bytes each: as much as the C library's readdir asks for.
pub const ENTRIES_WORDS: usize = 4096;

/// Memory of one client that the timed loop uses, cut out of allocations for all clients: those are large enough to
/// come as untouched pages, so that a client costs what it uses.
pub struct Scratch<'r> {
    /// For directory entries: [`ENTRIES_WORDS`].
    pub entries: &'r mut [u64],
    /// For the record: [`blocks`](crate::measure::recorder::blocks) of the program's kinds.
    pub blocks: &'r mut [Block],
    /// For the lags: [`blocks`](crate::measure::recorder::blocks) of one.
    pub lag_blocks: &'r mut [Block],
}

/// What a client is given.
pub struct Assignment<'r> {
    pub client: u32,
    pub clients: u32,
    pub program: &'r Program,
    pub settings: &'r Settings,
    pub data: &'r WriteData,
    pub gate: &'r Gate,
    pub live: &'r LiveCell,
}

/// What a client brings back.
#[derive(Debug)]
pub struct ClientRecord<'r> {
    pub recorder: Recorder<'r>,
    pub lag: Option<Recorder<'r>>,
    /// Start and end of what was measured.
    pub from: Nanos,
    pub to: Nanos,
    /// Of that, time that is not measured, nanoseconds.
    pub unmeasured: u64,
    pub passes: u64,
    pub outcomes: OutcomeCounts,
    pub differed: Vec<Differed>,
    pub pass_ends: Vec<PassEnd>,
}

/// Where the timed loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Go { to: usize, at: Nanos },
    End,
}

/// A client in the course of its replay.
pub struct Replayer<'r, F: Filesystem> {
    pub(super) fs: F,
    pub(super) program: &'r Program,
    pub(super) settings: &'r Settings,
    pub(super) gate: &'r Gate,
    pub(super) data: &'r WriteData,
    pub(super) names: Names,
    pub(super) slots: Box<[Slot<F::File>]>,
    pub(super) open_files: OpenFiles<F::File>,
    pub(super) buffer: Box<[u8]>,
    pub(super) entries: &'r mut [u64],
    pub(super) link_target: Vec<u8>,
    pub(super) pattern: usize,
    pub(super) values: Values,
    /// When the loop has to look up: the end of the warm-up, then the deadline.
    pub(super) next_event: Nanos,
    client: u32,
    live: &'r LiveCell,
    counters: Box<[u64]>,
    pace: Pace,
    recorder: Recorder<'r>,
    lag: Option<Recorder<'r>>,
    outcomes: OutcomeCounts,
    differed: Vec<Differed>,
    pass_ends: Vec<PassEnd>,
    operations: u64,
    bytes: u64,
    passes: u64,
    pass_start: Nanos,
    release: Nanos,
    measured_from: Nanos,
    measured_to: Nanos,
    unmeasured: u64,
    deadline: Nanos,
}

impl<'r, F: Filesystem> Replayer<'r, F> {
    /// A client before its first operation; takes all the memory that the timed loop uses.
    ///
    /// # Errors
    /// A path that the client's number makes too long.
    pub fn new(fs: F, assignment: &Assignment<'r>, scratch: Scratch<'r>) -> Result<Self, PathError> {
        let &Assignment {
            client,
            clients,
            program,
            settings,
            data,
            gate,
            live,
        } = assignment;
        let capacity = match program.dialect {
            Dialect::Nfs => NFS_CACHE,
            _ => usize::MAX,
        };
        let paced = settings.pacing != super::pace::Pacing::None;
        Ok(Replayer {
            fs,
            program,
            settings,
            gate,
            data,
            names: Names::new(program, client)?,
            slots: empty_slots(program.slots),
            open_files: OpenFiles::new(capacity),
            buffer: vec![0; program.max_read as usize].into_boxed_slice(),
            entries: scratch.entries,
            link_target: Vec::new(),
            pattern: ZEROS,
            values: Values::new(settings.seed, client, clients),
            next_event: Nanos::NEVER,
            client,
            live,
            counters: vec![0; program.loop_counters as usize].into_boxed_slice(),
            pace: Pace::new(settings.pacing, Nanos(0)),
            recorder: Recorder::new(program.kinds.len(), scratch.blocks),
            lag: paced.then(|| Recorder::new(1, scratch.lag_blocks)),
            outcomes: OutcomeCounts::default(),
            differed: Vec::new(),
            pass_ends: Vec::with_capacity(if settings.record_passes { 1024 } else { 0 }),
            operations: 0,
            bytes: 0,
            passes: 0,
            pass_start: Nanos(0),
            release: Nanos(0),
            measured_from: Nanos(0),
            measured_to: Nanos(0),
            unmeasured: 0,
            deadline: Nanos::NEVER,
        })
    }

    /// Prepares, waits for the release of all clients, replays, and brings back the record.
    pub fn run(mut self) -> ClientRecord<'r> {
        self.prepare_pass();
        self.gate.arrive();
        let release = self.gate.wait_for_release();
        self.start(release);
        if !self.gate.is_stopped() {
            if self.settings.pacing == super::pace::Pacing::None {
                self.replay::<false>(release);
            } else {
                self.replay::<true>(release);
            }
        }
        self.live.mark(None);
        self.gate.end_points(self.client);
        self.close_all();
        ClientRecord {
            recorder: self.recorder,
            lag: self.lag,
            from: self.measured_from,
            to: self.measured_to,
            unmeasured: self.unmeasured,
            passes: self.passes,
            outcomes: self.outcomes,
            differed: self.differed,
            pass_ends: self.pass_ends,
        }
    }

    fn start(&mut self, release: Nanos) {
        let warmup = self.settings.warmup;
        self.release = release;
        self.measured_from = release.after(warmup);
        self.measured_to = self.measured_from;
        self.pass_start = release;
        if let Some(limit) = self.settings.time_limit {
            self.deadline = self.measured_from.after(limit);
        }
        self.next_event = match warmup {
            Duration::ZERO => self.deadline,
            _ => self.measured_from,
        };
        self.pace = Pace::new(self.settings.pacing, release);
        self.live.mark(Some(release));
    }

    /// Something is due at `now`: the end of the warm-up, the deadline, or the end of the run.
    #[cold]
    pub(super) fn goes_on(&mut self, now: Nanos) -> bool {
        if self.gate.is_stopped() {
            return false;
        }
        if now >= self.measured_from
            && self.next_event == self.measured_from
            && self.next_event != self.deadline
        {
            self.recorder.reset();
            if let Some(lag) = &mut self.lag {
                lag.reset();
            }
            self.passes = 0;
            self.unmeasured = 0;
            self.next_event = self.deadline;
        }
        if now >= self.deadline {
            self.measured_to = self.deadline;
            return false;
        }
        true
    }

    /// Records what an operation has done.
    #[inline(always)]
    pub(super) fn account(&mut self, op: &Op, outcome: Outcome, last: Nanos, now: Nanos) {
        let latency = now.since(last);
        let bytes = match outcome {
            Ok(bytes) => bytes,
            Err(_) => 0,
        };
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
    fn judge(&mut self, op: &Op, outcome: Outcome, now: Nanos) {
        let checked = op.flags & flag::CHECKED != 0;
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
            _ if op.flags & flag::CHECK_BYTES != 0 => Expected::Bytes(op.returned),
            Status::Ok => Expected::Success,
            _ => Expected::Failure,
        };
        self.outcomes.differed += 1;
        if op.code.is_operation() {
            self.recorder.differed(op.kind);
        }
        let one = Differed {
            at: now,
            line: op.line,
            kind: self.program.kinds[op.kind as usize],
            path: self.path_shown(op),
            expected,
            got,
        };
        let stop = fatal || self.settings.on_mismatch == OnMismatch::Stop;
        if stop {
            self.gate
                .stop(StopReason::Failed(one.sentence(self.program.name(), self.client)));
        }
        if self.differed.len() < crate::replay::outcome::EXAMPLES {
            self.differed.push(one);
        }
    }

    /// The path that an operation acts on, below `DIR/clients`.
    fn path_shown(&self, op: &Op) -> String {
        use super::names::Which::First;
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
            _ => below(self.names.place(self.program, op.a, First)),
        }
    }

    /// Waits until operation number `index` is due; None when the run ends first.
    #[cold]
    pub(super) fn wait_until_due(&mut self, index: usize, last: Nanos) -> Option<Nanos> {
        let due = self.program.due.get(index).copied();
        let Some(due) = self.pace.due(due.unwrap_or(crate::program::NOT_DUE)) else {
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
            let now = Nanos::now();
            if (now >= self.next_event || self.gate.is_stopped()) && !self.goes_on(now) {
                return None;
            }
            if now >= time {
                self.live.mark(Some(now));
                return Some(now);
            }
            super::sleep::until(time.min(self.next_event));
        }
    }

    /// Executes what is no operation; nothing of it counts.
    pub(super) fn control(&mut self, op: &Op, next: usize, last: Nanos) -> Flow {
        let go = Flow::Go { to: next, at: last };
        match op.code {
            Code::LoopStart => {
                self.counters[op.a as usize] = op.offset;
                go
            }
            Code::LoopEnd => {
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
            _ => {
                let PlainControl::Done(at) = self.plain_control(op, last) else {
                    return Flow::End;
                };
                Flow::Go { to: next, at }
            }
        }
    }

    fn plain_control(&mut self, op: &Op, last: Nanos) -> PlainControl {
        match op.code {
            Code::Sleep => {
                let micros = match op.flags & flag::DYNAMIC {
                    0 => Number::Fixed(op.offset),
                    _ => Number::Expression(ExprId(op.b)),
                };
                let micros = self.values.pause(&self.program.expressions, micros);
                let until = Nanos::now().after(Duration::from_micros(micros));
                self.sleep_until(until)
                    .map_or(PlainControl::End, PlainControl::Done)
            }
            Code::SetPoint => {
                self.gate.set_point(self.client, op.offset as u32);
                PlainControl::Done(last)
            }
            Code::WaitPoint => self.wait_point(op),
            Code::RandomString => {
                let template = &self.program.templates[op.b as usize];
                self.names.set_string(op.a, template, &mut self.values.random);
                PlainControl::Done(last)
            }
            Code::Pattern => {
                self.pattern = op.a as usize + 1;
                PlainControl::Done(last)
            }
            _ => PlainControl::Done(last),
        }
    }

    fn wait_point(&mut self, op: &Op) -> PlainControl {
        self.live.mark(None);
        loop {
            let waited = self.gate.wait_point(op.a, op.offset as u32, self.next_event);
            let now = Nanos::now();
            if (now >= self.next_event || self.gate.is_stopped()) && !self.goes_on(now) {
                return PlainControl::End;
            }
            if waited == PointWait::Never {
                let name = self.program.name();
                let what = format!(
                    "{name}:{}: client {} waits for point {} of client {}, which has ended at another: \
                     check the SETSP lines",
                    op.line, self.client, op.offset, op.a
                );
                self.gate.stop(StopReason::Failed(what));
                return PlainControl::End;
            }
            if waited == PointWait::Reached {
                self.live.mark(Some(now));
                return PlainControl::Done(now);
            }
        }
    }

    /// The pass is over: handles that it left open are closed, and with a time limit the next one starts.
    #[cold]
    fn end_pass(&mut self) -> Flow {
        let end = Nanos::now();
        if (end >= self.next_event || self.gate.is_stopped()) && !self.goes_on(end) {
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
    fn prepare_pass(&mut self) {
        let program = self.program;
        let mut next = 0;
        while let Some(op) = program.prepare.get(next) {
            next += 1;
            match op.code {
                Code::EndOfPass => break,
                code if code.is_operation() => {
                    let dynamic;
                    let op = if op.flags & flag::DYNAMIC == 0 {
                        op
                    } else {
                        dynamic = match op.code {
                            Code::Lock | Code::Unlock => self.values.range(program, op),
                            _ => self.values.transfer(program, op),
                        };
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
    }

    /// Whether the run has ended while nothing is measured.
    fn is_over(&self) -> bool {
        self.gate.is_stopped() || self.deadline != Nanos::NEVER && Nanos::now() >= self.deadline
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

    fn close_all(&mut self) {
        for slot in 0..self.slots.len() as u32 {
            self.close_slot(slot);
        }
        while let Some(file) = self.open_files.take_any() {
            let _: Result<(), Errno> = self.fs.close(file);
        }
    }
}

/// How control that neither loops nor ends the pass went.
enum PlainControl {
    Done(Nanos),
    End,
}
