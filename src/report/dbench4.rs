//! dbench 4.0: its table's names, and the line of throughput that it shares with 5.0.

use super::table::Layout;
use super::{Figures, ReportOptions};
use crate::op::Kind;
use crate::units::{General, megabytes, milliseconds};

/// The order of [`Kind`] is dbench 4.0's.
pub(super) const LAYOUT: Layout = Layout {
    name_width: 12,
    rule: 40,
    first: &[],
    name,
};

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::QueryPathInformation => "Qpathinfo",
        Kind::QueryFileInformation => "Qfileinfo",
        Kind::QueryFsInformation => "Qfsinfo",
        Kind::SetFileInformation => "Sfileinfo",
        Kind::FindFirst => "Find",
        other => other.name(),
    }
}

/// The line of throughput.
pub(super) fn throughput(figures: &Figures, options: &ReportOptions) -> String {
    let rate = General(megabytes(figures.bytes_per_second));
    let (sync, clients, processes) = (options.sync_marks(), figures.clients, figures.processes);
    let latency = milliseconds(figures.max_latency);
    format!(
        "Throughput {rate} MB/sec{sync}  {clients} clients  {processes} procs  max_latency={latency:.3} ms\n"
    )
}
