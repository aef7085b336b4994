//! Measurements as they could have been, and how often something became of them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Chance with a fixed seed.
pub struct Chance(ChaCha8Rng);

impl Chance {
    pub fn seeded(seed: u64) -> Chance {
        Chance(ChaCha8Rng::seed_from_u64(seed))
    }

    /// From 0 to below 1.
    pub fn uniform(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / 2f64.powi(32)
    }

    pub fn happens(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// One of `from` … `to` - 1.
    pub fn between(&mut self, from: usize, to: usize) -> usize {
        from + (self.uniform() * (to - from) as f64) as usize
    }

    /// With mean 0 and standard deviation 1.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Student's t with 3 degrees of freedom: heavy tails.
    pub fn t3(&mut self) -> f64 {
        let squares: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        self.normal() / (squares / 3.0).sqrt()
    }
}

/// How often something happened.
#[derive(Debug, Clone, Copy)]
pub struct Frequency {
    happened: u32,
    of: u32,
}

impl Frequency {
    /// Asks so many times.
    pub fn of(times: u32, mut happens: impl FnMut() -> bool) -> Frequency {
        let happened = (0..times).filter(|_| happens()).count() as u32;
        Frequency { happened, of: times }
    }

    pub fn share(self) -> f64 {
        f64::from(self.happened) / f64::from(self.of)
    }
}

/// How strictly frequencies are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// How often chance is asked, of so many times in full.
    pub part: f64,
    /// So many of its own standard errors may a frequency lie outside.
    pub slack: f64,
}

/// As often as was laid down, and exactly within the limits.
pub const FULL: Effort = Effort {
    part: 1.0,
    slack: 0.0,
};

impl Effort {
    /// So small a part of it, for every day; limits are as much wider as chance makes them (3 standard errors).
    pub fn small(part: f64) -> Effort {
        Effort { part, slack: 3.0 }
    }

    pub fn times(self, full: u32) -> u32 {
        (f64::from(full) * self.part) as u32
    }

    pub fn at_most(self, what: &str, limit: f64, found: Frequency) {
        self.between(what, (0.0, limit), found);
    }

    pub fn at_least(self, what: &str, limit: f64, found: Frequency) {
        self.between(what, (limit, 1.0), found);
    }

    pub fn between(self, what: &str, (low, high): (f64, f64), found: Frequency) {
        let error = |limit: f64| self.slack * (limit * (1.0 - limit) / f64::from(found.of)).sqrt();
        let share = found.share();
        eprintln!(
            "{what}: {:.2} % of {} ({:.1} to {:.1} %)",
            100.0 * share,
            found.of,
            100.0 * low,
            100.0 * high
        );
        assert!(
            share >= low - error(low) && share <= high + error(high),
            "{what}: {found:?} is not within {low} and {high}"
        );
    }
}
