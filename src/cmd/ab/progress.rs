//! What a campaign shows on standard error while it goes on.

use super::super::live::{Live, figures, roughly};
use super::super::tell;
use super::definition::letter;
use crate::campaign::Slot;
use crate::result::RunResult;
use crate::sweep::Pace;
use std::time::Duration;

/// Where a campaign is.
#[derive(Debug)]
pub struct Progress {
    /// Runs that are planned so far, and those that are done.
    total: u32,
    done: u32,
    pace: Pace,
    /// What is known of a run's length before the first.
    known: Option<Duration>,
}

impl Progress {
    /// Nothing is planned yet.
    pub fn new(known: Option<Duration>) -> Progress {
        Progress {
            total: 0,
            done: 0,
            pace: Pace::default(),
            known,
        }
    }

    /// So many more runs are made.
    pub fn plan(&mut self, runs: u32) {
        self.total += runs;
    }

    /// What so many runs take.
    pub fn time_of(&self, runs: u32) -> Option<Duration> {
        self.pace.left(runs, self.known)
    }

    fn left_text(&self) -> String {
        match self.time_of(self.total - self.done) {
            Some(left) if self.done < self.total => format!("  {} left", roughly(left)),
            _ => String::new(),
        }
    }

    /// What is seen of a run while it goes on: a line on a terminal, else nothing.
    pub fn watch(&self, slot: Slot) -> Live {
        Live::start(self.name(slot, self.done + 1), self.left_text())
    }

    /// A run has ended, and took so long with all around it.
    pub fn end(&mut self, slot: Slot, run: &RunResult, took: Duration) {
        self.done += 1;
        self.pace.add(took);
        let name = self.name(slot, self.done);
        tell(format_args!("{name}  {}{}", figures(run), self.left_text()));
    }

    fn name(&self, slot: Slot, number: u32) -> String {
        let total = self.total;
        let (width, pairs) = (total.to_string().len(), (total / 2).to_string().len());
        let (pair, side) = (slot.pair, letter(slot.side));
        format!("[{number:>width$}/{total}] pair {pair:>pairs$}  {side}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::{Schedule, SeededOrder};

    #[test]
    fn a_line_tells_pair_and_side_and_what_is_planned_later_is_counted_in() {
        let slots = Schedule::new(SeededOrder::Abba).next(2);
        let mut progress = Progress::new(Some(Duration::from_secs(3)));
        progress.plan(4);
        assert_eq!(progress.name(slots[2], 3), "[3/4] pair 2  b");
        progress.done = 4;
        assert_eq!(progress.left_text(), "");
        progress.plan(20);
        assert_eq!(progress.left_text(), "  1m 00s left");
        assert_eq!(progress.name(slots[0], 5), "[ 5/24] pair  1  a");
    }
}
