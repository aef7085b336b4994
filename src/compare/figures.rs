//! The figures of one run.

use super::{Metric, Quantile};
use crate::measure::recorder::{longest_of, quantile_of};
use crate::result::{Activity, End, RunResult};
use std::time::Duration;

/// A figure of a run, in its base unit: bytes per second, operations per second, seconds, shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    pub metric: Metric,
    pub value: f64,
    /// Of a kind of operation: which share of the time of all operations it took, 0 to 1; of everything else 1.
    pub share_of_time: f64,
}

/// All figures of a run, in the order of tables; none of a run that was not completed. What was not measured is absent; what a load does not do at all has a rate of 0.
pub fn figures(run: &RunResult) -> Vec<Figure> {
    if run.end != End::Completed || run.elapsed.is_zero() {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut add = |metric: Metric, value: Option<f64>, share_of_time: f64| {
        all.extend(value.filter(|value| value.is_finite()).map(|value| Figure {
            metric,
            value,
            share_of_time,
        }));
    };
    add(Metric::Throughput, Some(run.bytes_per_second), 1.0);
    let sync = run.durability.and_then(|durability| durability.final_sync);
    let with_sync = sync.map(|sync| sync.bytes_per_second_with_sync);
    add(Metric::ThroughputWithSync, with_sync, 1.0);
    add(Metric::Operations, run.operations_per_second(), 1.0);
    let metadata = run.metadata_operations_per_second();
    add(Metric::MetadataOperations, metadata, 1.0);
    for at in Quantile::ALL {
        add(
            latency(None, at),
            run.percentile(at.share()).and_then(seconds),
            1.0,
        );
    }
    let all_time = run.total_latency().as_secs_f64();
    for operation in &run.operations {
        let share = operation.total.as_secs_f64() / all_time.max(f64::MIN_POSITIVE);
        for at in Quantile::ALL {
            let value = operation.percentile(at.share()).and_then(seconds);
            add(latency(Some(operation.kind), at), value, share);
        }
    }
    let probe = run.probe.as_ref();
    for activity in Activity::ALL {
        let Some(felt) = probe.and_then(|probe| probe.activity(activity)) else {
            continue;
        };
        for at in Quantile::ALL {
            let waited = quantile_of(&felt.loaded, at.share(), longest_of(&felt.loaded));
            add(Metric::Bystander { activity, at }, waited.and_then(seconds), 1.0);
        }
    }
    let usage = run.counters.as_ref().map(|counters| counters.usage);
    let operations = run.total_operations();
    let used = usage
        .filter(|_| operations > 0)
        .map(|usage| (usage.user + usage.system).as_secs_f64() / operations as f64);
    add(Metric::Processor, used.and_then(above_zero), 1.0);
    let checked = run.outcomes.checked;
    let differed = (checked > 0).then(|| run.outcomes.differed as f64 / checked as f64);
    add(Metric::Differed, differed, 1.0);
    all
}

fn latency(kind: Option<crate::op::Kind>, at: Quantile) -> Metric {
    Metric::Latency { kind, at }
}

/// A latency of 0 is below what is measured. (A rate of 0 is a figure: of a run in which everything stalled.)
fn seconds(latency: Duration) -> Option<f64> {
    above_zero(latency.as_secs_f64())
}

fn above_zero(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}
