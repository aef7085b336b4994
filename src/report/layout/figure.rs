//! What a run is measured by.

use crate::result::{Activity, RunResult};
use crate::units::{megabytes, milliseconds};

/// What a run is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    /// MB (1,000,000 bytes) per second; absent where no data were moved.
    Megabytes,
    /// The same with the time of the final sync; absent without `--final-sync`.
    Synced,
    /// Per second.
    Operations,
    /// Of all operations, milliseconds.
    P99,
    /// Of all operations, seconds.
    Mean,
    /// Standard deviation of the latencies of all operations, seconds.
    Deviation,
    /// User and system time as a share of the elapsed time: 1 is one processor.
    Processor,
    /// Completions per second on the processor that issued the request.
    Local,
    /// On another.
    Remote,
    /// What the bystander waited for in 99 of 100 cases, milliseconds.
    Bystander(Activity),
    /// The same in times of the idle machine's.
    BystanderFactor(Activity),
    /// Of two sweeps: the candidate's figure in times of the base's.
    Ratio,
}

impl Figure {
    /// The words above its column.
    pub(super) fn heading(self) -> String {
        match self {
            Figure::Megabytes => "MB/sec".to_owned(),
            Figure::Synced => "MB/sec with sync".to_owned(),
            Figure::Operations => "operations/sec".to_owned(),
            Figure::P99 => "p99 ms".to_owned(),
            Figure::Mean => "Avg Lat".to_owned(),
            Figure::Deviation => "StdDev".to_owned(),
            Figure::Processor => "CPU%".to_owned(),
            Figure::Local => "C-local".to_owned(),
            Figure::Remote => "C-remote".to_owned(),
            Figure::Bystander(activity) => format!("{activity} p99 ms"),
            Figure::BystanderFactor(activity) => format!("{activity} factor"),
            Figure::Ratio => "ratio".to_owned(),
        }
    }

    /// The figure in the decimals that it is shown in.
    pub(super) fn text(self, figure: f64) -> String {
        match self {
            Figure::Megabytes | Figure::Synced | Figure::P99 | Figure::Bystander(_) | Figure::Ratio => {
                format!("{figure:.3}")
            }
            Figure::Operations | Figure::Local | Figure::Remote | Figure::BystanderFactor(_) => {
                format!("{figure:.1}")
            }
            Figure::Mean => format!("{figure:.6}"),
            Figure::Deviation => format!("{figure:.4}"),
            Figure::Processor => format!("{:.1}", figure * 100.0),
        }
    }
}

/// All figures that a run has.
pub(super) fn figures(result: &RunResult) -> Vec<(Figure, f64)> {
    let moved = result.bytes_read > 0 || result.bytes_written > 0;
    let (total, count) = (result.total_latency(), result.total_operations());
    let any = count > 0 && !result.latency.is_empty();
    let usage = result.counters.as_ref().map(|counters| &counters.usage);
    let usage = usage.filter(|usage| !usage.elapsed.is_zero());
    let completions = result.completions;
    let sync = result.durability.and_then(|durability| durability.final_sync);
    let synced = sync.map(|sync| megabytes(sync.bytes_per_second_with_sync));
    let mut figures = vec![
        (
            Figure::Megabytes,
            moved.then(|| megabytes(result.bytes_per_second)),
        ),
        (Figure::Synced, synced.filter(|_| moved)),
        (Figure::Operations, result.operations_per_second()),
        (Figure::P99, result.percentile(0.99).map(milliseconds)),
        (
            Figure::Mean,
            (count > 0).then(|| total.as_secs_f64() / count as f64),
        ),
        (Figure::Deviation, any.then(|| result.latency.stdev() / 1e9)),
        (
            Figure::Processor,
            usage.map(|usage| (usage.user + usage.system).as_secs_f64() / usage.elapsed.as_secs_f64()),
        ),
        (
            Figure::Local,
            completions.and_then(|completions| completions.local_per_second()),
        ),
        (
            Figure::Remote,
            completions.and_then(|completions| completions.remote_per_second()),
        ),
    ];
    for one in result.probe.iter().flat_map(|probe| &probe.activities) {
        let p99 = one.loaded_quantile(0.99).map(milliseconds);
        figures.push((Figure::Bystander(one.activity), p99));
        figures.push((Figure::BystanderFactor(one.activity), one.factor(0.99)));
    }
    let present = figures
        .into_iter()
        .filter_map(|(figure, value)| Some((figure, value.filter(|value| value.is_finite())?)));
    present.collect()
}
