//! The bystander's four clients, a thread each. They are their own: nothing of the run waits for them but its end.

use super::errand::Errand;
use super::failure::{BystanderError, Failure};
use super::think::{Halt, IDLE, Thinking, mean};
use super::window::Window;
use crate::measure::clock::Nanos;
use crate::measure::probe::Activity;
use crate::measure::recorder::empty_histogram;
use crate::replay::Settings;
use crate::replay::gate::Gate;
use crate::run::{isolate, signals};
use crate::units::nanos;
use hdrhistogram::Histogram;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the wait for activities that go on looks whether the user has had enough.
const LOOK: Duration = Duration::from_millis(20);

/// So long is waited even when the user has had enough: most activities end within it.
const GRACE: Duration = Duration::from_millis(40);

/// What is measured.
#[derive(Debug, Clone)]
pub enum Stage {
    /// The idle machine, from now on for so long.
    Idle(Duration),
    /// A run, from its release on: what starts in its measured window.
    Run {
        gate: Arc<Gate>,
        warmup: Duration,
        limit: Option<Duration>,
        /// Time to think before a save and an append, on average.
        think: Duration,
    },
}

impl Stage {
    /// A run that is about to be released.
    pub fn run(gate: &Arc<Gate>, settings: &Settings, think: Duration) -> Stage {
        Stage::Run {
            gate: gate.clone(),
            think,
            warmup: settings.warmup,
            limit: settings.time_limit,
        }
    }

    /// Waits for its start. The window of a run may still move.
    fn window(&self) -> Window {
        match self {
            Stage::Idle(length) => Window::new(Nanos::now(), Some(*length)),
            Stage::Run {
                gate, warmup, limit, ..
            } => Window::new(gate.wait_for_release().after(*warmup), *limit),
        }
    }

    /// When the window starts, if only `--warmup auto` has told that.
    fn told(&self) -> Option<Nanos> {
        match self {
            Stage::Idle(_) => None,
            Stage::Run { gate, .. } => gate.window(),
        }
    }

    /// Time to think before what ends in a sync, on average.
    fn think(&self) -> Duration {
        match self {
            Stage::Idle(_) => IDLE,
            Stage::Run { think, .. } => *think,
        }
    }

    /// Tells the bystander's clients apart, and the stages.
    fn stream(&self, activity: Activity) -> u64 {
        activity as u64 * 2 + u64::from(matches!(self, Stage::Run { .. }))
    }
}

/// What one of them has measured.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Nanoseconds.
    pub latency: Histogram<u64>,
    pub errors: u64,
    /// The first of them, in words.
    pub first_error: Option<String>,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            latency: empty_histogram(),
            errors: 0,
            first_error: None,
        }
    }
}

impl Tally {
    fn record(&mut self, outcome: Result<Duration, Failure>) {
        match outcome {
            Ok(took) => self.latency.saturating_record(nanos::whole(took)),
            Err(failure) => {
                self.errors += 1;
                self.first_error.get_or_insert_with(|| failure.to_string());
            }
        }
    }
}

/// What a client does just now, and what it has measured.
#[derive(Debug, Default)]
struct State {
    tally: Tally,
    /// Start of the activity that goes on, if that counts.
    busy_since: Option<Nanos>,
}

/// What the clients share with the one who waits for them.
#[derive(Debug)]
struct Common {
    stage: Stage,
    halt: Halt,
    /// When the window was closed.
    closed: AtomicU64,
    /// In the order of [`Activity::ALL`].
    states: [Mutex<State>; Activity::ALL.len()],
}

