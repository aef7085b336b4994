//! `csv`: a row a run.

use super::bystander;
use super::{Column, column, end, fraction, label, nanoseconds, number, run_number, started_at};
use crate::result::RunResult;
use crate::units::megabytes;

/// What separates several names or notes in a cell.
const SEPARATOR: &str = "; ";

type Row<'r> = &'r RunResult;

pub(super) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    let mut columns: Vec<Column<Row<'r>>> = vec![
        // Which run it was.
        column("started_at", |run| started_at(run)),
        column("label", |run| label(run)),
        column("tags", |run| tags(run)),
        column("run_number", |run| run_number(run)),
        column("runs", |run| number(run.info.runs)),
        column("cell", |run| number(run.info.cell.as_ref()?.number)),
        column("axes", |run| axes(run)),
        column("rbench_version", |run| Some(run.info.rbench_version.clone())),
        column("end", |run| end(run)),
        column("loadfiles", |run| loadfiles(run)),
        column("clients", |run| number(run.clients)),
        column("processes", |run| number(run.processes)),
        column("time_limit_ns", |run| nanoseconds(run.info.options.time_limit?)),
        column("warm_up_ns", |run| nanoseconds(run.warm_up.length)),
        column("sync_open", |run| number(run.info.options.sync_open)),
        column("sync_dir", |run| number(run.info.options.sync_dir)),
        column("fsync", |run| number(run.info.options.fsync)),
        column("seed", |run| number(run.info.options.seed)),
        // Runs with other options must not be compared: all of them, as the JSON has them.
        column("options", |run| serde_json::to_string(&run.info.options).ok()),
        column("kernel_release", |run| {
            run.environment.as_ref()?.axis.kernel_release.clone()
        }),
        column("file_system", |run| file_system(run)),
        // What it moved and did.
        column("elapsed_ns", |run| nanoseconds(run.elapsed)),
        column("bytes_read", |run| number(run.bytes_read)),
        column("bytes_written", |run| number(run.bytes_written)),
        column("bytes_per_second", |run| shown(run, Some(run.bytes_per_second))),
        column("megabytes_per_second", |run| {
            shown(run, Some(megabytes(run.bytes_per_second)))
        }),
        column("operations", |run| number(run.total_operations())),
        column("operations_per_second", |run| {
            shown(run, run.operations_per_second())
        }),
        column("metadata_operations_per_second", |run| {
            shown(run, run.metadata_operations_per_second())
        }),
        // How long operations took.
        column("mean_ns", |run| mean(run)),
        column("p50_ns", |run| nanoseconds(run.percentile(0.5)?)),
        column("p95_ns", |run| nanoseconds(run.percentile(0.95)?)),
        column("p99_ns", |run| nanoseconds(run.percentile(0.99)?)),
        column("p999_ns", |run| nanoseconds(run.percentile(0.999)?)),
        column("max_ns", |run| {
            run.percentile(1.0).and_then(|_| nanoseconds(run.max_latency()))
        }),
        // Whether it did what the loadfile says.
        column("outcomes_checked", |run| number(run.outcomes.checked)),
        column("outcomes_differed", |run| number(run.outcomes.differed)),
        column("operations_skipped", |run| number(run.outcomes.skipped)),
        column("corrupt_reads", |run| {
            number(run.verification.as_ref()?.corrupt_reads)
        }),
        // What it cost.
        column("unwritten_bytes", |run| number(run.durability?.unwritten_bytes?)),
        column("final_sync_ns", |run| {
            nanoseconds(run.durability?.final_sync?.took)
        }),
        column("bytes_per_second_with_sync", |run| {
            fraction(Some(run.durability?.final_sync?.bytes_per_second_with_sync))
        }),
        column("user_ns", |run| nanoseconds(run.counters.as_ref()?.usage.user)),
        column("system_ns", |run| {
            nanoseconds(run.counters.as_ref()?.usage.system)
        }),
        column("device_read_bytes", |run| {
            number(run.counters.as_ref()?.devices.first()?.read_bytes)
        }),
        column("device_written_bytes", |run| {
            number(run.counters.as_ref()?.devices.first()?.written_bytes)
        }),
        column("local_completions_per_second", |run| {
            fraction(run.completions?.local_per_second())
        }),
        column("remote_completions_per_second", |run| {
            fraction(run.completions?.remote_per_second())
        }),
    ];
    columns.extend(bystander::columns());
    columns.push(column("warnings", |run| warnings(run)));
    columns
}

/// Figures that mean something only where the run did not fail.
fn shown(run: &RunResult, figure: Option<f64>) -> Option<String> {
    fraction(figure.filter(|_| run.has_throughput()))
}

fn tags(run: &RunResult) -> Option<String> {
    let tags = run.info.tags.iter();
    let tags: Vec<_> = tags.map(|(name, value)| format!("{name}={value}")).collect();
    Some(tags.join(SEPARATOR))
}

/// Where its cell is, as `vm.dirty_ratio=60; clients=4`.
fn axes(run: &RunResult) -> Option<String> {
    let coordinates = run.info.cell.as_ref()?.coordinates.iter();
    let values: Vec<_> = coordinates
        .map(|at| format!("{}={}", at.axis, at.value))
        .collect();
    Some(values.join(SEPARATOR))
}

fn loadfiles(run: &RunResult) -> Option<String> {
    let names: Vec<_> = run.loadfiles.iter().map(|load| load.name.as_str()).collect();
    Some(names.join(SEPARATOR))
}

fn file_system(run: &RunResult) -> Option<String> {
    let found = run.environment.as_ref()?.identity.file_system.as_ref()?;
    Some(found.kind.clone())
}

fn mean(run: &RunResult) -> Option<String> {
    let (total, count) = (run.total_latency(), run.total_operations());
    fraction((count > 0).then(|| total.as_nanos() as f64 / count as f64))
}

fn warnings(run: &RunResult) -> Option<String> {
    let texts: Vec<_> = run.warnings.iter().map(ToString::to_string).collect();
    Some(texts.join(SEPARATOR))
}
