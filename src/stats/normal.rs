//! The normal distribution, where exact ones take too long.

use statrs::function::erf::erfc;

/// So many standard deviations from the mean lie 95 % on both sides.
pub(super) const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The probability of at least this distance from the mean; 1 where there is no spread.
pub(super) fn two_sided(distance: f64, deviation: f64) -> f64 {
    if deviation > 0.0 && distance > 0.0 {
        // Never 0: nothing is impossible by chance.
        erfc(distance / deviation / std::f64::consts::SQRT_2).clamp(f64::MIN_POSITIVE, 1.0)
    } else {
        1.0
    }
}
