//! One client: its files, its place in the program, its record. The timed loop itself is in `client`.

use super::aligned::Aligned;
use super::data::{Cursor, WriteData};
use super::fs::Filesystem;
use super::names::Names;
use super::open_files::{NFS_CACHE, OpenFiles};
use super::outcome::{Differed, OutcomeCounts, SlowRecord};
use super::pace::Pace;
use super::settings::Settings;
use super::slots::{Slot, empty_slots};
use super::values::Values;
use crate::loadfile::Dialect;
use crate::measure::clock::Nanos;
use crate::measure::recorder::Block;
use crate::measure::seconds::{Seconds, end_of_second, second_of};
use crate::measure::{LiveCell, Meter, MeterMemory, PassEnd, Recorder};
use crate::program::place::{PATH_CAPACITY, PathError};
use crate::program::{Program, ProgramPath};
use crate::replay::gate::Gate;
use nix::errno::Errno;
use std::time::Duration;

/// Size of the buffer for directory entries, 8 bytes each: as much as the C library's readdir asks for.
pub const ENTRIES_WORDS: usize = 4096;
/// The longest link that can be: up from the deepest place and down to another.
const LINK_CAPACITY: usize = 3 * PATH_CAPACITY;
/// How long a client keeps the processor where clients take turns. A kernel with a tick of 4 ms leaves each client on
/// for that long, so that a round of 1000 clients on two processors takes 2 s, and more on a busy machine.
const TURN: Duration = Duration::from_millis(1);

/// Memory of one client that the timed loop uses, cut out of allocations for all clients: those are large enough to
/// come as untouched pages, so that a client costs what it uses.
pub struct Scratch<'r> {
    /// For directory entries: [`ENTRIES_WORDS`].
    pub entries: &'r mut [u64],
    /// For what is recorded.
    pub meter: MeterMemory<'r>,
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
    /// The measured window of all clients.
    pub seconds: &'r Seconds,
    /// Give the processor up after a millisecond: where many clients share one, a scheduler's turns are too long for
    /// each to come to its own within a run.
    pub takes_turns: bool,
}

