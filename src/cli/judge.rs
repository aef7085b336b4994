//! `rbench compare`, `rbench ab` and `rbench history`: commands that judge results.

use super::{BaseOptions, SideOptions};
use crate::campaign::Order;
use crate::compare::Gate;
use crate::run::Pin;
use crate::units::Share;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What a judgement goes by; the same for all commands.
#[derive(Debug, Clone, Args)]
pub struct JudgeArgs {
    /// Metrics that decide, with commas between them [default: throughput,operations,p99]
    #[arg(help_heading = "Judging", long, value_name = "METRICS")]
    pub gate: Option<Gate>,
    /// Differences below it do not matter [default: 3%, or what equal runs in the store differ by]
    #[arg(help_heading = "Judging", long, value_name = "PERCENT")]
    pub floor: Option<Share>,
    /// Compare what is not comparable, with a footnote
    #[arg(help_heading = "Judging", long)]
    pub force: bool,
    /// Exit with 3 where it cannot be told
    #[arg(help_heading = "Judging", long)]
    pub strict: bool,
}

/// In which form a judgement is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum JudgeForm {
    /// A table for people
    #[default]
    Text,
    /// A table of Markdown
    Markdown,
    /// A row a metric, with all digits
    Csv,
    /// All there is
    Json,
}

/// Options of `rbench compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The baseline: a file of results (json, jsonl), or of the store a number, a label, pin:NAME, night:DATE, fresh:DATE or tag:NAME=VALUE
    #[arg(value_name = "BASE")]
    pub base: String,
    /// The candidate, likewise [default: BASE is a file of rbench ab, and its two sides are compared]
    #[arg(value_name = "CAND")]
    pub candidate: Option<String>,
    /// The store [default: $XDG_DATA_HOME/rbench/history.db]
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// Show the candidate as a multiple of the baseline, in place of the difference in percent
    #[arg(long)]
    pub ratio: bool,
    /// Show metrics that do not decide and have not changed too
    #[arg(long)]
    pub all: bool,
    /// In which form the comparison is told
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    pub form: JudgeForm,
    #[command(flatten)]
    pub judge: JudgeArgs,
}

/// Options of `rbench ab`.
#[derive(Debug, Args)]
pub struct AbArgs {
    /// How many clients
    #[arg(value_name = "CLIENTS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub clients: u32,
    /// Options of the runs of A, beside those of both
    #[arg(
        help_heading = "The campaign",
        long,
        value_name = "OPTIONS",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub a: SideOptions,
    /// Options of the runs of B
    #[arg(
        help_heading = "The campaign",
        long,
        value_name = "OPTIONS",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub b: SideOptions,
    /// A shell command before each run of A that follows one of B, and before the first
    #[arg(help_heading = "The campaign", long, value_name = "CMD")]
    pub switch_a: Option<String>,
    /// A shell command before each run of B that follows one of A, and before the first
    #[arg(help_heading = "The campaign", long, value_name = "CMD")]
    pub switch_b: Option<String>,
    /// In which order A and B of a pair run: abba, random or random:SEED
    #[arg(
        help_heading = "The campaign",
        long,
        value_name = "ORDER",
        default_value = "random"
    )]
    pub order: Order,
    /// How many pairs [default: 10]
    #[arg(help_heading = "The campaign", long, value_name = "N", conflicts_with = "detect", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub pairs: Option<u32>,
    /// Work out from a pilot how many pairs show a difference of so much
    #[arg(help_heading = "The campaign", long, value_name = "PERCENT")]
    pub detect: Option<Share>,
    /// Judge what the pairs flag once more, by as many fresh ones: only what both flag counts
    #[arg(help_heading = "The campaign", long)]
    pub confirm: bool,
    /// Where results are stored as they come, as JSON lines [default: ab-DATE-TIME.jsonl]
    #[arg(help_heading = "The campaign", long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Show the candidate as a multiple of the baseline, in place of the difference in percent
    #[arg(help_heading = "The campaign", long)]
    pub ratio: bool,
    /// Show metrics that do not decide and have not changed too
    #[arg(help_heading = "The campaign", long)]
    pub all: bool,
    /// In which form the comparison is told
    #[arg(
        help_heading = "The campaign",
        long,
        value_enum,
        value_name = "FORM",
        default_value = "text"
    )]
    pub form: JudgeForm,
    /// Bind each client to a processor: spread, compact, or a list such as 0,2-3
    #[arg(
        help_heading = "Options of each run",
        long,
        value_name = "WHERE",
        default_value = "none"
    )]
    pub pin: Pin,
    #[command(flatten)]
    pub judge: JudgeArgs,
    #[command(flatten)]
    pub base: BaseOptions,
}

