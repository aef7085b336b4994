//! The axes of a sweep, in the order in which they were typed.

use clap::{ArgMatches, Args, Command, FromArgMatches};

/// Options that are axes; read into [`TypedAxes`].
#[derive(Debug, Args)]
#[command(next_help_heading = "Axes")]
struct AxisArgs {
    /// How many clients: 1,2,4 or 1..9:2
    #[arg(long, value_name = "LIST")]
    clients: Option<String>,
    /// Loadfiles, or bundled loads
    #[arg(long, value_name = "LIST")]
    load: Option<String>,
    /// Directories to work in
    #[arg(long, value_name = "LIST")]
    dir: Option<String>,
    /// Kernel settings below /proc/sys, such as vm.dirty_ratio=60..90:10 (root)
    #[arg(long, value_name = "NAME=LIST")]
    sysctl: Vec<String>,
    /// Kernel settings below /sys, such as block/vda/queue/rq_affinity=0,1,2 (root)
    #[arg(long, value_name = "FILE=LIST")]
    sysfs: Vec<String>,
    /// Processors that clients are bound to: none, spread, compact, or 0+2-3
    #[arg(long, value_name = "LIST")]
    pin: Option<String>,
    /// Any option of a run, such as data=zeros,random, or sync=off,on
    #[arg(long, value_name = "OPTION=LIST")]
    axis: Vec<String>,
}

/// Which option an axis was typed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisOption {
    Clients,
    Load,
    Dir,
    /// `--set`, which the options of a run have too.
    Set,
    Sysctl,
    Sysfs,
    Pin,
    Axis,
}

const OPTIONS: [(AxisOption, &str); 8] = [
    (AxisOption::Clients, "clients"),
    (AxisOption::Load, "load"),
    (AxisOption::Dir, "dir"),
    (AxisOption::Set, "set"),
    (AxisOption::Sysctl, "sysctl"),
    (AxisOption::Sysfs, "sysfs"),
    (AxisOption::Pin, "pin"),
    (AxisOption::Axis, "axis"),
];

impl AxisOption {
    /// The option's long name.
    pub fn name(self) -> &'static str {
        let found = OPTIONS.iter().find(|(option, _)| *option == self);
        found.map_or("", |(_, name)| name)
    }
}

/// One axis as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedAxis {
    pub option: AxisOption,
    /// What stands behind the option.
    pub text: String,
}

/// All axes, in the order typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedAxes(pub Vec<TypedAxis>);

impl FromArgMatches for TypedAxes {
    fn from_arg_matches(matches: &ArgMatches) -> Result<TypedAxes, clap::Error> {
        let mut axes = Vec::new();
        for (option, name) in OPTIONS {
            let (Some(raw), Some(indices)) = (matches.get_raw(name), matches.indices_of(name)) else {
                continue;
            };
            for (index, text) in indices.zip(raw) {
                let text = text.to_string_lossy().into_owned();
                axes.push((index, TypedAxis { option, text }));
            }
        }
        axes.sort_by_key(|(index, _)| *index);
        Ok(TypedAxes(axes.into_iter().map(|(_, axis)| axis).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = TypedAxes::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for TypedAxes {
    fn augment_args(command: Command) -> Command {
        AxisArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        AxisArgs::augment_args_for_update(command)
    }
}
