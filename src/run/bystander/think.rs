//! The time between two activities.

use crate::measure::probe::Activity;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// On the idle machine what the bystander does slows nobody: it thinks so short that few seconds suffice.
pub const IDLE: Duration = Duration::from_millis(100);
/// A look around costs the run nothing but processor time, some 0.1 ms.
const BROWSE: Duration = Duration::from_millis(250);

/// How long is thought between two of an activity, on average. `synced`: before those that end in a sync, each of which
/// makes a journalling file system commit what the clients have changed, too. The timer sleeps anyway.
pub fn mean(activity: Activity, synced: Duration) -> Duration {
    match activity {
        Activity::Save | Activity::Append => synced,
        Activity::Browse => BROWSE.min(synced),
        Activity::Timer => Duration::ZERO,
    }
}

/// Times to think, between half of the mean and one and a half: so that it is in step with nothing.
#[derive(Debug)]
pub struct Thinking {
    mean: Duration,
    random: ChaCha8Rng,
}

impl Thinking {
    /// The same for the same seed; `stream` tells the bystander's clients apart.
    pub fn new(mean: Duration, seed: u64, stream: u64) -> Thinking {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Thinking { mean, random }
    }

    /// How long is thought now.
    pub fn next_time(&mut self) -> Duration {
        let share = f64::from(self.random.next_u32()) / f64::from(u32::MAX);
        self.mean.mul_f64(0.5 + share)
    }

    /// A random number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.next_u32() as usize % bound.max(1)
    }
}

/// Ends all thinking at once.
#[derive(Debug, Default)]
pub struct Halt {
    halted: Mutex<bool>,
    told: Condvar,
}

impl Halt {
    /// Ends it, now and for ever.
    pub fn halt(&self) {
        *self.halted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.told.notify_all();
    }

    /// Waits for so long; true, and at once, when it is halted.
    pub fn think(&self, time: Duration) -> bool {
        let halted = self.halted.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.told.wait_timeout_while(halted, time, |halted| !*halted);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEAN: Duration = Duration::from_millis(100);

    fn times(seed: u64, stream: u64) -> Vec<Duration> {
        let mut thinking = Thinking::new(MEAN, seed, stream);
        (0..1000).map(|_| thinking.next_time()).collect()
    }

    #[test]
    fn times_to_think_spread_around_their_mean_and_repeat_with_the_seed() {
        let some = times(1, 0);
        let within = |time: &Duration| *time >= MEAN / 2 && *time <= MEAN * 3 / 2;
        assert!(some.iter().all(within));
        let mean = some.iter().sum::<Duration>() / 1000;
        assert!(mean > MEAN * 9 / 10 && mean < MEAN * 11 / 10, "{mean:?}");
        assert_eq!(some, times(1, 0));
        assert_ne!(some, times(2, 0));
        assert_ne!(some, times(1, 1));
    }

    #[test]
    fn an_hour_of_thinking_ends_when_it_is_halted() {
        let halt = Halt::default();
        std::thread::scope(|scope| {
            let thinks = scope.spawn(|| halt.think(Duration::from_secs(3600)));
            halt.halt();
            assert!(thinks.join().unwrap());
        });
        assert!(halt.think(Duration::from_secs(3600)));
        assert!(!Halt::default().think(Duration::from_millis(1)));
    }
}
