//! The n-th smallest of figures that are counted, and never listed: of two sides' differences there are too many.

/// The `rank`-th smallest (from 1) of figures between `low` and `high`, of which `at_most(x)` says how many are at most
/// x. The result is exactly one of them.
pub(super) fn nth(rank: u64, (low, high): (f64, f64), at_most: impl Fn(f64) -> u64) -> f64 {
    let (mut low, mut high) = (key(low), key(high));
    while low < high {
        let middle = low + (high - low) / 2;
        if at_most(figure(middle)) >= rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    figure(low)
}

/// The figure's place among all that there are.
fn key(figure: f64) -> u64 {
    let bits = figure.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

fn figure(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nth_is_that_of_the_sorted_list(mut figures in prop::collection::vec(prop_oneof![-3.0f64..3.0, Just(0.0), Just(1e300), Just(-1e-300)], 1..30)) {
            figures.sort_by(f64::total_cmp);
            let range = (figures[0], figures[figures.len() - 1]);
            for (rank, &expected) in (1u64..).zip(&figures) {
                let found = nth(rank, range, |most| figures.iter().filter(|&&figure| figure <= most).count() as u64);
                prop_assert_eq!(found, expected);
            }
        }
    }
}
