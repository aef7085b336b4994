//! `rbench sweep` and `rbench mix`: commands that make several kinds of runs.

use super::{BaseOptions, GroupSpec};
use crate::report::{Layout, TableForm};
use crate::run::Pin;
use clap::Args;
use std::path::PathBuf;

/// Options of `rbench sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// How many clients: 1,2,4 or 1..9:2
    #[arg(long, value_name = "LIST")]
    pub clients: Option<String>,
    /// Loadfiles, or bundled loads
    #[arg(long, value_name = "LIST")]
    pub load: Option<String>,
    /// Directories to work in
    #[arg(long, value_name = "LIST")]
    pub dir: Option<String>,
    /// Kernel settings below /proc/sys, such as vm.dirty_ratio=60..90:10 (root)
    #[arg(long, value_name = "NAME=LIST")]
    pub sysctl: Vec<String>,
    /// Kernel settings below /sys, such as block/vda/queue/rq_affinity=0,1,2 (root)
    #[arg(long, value_name = "FILE=LIST")]
    pub sysfs: Vec<String>,
    /// Processors that clients are bound to: none, spread, compact, or 0+2-3
    #[arg(long, value_name = "LIST")]
    pub pin: Option<String>,
    /// Any option of a run, such as data=zeros,random, or sync=off,on
    #[arg(long, value_name = "OPTION=LIST")]
    pub axis: Vec<String>,

    /// In which order cells are run: random, random:SEED, or typed
    #[arg(long, value_name = "ORDER", default_value = "random")]
    pub order: Order,
    /// Show the cells and the time that they take, and run nothing
    #[arg(long, alias = "dry-run")]
    pub list: bool,
    /// Where results are stored as they come, as JSON lines [default: sweep-DATE-TIME.jsonl]
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub results: Option<PathBuf>,
    /// Go on with the sweep that a file holds: the cells that are not in it yet
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// How the table at the end is laid out [default: as the axes suggest]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
    /// In which form it is written
    #[arg(long, value_enum, value_name = "FORM", default_value = "markdown")]
    pub form: TableForm,

    #[command(flatten)]
    pub base: BaseOptions,
}

/// In which order the cells of a sweep are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each round of runs in another order, which follows from the seed.
    Random { seed: u64 },
    /// As typed, the last axis fastest.
    Typed,
}

impl std::str::FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        let seed = |text: &str| {
            text.parse()
                .map_err(|_| "expected a whole number after random:".to_owned())
        };
        match (text, text.strip_prefix("random:")) {
            ("typed", _) => Ok(Order::Typed),
            ("random", _) => Ok(Order::Random { seed: 0 }),
            (_, Some(text)) => Ok(Order::Random { seed: seed(text)? }),
            _ => Err("expected random, random:SEED or typed".into()),
        }
    }
}

/// Options of `rbench mix`.
#[derive(Debug, Args)]
pub struct MixArgs {
    /// A group of clients: NAME=LOAD@DIR, then options: ,clients=N ,start=SECS ,loop and any of a run, and ,set.NAME=VALUE
    #[arg(long, required = true, value_name = "NAME=LOAD@DIR,...")]
    pub group: Vec<GroupSpec>,
    /// Bind each client of each group to a processor: spread, compact, or a list such as 0,2-3
    #[arg(long, value_name = "WHERE", default_value = "none")]
    pub pin: Pin,
    /// In which form the table is written
    #[arg(long, value_enum, value_name = "FORM", default_value = "markdown")]
    pub form: TableForm,
    #[command(flatten)]
    pub base: BaseOptions,
}
