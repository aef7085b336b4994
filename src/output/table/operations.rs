//! `ops-csv`: a row a kind of operation, after one for all kinds.

use super::{Column, column, end, fraction, label, nanoseconds, number, run_number, started_at};
use crate::result::{OperationResult, RunResult};
use std::time::Duration;

/// The name of the row for all kinds; no operation has it.
const ALL: &str = "all";

/// A kind, or all of them.
pub(super) struct Row<'r> {
    run: &'r RunResult,
    operation: Option<&'r OperationResult>,
}

pub(super) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    vec![
        column("started_at", |row| started_at(row.run)),
        column("label", |row| label(row.run)),
        column("run_number", |row| run_number(row.run)),
        column("end", |row| end(row.run)),
        column("operation", |row| {
            Some(row.operation.map_or(ALL, |one| one.kind.name()).to_owned())
        }),
        column("count", |row| number(row.count())),
        column("differed", |row| number(row.differed())),
        column("total_ns", |row| nanoseconds(row.total())),
        column("mean_ns", |row| row.mean()),
        column("p50_ns", |row| nanoseconds(row.percentile(0.5)?)),
        column("p95_ns", |row| nanoseconds(row.percentile(0.95)?)),
        column("p99_ns", |row| nanoseconds(row.percentile(0.99)?)),
        column("p999_ns", |row| nanoseconds(row.percentile(0.999)?)),
        column("max_ns", |row| nanoseconds(row.slowest()?.slowest.latency)),
        column("max_at_ns", |row| nanoseconds(row.slowest()?.slowest.at)),
        column("max_client", |row| number(row.slowest()?.slowest.client)),
        column("max_line", |row| number(row.slowest()?.slowest.line)),
    ]
}

pub(super) fn rows(run: &RunResult) -> Vec<Row<'_>> {
    let kinds = run.operations.iter().map(Some);
    let rows = std::iter::once(None).chain(kinds);
    rows.map(|operation| Row { run, operation }).collect()
}

impl Row<'_> {
    fn count(&self) -> u64 {
        self.operation
            .map_or_else(|| self.run.total_operations(), |one| one.count)
    }

    fn differed(&self) -> u64 {
        let all = || {
            self.run
                .operations
                .iter()
                .map(|one| one.differed)
                .fold(0, u64::saturating_add)
        };
        self.operation.map_or_else(all, |one| one.differed)
    }

    fn total(&self) -> Duration {
        self.operation
            .map_or_else(|| self.run.total_latency(), |one| one.total)
    }

    fn mean(&self) -> Option<String> {
        let count = self.count();
        fraction((count > 0).then(|| self.total().as_nanos() as f64 / count as f64))
    }

    fn percentile(&self, quantile: f64) -> Option<Duration> {
        match self.operation {
            Some(operation) => operation.percentile(quantile),
            None => self.run.percentile(quantile),
        }
    }

    /// The kind with the slowest operation.
    fn slowest(&self) -> Option<&OperationResult> {
        let all = || self.run.operations.iter().max_by_key(|one| one.slowest.latency);
        self.operation.or_else(all).filter(|one| one.count > 0)
    }
}
