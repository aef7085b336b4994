//! What a sweep shows on standard error while it goes on.

use super::super::tell;
use super::definition::{Definition, shown};
use crate::measure::{Phase, Tick};
use crate::report::printable;
use crate::result::{Activity, Coordinate, End, RunResult};
use crate::run::View;
use crate::sweep::{Pace, Turn};
use crate::units::{General, megabytes, milliseconds};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// A duration for people: `1h 02m`, `3m 20s`, `7s`.
pub fn roughly(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m {:02}s", seconds % 60),
        (hours, minutes) => format!("{hours}h {minutes:02}m"),
    }
}

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
        if !io::stderr().is_terminal() {
            return Live { bar: None };
        }
        let style = ProgressStyle::with_template("{prefix}  {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new_spinner().with_style(style);
        bar.set_prefix(name);
        bar.set_message(self.left_text());
        bar.tick();
        Live { bar: Some(bar) }
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

/// The figures of a run, in a few words.
fn figures(run: &RunResult) -> String {
    if let End::Failed(why) = &run.end {
        return format!("failed: {}", printable(why));
    }
    let mut text = match run.operations_per_second() {
        Some(rate) if run.bytes_per_second == 0.0 => format!("{rate:.1} operations/sec"),
        _ => format!("{} MB/sec", General(megabytes(run.bytes_per_second))),
    };
    let save = run
        .probe
        .as_ref()
        .and_then(|probe| probe.activity(Activity::Save));
    if let Some(p99) = save.and_then(|save| save.loaded_quantile(0.99)) {
        text.push_str(&format!("  save P99 {:.1} ms", milliseconds(p99)));
    }
    if run.outcomes.differed > 0 && !run.outcomes.ignored {
        let (differed, checked) = (run.outcomes.differed, run.outcomes.checked);
        text.push_str(&format!("  {differed} of {checked} outcomes differ"));
    }
    text
}

/// A run as it goes on.
pub struct Live {
    bar: Option<ProgressBar>,
}

impl Live {
    /// Takes away what would be in the way of what follows.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl View for Live {
    fn started(&mut self, _: u32, _: Option<u64>) {}

    fn tick(&mut self, tick: &Tick, _: u64) -> io::Result<()> {
        if let Some(bar) = &self.bar {
            let (rate, seconds) = (megabytes(tick.bytes_per_second), tick.elapsed.as_secs());
            let phase = match tick.phase {
                Phase::Warmup => "warm-up",
                Phase::Execute => "execute",
                Phase::Cleanup => "cleanup",
            };
            bar.set_message(format!("{phase} {seconds} s  {rate:.2} MB/sec"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_roughly() {
        let text = |seconds| roughly(Duration::from_secs_f64(seconds));
        assert_eq!(text(0.4), "0s");
        assert_eq!(text(59.6), "1m 00s");
        assert_eq!(text(200.0), "3m 20s");
        assert_eq!(text(3725.0), "1h 02m");
    }

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
