//! The runs of a sweep, one after the other: each is stored before the next begins.

use super::super::plan::{between, plan};
use super::super::run::exit_code;
use super::super::{Failure, tell};
use super::definition::Definition;
use super::progress::{Live, Progress};
use super::settings::Settings;
use crate::cli::RunArgs;
use crate::output::{OutputErrors, Outputs};
use crate::replay::home::HomeError;
use crate::result::{Cell, Coordinate, End, RunInfo, RunOptions, RunResult};
use crate::run::between::{BetweenError, RunNumber};
use crate::run::{Interrupts, Plan, RunError, execute};
use crate::sweep::Turn;
use std::io;
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

/// What is to be said of the runs together at the end.
#[derive(Debug, Default)]
pub struct Notes {
    /// Exit code so far: 1 where a run failed or outcomes differed.
    pub code: u8,
    failed: u32,
    /// Each warning's kind: how many runs have it, and the first text.
    warnings: Vec<(std::mem::Discriminant<crate::result::Warning>, u32, String)>,
    runs: u32,
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

/// The failure of a sweep whose results cannot be stored.
fn not_stored(errors: OutputErrors) -> Failure {
    if errors.is_closed_pipe() {
        return io::Error::from(io::ErrorKind::BrokenPipe).into();
    }
    Failure::failed(anyhow::anyhow!(
        "{errors}: the sweep ends, as nothing more could be stored"
    ))
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

/// The failure of a sweep that a signal has ended.
fn interrupted(signal: i32) -> Failure {
    Failure {
        code: 128_u8.saturating_add(signal as u8),
        error: anyhow::anyhow!("stopped by {}", crate::result::signal_name(signal)),
    }
}

impl Notes {
    fn add(&mut self, run: &RunResult) {
        self.runs += 1;
        if run.end != End::Completed {
            self.failed += 1;
            self.code = self.code.max(1);
        }
        for warning in &run.warnings {
            let kind = std::mem::discriminant(warning);
            match self.warnings.iter_mut().find(|(known, ..)| *known == kind) {
                Some((_, count, _)) => *count += 1,
                None => self.warnings.push((kind, 1, warning.to_string())),
            }
        }
    }

    /// A line each, for standard error.
    pub fn lines(&self) -> Vec<String> {
        let runs = self.runs;
        let warnings = self.warnings.iter().map(|(_, count, text)| {
            format!(
                "warning: {count} of {runs} runs: {}",
                crate::report::printable(text)
            )
        });
        let failed = (self.failed > 0).then(|| format!("error: {} of {runs} runs failed", self.failed));
        warnings.chain(failed).collect()
    }
}
