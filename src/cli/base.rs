//! Options of a run that other commands take too: kept as typed, and read as a run's for each run that they make.

use super::{Cli, RunArgs};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Parser};
use std::ffi::{OsStr, OsString};

/// The options of a run that were typed, as arguments: `--name=value`, or `--name` of one without a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BaseOptions {
    arguments: Vec<(String, OsString)>,
}

/// Named otherwise, or made otherwise, by the commands that make runs.
const OWN: [&str; 2] = ["clients", "pin"];

/// What a run knows, but for what the commands have under the same name with lists.
fn options() -> impl Iterator<Item = Arg> {
    let command = RunArgs::augment_args(Command::new("run"));
    let all: Vec<Arg> = command.get_arguments().cloned().collect();
    all.into_iter()
        .filter(|arg| arg.get_long().is_some() && !OWN.contains(&arg.get_id().as_str()))
        .map(|arg| arg.help_heading("Options of each run"))
}

/// Whether an option stands by itself.
fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

impl BaseOptions {
    /// The arguments, but for those of some options (long names).
    pub fn without(&self, names: &[&str]) -> Vec<OsString> {
        let kept = self
            .arguments
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()));
        kept.map(|(_, argument)| argument.clone()).collect()
    }

    /// These options and others: what the others say holds. Parameters and tags are replaced by name, loadfiles all together.
    pub fn overridden_by(&self, others: &BaseOptions) -> Vec<OsString> {
        let named = |name: &str, argument: &OsStr| {
            let bytes = argument.as_encoded_bytes();
            let value = bytes.get(name.len() + "--=".len()..).unwrap_or_default();
            value
                .split(|&byte| byte == b'=')
                .next()
                .unwrap_or_default()
                .to_vec()
        };
        let is_overridden = |name: &str, argument: &OsStr| match name {
            "set" | "tag" => others
                .arguments
                .iter()
                .any(|(other, theirs)| other == name && named(name, theirs) == named(name, argument)),
            _ => others.has(name),
        };
        let kept = self
            .arguments
            .iter()
            .filter(|(name, argument)| !is_overridden(name, argument));
        let all = kept.chain(&others.arguments);
        all.map(|(_, argument)| argument.clone()).collect()
    }

    /// Adds an option (its long name) that was read elsewhere, as its argument.
    pub fn push(&mut self, name: &str, argument: OsString) {
        self.arguments.push((name.to_owned(), argument));
    }

    /// Adds what others say, behind its own.
    pub fn extend(&mut self, others: &BaseOptions) {
        self.arguments.extend_from_slice(&others.arguments);
    }

    /// Whether none was typed.
    pub fn is_empty(&self) -> bool {
        self.arguments.is_empty()
    }

    /// Whether an option (its long name) was typed.
    pub fn has(&self, name: &str) -> bool {
        self.arguments.iter().any(|(typed, _)| typed == name)
    }

    /// The values that an option (its long name) was given, in order.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &OsStr> {
        let prefix = name.len() + "--=".len();
        let typed = self.arguments.iter().filter(move |(typed, _)| typed == name);
        typed.filter_map(move |(_, argument)| {
            let bytes = std::os::unix::ffi::OsStrExt::as_bytes(argument.as_os_str());
            bytes.get(prefix..).map(std::os::unix::ffi::OsStrExt::from_bytes)
        })
    }
}

impl FromArgMatches for BaseOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<BaseOptions, clap::Error> {
        let mut arguments = Vec::new();
        for arg in options() {
            let (id, Some(long)) = (arg.get_id().as_str(), arg.get_long()) else {
                continue;
            };
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            if is_flag(&arg) {
                arguments.push((long.to_owned(), format!("--{long}").into()));
                continue;
            }
            for value in matches.get_raw(id).into_iter().flatten() {
                let mut argument = OsString::from(format!("--{long}="));
                argument.push(value);
                arguments.push((long.to_owned(), argument));
            }
        }
        Ok(BaseOptions { arguments })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = BaseOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for BaseOptions {
    fn augment_args(command: Command) -> Command {
        command.args(options())
    }

    fn augment_args_for_update(command: Command) -> Command {
        BaseOptions::augment_args(command)
    }
}

/// Reads arguments (without the program's name) as those of a run.
///
/// # Errors
/// They are none.
pub fn run_args(arguments: impl IntoIterator<Item = OsString>) -> Result<RunArgs, clap::Error> {
    let program = std::iter::once(OsString::from("rbench"));
    Cli::try_parse_from(program.chain(arguments)).map(|cli| cli.run)
}

/// Whether an option of a run (its long name) has a value (`Some(true)`) or is a flag; absent: there is none.
pub fn option_takes_value(name: &str) -> Option<bool> {
    let found = options().find(|arg| arg.get_long() == Some(name));
    found.map(|arg| !is_flag(&arg))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        base: BaseOptions,
    }

    fn typed(arguments: &[&str]) -> BaseOptions {
        Typed::try_parse_from(std::iter::once(&"x").chain(arguments))
            .unwrap()
            .base
    }

    #[test]
    fn options_are_kept_as_typed_and_defaults_are_not() {
        let base = typed(&["-t", "5", "--sync", "--set", "a=1", "--set", "b=2"]);
        assert_eq!(base.without(&["set"]), ["--timelimit=5", "--sync"]);
        assert_eq!(base.values("set").collect::<Vec<_>>(), ["a=1", "b=2"]);
        assert!(base.has("sync") && !base.has("directory"));
    }

    #[test]
    fn what_was_kept_is_read_as_a_run() {
        let base = typed(&["-t", "5", "-F", "--set", "a=1"]);
        let arguments = base.without(&[]).into_iter().chain(["3".into()]);
        let run = run_args(arguments).unwrap();
        assert_eq!((run.clients, run.fsync), (Some(3), true));
        assert_eq!(run.read.set, [("a".to_owned(), "1".to_owned())]);
        assert!(run_args(["--no-such".into(), "3".into()]).is_err());
    }

    #[test]
    fn flags_are_told_from_options_with_values() {
        assert_eq!(option_takes_value("sync"), Some(false));
        assert_eq!(option_takes_value("timelimit"), Some(true));
        assert_eq!(option_takes_value("nosuch"), None);
    }

    #[test]
    fn of_two_sets_of_options_the_other_holds() {
        let base = typed(&[
            "-t", "5", "-c", "x", "-c", "y", "--set", "a=1", "--set", "b=2", "--tag", "n=1",
        ]);
        let others = typed(&["-c", "z", "--set", "a=3", "--tag", "n=2", "-s"]);
        assert_eq!(
            base.overridden_by(&others),
            [
                "--timelimit=5",
                "--set=b=2",
                "--loadfile=z",
                "--sync",
                "--tag=n=2",
                "--set=a=3"
            ]
        );
        assert_eq!(base.overridden_by(&BaseOptions::default()), base.without(&[]));
    }
}