impl Common {
    fn state(&self, activity: Activity) -> MutexGuard<'_, State> {
        self.states[activity as usize]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The four at work.
#[derive(Debug)]
pub struct Team {
    common: Arc<Common>,
    threads: Vec<JoinHandle<()>>,
    messages: Receiver<Message>,
}

#[derive(Debug)]
enum Message {
    Ready(Result<(), Failure>),
    Ended,
}

impl Team {
    /// Starts them in a directory that is filled; they are ready when this returns. `path` is for messages.
    ///
    /// # Errors
    /// A thread cannot be started, or cannot open what it needs. The caller must release the gate of a run then.
    pub fn start(
        stage: Stage,
        directory: &Arc<OwnedFd>,
        path: &std::path::Path,
        seed: u64,
    ) -> Result<Team, BystanderError> {
        let common = Arc::new(Common {
            stage,
            halt: Halt::default(),
            closed: AtomicU64::new(Nanos::NEVER.0),
            states: Default::default(),
        });
        let (sender, messages) = channel();
        let mut team = Team {
            common,
            threads: Vec::new(),
            messages,
        };
        let started = Activity::ALL
            .into_iter()
            .try_for_each(|activity| team.add(activity, directory, seed, &sender));
        drop(sender);
        let ready = started
            .map_err(BystanderError::Thread)
            .and_then(|()| team.wait_until_ready(path));
        match ready {
            Ok(()) => Ok(team),
            Err(error) => {
                team.common.halt.halt();
                Err(error)
            }
        }
    }

    fn add(
        &mut self,
        activity: Activity,
        directory: &Arc<OwnedFd>,
        seed: u64,
        sender: &Sender<Message>,
    ) -> std::io::Result<()> {
        let (common, directory, sender) = (self.common.clone(), directory.clone(), sender.clone());
        let thread = std::thread::Builder::new()
            .name(format!("probe-{activity}"))
            .spawn(move || {
                let thinking = Thinking::new(
                    mean(activity, common.stage.think()),
                    seed,
                    common.stage.stream(activity),
                );
                work(activity, &common, directory, thinking, &sender);
                // The team may have given up the wait.
                let _ = sender.send(Message::Ended);
            })?;
        self.threads.push(thread);
        Ok(())
    }

    fn wait_until_ready(&self, path: &std::path::Path) -> Result<(), BystanderError> {
        for _ in &self.threads {
            if let Ok(Message::Ready(Err(failure))) = self.messages.recv() {
                return Err(BystanderError::Setup {
                    directory: path.display().to_string(),
                    failure,
                });
            }
        }
        Ok(())
    }

    /// Those whom they watch have ended: what starts from now on does not count. Returns at once.
    pub fn close(&self, now: Nanos) {
        self.common.closed.fetch_min(now.0, Ordering::Relaxed);
        self.common.halt.halt();
    }

