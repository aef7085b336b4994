//! The table of operations: counts and latencies by kind.

use crate::op::Kind;
use crate::result::{ClientOperation, OperationResult};
use crate::units::milliseconds;
use std::time::Duration;

/// How a style's table looks.
pub(super) struct Layout {
    /// Width of the column of names.
    pub(super) name_width: usize,
    /// Dashes of the rule below the header.
    pub(super) rule: usize,
    /// Kinds that come first, in this order; the others follow in the order of [`Kind`].
    pub(super) first: &'static [Kind],
    pub(super) name: fn(Kind) -> &'static str,
}

/// Quantiles of our columns to the right of dbench's, with their headings.
const PERCENTILES: [(&str, f64); 4] = [("P50", 0.5), ("P95", 0.95), ("P99", 0.99), ("P99.9", 0.999)];

/// One row: dbench's columns.
struct Row {
    kind: Kind,
    count: u64,
    total: Duration,
    max: Duration,
}

impl Row {
    /// Mean latency in milliseconds.
    fn average(&self) -> f64 {
        milliseconds(self.total) / self.count.max(1) as f64
    }
}

impl Layout {
    /// The table over all clients, with percentiles.
    pub(super) fn operations(&self, operations: &[OperationResult]) -> String {
        let mut text = self.header(&PERCENTILES.map(|(heading, _)| heading));
        for operation in self.in_order(operations, |operation| operation.kind) {
            if operation.count > 0 {
                text.push_str(&self.row(&Row::from(operation), &percentiles(operation)));
            }
        }
        text
    }

    /// The table of one client, whose percentiles are not kept.
    pub(super) fn client_operations(&self, operations: &[ClientOperation]) -> String {
        let mut text = self.header(&[]);
        for operation in self.in_order(operations, |operation| operation.kind) {
            if operation.count > 0 {
                text.push_str(&self.row(&Row::from(operation), &[]));
            }
        }
        text
    }

    /// The rows for programs: `:op:count:avg:max:`, milliseconds.
    pub(super) fn machine_rows(&self, operations: &[OperationResult]) -> String {
        let mut text = String::new();
        for operation in self.in_order(operations, |operation| operation.kind) {
            let row = Row::from(operation);
            if row.count > 0 {
                let (name, max) = ((self.name)(row.kind), milliseconds(row.max));
                text.push_str(&format!(":{name}:{}:{:.3}:{max:.3}:\n", row.count, row.average()));
            }
        }
        text
    }

    fn in_order<'a, T>(&self, operations: &'a [T], kind: impl Fn(&T) -> Kind) -> Vec<&'a T> {
        let mut sorted: Vec<&T> = operations.iter().collect();
        let rank = |kind| self.first.iter().position(|&first| first == kind);
        sorted.sort_by_key(|operation| {
            let kind = kind(operation);
            (rank(kind).unwrap_or(self.first.len()), kind)
        });
        sorted
    }

    fn header(&self, more: &[&str]) -> String {
        let width = self.name_width;
        let mut text = format!(
            " {:<width$} {:>7} {:>9} {:>9}",
            "Operation", "Count", "AvgLat", "MaxLat"
        );
        for heading in more {
            text.push_str(&format!(" {heading:>9}"));
        }
        // The rule ends where dbench's does.
        format!("{text}\n {:-<rule$}\n", "", rule = self.rule)
    }

    fn row(&self, row: &Row, more: &[Option<Duration>]) -> String {
        let (name, width) = ((self.name)(row.kind), self.name_width);
        let (average, max) = (row.average(), milliseconds(row.max));
        let mut text = format!(" {name:<width$} {:7} {average:9.3} {max:9.3}", row.count);
        for latency in more {
            text.push_str(&match latency {
                Some(latency) => format!(" {}", fitted(*latency)),
                None => format!(" {:>9}", "-"),
            });
        }
        text.push('\n');
        text
    }
}

/// Milliseconds in nine places, as dbench's columns; short ones with all the digits that there are.
pub(super) fn fitted(latency: Duration) -> String {
    const SHORT: Duration = Duration::from_micros(10);
    let millis = milliseconds(latency);
    if latency < SHORT {
        format!("{millis:9.6}")
    } else {
        format!("{millis:9.3}")
    }
}

/// Percentiles of a kind; none when its histogram is empty.
fn percentiles(operation: &OperationResult) -> [Option<Duration>; PERCENTILES.len()] {
    PERCENTILES.map(|(_, quantile)| operation.percentile(quantile))
}

impl From<&OperationResult> for Row {
    fn from(operation: &OperationResult) -> Row {
        Row {
            kind: operation.kind,
            count: operation.count,
            total: operation.total,
            max: operation.slowest.latency,
        }
    }
}

impl From<&ClientOperation> for Row {
    fn from(operation: &ClientOperation) -> Row {
        Row {
            kind: operation.kind,
            count: operation.count,
            total: operation.total,
            max: operation.max_latency,
        }
    }
}
