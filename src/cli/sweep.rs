//! `rbench sweep` and `rbench mix`: commands that make several kinds of runs.

use super::{BaseOptions, GroupSpec, TypedAxes};
use crate::measure::probe::Activity;
use crate::report::{Layout, TableForm};
use crate::run::Pin;
use crate::sweep::Order;
use clap::Args;
use std::path::PathBuf;

/// Options of `rbench sweep`.
#[derive(Debug, Clone, Args)]
pub struct SweepArgs {
    #[command(flatten)]
    pub axes: TypedAxes,

    /// In which order cells are run: random, random:SEED, or typed
    #[arg(
        help_heading = "The sweep",
        long,
        value_name = "ORDER",
        default_value = "random"
    )]
    pub order: Order,
    /// Show the cells and the time that they take, and run nothing
    #[arg(help_heading = "The sweep", long, alias = "dry-run")]
    pub list: bool,
    /// Where results are stored as they come, as JSON lines [default: sweep-DATE-TIME.jsonl]
    #[arg(
        help_heading = "The sweep",
        long,
        value_name = "FILE",
        conflicts_with = "resume"
    )]
    pub results: Option<PathBuf>,
    /// Go on with the sweep that a file holds: the cells that are not in it yet
    #[arg(help_heading = "The sweep", long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// With --resume: make runs that have failed again, too
    #[arg(help_heading = "The sweep", long, requires = "resume")]
    pub retry_failed: bool,
    /// How the table at the end is laid out [default: as the axes suggest]
    #[arg(help_heading = "The sweep", long, value_enum, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
    /// In which form it is written [default: markdown]
    #[arg(help_heading = "The sweep", long, value_enum, value_name = "FORM")]
    pub form: Option<TableForm>,

    /// Which activity of the bystander the grid at the end shows [default: save]
    #[arg(help_heading = "The sweep", long, value_enum, value_name = "ACTIVITY")]
    pub bystander: Option<Activity>,

    #[command(flatten)]
    pub base: BaseOptions,
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