    /// Waits for the activities that still go on, and answers what was measured, in the order of [`Activity::ALL`].
    /// One that has not ended after `patience`, or when `leave` is set, counts with its length until then, and is told
    /// as an error would be.
    pub fn finish(self, patience: Duration, leave: &AtomicBool) -> Vec<Tally> {
        self.close(Nanos::now());
        let now = Nanos::now();
        let (give_up, at_least) = (now.after(patience), now.after(GRACE));
        let mut at_work = self.threads.len();
        let had_enough = || {
            let now = Nanos::now();
            now >= give_up || now >= at_least && leave.load(Ordering::Relaxed)
        };
        while at_work > 0 && !had_enough() {
            match self.messages.recv_timeout(LOOK) {
                Ok(Message::Ended) => at_work -= 1,
                Ok(Message::Ready(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => at_work = 0,
            }
        }
        if at_work == 0 {
            for thread in self.threads {
                let _ = thread.join();
            }
        }
        let now = Nanos::now();
        let tally = |activity| {
            let state = self.common.state(activity);
            let mut tally = state.tally.clone();
            if let Some(start) = state.busy_since {
                let so_far = now.duration_since(start);
                tally.record(Ok(so_far));
                tally.first_error.get_or_insert(format!(
                    "one had not ended {:.1} s after its start and counts with that",
                    so_far.as_secs_f64()
                ));
            }
            tally
        };
        Activity::ALL.map(tally).to_vec()
    }
}

/// A client's thread.
fn work(
    activity: Activity,
    common: &Common,
    directory: Arc<OwnedFd>,
    mut thinking: Thinking,
    sender: &Sender<Message>,
) {
    signals::only_wake();
    // As clients are: another program's calls would not wait for this one's either. Clients tell where that is forbidden.
    let _ = isolate::isolate();
    let mut errand = match Errand::open(activity, directory.as_fd()) {
        Ok(errand) => errand,
        Err(failure) => {
            let _ = sender.send(Message::Ready(Err(failure)));
            return;
        }
    };
    // The descriptor is closed by the one who has opened it, in the table that it was opened in.
    drop(directory);
    let _ = sender.send(Message::Ready(Ok(())));
    let window = common.stage.window();
    while !common.halt.think(thinking.next_time()) {
        let start = Nanos::now();
        let closed = Nanos(common.closed.load(Ordering::Relaxed));
        let counts = window.moved(common.stage.told()).holds(start, closed);
        common.state(activity).busy_since = counts.then_some(start);
        let outcome = errand.run(start, &mut thinking);
        let mut state = common.state(activity);
        state.busy_since = None;
        if counts {
            state.tally.record(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree;
    use super::*;
    use std::fs::File;

    const SECOND: Duration = Duration::from_secs(1);

    fn filled() -> (tempfile::TempDir, Arc<OwnedFd>) {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap();
        tree::make(directory.as_fd()).unwrap();
        (scratch, Arc::new(directory.into()))
    }

    fn counts(tallies: &[Tally]) -> Vec<u64> {
        tallies.iter().map(|tally| tally.latency.len()).collect()
    }

    #[test]
    fn on_the_idle_machine_all_four_have_figures() {
        let (scratch, directory) = filled();
        let team = Team::start(Stage::Idle(SECOND * 60), &directory, scratch.path(), 1).unwrap();
        std::thread::sleep(SECOND);
        let tallies = team.finish(SECOND * 60, &AtomicBool::new(false));
        assert!(counts(&tallies).iter().all(|&count| count > 0), "{tallies:?}");
        assert!(tallies.iter().all(|tally| tally.errors == 0), "{tallies:?}");
    }

    #[test]
    fn nothing_counts_before_the_release_and_in_the_warm_up() {
        let (scratch, directory) = filled();
        let gate = Arc::new(Gate::new(1));
        let stage = Stage::Run {
            gate: gate.clone(),
            warmup: SECOND * 3600,
            limit: None,
            think: SECOND / 10,
        };
        let team = Team::start(stage, &directory, scratch.path(), 1).unwrap();
        gate.release();
        std::thread::sleep(SECOND / 2);
        let tallies = team.finish(SECOND * 60, &AtomicBool::new(false));
        assert_eq!(counts(&tallies), [0; 4]);
    }

    #[test]
    fn what_cannot_be_opened_is_told_before_anything_starts() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = Arc::new(File::open(scratch.path()).unwrap().into());
        let error = Team::start(Stage::Idle(SECOND), &directory, scratch.path(), 1).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("cannot open its tree: No such file"), "{text}");
    }

    #[test]
    fn failures_are_counted_and_the_first_is_told_and_they_are_no_figures() {
        let mut tally = Tally::default();
        tally.record(Err(Failure::of("one".into())));
        tally.record(Ok(SECOND));
        tally.record(Err(Failure::of("two".into())));
        assert_eq!((tally.errors, tally.latency.len()), (2, 1));
        assert_eq!(tally.first_error.as_deref(), Some("one"));
    }

    #[test]
    fn what_goes_on_counts_with_its_length_when_nobody_waits_any_more() {
        let (scratch, directory) = filled();
        let team = Team::start(Stage::Idle(SECOND * 60), &directory, scratch.path(), 1).unwrap();
        team.close(Nanos::now());
        // As one that hangs has it.
        let long_ago = Nanos(Nanos::now().0 - 7_000_000_000);
        while team.threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        team.common.state(Activity::Save).busy_since = Some(long_ago);
        let before = team.common.state(Activity::Save).tally.latency.len();
        let tallies = team.finish(Duration::ZERO, &AtomicBool::new(false));
        let save = &tallies[Activity::Save as usize];
        assert_eq!(save.latency.len(), before + 1);
        assert!(save.latency.max() >= 7_000_000_000);
        assert_eq!(save.errors, 0);
        let told = save.first_error.as_deref().unwrap_or_default();
        assert!(told.starts_with("one had not ended 7."), "{told}");
    }
}
