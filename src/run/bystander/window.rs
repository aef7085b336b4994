//! When an activity counts: judged by its start, with the clients' own rule of when the measured window is.

use crate::measure::clock::Nanos;
use std::time::Duration;

/// A window of time in which activities that start there count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    from: Nanos,
    length: Duration,
}

impl Window {
    /// From a time on; without a length until it is closed.
    pub fn new(from: Nanos, length: Option<Duration>) -> Window {
        Window {
            from,
            length: length.unwrap_or(Duration::MAX),
        }
    }

    /// The same, but starting when `--warmup auto` has told, if it has.
    pub fn moved(self, told: Option<Nanos>) -> Window {
        Window {
            from: told.unwrap_or(self.from),
            ..self
        }
    }

    /// Whether an activity that starts now counts. It counts whole, however long it takes. `closed`: when those whom the
    /// bystander watches had ended; [`Nanos::NEVER`] while they have not.
    pub fn holds(self, start: Nanos, closed: Nanos) -> bool {
        let end = self.from.after(self.length).min(closed);
        self.from <= start && start <= end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> Nanos {
        Nanos(0).after(SECOND * seconds as u32)
    }

    #[test]
    fn what_starts_in_the_warm_up_or_after_the_deadline_does_not_count() {
        let (release, warmup, limit) = (at(100), SECOND * 2, SECOND * 10);
        let window = Window::new(release.after(warmup), Some(limit));
        let counts = |start| window.holds(start, Nanos::NEVER);
        assert!(!counts(at(100)) && !counts(at(101)));
        assert!(counts(at(102)) && counts(at(107)) && counts(at(112)));
        assert!(!counts(at(113)));
    }

    #[test]
    fn without_a_time_limit_the_end_of_the_clients_closes_it() {
        let window = Window::new(at(100), None);
        assert!(window.holds(at(100_000), Nanos::NEVER));
        assert!(window.holds(at(105), at(105)));
        assert!(!window.holds(at(106), at(105)));
    }

    #[test]
    fn clients_that_end_early_close_it_before_the_deadline() {
        let window = Window::new(at(100), Some(SECOND * 60));
        assert!(window.holds(at(104), at(105)));
        assert!(!window.holds(at(106), at(105)));
    }

    #[test]
    fn a_warm_up_of_unknown_length_ends_when_it_is_told_and_the_deadline_moves_with_it() {
        let longest = Window::new(at(400), Some(SECOND * 10));
        assert!(!longest.moved(None).holds(at(150), Nanos::NEVER));
        let told = longest.moved(Some(at(140)));
        assert!(!told.holds(at(139), Nanos::NEVER));
        assert!(told.holds(at(140), Nanos::NEVER) && told.holds(at(150), Nanos::NEVER));
        assert!(!told.holds(at(151), Nanos::NEVER) && !told.holds(at(400), Nanos::NEVER));
    }
}
