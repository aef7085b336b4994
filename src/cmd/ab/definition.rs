//! From what was typed to the two sides of a campaign.

use super::super::Failure;
use super::super::plan::{between, plan};
use crate::cli::{AbArgs, BaseOptions, RunArgs, SideOptions, run_args};
use crate::loadfile::LoadError;
use crate::result::TurnSide;
use crate::run::between::Between;
use crate::run::{Backend, Pin, Plan};
use crate::stats::FLOOR;
use crate::units::Share;
use anyhow::{Context, anyhow};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// One of the two sides, ready to be run.
pub struct Side {
    /// What it differs by: its options and its command, as typed.
    pub what: String,
    pub args: RunArgs,
    pub plan: Plan,
    pub between: Between,
    /// Shell command that switches to it.
    pub switch: Option<String>,
}

/// The two sides, checked as far as that is possible without touching anything.
///
/// # Errors
/// Options or loadfiles that make no run, or no campaign (exit 2).
pub fn sides(args: &AbArgs) -> Result<[Side; 2], Failure> {
    check_base(args).map_err(Failure::usage)?;
    let a = side(args, TurnSide::A)?;
    let b = side(args, TurnSide::B)?;
    Ok([a, b])
}

/// What only the whole command shows to be wrong.
fn check_base(args: &AbArgs) -> anyhow::Result<()> {
    let has = |name: &str| {
        [&args.base, &args.a.options, &args.b.options]
            .iter()
            .any(|of| of.has(name))
    };
    if has("runs") {
        return Err(anyhow!(
            "--runs cannot be used in a campaign: --pairs says how many runs each side has"
        ));
    }
    if has("skip-cleanup") {
        return Err(anyhow!(
            "--skip-cleanup cannot be used in a campaign: each run needs a fresh directory"
        ));
    }
    let floor = args.judge.floor.unwrap_or(Share(FLOOR));
    if let Some(share) = args.detect.filter(|share| *share <= floor) {
        return Err(anyhow!(
            "--detect {share}: differences up to the floor of {floor} never count: give more than that, or a smaller --floor too"
        ));
    }
    if args.switch_a.is_some() != args.switch_b.is_some() {
        return Err(anyhow!(
            "--switch-a and --switch-b go together: what is switched for one side must be switched back for the other \
             (`true` is a command that does nothing)"
        ));
    }
    Ok(())
}

/// Its name as an option, and in messages.
pub fn letter(side: TurnSide) -> &'static str {
    match side {
        TurnSide::A => "a",
        TurnSide::B => "b",
    }
}

fn side(args: &AbArgs, side: TurnSide) -> Result<Side, Failure> {
    let (own, switch) = match side {
        TurnSide::A => (&args.a, &args.switch_a),
        TurnSide::B => (&args.b, &args.switch_b),
    };
    let name = letter(side);
    let of_side = |failure: Failure| Failure {
        error: failure.error.context(format!("side {name}")),
        ..failure
    };
    let read = run_args(arguments(args, own)).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        let what = first.strip_prefix("error: ").unwrap_or(first).to_owned();
        of_side(Failure::usage(anyhow!(what)))
    })?;
    let plan = plan(&read).map_err(of_side)?;
    plan.check()
        .map_err(|problems| of_side(Failure::usage(LoadError::Problems(problems))))?;
    // What switches may make the directory.
    if switch.is_none() && read.before.is_none() && plan.backend == Backend::FileIo {
        check_directory(&read).map_err(|error| of_side(Failure::usage(error)))?;
    }
    Ok(Side {
        what: what(own, switch.as_deref()),
        between: between(&read).map_err(of_side)?,
        args: read,
        plan,
        switch: switch.clone(),
    })
}

/// The arguments of a side's runs: those of both, then its own, which hold.
fn arguments(args: &AbArgs, own: &SideOptions) -> Vec<OsString> {
    let mut base = BaseOptions::default();
    if args.pin != Pin::None {
        base.push("pin", format!("--pin={}", args.pin).into());
    }
    base.extend(&args.base);
    let mut arguments = base.overridden_by(&own.options);
    arguments.push(args.clients.to_string().into());
    arguments
}

fn what(own: &SideOptions, switch: Option<&str>) -> String {
    let command = switch.map(|command| format!("after `{command}`"));
    match (own.text.as_str(), command) {
        ("", None) => "as it is".to_owned(),
        ("", Some(command)) => command,
        (text, None) => text.to_owned(),
        (text, Some(command)) => format!("{text}, {command}"),
    }
}

fn check_directory(args: &RunArgs) -> anyhow::Result<()> {
    let shown = args.directory.display();
    let found =
        std::fs::metadata(&args.directory).with_context(|| format!("{shown}: cannot be worked in"))?;
    if !found.is_dir() {
        return Err(anyhow!("{shown}: is no directory"));
    }
    Ok(())
}

impl Side {
    /// How long a run of it takes at least, where that is known.
    pub fn run_takes(&self) -> Option<Duration> {
        let settings = &self.plan.settings;
        let idle = self.plan.measurement.probe.as_ref().map(|probe| probe.idle);
        let around = self.between.settle + idle.unwrap_or_default();
        settings.time_limit.map(|limit| limit + settings.warmup + around)
    }

    /// Where it works.
    pub fn directories(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.args.directory).chain(&self.args.probe_dir)
    }
}
