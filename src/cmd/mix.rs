//! `rbench mix`: groups of clients with different loads, each by itself and then all together.

mod group;
mod measured;

use super::plan::between;
use super::run::{around, directories, kept, outputs_are_no_loadfiles, worse};
use super::{CLOSED_PIPE, Failure, print, tell};
use crate::cli::MixArgs;
use crate::output::Outputs;
use crate::result::RunResult;
use crate::run::between::{Between, BetweenError, RunNumber};
use crate::run::{Interrupts, Member, RunError, Silent, execute, execute_together};
use group::{Group, groups};
use measured::{Measured, Phase};
use std::process::ExitCode;
use std::time::Duration;

/// The shortest that a looped group is measured alone.
const SHORTEST: Duration = Duration::from_secs(1);

/// Measures each group alone, then all together, and shows how much slower each is then.
///
/// # Errors
/// A bad group, loadfile or combination of options (exit 2); a run that could not be started (1).
pub fn run(args: &MixArgs) -> Result<ExitCode, Failure> {
    let groups = groups(args)?;
    let Some(first) = groups.first() else {
        return Err(Failure::usage(anyhow::anyhow!("a mix needs a --group")));
    };
    let mut outputs = Outputs::default();
    for group in &groups {
        outputs_are_no_loadfiles(&group.args)?;
        // Nothing is touched before the first run: that the places are right is looked at for each directory.
        outputs = Outputs::prepare(&group.args.output, &group.args.directory).map_err(Failure::usage)?;
    }
    let directories = groups.iter().flat_map(|group| directories(&group.args));
    let outputs = outputs
        .and_store(first.args.store.as_ref(), first.args.store_anyway, directories)
        .map_err(Failure::usage)?;
    let runs = first.args.runs;
    let mix = Mix {
        between: between(&first.args)?,
        interrupts: Interrupts::remember().map_err(Failure::failed)?,
        groups: &groups,
    };
    let mut measured = Measured::new(&groups, outputs);
    let mut ended = Ok(());
    for number in 1..=runs {
        ended = mix.round(RunNumber { number, runs }, &mut measured);
        if ended.is_err() || !measured.goes_on() {
            break;
        }
    }
    let mut code = measured.code().max(kept(measured.outputs.finish())?);
    if code != CLOSED_PIPE && !measured.outputs.on_stdout() {
        print(&measured.table().text(args.form))?;
    }
    if let Err(failure) = ended {
        code = code.max(failure.code);
        return Err(Failure { code, ..failure });
    }
    if measured.goes_on() {
        code = code.max(measured.code_of_gaps());
    }
    Ok(ExitCode::from(code))
}

/// Of which groups the clients were never at work at the same time, so that they cannot have slowed one another.
fn apart(members: &[Member<'_>], done: &[Result<RunResult, RunError>]) -> Vec<String> {
    let at_work = |result: &RunResult| {
        let start = result.info.started_at;
        let end = start.checked_add(result.warm_up.length + result.elapsed);
        (start, end.unwrap_or(start))
    };
    let times = members.iter().zip(done);
    let times: Vec<_> = times
        .filter_map(|(member, done)| Some((member.name, at_work(done.as_ref().ok()?))))
        .collect();
    let mut lines = Vec::new();
    for (index, (name, (start, end))) in times.iter().enumerate() {
        for (other, (other_start, other_end)) in &times[..index] {
            if start > other_end || other_start > end {
                lines.push(format!(
                    "warning: the groups {other} and {name} were not at work at the same time: change their start, \
                     give them more work, or let one loop"
                ));
            }
        }
    }
    lines
}

/// What the measurements have in common.
struct Mix<'g> {
    groups: &'g [Group],
    between: Between,
    interrupts: Interrupts,
}

impl Mix<'_> {
    /// Each group alone (those that loop last: they take as long as the others), then all together. Ends early where a
    /// measurement has not ended well: what it has cost the others would mean nothing.
    fn round(&self, run: RunNumber, measured: &mut Measured<'_>) -> Result<(), Failure> {
        let looping = |index: &usize| self.groups[*index].loops;
        let (last, first): (Vec<usize>, Vec<usize>) = (0..self.groups.len()).partition(looping);
        let mut longest = SHORTEST;
        for index in first.into_iter().chain(last) {
            let group = &self.groups[index];
            let plan = group.alone(longest, run);
            self.around(run, measured, |measured| {
                let done = execute(&plan, &mut Silent);
                if let (Ok(result), false) = (&done, group.loops) {
                    longest = longest.max(result.warm_up.length + result.elapsed);
                }
                measured.take(index, Phase::Alone, done)
            })?;
            if !measured.goes_on() {
                return Ok(());
            }
        }
        self.around(run, measured, |measured| {
            let plans: Vec<_> = self
                .groups
                .iter()
                .map(|group| group.together(run, longest))
                .collect();
            let members = self.groups.iter().zip(&plans);
            let members: Vec<_> = members
                .map(|(group, plan)| Member {
                    name: &group.name,
                    plan,
                    start: group.start,
                    loops: group.loops,
                })
                .collect();
            let done = execute_together(&members);
            apart(&members, &done).into_iter().for_each(tell);
            for (index, done) in done.into_iter().enumerate() {
                measured.take(index, Phase::Together, done)?;
            }
            Ok(())
        })
    }

    /// A measurement, with what comes before and after it.
    fn around<'g>(
        &self,
        run: RunNumber,
        measured: &mut Measured<'g>,
        measure: impl FnOnce(&mut Measured<'g>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.between.before(run, &self.interrupts).map_err(around)?;
        let mut ended = measure(measured);
        // However it ended, what was set up before it is taken down.
        let signal = self.interrupts.take();
        if let Err(error) = self.between.after(run, &self.interrupts) {
            ended = worse(ended, around(error));
        }
        match signal {
            // What a signal has ended tells it by its exit code.
            Some(signal) if ended.is_ok() && measured.goes_on() => {
                Err(around(BetweenError::Interrupted(signal)))
            }
            _ => ended,
        }
    }
}
