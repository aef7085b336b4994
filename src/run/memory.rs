//! The memory of all clients' timed loops, taken before the run.

use super::plan::Plan;
use crate::measure::MeterMemory;
use crate::measure::buckets::{OCTAVES, STEPS};
use crate::measure::recorder::blocks;
use crate::replay::Scratch;
use crate::replay::replayer::ENTRIES_WORDS;

/// One allocation of each kind for all clients.
///
/// Large zeroed allocations come as untouched pages: a client costs only what it uses, and the pages are first touched
/// by its own thread.
pub struct Memory {
    entries: Vec<u64>,
    // Counters of blocks: a vector of larger arrays would be written with zeros.
    blocks: Vec<u32>,
    flushed: Vec<u32>,
    lag_blocks: Vec<u32>,
    blocks_per_client: usize,
}

impl Memory {
    /// Takes the memory; from now on the process gets no huge pages, each of which would make the parts of dozens of
    /// clients resident at the first touch of one.
    pub fn new(plan: &Plan) -> Memory {
        // Where it is refused a client only costs more.
        let _ = nix::sys::prctl::set_thp_disable(true);
        let clients = plan.clients as usize;
        let kinds = plan.programs.iter().map(|program| program.kinds.len()).max();
        let blocks_per_client = blocks(kinds.unwrap_or(0).max(1));
        Memory {
            entries: vec![0; clients * ENTRIES_WORDS],
            blocks: vec![0; clients * blocks_per_client * STEPS],
            flushed: vec![0; clients * OCTAVES * STEPS],
            lag_blocks: vec![0; clients * blocks(1) * STEPS],
            blocks_per_client,
        }
    }

    /// Each client's part, in order.
    pub fn scratches(&mut self) -> impl Iterator<Item = Scratch<'_>> {
        let entries = self.entries.chunks_exact_mut(ENTRIES_WORDS);
        let blocks_of_clients = self
            .blocks
            .as_chunks_mut()
            .0
            .chunks_exact_mut(self.blocks_per_client);
        let flushed = self.flushed.as_chunks_mut().0.chunks_exact_mut(OCTAVES);
        let lags = self.lag_blocks.as_chunks_mut().0.chunks_exact_mut(blocks(1));
        entries.zip(blocks_of_clients.zip(flushed)).zip(lags).map(
            |((entries, (blocks, flushed)), lag_blocks)| Scratch {
                entries,
                meter: MeterMemory { blocks, flushed },
                lag_blocks,
            },
        )
    }
}
