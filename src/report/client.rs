//! `--per-client-results`.

use super::table::Layout;
use crate::result::ClientResult;
use crate::units::{megabytes, milliseconds};

/// What each client did, in dbench 4.0's form; with the tables if a layout is given.
pub(super) fn results(clients: &[ClientResult], layout: Option<&Layout>) -> String {
    let mut text = String::from("Per client results:\n");
    for client in clients {
        text.push_str(&line(client));
        if let Some(layout) = layout
            && !client.operations_by_kind.is_empty()
        {
            text.push_str(&layout.client_operations(&client.operations_by_kind));
            text.push('\n');
        }
    }
    text
}

/// A client's line: dbench's up to `bytes`, then our own figures.
pub(super) fn line(client: &ClientResult) -> String {
    let rate = megabytes(client.bytes_per_second);
    let latency = milliseconds(client.max_latency);
    format!(
        "Client {} did {} lines and {} bytes  {rate:.2} MB/sec  {} passes  max_latency={latency:.3} ms\n",
        client.client, client.operations, client.bytes, client.passes
    )
}
