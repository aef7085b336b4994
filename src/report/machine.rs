//! `--machine-readable`: dbench 5.0's lines for programs, with nothing of ours in them.

use super::{Figures, ReportOptions, client};
use crate::measure::{Phase, Tick};
use crate::result::RunResult;
use crate::units::{General, megabytes, milliseconds};

/// `:op:count:avg:max:` for each kind, `;T;clients;procs;max;` last.
pub(super) fn summary(result: &RunResult, options: &ReportOptions) -> String {
    let mut text = options.style.layout().machine_rows(&result.operations);
    if options.per_client {
        text.extend(result.per_client.iter().map(client::line));
    }
    if result.has_throughput() {
        text.push_str(&throughput(&Figures::of(result)));
    }
    text
}

/// `;T;clients;procs;max;`.
pub(super) fn throughput(figures: &Figures) -> String {
    let rate = General(megabytes(figures.bytes_per_second));
    let (clients, processes) = (figures.clients, figures.processes);
    let latency = milliseconds(figures.max_latency);
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
