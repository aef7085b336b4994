//! `rbench report`.

use crate::compare::Gate;
use crate::measure::probe::Activity;
use crate::report::{Layout, Style, TableForm};
use crate::units::Share;
use clap::Args;
use std::path::PathBuf;

/// Options of `rbench report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Results that --output has kept: json or jsonl (- is standard input)
    #[arg(required_unless_present_any = ["compare", "history"], value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Whose output to follow [default: as the run itself]
    #[arg(long, value_enum, value_name = "STYLE")]
    pub style: Option<Style>,
    /// Show the table of operations in the dbench1 style too
    #[arg(long)]
    pub table: bool,
    /// Report each client too
    #[arg(long)]
    pub per_client_results: bool,
    /// Output for programs, as dbench 5's
    #[arg(long)]
    pub machine_readable: bool,
    /// A line for each finished pass
    #[arg(long)]
    pub show_execute_time: bool,
    /// Show what the run used as time prints it, and the machine before and after as vmstat does
    #[arg(long)]
    pub counters: bool,
    /// Show the ten slowest operations
    #[arg(long)]
    pub slowest: bool,
    /// How a sweep is laid out [default: as its axes suggest]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    pub layout: Option<Layout>,
    /// In which form tables of a sweep are written
    #[arg(long, value_enum, value_name = "FORM", default_value = "markdown")]
    pub form: TableForm,
    /// Which activity of the bystander the grid shows
    #[arg(long, value_enum, value_name = "ACTIVITY", default_value = "save")]
    pub bystander: Activity,
    /// Divide the cells of the second sweep by those of the first: FILE... are BASE CAND
    #[arg(long)]
    pub ratio: bool,
    /// Write a page for a browser: one file, with pictures, that needs nothing else
    #[arg(help_heading = "Pages and pictures", long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the pictures of that page into a directory, each as an SVG file
    #[arg(help_heading = "Pages and pictures", long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Metrics that decide on the page [default: throughput,operations,p99]
    #[arg(help_heading = "Pages and pictures", long, value_name = "METRICS")]
    pub gate: Option<Gate>,
    /// Differences below it do not matter on the page [default: 3%]
    #[arg(help_heading = "Pages and pictures", long, value_name = "PERCENT")]
    pub floor: Option<Share>,
    /// Put on the page what is not comparable, too
    #[arg(help_heading = "Pages and pictures", long)]
    pub force: bool,
    /// Put a comparison on the page, as rbench compare makes it
    #[arg(help_heading = "Pages and pictures", long, num_args = 2, value_names = ["BASE", "CAND"])]
    pub compare: Vec<String>,
    /// Put the history of the store on the page, as rbench history check tells it
    #[arg(help_heading = "Pages and pictures", long)]
    pub history: bool,
    /// The store [default: $XDG_DATA_HOME/rbench/history.db]
    #[arg(help_heading = "Pages and pictures", long, value_name = "FILE")]
    pub store: Option<PathBuf>,
}

impl ReportArgs {
    /// Whether a page or pictures are wanted.
    pub fn is_page(&self) -> bool {
        self.html.is_some() || self.svg.is_some()
    }
}
