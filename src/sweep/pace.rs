//! How long what is left of a sweep takes.

use std::time::Duration;

/// How long runs took so far, and what is known of a run before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    runs: u32,
    took: Duration,
}

impl Pace {
    /// A run took so long, with all around it.
    pub fn add(&mut self, took: Duration) {
        self.runs += 1;
        self.took = self.took.saturating_add(took);
    }

    /// How long `runs` more take: as long as those so far on average; before the first as `known` tells, if anything is
    /// known.
    pub fn left(&self, runs: u32, known: Option<Duration>) -> Option<Duration> {
        let one = match self.took.checked_div(self.runs) {
            Some(mean) => Some(mean),
            None => known,
        };
        one.map(|one| one.saturating_mul(runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_from_the_runs_so_far() {
        let mut pace = Pace::default();
        assert_eq!(pace.left(3, None), None);
        assert_eq!(
            pace.left(3, Some(Duration::from_secs(5))),
            Some(Duration::from_secs(15))
        );
        pace.add(Duration::from_secs(6));
        pace.add(Duration::from_secs(8));
        assert_eq!(
            pace.left(3, Some(Duration::from_secs(5))),
            Some(Duration::from_secs(21))
        );
    }
}
