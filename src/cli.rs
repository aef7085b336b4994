//! What was typed.

pub use crate::output::{Output, OutputKind};
mod axes;
mod base;
mod group;
mod judge;
mod report;
mod run;
mod side;
mod sweep;

pub use axes::{AxisOption, TypedAxes, TypedAxis};
pub use base::{BaseOptions, option_takes_value, run_args};
pub use group::GroupSpec;
pub use judge::{
    AbArgs, CompareArgs, HistoryArgs, HistoryCheckArgs, HistoryExportArgs, HistoryImportArgs, HistoryJob,
    HistoryListArgs, HistoryPinArgs, HistoryPruneArgs, HistoryShowArgs, JudgeArgs, JudgeForm,
};
pub use report::ReportArgs;
pub use run::{BackendName, Flush, RunArgs, Warmup};
pub use side::SideOptions;
pub use sweep::{MixArgs, SweepArgs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Replay recorded file operations with many simulated clients and say what the file system delivered.
#[derive(Debug, Parser)]
#[command(
    name = "rbench",
    version,
    args_conflicts_with_subcommands = true,
    args_override_self = true,
    subcommand_negates_reqs = true,
    override_usage = "rbench [OPTIONS] <CLIENTS>\n       rbench <COMMAND>",
    after_help = "Durations: a bare number is seconds; suffixes us ms s m h. Sizes: a bare number is bytes; \
                  K M G are powers of 1024, KB MB GB powers of 1000.\n\
                  Exit codes: 0 done as the trace says; 1 outcomes differed, the run failed, or what was compared is \
                  worse; 2 bad usage or loadfile, nothing touched; 3 with --strict: it cannot be told; 4 not \
                  comparable; 130, 143, 129 stopped by SIGINT, SIGTERM, SIGHUP; 141 nobody reads the output."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Every job but a run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Parse loadfiles and tell what they do, without running them
    Check(CheckArgs),
    /// Write a loadfile of dialect nb2, nb3 or smb1 as nb3
    Convert(ConvertArgs),
    /// Remove what a killed or kept run has left in a directory
    Clean(CleanArgs),
    /// Run every cell of a grid: clients, loads, directories, parameters, kernel settings, any option
    Sweep(SweepArgs),
    /// Run groups of clients with different loads and directories, each alone and all together
    Mix(MixArgs),
    /// List the bundled loads and their parameters
    Loads(LoadsArgs),
    /// Show stored results as runs show theirs, and sweeps as tables
    Report(ReportArgs),
    /// Compare stored results: what is better, what is worse, and whether it can be told
    Compare(CompareArgs),
    /// Run two configurations in turns, and compare them
    Ab(AbArgs),
    /// Keep results from night to night, and judge tonight's
    History(HistoryArgs),
    /// Write the manual pages into a directory
    Man(ManArgs),
    /// Print a shell's completions
    Completions(CompletionsArgs),
}

/// How loadfiles are read; the same for every job.
#[derive(Debug, Args, Clone)]
pub struct ReadArgs {
    /// Give a parameter of the loadfile (PARAM) a value
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub set: Vec<(String, String)>,
    /// The loadfile is a slice of a longer one: leave out operations on handles that it does not open
    #[arg(long)]
    pub slice: bool,
}

/// Options of `rbench check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Loadfiles or names of bundled loads
    #[arg(required = true, value_name = "FILE|NAME")]
    pub files: Vec<String>,
    /// As JSON, an object for each file
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// Options of `rbench convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// A loadfile or the name of a bundled load
    #[arg(value_name = "IN")]
    pub input: String,
    /// Where to write (- is standard output)
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Unroll loops, fix parameters and resolve rbench's own directives, so that dbench can run it
    #[arg(long)]
    pub flatten: bool,
    /// Which dbench is to run it
    #[arg(long = "for", value_enum, value_name = "PROGRAM", default_value = "dbench4")]
    pub target: ConvertTarget,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// Which dbench a conversion is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConvertTarget {
    Dbench4,
    Dbench5,
}

/// Options of `rbench clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// The directory that holds `clients`
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// Options of `rbench loads`.
#[derive(Debug, Args)]
pub struct LoadsArgs {
    /// Bundled loads [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// As JSON, an object for each load
    #[arg(long)]
    pub json: bool,
}

/// Options of `rbench man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Where to write rbench.1 and a page for each command
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// Options of `rbench completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// For which shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE, such as size=64K".into()),
    }
}
