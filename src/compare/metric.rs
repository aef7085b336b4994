//! The figures of a run that are compared.

use crate::op::Kind;
use crate::result::Activity;
use crate::stats::{Better, Scale};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Which point of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantile {
    P50,
    P95,
    P99,
    /// The longest of all: shown, never tested.
    Max,
}

impl Quantile {
    /// All, in the order of tables.
    pub const ALL: [Quantile; 4] = [Quantile::P50, Quantile::P95, Quantile::P99, Quantile::Max];

    /// From 0 to 1.
    pub fn share(self) -> f64 {
        match self {
            Quantile::P50 => 0.5,
            Quantile::P95 => 0.95,
            Quantile::P99 => 0.99,
            Quantile::Max => 1.0,
        }
    }
}

impl fmt::Display for Quantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantile::P50 => "p50",
            Quantile::P95 => "p95",
            Quantile::P99 => "p99",
            Quantile::Max => "max",
        })
    }
}

/// A figure of a run. Its text, as `throughput`, `p99:WriteX` or `save:p99`, is what is stored and typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Bytes per second: `throughput`.
    Throughput,
    /// Bytes per second with the time of the final sync: `throughput-with-sync`.
    ThroughputWithSync,
    /// Per second: `operations`.
    Operations,
    /// Per second, of those that move no data: `metadata-operations`.
    MetadataOperations,
    /// Seconds; of one kind (`p99:WriteX`), or of all operations together (`p99`).
    Latency { kind: Option<Kind>, at: Quantile },
    /// Seconds that a bystander waited: `save:p99`.
    Bystander { activity: Activity, at: Quantile },
    /// Processor seconds, user's and system's, for each operation: `processor`.
    Processor,
    /// Outcomes that differed from the trace, as a share of those checked: `differed`. It can be 0.
    Differed,
}

impl Metric {
    /// How two of its figures are compared.
    pub fn scale(self) -> Scale {
        match self {
            Metric::Differed => Scale::Difference,
            _ => Scale::Ratio,
        }
    }

    /// Which way is good.
    pub fn better(self) -> Better {
        match self {
            Metric::Throughput
            | Metric::ThroughputWithSync
            | Metric::Operations
            | Metric::MetadataOperations => Better::Higher,
            Metric::Latency { .. } | Metric::Bystander { .. } | Metric::Processor | Metric::Differed => {
                Better::Lower
            }
        }
    }

    /// Whether it enters tests: maxima are shown only.
    pub fn is_tested(self) -> bool {
        !matches!(
            self,
            Metric::Latency {
                at: Quantile::Max,
                ..
            } | Metric::Bystander {
                at: Quantile::Max,
                ..
            }
        )
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Throughput => f.write_str("throughput"),
            Metric::ThroughputWithSync => f.write_str("throughput-with-sync"),
            Metric::Operations => f.write_str("operations"),
            Metric::MetadataOperations => f.write_str("metadata-operations"),
            Metric::Latency { kind: None, at } => write!(f, "{at}"),
            Metric::Latency { kind: Some(kind), at } => write!(f, "{at}:{kind}"),
            Metric::Bystander { activity, at } => write!(f, "{activity}:{at}"),
            Metric::Processor => f.write_str("processor"),
            Metric::Differed => f.write_str("differed"),
        }
    }
}

/// A text that names no metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no metric: throughput, throughput-with-sync, operations, metadata-operations, p50, p95, p99 or max (of all operations), p99:WriteX (of a kind), save:p99 (of a bystander), processor, differed"
)]
pub struct UnknownMetric(pub String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Metric, UnknownMetric> {
        let unknown = || UnknownMetric(text.to_owned());
        let quantile = |text: &str| Quantile::ALL.into_iter().find(|at| at.to_string() == text);
        Ok(match text {
            "throughput" => Metric::Throughput,
            "throughput-with-sync" => Metric::ThroughputWithSync,
            "operations" => Metric::Operations,
            "metadata-operations" => Metric::MetadataOperations,
            "processor" => Metric::Processor,
            "differed" => Metric::Differed,
            _ => match text.split_once(':') {
                None => Metric::Latency {
                    kind: None,
                    at: quantile(text).ok_or_else(unknown)?,
                },
                Some((first, second)) => match quantile(first) {
                    Some(at) => {
                        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == second);
                        Metric::Latency {
                            kind: Some(kind.ok_or_else(unknown)?),
                            at,
                        }
                    }
                    None => {
                        let activity = Activity::ALL.into_iter().find(|one| one.to_string() == first);
                        Metric::Bystander {
                            activity: activity.ok_or_else(unknown)?,
                            at: quantile(second).ok_or_else(unknown)?,
                        }
                    }
                },
            },
        })
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Metric, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_read_back_from_its_text() {
        for text in [
            "throughput",
            "throughput-with-sync",
            "operations",
            "metadata-operations",
            "p50",
            "p99:WriteX",
            "max:QUERY_PATH_INFORMATION",
            "save:p99",
            "timer:max",
            "processor",
            "differed",
        ] {
            assert_eq!(text.parse::<Metric>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "p98",
            "p99:",
            "p99:Nothing",
            "save",
            "save:",
            ":p99",
            "Throughput",
        ] {
            assert_eq!(text.parse::<Metric>(), Err(UnknownMetric(text.to_owned())));
        }
    }
}
