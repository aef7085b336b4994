//! Chance that can be repeated: the same seed gives the same figures everywhere.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub(super) struct Chance {
    random: ChaCha8Rng,
}

impl Chance {
    pub(super) fn seeded(seed: u64) -> Chance {
        Chance {
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// One of 0 … `count` - 1; 0 of none. (Some are likelier by less than `count` in 2^32.)
    pub(super) fn below(&mut self, count: usize) -> usize {
        ((u64::from(self.random.next_u32()) * count as u64) >> 32) as usize
    }

    /// Of the normal distribution with mean 0 and standard deviation 1, after Box and Muller.
    pub(super) fn normal(&mut self) -> f64 {
        // Above 0, so that there is a logarithm.
        let radius = (self.random.next_u32() as f64 + 0.5) / 2f64.powi(32);
        let angle = self.random.next_u32() as f64 / 2f64.powi(32);
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// Fisher and Yates's shuffle.
    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }
}
