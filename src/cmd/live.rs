//! What commands that make many runs show of one while it goes on, and when it has ended.

use crate::measure::{Phase, Tick};
use crate::report::printable;
use crate::result::{Activity, End, RunResult};
use crate::run::View;
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

/// The figures of a run, in a few words.
pub fn figures(run: &RunResult) -> String {
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
    /// A line with the run's name on a terminal, else nothing; `text` stands beside it until more is known.
    pub fn start(name: String, text: String) -> Live {
        if !io::stderr().is_terminal() {
            return Live { bar: None };
        }
        let style = ProgressStyle::with_template("{prefix}  {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new_spinner().with_style(style);
        bar.set_prefix(name);
        bar.set_message(text);
        bar.tick();
        Live { bar: Some(bar) }
    }

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
}
