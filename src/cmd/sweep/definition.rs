//! From what was typed to the cells of a sweep: each is a run, with its own command line.

use super::super::{Failure, load};
use crate::cli::{
    AxisOption, BaseOptions, ReadArgs, RunArgs, SweepArgs, TypedAxis, option_takes_value, run_args,
};
use crate::knob::Setting;
use crate::result::{AxisKind, Coordinate};
use crate::sweep::{Axis, Grid, Order, values};
use anyhow::{Context, anyhow};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

/// Options that the sweep itself handles, or that make no sense in one.
const NO_AXES: [&str; 16] = [
    "clients",
    "clients-per-process",
    "runs",
    "output",
    "store",
    "store-anyway",
    "label",
    "tag",
    "skip-cleanup",
    "style",
    "table",
    "machine-readable",
    "loadfile",
    "directory",
    "pin",
    "set",
];

/// The most runs of a sweep.
const MOST_RUNS: u64 = 1_000_000;

/// A sweep, ready to be run.
#[derive(Debug)]
pub struct Definition {
    pub grid: Grid,
    pub order: Order,
    /// Of each cell.
    pub runs: u32,
    base: BaseOptions,
    /// What is varied by options of a run.
    options: Vec<String>,
    /// The parameters that each load declares, by its name.
    declared: BTreeMap<String, BTreeSet<String>>,
}

impl Definition {
    /// Reads what was typed. Whether each cell's command is one of a run is for who reads them all.
    ///
    /// # Errors
    /// Axes that make no grid, options or loadfiles that make no run (exit 2).
    pub fn of(args: &SweepArgs) -> Result<Definition, Failure> {
        let axes = args
            .axes
            .0
            .iter()
            .map(axis)
            .collect::<anyhow::Result<Vec<Axis>>>();
        let axes = axes.map_err(Failure::usage)?;
        check_base(&args.base, &axes).map_err(Failure::usage)?;
        let options = axes.iter().filter_map(|axis| match &axis.kind {
            AxisKind::Option(name) => Some(name.clone()),
            _ => None,
        });
        let mut definition = Definition {
            options: options.collect(),
            grid: Grid::new(axes).map_err(Failure::usage)?,
            order: args.order,
            runs: 1,
            base: args.base.clone(),
            declared: BTreeMap::new(),
        };
        definition.declared = definition.declared_parameters()?;
        definition.runs = definition.cell_args(1)?.runs;
        let (cells, runs) = (definition.grid.cells(), definition.runs);
        if u64::from(cells) * u64::from(runs) > MOST_RUNS {
            return Err(Failure::usage(anyhow!(
                "{cells} cells, {runs} runs of each, are more than {MOST_RUNS} runs: give fewer values or --runs"
            )));
        }
        Ok(definition)
    }

    /// The arguments of a cell's runs, those for `rbench` itself.
    pub fn cell_command(&self, cell: u32) -> Vec<OsString> {
        self.arguments(&self.grid.coordinates(cell))
    }

    /// The same as a run reads them.
    ///
    /// # Errors
    /// They are none: a value of an axis is not one of its option.
    pub fn cell_args(&self, cell: u32) -> Result<RunArgs, Failure> {
        let coordinates = self.grid.coordinates(cell);
        let read = run_args(self.arguments(&coordinates));
        read.map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            let what = first.strip_prefix("error: ").unwrap_or(first);
            Failure::usage(anyhow!("cell {cell} ({}): {what}", shown(&coordinates)))
        })
    }

    /// All axes with more than one value; those tell cells from one another.
    pub fn varied<'c>(&self, coordinates: &'c [Coordinate]) -> Vec<&'c Coordinate> {
        let axes = self.grid.axes().iter();
        let varied = axes.zip(coordinates).filter(|(axis, _)| axis.values.len() > 1);
        varied.map(|(_, at)| at).collect()
    }

    fn arguments(&self, coordinates: &[Coordinate]) -> Vec<OsString> {
        let mut without: Vec<&str> = vec!["set", "output", "store", "store-anyway"];
        without.extend(self.options.iter().map(String::as_str));
        let no_bystander = |Coordinate { axis, value }: &Coordinate| {
            value == "off" && matches!(axis, AxisKind::Option(name) if name == "probe")
        };
        if coordinates.iter().any(no_bystander) {
            without.extend(["probe-dir", "probe-idle", "probe-think"]);
        }
        let mut arguments = self.base.without(&without);
        let mut clients = None;
        let mut load = None;
        let mut set = Vec::new();
        for Coordinate { axis, value } in coordinates {
            match axis {
                AxisKind::Clients => clients = Some(value),
                AxisKind::Load => {
                    arguments.push(format!("--loadfile={value}").into());
                    load = Some(value);
                }
                AxisKind::Directory => arguments.push(format!("--directory={value}").into()),
                AxisKind::Pin => arguments.push(format!("--pin={value}").into()),
                AxisKind::Parameter(name) => set.push((name, value)),
                AxisKind::Option(name) => arguments.extend(option(name, value)),
                AxisKind::Sysctl(_) | AxisKind::Sysfs(_) => {}
            }
        }
        let declared = load.and_then(|load| self.declared.get(load));
        let wanted = |name: &String| declared.is_none_or(|declared| declared.contains(name));
        let set = set.into_iter().filter(|(name, _)| wanted(name));
        arguments.extend(set.map(|(name, value)| format!("--set={name}={value}").into()));
        arguments.extend(clients.map(OsString::from));
        arguments
    }

    /// Where the loads differ, a parameter is given to those that declare it; one of them has to.
    fn declared_parameters(&self) -> Result<BTreeMap<String, BTreeSet<String>>, Failure> {
        let axes = self.grid.axes();
        let Some(loads) = axes.iter().find(|axis| axis.kind == AxisKind::Load) else {
            return Ok(BTreeMap::new());
        };
        let slice = self.base.has("slice");
        let mut all = BTreeMap::new();
        for name in &loads.values {
            let args = ReadArgs {
                set: Vec::new(),
                slice,
            };
            let file = load::read(name, &args)?;
            let names = file.params.into_iter().map(|param| param.name);
            all.insert(name.clone(), names.collect::<BTreeSet<String>>());
        }
        let known = |name: &str| all.values().any(|names| names.contains(name));
        for axis in axes {
            if let AxisKind::Parameter(name) = &axis.kind
                && !known(name)
            {
                return Err(Failure::usage(anyhow!(
                    "--set names a parameter `{name}` that none of the loads declares: `rbench loads` lists those of bundled loads"
                )));
            }
        }
        Ok(all)
    }
}

