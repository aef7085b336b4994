//! The runs of a campaign, one after the other: each is stored before the next begins.

use super::super::Failure;
use super::super::live::Live;
use super::super::repeated::{Notes, interrupted, not_stored};
use super::super::run::{around, exit_code};
use super::definition::{Side, letter};
use super::progress::Progress;
use crate::campaign::{Schedule, SeededOrder, Slot};
use crate::compare::Observation;
use crate::output::Outputs;
use crate::report::printable;
use crate::result::{End, RunResult, Turn, TurnSide};
use crate::run::between::{BetweenError, RunNumber, command};
use crate::run::{Interrupts, RunError, execute};
use anyhow::anyhow;
use std::time::Instant;

/// A campaign at work.
pub struct Engine {
    pub sides: [Side; 2],
    pub started_at: jiff::Timestamp,
    pub order: SeededOrder,
    pub schedule: Schedule,
    pub outputs: Outputs,
    pub interrupts: Interrupts,
    pub progress: Progress,
    pub notes: Notes,
    /// All runs so far.
    pub observations: Vec<Observation>,
    /// Pairs that are planned so far.
    pub pairs: u32,
    /// Which side the machine is switched to.
    pub switched: Option<TurnSide>,
}

/// How a run ended.
enum Made {
    /// It has a result, that of a failed run too. The command after it may have failed all the same.
    Result(Box<RunResult>, Result<(), BetweenError>),
    /// A signal came before there was one.
    Interrupted(i32),
}

impl Engine {
    /// Makes so many more pairs.
    ///
    /// # Errors
    /// A switch, a command or a run failed, or a result cannot be stored (1); a signal came (128 + its number).
    pub fn run(&mut self, pairs: u32, confirms: bool) -> Result<(), Failure> {
        self.pairs += pairs;
        self.progress.plan(pairs * 2);
        for slot in self.schedule.next(pairs) {
            let start = Instant::now();
            self.switch(slot)?;
            let mut live = self.progress.watch(slot);
            let made = self.make(slot, confirms, &mut live);
            live.finish();
            let (result, after) = match made? {
                Made::Result(result, after) => (result, after),
                Made::Interrupted(signal) => return Err(interrupted(signal)),
            };
            if !matches!(result.end, End::Interrupted(_)) {
                self.notes.add(&result);
            }
            self.outputs.add(&result).map_err(not_stored)?;
            self.observations.push(Observation::from(&*result));
            self.progress.end(slot, &result, start.elapsed());
            match &result.end {
                End::Completed => {}
                End::Interrupted(signal) => return Err(interrupted(*signal)),
                End::Failed(why) => return Err(failed(slot, why)),
            }
            after.map_err(around)?;
            if let Some(signal) = self.interrupts.take() {
                return Err(interrupted(signal));
            }
        }
        Ok(())
    }

    /// Switches the machine to a run's side, if it is not so already.
    fn switch(&mut self, slot: Slot) -> Result<(), Failure> {
        if self.switched == Some(slot.side) {
            return Ok(());
        }
        self.switched = None;
        let option = match slot.side {
            TurnSide::A => "--switch-a",
            TurnSide::B => "--switch-b",
        };
        let run = self.number(slot);
        let switch = self.sides[slot.side as usize].switch.as_deref();
        command(option, switch, run, &self.interrupts).map_err(|error| match error {
            BetweenError::Interrupted(signal) => interrupted(signal),
            error => around(error),
        })?;
        self.switched = Some(slot.side);
        Ok(())
    }

    /// One run.
    fn make(&mut self, slot: Slot, confirms: bool, live: &mut Live) -> Result<Made, Failure> {
        let number = self.number(slot);
        let pairs = self.pairs;
        let side = &mut self.sides[slot.side as usize];
        side.plan.info.run_number = slot.pair;
        side.plan.info.runs = pairs;
        side.plan.info.turn = Some(Turn {
            campaign_started_at: self.started_at,
            side: slot.side,
            pair: slot.pair,
            position: slot.position,
            confirms,
            order: self.order.to_string(),
            what: side.what.clone(),
        });
        match side.between.before(number, &self.interrupts) {
            Ok(()) => {}
            Err(BetweenError::Interrupted(signal)) => return Ok(Made::Interrupted(signal)),
            Err(error) => return Err(around(error)),
        }
        let done = execute(&side.plan, live);
        let signal = self.interrupts.take();
        // However the run ended, what was set up before it is taken down.
        let after = side.between.after(number, &self.interrupts);
        if let Some(signal) = signal {
            // The run may have ended by itself all the same, but it would be odd to go on.
            self.interrupts.put_back(signal);
        }
        let after = match after {
            Err(BetweenError::Interrupted(signal)) => {
                self.interrupts.put_back(signal);
                Ok(())
            }
            after => after,
        };
        let result = match done {
            Ok(result) => result,
            Err(RunError::Interrupted { signal, .. }) => return Ok(Made::Interrupted(signal)),
            Err(error) => RunResult::not_made(side.plan.info.clone(), side.plan.clients, error.to_string()),
        };
        let code = match result.end {
            End::Completed => exit_code(&result, side.args.on_mismatch),
            _ => 0,
        };
        self.notes.code = self.notes.code.max(code);
        Ok(Made::Result(Box::new(result), after))
    }

    fn number(&self, slot: Slot) -> RunNumber {
        RunNumber {
            number: slot.position,
            runs: self.pairs * 2,
        }
    }
}

/// The failure of a campaign with a run that failed: beside it, the other side's figures mean nothing.
fn failed(slot: Slot, why: &str) -> Failure {
    let (pair, side) = (slot.pair, letter(slot.side));
    Failure::failed(anyhow!(
        "pair {pair}, side {side}: {}: no further run is made",
        printable(why)
    ))
}
