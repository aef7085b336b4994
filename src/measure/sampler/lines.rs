//! Which lines of vmstat are taken when.

use super::used::since_boot;
use super::vmstat::{State, line};
use crate::measure::clock::Nanos;
use crate::measure::counters::{Vmstat, VmstatMoment};
use nix::unistd::{SysconfVar, sysconf};
use std::time::Duration;

/// Processor time is counted in ticks, so that over less time nothing can be said of it.
const SHORTEST: Duration = Duration::from_millis(100);

/// The lines taken so far.
#[derive(Debug)]
pub struct Lines {
    every: Option<Duration>,
    release: Nanos,
    next: Nanos,
    page_kib: u64,
    taken: Vec<Vmstat>,
    /// What the last line saw, and the one before it.
    last: Option<(Nanos, State)>,
    before_last: Option<(Nanos, State)>,
}

impl Lines {
    /// None during the run where `every` is absent.
    pub fn new(every: Option<Duration>) -> Lines {
        let page_bytes = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
        Lines {
            every: every.map(|every| every.max(SHORTEST)),
            release: Nanos::default(),
            next: Nanos::NEVER,
            page_kib: page_bytes
                .and_then(|bytes| u64::try_from(bytes).ok())
                .unwrap_or(4096)
                / 1024,
            taken: Vec::new(),
            last: None,
            before_last: None,
        }
    }

    /// The clients were released.
    pub fn release(&mut self, release: Nanos) {
        self.release = release;
        self.schedule(release);
    }

    /// When the next line is due.
    pub fn next(&self) -> Nanos {
        self.next
    }

    /// The next line is the first multiple of the interval after `now`.
    fn schedule(&mut self, now: Nanos) {
        let Some(every) = self.every.and_then(|every| u64::try_from(every.as_nanos()).ok()) else {
            return;
        };
        let passed = now.since(self.release) / every;
        let until = Duration::from_nanos(every.saturating_mul(passed.saturating_add(1)));
        self.next = self.release.after(until);
    }

    /// The line before the run: means since boot.
    pub fn before(&mut self, now: Nanos, state: Option<State>) {
        let (Some(state), Some(up)) = (state, since_boot()) else {
            return;
        };
        let moment = VmstatMoment::Before;
        self.taken
            .extend(line(moment, Duration::ZERO, None, &state, up, self.page_kib));
        self.last = Some((now, state));
    }

    /// A line that was due.
    pub fn during(&mut self, now: Nanos, state: Option<State>) {
        self.schedule(now);
        self.add(VmstatMoment::During, now, state);
    }

    /// The line after the run. One that was taken just before it gives way to it.
    pub fn after(&mut self, now: Nanos, state: Option<State>) {
        self.next = Nanos::NEVER;
        let taken = self.taken.last().map(|line| line.moment);
        let just_now = |(last, _): &(Nanos, State)| now.duration_since(*last) < SHORTEST;
        if state.is_some() && taken == Some(VmstatMoment::During) && self.last.as_ref().is_some_and(just_now)
        {
            self.taken.pop();
            self.last = self.before_last.take();
        }
        self.add(VmstatMoment::After, now, state);
    }

    fn add(&mut self, moment: VmstatMoment, now: Nanos, state: Option<State>) {
        let (Some(state), Some((before, earlier))) = (state, &self.last) else {
            return;
        };
        let (at, over) = (now.duration_since(self.release), now.duration_since(*before));
        self.taken
            .extend(line(moment, at, Some(earlier), &state, over, self.page_kib));
        self.before_last = self.last.replace((now, state));
    }

    /// The lines, in order of time.
    pub fn taken(self) -> Vec<Vmstat> {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Machine;
    use super::super::memory::{Memory, Paging};
    use super::*;

    const MILLISECOND: u64 = 1_000_000;

    /// A machine that has switched so many contexts.
    fn state(context_switches: u64) -> Option<State> {
        Some(State {
            machine: Machine {
                interrupts: Some(0),
                context_switches: Some(context_switches),
                running: Some(1),
                blocked: Some(0),
                ..Machine::default()
            },
            memory: Memory {
                free: Some(1),
                buffers: Some(1),
                cached: Some(1),
                ..Memory::default()
            },
            paging: Paging::default(),
        })
    }

    fn at(milliseconds: u64) -> Nanos {
        Nanos(1_000_000 * MILLISECOND + milliseconds * MILLISECOND)
    }

    /// Before at 0, release at 1 s, each line when it is due, one context switch a millisecond.
    fn run(every: Option<u64>, end: u64) -> Vec<(VmstatMoment, u64, u64)> {
        let mut lines = Lines::new(every.map(Duration::from_millis));
        lines.before(at(0), state(0));
        lines.release(at(1000));
        while lines.next() < at(end) {
            let now = lines.next();
            lines.during(now, state((now.0 - at(0).0) / MILLISECOND));
        }
        lines.after(at(end), state(end));
        assert_eq!(lines.next(), Nanos::NEVER);
        let lines = lines.taken().into_iter();
        lines
            .map(|line| {
                (
                    line.moment,
                    line.at.as_millis() as u64,
                    line.context_switches_per_second,
                )
            })
            .collect()
    }

    use VmstatMoment::{After, Before, During};

    #[test]
    fn without_an_interval_there_is_a_line_before_and_one_after_over_the_time_between() {
        assert_eq!(run(None, 5000), [(Before, 0, 0), (After, 4000, 1000)]);
    }

    #[test]
    fn an_interval_counts_from_the_release_and_need_be_no_whole_second() {
        let expected = [
            (Before, 0, 0),
            (During, 1500, 1000),
            (During, 3000, 1000),
            (After, 4000, 1000),
        ];
        assert_eq!(run(Some(1500), 5000), expected);
    }

    #[test]
    fn a_line_just_before_the_end_gives_way_to_the_one_after_the_run() {
        let expected = [(Before, 0, 0), (During, 1000, 1000), (After, 2010, 1000)];
        assert_eq!(run(Some(1000), 3010), expected);
    }

    #[test]
    fn lines_are_at_least_a_tenth_of_a_second_apart() {
        let expected = [
            (Before, 0, 0),
            (During, 100, 1000),
            (During, 200, 1000),
            (After, 300, 1000),
        ];
        assert_eq!(run(Some(0), 1300), expected);
    }

    #[test]
    fn a_line_that_comes_late_does_not_make_the_next_one_late() {
        let mut lines = Lines::new(Some(Duration::from_secs(1)));
        lines.before(at(0), state(0));
        lines.release(at(0));
        lines.during(at(2700), state(2700));
        assert_eq!(lines.next(), at(3000));
    }

    #[test]
    fn what_cannot_be_read_makes_no_line_and_is_no_gap() {
        let mut lines = Lines::new(Some(Duration::from_secs(1)));
        lines.before(at(0), state(0));
        lines.release(at(0));
        lines.during(at(1000), None);
        lines.after(at(2000), state(2000));
        let moments: Vec<_> = lines.taken().iter().map(|line| line.moment).collect();
        assert_eq!(moments, [Before, After]);
        let mut none = Lines::new(Some(Duration::from_secs(1)));
        none.before(at(0), None);
        none.release(at(0));
        none.during(at(1000), None);
        none.after(at(2000), None);
        assert!(none.taken().is_empty());
    }
}
