use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn counts_and_percentiles_are_those_of_the_sorted_list(
        mut latencies in prop::collection::vec(1u64..10_000_000_000, 1..400),
    ) {
        let mut pool = vec![[0; STEPS]; blocks(1)];
        let mut recorder = Recorder::new(1, &mut pool);
        for &latency in &latencies {
            recorder.record(0, latency, Nanos(5), 1, 0);
        }
        let mut totals = KindTotals::new();
        recorder.add_to(0, 0, Nanos(0), &mut totals);
        latencies.sort_unstable();
        prop_assert_eq!(totals.latency.len(), latencies.len() as u64);
        for quantile in [0.0, 0.5, 0.95, 0.99, 0.999] {
            let rank = ((quantile * latencies.len() as f64).ceil() as usize).max(1);
            let exact = latencies[rank - 1] as f64;
            let told = totals.latency.value_at_quantile(quantile) as f64;
            prop_assert!((told - exact).abs() <= exact * 0.03 + 1.0, "{quantile}: {told} for {exact}");
        }
    }
}

proptest! {
    #[test]
    fn all_kinds_and_clients_together_have_the_percentiles_of_the_sorted_list(
        clients in prop::collection::vec(
            prop::collection::vec((0u8..3, 1u64..10_000_000_000), 0..200),
            1..4,
        ),
    ) {
        let mut overall = empty_histogram();
        for operations in &clients {
            let mut pool = vec![[0; STEPS]; blocks(3)];
            let mut recorder = Recorder::new(3, &mut pool);
            for &(kind, latency) in operations {
                recorder.record(kind, latency, Nanos(5), 1, 0);
            }
            for kind in 0..3 {
                let mut totals = KindTotals::new();
                recorder.add_to(kind, 0, Nanos(0), &mut totals);
                let recorded = operations.iter().filter(|operation| operation.0 == kind).count();
                prop_assert_eq!(totals.latency.len(), recorded as u64);
                overall.add(&totals.latency).unwrap();
            }
        }
        let mut sorted: Vec<_> = clients.iter().flatten().map(|&(_, latency)| latency).collect();
        sorted.sort_unstable();
        prop_assert_eq!(overall.len(), sorted.len() as u64);
        for percent in [50, 95, 99].into_iter().filter(|_| !sorted.is_empty()) {
            let exact = sorted[(sorted.len() * percent).div_ceil(100) - 1] as f64;
            let told = overall.value_at_quantile(percent as f64 / 100.0) as f64;
            prop_assert!((told - exact).abs() <= exact * 0.03 + 1.0, "{percent}: {told} for {exact}");
        }
    }
}

#[test]
fn the_longest_latencies_are_kept_and_counted_at_the_end() {
    let mut pool = vec![[0; STEPS]; blocks(2)];
    let mut recorder = Recorder::new(2, &mut pool);
    recorder.record(1, u64::MAX / 2, Nanos(1), 9, 0);
    let mut totals = KindTotals::new();
    recorder.add_to(1, 3, Nanos(0), &mut totals);
    assert_eq!(
        (totals.count, totals.slowest.line, totals.slowest.client),
        (1, 9, 3)
    );
    assert_eq!(totals.latency.len(), 1);
}

#[test]
fn a_reset_leaves_nothing() {
    let mut pool = vec![[0; STEPS]; blocks(1)];
    let mut recorder = Recorder::new(1, &mut pool);
    recorder.record(0, 100, Nanos(1), 1, 0);
    recorder.reset(None);
    let mut totals = KindTotals::new();
    recorder.add_to(0, 0, Nanos(0), &mut totals);
    assert_eq!((totals.count, totals.latency.len()), (0, 0));
}
