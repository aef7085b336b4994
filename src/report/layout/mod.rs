//! Tables of sweeps, in the forms that people publish.

/// How a sweep is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Layout {
    /// Two axes as rows and columns: throughput, the bystander, the sweet spot
    Grid,
    /// As tiobench: rates and processor time of sequential and random reads and writes
    Tio,
    /// Operations per second by block size and clients
    Iops,
    /// Pinning and completion of requests: throughput, latency, local and remote completions
    Affinity,
    /// A row a cell
    Long,
}

/// In which form a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, clap::ValueEnum)]
pub enum TableForm {
    #[default]
    Markdown,
    Csv,
}
