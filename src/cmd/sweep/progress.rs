//! What a sweep shows on standard error while it goes on.

use super::super::live::{Live, figures, roughly};
use super::super::tell;
use super::definition::{Definition, shown};
use crate::report::printable;
use crate::result::{Coordinate, RunResult};
use crate::sweep::{Pace, Turn};
use std::time::Duration;

/// Where a sweep is.
#[derive(Debug)]
pub struct Progress {
    /// All runs, and those that are done.
    total: u32,
    done: u32,
    pace: Pace,
    /// What is known of a run's length before the first.
    known: Option<Duration>,
}

impl Progress {
    /// `done` of `total` runs are done already.
    pub fn new(total: u32, done: u32, known: Option<Duration>) -> Progress {
        Progress {
            total,
            done,
            pace: Pace::default(),
            known,
        }
    }

    /// What all that is left takes.
    pub fn left(&self) -> Option<Duration> {
        self.pace.left(self.total - self.done, self.known)
    }

    fn left_text(&self) -> String {
        match self.left() {
            Some(left) if self.done < self.total => format!("  {} left", roughly(left)),
            _ => String::new(),
        }
    }

    /// What is seen of a run while it goes on: a line on a terminal, else nothing.
    pub fn watch(&self, definition: &Definition, turn: Turn, coordinates: &[Coordinate]) -> Live {
        let name = self.name(definition, turn, coordinates, self.done + 1);
        Live::start(name, self.left_text())
    }

    /// A run has ended, and took so long with all around it.
    pub fn end(
        &mut self,
        definition: &Definition,
        turn: Turn,
        coordinates: &[Coordinate],
        run: &RunResult,
        took: Duration,
    ) {
        self.done += 1;
        self.pace.add(took);
        let name = self.name(definition, turn, coordinates, self.done);
        tell(format_args!("{name}  {}{}", figures(run), self.left_text()));
    }

    fn name(&self, definition: &Definition, turn: Turn, coordinates: &[Coordinate], number: u32) -> String {
        let varied: Vec<Coordinate> = definition.varied(coordinates).into_iter().cloned().collect();
        let run = match definition.runs {
            1 => String::new(),
            runs => format!("  run {} of {runs}", turn.run),
        };
        let width = self.total.to_string().len();
        let total = self.total;
        format!("[{number:>width$}/{total}] {}{run}", printable(&shown(&varied)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_shrinks_with_each_run() {
        let mut progress = Progress::new(10, 4, Some(Duration::from_secs(5)));
        assert_eq!(progress.left(), Some(Duration::from_secs(30)));
        progress.done += 1;
        progress.pace.add(Duration::from_secs(7));
        assert_eq!(progress.left(), Some(Duration::from_secs(35)));
        assert_eq!(Progress::new(3, 0, None).left_text(), "");
    }
}
