//! What is to be known of a cell beside its figure.

/// A reason to look at a cell's figure twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mark {
    /// The background limit of dirty memory is not below the limit.
    BackgroundLimit,
    /// In a run that counts, outcomes differed from the trace, or reads from what was written.
    Differed,
    /// Runs failed beside those that count.
    SomeFailed,
    /// Things that the bystander did failed.
    BystanderFailed,
    /// Completions of requests were lost.
    CompletionsLost,
    /// Two sweeps that are divided: the loadfiles differ.
    OtherLoads,
}

impl Mark {
    /// What stands at the figure.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Mark::BackgroundLimit => "*",
            Mark::Differed => "†",
            Mark::SomeFailed => "‡",
            Mark::BystanderFailed => "§",
            Mark::CompletionsLost => "¶",
            Mark::OtherLoads => "#",
        }
    }

    /// The same for programs.
    pub(super) fn word(self) -> &'static str {
        match self {
            Mark::BackgroundLimit => "background_not_below_limit",
            Mark::Differed => "outcomes_differed",
            Mark::SomeFailed => "runs_failed",
            Mark::BystanderFailed => "bystander_failed",
            Mark::CompletionsLost => "completions_lost",
            Mark::OtherLoads => "loadfiles_differ",
        }
    }

    /// What it means.
    pub(super) fn footnote(self) -> &'static str {
        match self {
            Mark::BackgroundLimit => {
                "the background limit is not below the limit (vm.dirty_background_ratio and vm.dirty_ratio, or those in bytes): \
                 the kernel then starts writeback at half of the limit, whatever the background limit says"
            }
            Mark::Differed => {
                "the file system did other work than the trace says: outcomes differed, or reads from what was written; \
                 see the warnings of the runs"
            }
            Mark::SomeFailed => "some runs of the cell failed; the figure is of those that did not",
            Mark::BystanderFailed => "some of what the bystander did failed; the figure is of what did not",
            Mark::CompletionsLost => "the kernel lost some completions, which are counted nowhere",
            Mark::OtherLoads => "the two sweeps ran other loadfiles in this cell: their ratio tells little",
        }
    }
}