/// An option of a run with a value; a flag is there or not.
fn option(name: &str, value: &str) -> Option<OsString> {
    match option_takes_value(name) {
        Some(true) => Some(format!("--{name}={value}").into()),
        _ if value == "on" => Some(format!("--{name}").into()),
        // Where what is not typed is not off, there is an option that says so.
        _ => match name.strip_prefix("no-") {
            Some(opposite) => option_takes_value(opposite).map(|_| format!("--{opposite}").into()),
            None => option_takes_value(&format!("no-{name}")).map(|_| format!("--no-{name}").into()),
        },
    }
}

/// A cell in words.
pub fn shown(coordinates: &[Coordinate]) -> String {
    let parts: Vec<String> = coordinates
        .iter()
        .map(|Coordinate { axis, value }| format!("{axis}={value}"))
        .collect();
    parts.join(" ")
}

/// What only the whole command shows to be wrong.
fn check_base(base: &BaseOptions, axes: &[Axis]) -> anyhow::Result<()> {
    let has = |kind: &AxisKind| axes.iter().any(|axis| axis.kind == *kind);
    if !has(&AxisKind::Clients) {
        return Err(anyhow!(
            "how many clients? Give --clients 32, or several: --clients 1,2,4"
        ));
    }
    if base.has("skip-cleanup") {
        return Err(anyhow!(
            "--skip-cleanup cannot be used in a sweep: each run needs a fresh directory"
        ));
    }
    let both = [
        (AxisKind::Load, "load", "loadfile"),
        (AxisKind::Directory, "dir", "directory"),
    ];
    for (kind, axis, option) in both {
        if has(&kind) && base.has(option) {
            return Err(anyhow!(
                "--{axis} and --{option} say the same thing: give one of them"
            ));
        }
    }
    Ok(())
}

/// One axis from what was typed.
fn axis(typed: &TypedAxis) -> anyhow::Result<Axis> {
    let option = typed.option.name();
    let list = |text: &str| values(text).with_context(|| format!("--{option}"));
    let named = || {
        typed
            .text
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| anyhow!("--{option} `{}`: expected NAME=LIST", typed.text))
    };
    let plain = |kind| {
        Ok(Axis {
            kind,
            values: list(&typed.text)?,
        })
    };
    match typed.option {
        AxisOption::Clients => {
            let axis = Axis {
                kind: AxisKind::Clients,
                values: list(&typed.text)?,
            };
            match axis.values.iter().find(|value| value.parse::<u32>().is_err()) {
                None => Ok(axis),
                Some(value) => Err(anyhow!(
                    "--clients `{}`: `{value}` is no number of clients: give 1,2,4 or a range such as 1..4",
                    typed.text
                )),
            }
        }
        AxisOption::Load => plain(AxisKind::Load),
        AxisOption::Dir => plain(AxisKind::Directory),
        AxisOption::Pin => plain(AxisKind::Pin),
        AxisOption::Set => {
            let (name, text) = named()?;
            let (kind, values) = (AxisKind::Parameter(name.to_owned()), list(text)?);
            Ok(Axis { kind, values })
        }
        AxisOption::Sysctl => {
            let (name, text) = named()?;
            let (kind, values) = (AxisKind::Sysctl(Setting::sysctl(name)?.to_string()), list(text)?);
            Ok(Axis { kind, values })
        }
        AxisOption::Sysfs => {
            let (name, text) = named()?;
            let (kind, values) = (AxisKind::Sysfs(Setting::sysfs(name)?.to_string()), list(text)?);
            Ok(Axis { kind, values })
        }
        AxisOption::Axis => {
            let (name, text) = named()?;
            option_axis(name.trim_start_matches('-'), list(text)?)
        }
    }
}

fn option_axis(name: &str, values: Vec<String>) -> anyhow::Result<Axis> {
    if NO_AXES.contains(&name) {
        return Err(anyhow!(
            "--axis {name}: no axis; --clients, --load, --dir and --pin have options of their own"
        ));
    }
    let values = match option_takes_value(name) {
        None => {
            return Err(anyhow!(
                "--axis {name}: a run has no option --{name} (`rbench --help` lists them by their long names; parameters of a load are --set {name}=…, kernel settings --sysctl {name}=…)"
            ));
        }
        Some(true) => values,
        Some(false) => {
            let switch = |value: String| match value.as_str() {
                "on" | "yes" | "true" => Ok("on".to_owned()),
                "off" | "no" | "false" => Ok("off".to_owned()),
                _ => Err(anyhow!(
                    "--axis {name}={value}: --{name} takes no value: give off,on"
                )),
            };
            values.into_iter().map(switch).collect::<anyhow::Result<_>>()?
        }
    };
    let kind = AxisKind::Option(name.to_owned());
    Ok(Axis { kind, values })
}
