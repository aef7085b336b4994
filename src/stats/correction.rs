//! p values of questions that are asked together, corrected for their number.

/// After Holm (1979): all verdicts together are wrong by chance as seldom as one alone. In the order of `p`.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 0.0f64;
    for (before, &at) in order.iter().enumerate() {
        least = least.max((p[at] * (p.len() - before) as f64).min(1.0));
        adjusted[at] = least;
    }
    adjusted
}

/// After Benjamini and Hochberg (1995): of all verdicts, so large a share is wrong on average. In the order of `p`.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut most = 1.0f64;
    for (before, &at) in order.iter().enumerate().rev() {
        // (The largest is multiplied by exactly 1: corrected p values are never below raw ones.)
        most = most.min(p[at] * (p.len() as f64 / (before + 1) as f64));
        adjusted[at] = most;
    }
    adjusted
}

/// Where the smallest p value stands, the second smallest …
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrected_p_values_are_those_of_a_worked_example() {
        // As R's p.adjust says.
        let p = [0.01, 0.04, 0.03, 0.005];
        assert_close(&holm(&p), &[0.03, 0.06, 0.06, 0.02]);
        assert_close(&benjamini_hochberg(&p), &[0.02, 0.04, 0.04, 0.02]);
        assert_eq!(holm(&[0.3]), [0.3]);
        assert_eq!(benjamini_hochberg(&[]), [0.0; 0]);
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close, "{found:?}, not {expected:?}");
    }
}
