//! From the groups that were typed to what they will run.

use super::super::Failure;
use super::super::plan::plan;
use crate::cli::{GroupSpec, MixArgs, RunArgs, run_args};
use crate::run::Plan;
use crate::run::between::RunNumber;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

/// A group, ready to be measured.
#[derive(Debug)]
pub(super) struct Group {
    pub name: String,
    pub load: String,
    pub directory: String,
    pub args: RunArgs,
    /// After the group that starts first.
    pub start: Duration,
    pub loops: bool,
    /// How long it was to run, where that was typed.
    limit: Option<Duration>,
    plan: Plan,
}

/// All groups. Nothing is touched.
///
/// # Errors
/// A bad loadfile or combination of options (exit 2).
pub(super) fn groups(args: &MixArgs) -> Result<Vec<Group>, Failure> {
    check_base(args)?;
    let mut groups: Vec<Group> = Vec::new();
    let first = args.group.iter().map(|group| group.start).min().unwrap_or(0);
    for spec in &args.group {
        if groups.iter().any(|group| group.name == spec.name) {
            return Err(wrong(spec, "there is another group of this name"));
        }
        let start = spec.start.abs_diff(first);
        groups.push(group(args, spec, Duration::from_nanos(start))?);
    }
    if groups.len() < 2 {
        return Err(Failure::usage(anyhow::anyhow!(
            "a mix is of several groups: give --group twice or more, or use a run for a single one"
        )));
    }
    if groups.iter().all(|group| group.loops) {
        return Err(Failure::usage(anyhow::anyhow!(
            "all groups loop, so that none would ever end: leave out `loop` of at least one"
        )));
    }
    check_directories(&groups)?;
    Ok(groups)
}

fn wrong(spec: &GroupSpec, what: impl std::fmt::Display) -> Failure {
    Failure::usage(anyhow::anyhow!("--group {}: {what}", spec.name))
}

/// Options of a run that a mix cannot have.
fn check_base(args: &MixArgs) -> Result<(), Failure> {
    let why = [
        ("loadfile", "each group names its own load: NAME=LOAD@DIR"),
        ("directory", "each group names its own directory: NAME=LOAD@DIR"),
        ("skip-cleanup", "each measurement needs a fresh directory"),
        (
            "probe",
            "a bystander is measured on the idle machine first, and beside other groups there is none: use it with runs",
        ),
    ];
    match why.into_iter().find(|(name, _)| args.base.has(name)) {
        Some((name, why)) => Err(Failure::usage(anyhow::anyhow!(
            "--{name} cannot be used with a mix: {why}"
        ))),
        None => Ok(()),
    }
}

fn group(args: &MixArgs, spec: &GroupSpec, start: Duration) -> Result<Group, Failure> {
    let own = |name: &str, value: &std::ffi::OsStr| {
        let mut argument = OsString::from(format!("--{name}="));
        argument.push(value);
        argument
    };
    let mut arguments = args.base.without(&[]);
    arguments.push(format!("--pin={}", args.pin).into());
    arguments.push(own("loadfile", spec.load.as_ref()));
    arguments.push(own("directory", spec.directory.as_os_str()));
    arguments.extend(spec.options.iter().cloned());
    arguments.push(spec.clients.to_string().into());
    let mut run = run_args(arguments).map_err(|error| wrong(spec, in_words(&error)))?;
    if spec.loops && run.run_once {
        return Err(wrong(
            spec,
            "run-once is one pass, and loop is many: leave one of them out",
        ));
    }
    let limit = run.timelimit.map(|limit| limit.0);
    if spec.loops && limit.is_none() {
        // What it really is follows from what the others take.
        run.timelimit = Some(crate::units::Span(super::SHORTEST));
    }
    let named = |failure: Failure| Failure {
        error: failure.error.context(format!("--group {}", spec.name)),
        ..failure
    };
    let plan = plan(&run).map_err(named)?;
    plan.check().map_err(|problems| wrong(spec, problems))?;
    Ok(Group {
        name: spec.name.clone(),
        load: spec.load.clone(),
        directory: spec.directory.display().to_string(),
        args: run,
        start,
        loops: spec.loops,
        limit,
        plan,
    })
}

/// What clap says of options, in one line.
fn in_words(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let lines = first.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

/// No two groups may work in the same directory, nor one in what another makes and removes.
fn check_directories(groups: &[Group]) -> Result<(), Failure> {
    let mut found: Vec<(&Group, PathBuf, (u64, u64))> = Vec::new();
    for group in groups {
        let typed = &group.args.directory;
        let looked = std::fs::canonicalize(typed).and_then(|path| {
            let about = std::fs::metadata(&path)?;
            Ok((path, (about.dev(), about.ino())))
        });
        let (path, inode) = looked.map_err(|error| {
            Failure::usage(anyhow::anyhow!(
                "--group {}: {}: {error}: make the directory first, or name another",
                group.name,
                typed.display()
            ))
        })?;
        for (other, of_other, other_inode) in &found {
            let inside = |one: &PathBuf, other: &PathBuf| one.starts_with(other.join("clients"));
            let why = if inode == *other_inode {
                "work in the same directory"
            } else if inside(&path, of_other) || inside(of_other, &path) {
                "work in directories of which one is in what the other makes and removes"
            } else {
                continue;
            };
            return Err(Failure::usage(anyhow::anyhow!(
                "the groups {} and {} {why}: give each a directory of its own",
                other.name,
                group.name
            )));
        }
        found.push((group, path, inode));
    }
    Ok(())
}

impl Group {
    /// Whether it is compared by the time that its work takes, not by its rate.
    pub(super) fn is_fixed(&self) -> bool {
        !self.plan.settings.loops
    }

    pub(super) fn clients(&self) -> u32 {
        self.plan.clients
    }

    /// What it runs by itself; a looped one for so long, if it has no limit of its own.
    pub(super) fn alone(&self, longest: Duration, run: RunNumber) -> Plan {
        let mut plan = self.of_phase("alone", run);
        if self.loops {
            let limit = self.limit.unwrap_or(longest);
            plan.settings.time_limit = Some(limit);
            if self.args.warmup.is_none() {
                plan.settings.warmup = limit / 5;
            }
        }
        self.told(plan)
    }

    /// What it runs beside the others; a looped one until they have ended.
    pub(super) fn together(&self, run: RunNumber, longest: Duration) -> Plan {
        let mut plan = self.alone(longest, run);
        plan.info.tags.insert("phase".to_owned(), "together".to_owned());
        if self.loops {
            plan.settings.time_limit = None;
        }
        self.told(plan)
    }

    fn of_phase(&self, phase: &str, run: RunNumber) -> Plan {
        let mut plan = self.plan.clone();
        let tags = &mut plan.info.tags;
        tags.insert("group".to_owned(), self.name.clone());
        tags.insert("phase".to_owned(), phase.to_owned());
        plan.info.run_number = run.number;
        plan
    }

    /// What the result says of the options is what they really are; but not what follows from how long the other groups
    /// took, which is another in each round: rounds are comparable.
    fn told(&self, mut plan: Plan) -> Plan {
        let options = &mut plan.info.options;
        let follows = self.loops && self.limit.is_none();
        options.time_limit = plan.settings.time_limit.filter(|_| !follows);
        options.warmup = match follows && self.args.warmup.is_none() {
            true => Duration::ZERO,
            false => plan.settings.warmup,
        };
        plan
    }
}
