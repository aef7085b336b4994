//! dbench 1 to 3: a line of throughput.

use super::ReportOptions;
use crate::units::{General, megabytes};

/// NetBench counted protocol overhead that dbench does not, a quarter of what is moved.
const NETBENCH: f64 = 1.25;
/// Bits on the wire for a byte, framing included, as dbench counts them.
const BITS: f64 = 10.0;

/// The line that says that the clients have been released.
pub fn started(clients: u32) -> String {
    format!("{clients} clients started\n")
}

/// The line of throughput.
pub(super) fn throughput(bytes_per_second: f64, options: &ReportOptions) -> String {
    let rate = megabytes(bytes_per_second);
    let (netbench, bits) = (General(rate * NETBENCH), General(rate * BITS));
    let (rate, sync) = (General(rate), options.sync_marks());
    format!("Throughput {rate} MB/sec (NB={netbench} MB/sec  {bits} MBit/sec){sync}\n")
}
