//! Reads the system's counters around and during a run, away from the clients' threads.
//!
//! Everything is read from the main thread, about once a second; the files of /proc and /sys stay open. What cannot be
//! read is absent from what is found, and nothing here fails.

mod device_counts;
mod doubts;
mod kernel_threads;
mod lines;
mod machine;
mod memory;
mod pressure;
mod reading;
mod source;
mod used;
mod vmstat;
mod window;

pub(crate) use machine::{Machine, ProcessorTimes};
pub(crate) use memory::Memory;
pub(super) use used::thread_time;

use super::clock::Nanos;
use super::completions::{Completions, Tracer};
use super::counters::{Counters, Sample};
use crate::warning::Warning;
use lines::Lines;
use reading::{Boundary, Sources};
use std::os::fd::BorrowedFd;
use std::time::Duration;
use window::Window;

/// Reads the system's counters around and during a run.
#[derive(Debug, Default)]
pub struct Sampler {
    /// Absent where nothing is read.
    active: Option<Box<Active>>,
    /// Absent unless asked for, and where it cannot be.
    tracer: Option<Tracer>,
    /// Why completions are not counted.
    untraced: Option<Warning>,
}

/// What a sampler has found.
#[derive(Debug, Default)]
pub struct Sampled {
    /// Absent where nothing could be read.
    pub counters: Option<Counters>,
    /// Absent unless asked for, and where they could not be counted.
    pub completions: Option<Completions>,
    /// In order of time.
    pub samples: Vec<Sample>,
    pub warnings: Vec<Warning>,
}

#[derive(Debug)]
struct Active {
    sources: Sources,
    lines: Lines,
    release: Nanos,
    /// Of the wall clock, at the release.
    wall_clock_offset: Option<i128>,
    /// Read just before the release: where the window starts with the release, nothing of it is missed.
    ready: Option<Boundary>,
    window: Option<Window>,
    /// Processor time of the readings.
    sampling: Duration,
    found: Sampled,
}

impl Sampler {
    /// Takes what is wanted before the clients are made. `directory` is on the file system under test; a line of vmstat
    /// is taken each `vmstat_every`, but at most ten a second.
    pub fn new(directory: BorrowedFd<'_>, vmstat_every: Option<Duration>) -> Sampler {
        let mut sources = Sources::open(directory);
        let mut lines = Lines::new(vmstat_every);
        lines.before(Nanos::now(), sources.read_state());
        Sampler {
            active: Some(Box::new(Active {
                sources,
                lines,
                release: Nanos::default(),
                wall_clock_offset: None,
                ready: None,
                window: None,
                sampling: Duration::ZERO,
                found: Sampled::default(),
            })),
            tracer: None,
            untraced: None,
        }
    }

    /// How many descriptors [`Sampler::count_completions`] needs.
    pub fn descriptors_of_completions() -> u64 {
        Tracer::descriptors()
    }

    /// Counts on which processor requests to the device under a directory end; where that cannot be, a warning says why.
    pub fn count_completions(&mut self, directory: BorrowedFd<'_>) {
        match Tracer::start(directory) {
            Ok(tracer) => self.tracer = Some(tracer),
            Err(why) => self.untraced = Some(Warning::NoCompletions { why }),
        }
    }

    /// A sampler that reads nothing (`--backend null`).
    pub fn none() -> Sampler {
        Sampler::default()
    }

    /// The clients are about to be released.
    pub fn ready(&mut self) {
        if let Some(active) = &mut self.active {
            active.ready = Some(active.sources.read_boundary());
        }
    }

    /// The clients were released at `release`.
    pub fn release(&mut self, release: Nanos) {
        if let Some(active) = &mut self.active {
            active.release = release;
            active.wall_clock_offset = used::wall_clock_offset();
            active.lines.release(release);
        }
    }

    /// The measured window starts at `start`: flows count from here.
    pub fn begin(&mut self, start: Nanos) {
        if let Some(tracer) = &self.tracer {
            tracer.begin(start);
        }
        self.timed(|active| {
            let ready = active.ready.take().filter(|_| start == active.release);
            let boundary = ready.unwrap_or_else(|| active.sources.read_boundary());
            active.window = Some(Window::new(start, boundary));
        });
    }

    /// A second of the measured window (or the warm-up) has ended, about now.
    pub fn sample(&mut self, now: Nanos) {
        self.timed(|active| {
            let due = active.lines.next() <= now;
            if active.window.is_none() && !due {
                return;
            }
            let reading = active.sources.read_sample(due);
            if due {
                active.lines.during(now, reading.state());
            }
            if let Some(window) = &mut active.window {
                active.found.samples.push(window.sample(now, reading));
            }
        });
    }

    /// When the next line of vmstat is due: [`Sampler::line`] should be called then. Without it lines are taken with
    /// the samples, up to a second late.
    pub fn next_line(&self) -> Nanos {
        self.active
            .as_ref()
            .map_or(Nanos::NEVER, |active| active.lines.next())
    }

    /// Takes a line of vmstat if one is due.
    pub fn line(&mut self, now: Nanos) {
        self.timed(|active| {
            if active.lines.next() <= now {
                let state = active.sources.read_state();
                active.lines.during(now, state);
            }
        });
    }

    /// All clients have ended; the measured window ended at about `end`.
    pub fn end(&mut self, end: Nanos) {
        if let Some(tracer) = &self.tracer {
            tracer.end(end);
        }
        self.timed(|active| {
            let boundary = active.sources.read_boundary();
            active.lines.after(end, boundary.reading.state());
            let Some(window) = active.window.take() else {
                return;
            };
            let stepped = active
                .wall_clock_offset
                .zip(used::wall_clock_offset())
                .and_then(|(release, end)| doubts::clock_stepped(release, end));
            active.found.warnings.extend(stepped);
            active.found.end(window, end, boundary);
        });
    }

    /// What was found.
    pub fn finish(self) -> Sampled {
        let Sampler {
            active,
            tracer,
            untraced,
        } = self;
        let traced = tracer.map(Tracer::finish).unwrap_or_default();
        let mut found = Sampled::default();
        if let Some(active) = active {
            found = active.found;
            if let Some(counters) = &mut found.counters {
                counters.vmstat = active.lines.taken();
                counters.sampling = active.sampling + traced.took;
            }
        }
        found.completions = traced.completions;
        found.warnings.extend(untraced);
        found
    }

    /// Does something, and adds the processor time that it took.
    fn timed(&mut self, reads: impl FnOnce(&mut Active)) {
        if let Some(active) = &mut self.active {
            let start = used::thread_time();
            reads(active);
            active.sampling += used::thread_time().saturating_sub(start);
        }
    }
}
