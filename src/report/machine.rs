//! `--machine-readable`: dbench 5.0's lines for programs, with nothing of ours in them.

use super::{ReportOptions, client, has_throughput};
use crate::measure::{Phase, Tick};
use crate::result::RunResult;
use crate::units::{General, megabytes, milliseconds};
use std::time::Duration;

/// `:op:count:avg:max:` for each kind, `;T;clients;procs;max;` last.
pub(super) fn summary(result: &RunResult, options: &ReportOptions) -> String {
    let mut text = options.style.layout().machine_rows(&result.operations);
    if options.per_client {
        text.extend(result.per_client.iter().map(client::line));
    }
    if has_throughput(result) {
        text.push_str(&throughput(result, result.bytes_per_second, result.max_latency()));
    }
    text
}

/// `;T;clients;procs;max;`; `result` tells how many clients there were.
pub(super) fn throughput(result: &RunResult, bytes_per_second: f64, max_latency: Duration) -> String {
    let rate = General(megabytes(bytes_per_second));
    let (clients, processes) = (result.clients, result.processes);
    let latency = milliseconds(max_latency);
    format!(";{rate};{clients};{processes};{latency:.3};\n")
}

/// `@phase@clients@lines@MB/s@s@ms@`; the cleanup has clients and seconds alone.
pub(super) fn tick(tick: &Tick) -> String {
    let (clients, seconds) = (tick.clients, tick.elapsed.as_secs_f64());
    let phase = match tick.phase {
        Phase::Warmup => 'W',
        Phase::Execute => 'R',
        Phase::Cleanup => return format!("@C@{clients}@{seconds:.0}@\n"),
    };
    let rate = megabytes(tick.bytes_per_second);
    let (lines, latency) = (tick.lines_per_client, milliseconds(tick.latency));
    format!("@{phase}@{clients}@{lines}@{rate:.2}@{seconds:.0}@{latency:.3}@\n")
}
