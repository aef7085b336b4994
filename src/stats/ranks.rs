//! Ranks, doubled so that those of tied figures are whole numbers too.

/// Figures that differ by less than this share of the largest one count as tied: what rounding makes of equal ones.
const ROUNDING: f64 = 1e-9;

/// The doubled mid-ranks of figures, in their order: 2, 4, 6 … without ties; tied figures share the mean of their ranks.
pub(super) fn doubled_mid_ranks(figures: &[f64]) -> Vec<u64> {
    ranks_within(figures, 0.0)
}

/// The same for figures that were computed: those that rounding alone tells apart are tied.
pub(super) fn doubled_mid_ranks_of_computed(figures: &[f64]) -> Vec<u64> {
    let largest = figures.iter().fold(0.0f64, |most, figure| most.max(figure.abs()));
    ranks_within(figures, largest * ROUNDING)
}

fn ranks_within(figures: &[f64], tolerance: f64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..figures.len()).collect();
    order.sort_by(|&a, &b| figures[a].total_cmp(&figures[b]));
    let mut ranks = vec![0; figures.len()];
    let mut first = 0;
    while first < order.len() {
        let lowest = figures[order[first]];
        // (0 and -0 are ordered apart, but are equal.)
        let tied = order[first..]
            .iter()
            .take_while(|&&at| figures[at] - lowest <= tolerance)
            .count()
            .max(1);
        // Ranks first + 1 ..= first + tied: twice their mean is the sum of both ends.
        for &at in &order[first..first + tied] {
            ranks[at] = (2 * first + tied + 1) as u64;
        }
        first += tied;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_figures_share_the_mean_of_their_ranks() {
        assert_eq!(doubled_mid_ranks(&[3.0, 1.0, 2.0]), [6, 2, 4]);
        assert_eq!(doubled_mid_ranks(&[7.0, 1.0, 7.0, 0.0]), [7, 4, 7, 2]);
        assert_eq!(doubled_mid_ranks(&[0.0, -0.0, 0.0]), [4, 4, 4]);
        assert_eq!(doubled_mid_ranks(&[]), [0; 0]);
    }

    #[test]
    fn what_rounding_alone_tells_apart_is_tied() {
        let computed = [0.3 - 0.2, 0.2 - 0.1, 0.5];
        assert_eq!(doubled_mid_ranks(&computed), [2, 4, 6]);
        assert_eq!(doubled_mid_ranks_of_computed(&computed), [3, 3, 6]);
    }
}