/// Options of `rbench history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub job: HistoryJob,
    /// The store [default: $XDG_DATA_HOME/rbench/history.db]
    // (What is global is seen by the run's options too, which have a `store` of another type.)
    #[arg(id = "history_store", long = "store", value_name = "FILE", global = true)]
    pub store: Option<PathBuf>,
}

/// What is done with the store.
#[derive(Debug, Subcommand)]
pub enum HistoryJob {
    /// List what is stored: cells, nights, labels, pins
    List(HistoryListArgs),
    /// Show stored runs as they showed themselves
    Show(HistoryShowArgs),
    /// Give runs a name that stays: a baseline
    Pin(HistoryPinArgs),
    /// Write runs as JSON lines
    Export(HistoryExportArgs),
    /// Add results from files: json, jsonl
    Import(HistoryImportArgs),
    /// Remove old runs that no pin names
    Prune(HistoryPruneArgs),
    /// Judge tonight by the nights before, and find where figures changed
    Check(HistoryCheckArgs),
}

/// Options of `rbench history list`.
#[derive(Debug, Args)]
pub struct HistoryListArgs {
    /// Runs one by one
    #[arg(long)]
    pub runs: bool,
    /// As JSON, an object a line
    #[arg(long)]
    pub json: bool,
}

/// Options of `rbench history show`.
#[derive(Debug, Args)]
pub struct HistoryShowArgs {
    /// Runs: a number of `history list --runs`, a label, pin:NAME, night:DATE, fresh:DATE or tag:NAME=VALUE
    #[arg(value_name = "RUNS")]
    pub runs: String,
}

/// Options of `rbench history pin`.
#[derive(Debug, Args)]
pub struct HistoryPinArgs {
    /// The pin's name
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Runs: a number of `history list --runs`, a label, pin:NAME, night:DATE, fresh:DATE or tag:NAME=VALUE
    #[arg(value_name = "RUNS")]
    pub runs: String,
}

/// Options of `rbench history export`.
#[derive(Debug, Args)]
pub struct HistoryExportArgs {
    /// Runs: a number of `history list --runs`, a label, pin:NAME, night:DATE, fresh:DATE or tag:NAME=VALUE [default: all]
    #[arg(value_name = "RUNS")]
    pub runs: Option<String>,
    /// Where to write (- is standard output)
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub output: PathBuf,
}

/// Options of `rbench history import`.
#[derive(Debug, Args)]
pub struct HistoryImportArgs {
    /// Results: json, jsonl, plain or gzip-compressed (- is standard input)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Options of `rbench history prune`.
#[derive(Debug, Args)]
pub struct HistoryPruneArgs {
    /// Runs started before this day, or more than so many days ago: 2026-01-31, 90d
    #[arg(long, required = true, value_name = "DATE|DAYS")]
    pub before: String,
    /// Tell what would be removed, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Options of `rbench history check`.
#[derive(Debug, Args)]
pub struct HistoryCheckArgs {
    /// Which night is tonight, as 2026-03-01 [default: the last that is stored]
    #[arg(long, value_name = "DATE")]
    pub night: Option<String>,
    /// Only cells whose names hold this text
    #[arg(long, value_name = "TEXT")]
    pub cell: Option<String>,
    /// In which form it is told
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    pub form: JudgeForm,
    #[command(flatten)]
    pub judge: JudgeArgs,
}