/// What a client brings back.
#[derive(Debug)]
pub struct ClientRecord<'r> {
    pub recorder: Recorder<'r>,
    pub lag: Option<Recorder<'r>>,
    /// End of what was measured; before the measured window where the client ended in the warm-up.
    pub to: Nanos,
    /// Of that, time that is not measured, nanoseconds.
    pub unmeasured: u64,
    pub passes: u64,
    pub outcomes: OutcomeCounts,
    pub differed: Vec<Differed>,
    pub pass_ends: Vec<PassEnd>,
    /// Its ten slowest operations, in no order.
    pub slowest: Vec<SlowRecord>,
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
    pub(super) buffer: Aligned,
    pub(super) entries: &'r mut [u64],
    pub(super) link_target: Vec<u8>,
    /// Where its writes are in the data.
    pub(super) cursor: Cursor,
    pub(super) values: Values,
    /// When the loop has to look up: at the end of the phase, of the second or of the turn, whichever is earliest.
    pub(super) next_event: Nanos,
    warms_up: bool,
    /// End of the present second of the measured window; of a warm-up that ends when it is told, its own.
    second_end: Nanos,
    takes_turns: bool,
    turn_end: Nanos,
    pub(super) client: u32,
    pub(super) live: &'r LiveCell,
    pub(super) counters: Box<[u64]>,
    pub(super) pace: Pace,
    pub(super) meter: Meter<'r>,
    pub(super) lag: Option<Recorder<'r>>,
    pub(super) outcomes: OutcomeCounts,
    pub(super) differed: Vec<Differed>,
    pub(super) pass_ends: Vec<PassEnd>,
    pub(super) passes: u64,
    /// Whether what a PREPARE ONCE says is done.
    pub(super) prepared_once: bool,
    pub(super) pass_start: Nanos,
    pub(super) release: Nanos,
    pub(super) measured_from: Nanos,
    pub(super) measured_to: Nanos,
    pub(super) unmeasured: u64,
    pub(super) deadline: Nanos,
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
            seconds,
            takes_turns,
        } = assignment;
        let capacity = match program.dialect {
            Dialect::Nfs => NFS_CACHE,
            _ => usize::MAX,
        };
        let mut paths = program.paths.iter();
        let run_time_paths = paths.any(|path| matches!(path, ProgramPath::Assembled(_)));
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
            buffer: Aligned::zeros(program.max_read as usize),
            entries: scratch.entries,
            link_target: Vec::with_capacity(if program.makes_symlinks { LINK_CAPACITY } else { 0 }),
            cursor: Cursor::new(client, settings.direct),
            values: Values::new(settings.seed, client, clients),
            next_event: Nanos::NEVER,
            warms_up: false,
            second_end: Nanos::NEVER,
            takes_turns,
            turn_end: Nanos::NEVER,
            client,
            live,
            counters: vec![0; program.loop_counters as usize].into_boxed_slice(),
            pace: Pace::new(settings.pacing, Nanos(0)),
            meter: Meter::new(&program.kinds, run_time_paths, scratch.meter, live, seconds),
            lag: paced.then(|| Recorder::new(1, scratch.lag_blocks)),
            outcomes: OutcomeCounts::default(),
            differed: Vec::new(),
            pass_ends: Vec::with_capacity(if settings.record_passes { 1024 } else { 0 }),
            passes: 0,
            prepared_once: false,
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
        if self.warms_up {
            self.forget_warm_up();
        }
        let slowest = self.slow_records(self.meter.slowest());
        ClientRecord {
            recorder: self.meter.finish(),
            lag: self.lag,
            to: self.measured_to,
            unmeasured: self.unmeasured,
            passes: self.passes,
            outcomes: self.outcomes,
            differed: self.differed,
            pass_ends: self.pass_ends,
            slowest,
        }
    }

    fn start(&mut self, release: Nanos) {
        let warmup = self.settings.warmup;
        self.release = release;
        self.pass_start = release;
        self.warms_up = !warmup.is_zero();
        self.set_window(release.after(warmup));
        self.measured_to = self.measured_from;
        self.second_end = match (self.warms_up, self.settings.warmup_auto) {
            (true, false) => Nanos::NEVER,
            _ => end_of_second(release, 0),
        };
        if self.takes_turns {
            self.turn_end = release;
        }
        self.next_event = self.next_look();
        self.pace = Pace::new(self.settings.pacing, release);
        self.live.mark(Some(release));
    }

    fn set_window(&mut self, start: Nanos) {
        self.measured_from = start;
        if let Some(limit) = self.settings.time_limit {
            self.deadline = start.after(limit);
        }
    }

    /// What was done in the warm-up does not count.
    fn forget_warm_up(&mut self) {
        self.meter.reset();
        if let Some(lag) = &mut self.lag {
            lag.reset(None);
        }
        self.passes = 0;
        self.unmeasured = 0;
    }

    /// A warm-up of unknown length goes on until the start of the window is told; then the client sees it here, at the
    /// next end of a second.
    fn look_for_window(&mut self, now: Nanos) {
        if !self.settings.warmup_auto {
            return;
        }
        if let Some(start) = self.gate.window() {
            self.set_window(start);
        }
        self.second_end = end_of_second(self.release, second_of(self.release, now));
    }

    /// The same as [`Replayer::goes_on`], if anything is due at `now`.
    pub(super) fn goes_on_if_due(&mut self, now: Nanos) -> Option<Nanos> {
        if now >= self.next_event || self.gate.is_stopped() {
            self.goes_on(now)
        } else {
            Some(now)
        }
    }

    /// Something is due at `now`: the end of the warm-up, of a second, of the client's turn or of the run, or the
    /// deadline. Answers when the next operation starts; None at the end.
    ///
    /// An operation that has ended at `now` is recorded afterwards, and so counts in the second in which it ended.
    #[cold]
    pub(super) fn goes_on(&mut self, now: Nanos) -> Option<Nanos> {
        let enough = match self.gate.is_stopped() {
            true => self.gate.enough()?,
            false => Nanos::NEVER,
        };
        if self.warms_up {
            self.look_for_window(now);
            if now >= self.measured_from {
                self.warms_up = false;
                self.forget_warm_up();
                self.second_end = self.measured_from;
            }
        }
        self.deadline = self.deadline.min(enough);
        if now >= self.deadline {
            self.measured_to = self.deadline;
            return None;
        }
        let mut resumed = now;
        if now >= self.second_end && !self.warms_up {
            self.second_end = self.meter.end_second(self.measured_from, now);
            resumed = Nanos::now();
        }
        if now >= self.turn_end {
            std::thread::yield_now();
            resumed = Nanos::now();
            self.turn_end = resumed.after(TURN);
        }
        self.next_event = self.next_look();
        Some(resumed)
    }

    fn next_look(&self) -> Nanos {
        let next = self.phase_end().min(self.turn_end);
        if self.warms_up {
            next
        } else {
            next.min(self.second_end)
        }
    }

    /// The end of the warm-up, or when to look whether it ends; then the deadline.
    pub(super) fn phase_end(&self) -> Nanos {
        if self.warms_up {
            self.measured_from.min(self.second_end)
        } else {
            self.deadline
        }
    }

    /// Whether the run has ended while nothing is measured.
    pub(super) fn is_over(&mut self) -> bool {
        if self.gate.is_stopped() {
            return true;
        }
        if self.deadline == Nanos::NEVER {
            return false;
        }
        let now = Nanos::now();
        if self.warms_up {
            self.look_for_window(now);
        }
        now >= self.deadline
    }

    pub(super) fn close_all(&mut self) {
        for slot in 0..self.slots.len() as u32 {
            self.close_slot(slot);
        }
        while let Some(file) = self.open_files.take_any() {
            let _: Result<(), Errno> = self.fs.close(file);
        }
    }
}
