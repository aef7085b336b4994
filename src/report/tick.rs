//! The line that is printed once a second.

use super::{ReportOptions, Style, machine};
use crate::measure::{Phase, Tick};
use crate::units::{megabytes, milliseconds};

/// The line of a tick; none in the dbench1 style.
pub fn tick(tick: &Tick, options: &ReportOptions) -> Option<String> {
    if options.machine_readable {
        return Some(machine::tick(tick));
    }
    if options.style == Style::Dbench1 {
        return None;
    }
    let (clients, seconds) = (tick.clients, tick.elapsed.as_secs_f64());
    let phase = match tick.phase {
        Phase::Warmup => "warmup",
        Phase::Execute => "execute",
        Phase::Cleanup => return Some(format!("{clients:4}  cleanup {seconds:3.0} sec\n")),
    };
    let rate = megabytes(tick.bytes_per_second);
    let (lines, latency) = (tick.lines_per_client, milliseconds(tick.latency));
    Some(format!(
        "{clients:4}  {lines:8}  {rate:7.2} MB/sec  {phase} {seconds:3.0} sec  latency {latency:.3} ms\n"
    ))
}
