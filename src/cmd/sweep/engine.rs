//! The runs of a sweep, one after the other: each is stored before the next begins.

use super::super::live::Live;
use super::super::plan::{between, plan};
use super::super::repeated::{Notes, interrupted, not_stored};
use super::super::run::exit_code;
use super::super::{Failure, tell};
use super::definition::Definition;
use super::progress::Progress;
use super::settings::Settings;
use crate::cli::RunArgs;
use crate::output::Outputs;
use crate::replay::home::HomeError;
use crate::result::{Cell, Coordinate, End, RunInfo, RunOptions, RunResult};
use crate::run::between::{BetweenError, RunNumber};
use crate::run::{Interrupts, Plan, RunError, execute};
use crate::sweep::Turn;
use std::time::Instant;

/// A sweep at work.
pub struct Engine<'s> {
    pub definition: &'s Definition,
    /// What each of its runs says of it, but for the cell.
    pub sweep: Cell,
    pub settings: Settings,
    pub outputs: Outputs,
    pub interrupts: Interrupts,
    pub progress: Progress,
    pub notes: Notes,
}

/// How a run of a sweep ended.
enum Made {
    /// It has a result, that of a failed run too.
    Result(Box<RunResult>),
    /// A signal came: the sweep ends.
    Interrupted(i32),
}

impl Engine<'_> {
    /// Makes the runs that are left, and hands each to `keep` too.
    ///
    /// # Errors
    /// A signal came (128 + its number); a result cannot be stored, so that it would be pointless to go on.
    pub fn run(&mut self, turns: &[Turn], keep: &mut dyn FnMut(&RunResult)) -> Result<(), Failure> {
        for &turn in turns {
            let start = Instant::now();
            let coordinates = self.definition.grid.coordinates(turn.cell);
            let mut live = self.progress.watch(self.definition, turn, &coordinates);
            let made = self.make(turn, &coordinates, &mut live);
            live.finish();
            let result = match made? {
                Made::Result(result) => result,
                Made::Interrupted(signal) => return Err(interrupted(signal)),
            };
            keep(&result);
            self.notes.add(&result);
            self.outputs.add(&result).map_err(not_stored)?;
            self.progress
                .end(self.definition, turn, &coordinates, &result, start.elapsed());
            if let Some(signal) = self.interrupts.take() {
                return Err(interrupted(signal));
            }
        }
        Ok(())
    }

    /// One run. What goes wrong with it is its result: the sweep goes on.
    fn make(&mut self, turn: Turn, coordinates: &[Coordinate], live: &mut Live) -> Result<Made, Failure> {
        let cell = Cell {
            number: turn.cell,
            coordinates: coordinates.to_vec(),
            ..self.sweep.clone()
        };
        let args = self.definition.cell_args(turn.cell)?;
        let mut plan = match plan(&args) {
            Ok(plan) => plan,
            Err(failure) => return Ok(not_made(&args, cell, turn, &format!("{:#}", failure.error))),
        };
        plan.info.cell = Some(cell);
        plan.info.run_number = turn.run;
        self.measure(&args, &plan, turn, coordinates, live)
    }

    fn measure(
        &mut self,
        args: &RunArgs,
        plan: &Plan,
        turn: Turn,
        coordinates: &[Coordinate],
        live: &mut Live,
    ) -> Result<Made, Failure> {
        let failed = |why: String| {
            let result = RunResult::not_made(plan.info.clone(), plan.clients, why);
            Made::Result(Box::new(result))
        };
        if let Err(why) = self.settings.set(coordinates) {
            return Ok(failed(why));
        }
        let between = between(args)?;
        let number = RunNumber {
            number: turn.run,
            runs: self.definition.runs,
        };
        if let Err(error) = between.before(number, &self.interrupts) {
            return Ok(match error {
                BetweenError::Interrupted(signal) => Made::Interrupted(signal),
                error => failed(error.to_string()),
            });
        }
        let done = execute(plan, live);
        let signal = self.interrupts.take();
        // However the run ended, what was set up before it is taken down.
        let after = between.after(number, &self.interrupts);
        if let Some(signal) = signal {
            // The run may have ended by itself all the same, but it would be odd to go on.
            self.interrupts.put_back(signal);
        }
        match after {
            Ok(()) => {}
            Err(BetweenError::Interrupted(signal)) => self.interrupts.put_back(signal),
            Err(error) => {
                tell(format_args!("rbench: {error}"));
                self.notes.code = self.notes.code.max(1);
            }
        }
        let mut result = match done {
            Ok(result) => result,
            Err(RunError::Interrupted { signal, .. }) => return Ok(Made::Interrupted(signal)),
            // It says nothing of the cell, and the next would find it so too.
            Err(error @ RunError::Home(HomeError::Locked { .. })) => return Err(Failure::failed(error)),
            Err(error) => return Ok(failed(error.to_string())),
        };
        if let End::Interrupted(signal) = result.end {
            return Ok(Made::Interrupted(signal));
        }
        result.warnings.extend(self.settings.doubts());
        self.notes.code = self.notes.code.max(exit_code(&result, args.on_mismatch));
        Ok(Made::Result(Box::new(result)))
    }
}

/// The result of a run that could not even be planned.
fn not_made(args: &RunArgs, cell: Cell, turn: Turn, why: &str) -> Made {
    let info = RunInfo {
        label: args.label.clone(),
        tags: args.tag.iter().cloned().collect(),
        run_number: turn.run,
        runs: args.runs,
        cell: Some(cell),
        ..RunInfo::now(RunOptions::default())
    };
    let clients = args.clients.unwrap_or_default();
    Made::Result(Box::new(RunResult::not_made(info, clients, why.to_owned())))
}
