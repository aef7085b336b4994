//! Buckets of latencies: log-linear, with 32 steps an octave.
//!
//! A value stands for the middle of its step, so the relative error is at most 1/64 (1.6 %); below 64 ns it is exact.

/// Steps an octave, as a power of two.
const STEP_BITS: u32 = 5;
/// Steps an octave.
pub const STEPS: usize = 1 << STEP_BITS;
/// Octaves that are told apart: up to 2^41 ns, 36 minutes; longer operations count there.
pub const OCTAVES: usize = 37;
/// Steps of all octaves.
pub const BUCKETS: usize = OCTAVES * STEPS;
/// Longer latencies count as this, nanoseconds.
const LONGEST: u64 = (1 << 41) - 1;

/// Octave and step of a latency in nanoseconds.
#[inline(always)]
pub(super) fn position(latency: u64) -> (usize, usize) {
    let latency = latency.min(LONGEST);
    // Values below 32 make octave 0; from there on the top bit tells the octave, the next five the step.
    let shift = (latency | (STEPS as u64 / 2)).ilog2().saturating_sub(STEP_BITS);
    let octave = if latency < STEPS as u64 {
        0
    } else {
        shift as usize + 1
    };
    (octave, (latency >> shift) as usize & (STEPS - 1))
}

/// The middle of a step, nanoseconds.
pub(super) fn middle(octave: usize, step: usize) -> u64 {
    match octave {
        0 => step as u64,
        _ => {
            let shift = octave - 1;
            let low = ((STEPS + step) as u64) << shift;
            low + ((1u64 << shift) - 1) / 2
        }
    }
}

/// The bucket of a latency in nanoseconds, of [`BUCKETS`].
#[cfg(test)]
pub(super) fn bucket_of(latency: u64) -> usize {
    let (octave, step) = position(latency);
    octave * STEPS + step
}

/// The latency in nanoseconds that a bucket's operations stand for.
pub(super) fn bucket_middle(bucket: usize) -> u64 {
    middle(bucket / STEPS, bucket % STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_latency_stands_for_itself_within_one_sixty_fourth(latency in 0u64..LONGEST) {
            let (octave, step) = position(latency);
            prop_assert!(octave < OCTAVES && step < STEPS);
            let error = middle(octave, step).abs_diff(latency);
            prop_assert!(error * 64 <= latency, "{latency} stands as {}", middle(octave, step));
        }
    }
}
