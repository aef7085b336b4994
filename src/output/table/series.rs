//! `series-csv`: a row a second.

use super::{Column, column, end, fraction, label, nanoseconds, number, run_number, started_at};
use crate::result::{Pressure, RunResult, Sample, Second};
use crate::units::megabytes;

/// A second, counted from 1.
pub(super) struct Row<'r> {
    run: &'r RunResult,
    number: usize,
    second: &'r Second,
}

pub(super) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    vec![
        column("started_at", |row| started_at(row.run)),
        column("label", |row| label(row.run)),
        column("run_number", |row| run_number(row.run)),
        column("end", |row| end(row.run)),
        column("second", |row| number(row.number)),
        column("start_ns", |row| nanoseconds(row.second.start)),
        column("length_ns", |row| nanoseconds(row.second.length)),
        column("bytes_read", |row| number(row.second.bytes_read)),
        column("bytes_written", |row| number(row.second.bytes_written)),
        column("megabytes_per_second", |row| {
            fraction(row.second.bytes_per_second().map(megabytes))
        }),
        column("operations", |row| number(row.second.operations)),
        column("operations_per_second", |row| {
            fraction(row.second.operations_per_second())
        }),
        column("p50_ns", |row| nanoseconds(row.second.latency?.p50)),
        column("p99_ns", |row| nanoseconds(row.second.latency?.p99)),
        column("max_ns", |row| nanoseconds(row.second.latency?.max)),
        column("dirty_bytes", |row| number(row.sample()?.dirty_bytes?)),
        column("writeback_bytes", |row| number(row.sample()?.writeback_bytes?)),
        column("device_read_bytes", |row| {
            number(row.sample()?.device_read_bytes?)
        }),
        column("device_written_bytes", |row| {
            number(row.sample()?.device_written_bytes?)
        }),
        column("processors_busy", |row| fraction(row.sample()?.processors_busy)),
        column("cpu_some_ns", |row| nanoseconds(row.pressure()?.cpu_some)),
        column("memory_some_ns", |row| nanoseconds(row.pressure()?.memory_some)),
        column("memory_full_ns", |row| nanoseconds(row.pressure()?.memory_full)),
        column("io_some_ns", |row| nanoseconds(row.pressure()?.io_some)),
        column("io_full_ns", |row| nanoseconds(row.pressure()?.io_full)),
    ]
}

pub(super) fn rows(run: &RunResult) -> Vec<Row<'_>> {
    let seconds = run.series.iter().zip(1..);
    seconds
        .map(|(second, number)| Row { run, number, second })
        .collect()
}

impl Row<'_> {
    fn sample(&self) -> Option<&Sample> {
        self.second.sample.as_ref()
    }

    fn pressure(&self) -> Option<Pressure> {
        self.sample()?.pressure
    }
}
