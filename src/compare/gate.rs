//! Which metrics decide.

use super::{Metric, Quantile, UnknownMetric};
use std::str::FromStr;

/// `--gate`: metrics with commas between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    items: Vec<Metric>,
}

impl Default for Gate {
    /// Throughput, operations per second, and the 99th percentile of each kind.
    fn default() -> Gate {
        let p99 = Metric::Latency {
            kind: None,
            at: Quantile::P99,
        };
        Gate {
            items: vec![Metric::Throughput, Metric::Operations, p99],
        }
    }
}

impl Gate {
    /// What was asked for and decides in none of these rows: it was not measured, is never tested, or took too
    /// little time. None of the default, which is for all loads.
    pub fn missing(&self, rows: &[super::Row]) -> Vec<Metric> {
        if *self == Gate::default() {
            return Vec::new();
        }
        let decides = |item: Metric| rows.iter().any(|row| row.gated && covers(item, row.metric));
        self.items
            .iter()
            .copied()
            .filter(|&item| !decides(item))
            .collect()
    }

    /// Of just these metrics.
    pub fn of(items: Vec<Metric>) -> Gate {
        Gate { items }
    }

    /// The metrics as they were named, in that order.
    pub fn items(&self) -> &[Metric] {
        &self.items
    }

    /// Whether a metric decides. A quantile without a kind stands for that of each kind which took a share (0 to 1) of
    /// more than 1 % of the time of all operations.
    pub fn decides(&self, metric: Metric, share_of_time: f64) -> bool {
        let is_tested = metric.is_tested();
        is_tested
            && self.items.iter().any(|&item| {
                let is_meant_by_kind = item != metric;
                covers(item, metric) && (!is_meant_by_kind || share_of_time > 0.01)
            })
    }
}

/// Whether a metric is what an item of the gate stands for.
fn covers(item: Metric, metric: Metric) -> bool {
    match (item, metric) {
        (
            Metric::Latency { kind: None, at },
            Metric::Latency {
                kind: Some(_),
                at: of,
            },
        ) => at == of,
        _ => item == metric && !matches!(metric, Metric::Latency { kind: None, .. }),
    }
}

impl FromStr for Gate {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Gate, UnknownMetric> {
        let items = text.split(',').map(|item| item.trim().parse());
        Ok(Gate {
            items: items.collect::<Result<_, _>>()?,
        })
    }
}
