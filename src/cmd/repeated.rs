//! What commands that make many runs, and store each before the next, have in common.

use super::Failure;
use crate::output::OutputErrors;
use crate::report::printable;
use crate::result::{End, RunResult, Warning, signal_name};
use anyhow::anyhow;
use std::io;
use std::mem::{Discriminant, discriminant};

/// What is to be said of the runs together at the end.
#[derive(Debug, Default)]
pub struct Notes {
    /// Exit code so far: 1 where a run failed or outcomes differed.
    pub code: u8,
    failed: u32,
    /// Each warning's kind: how many runs have it, and the first text.
    warnings: Vec<(Discriminant<Warning>, u32, String)>,
    runs: u32,
}

impl Notes {
    /// Takes a run in.
    pub fn add(&mut self, run: &RunResult) {
        self.runs += 1;
        if run.end != End::Completed {
            self.failed += 1;
            self.code = self.code.max(1);
        }
        for warning in &run.warnings {
            let kind = discriminant(warning);
            match self.warnings.iter_mut().find(|(known, ..)| *known == kind) {
                Some((_, count, _)) => *count += 1,
                None => self.warnings.push((kind, 1, warning.to_string())),
            }
        }
    }

    /// A line each, for standard error.
    pub fn lines(&self) -> Vec<String> {
        let runs = self.runs;
        let warnings = self
            .warnings
            .iter()
            .map(|(_, count, text)| format!("warning: {count} of {runs} runs: {}", printable(text)));
        let failed = (self.failed > 0).then(|| format!("error: {} of {runs} runs failed", self.failed));
        warnings.chain(failed).collect()
    }
}

/// The failure of what makes runs when their results cannot be stored.
pub fn not_stored(errors: OutputErrors) -> Failure {
    if errors.is_closed_pipe() {
        return io::Error::from(io::ErrorKind::BrokenPipe).into();
    }
    Failure::failed(anyhow!(
        "{errors}: no further run is made, as it could not be stored"
    ))
}

/// The failure of what makes runs when a signal has ended it.
pub fn interrupted(signal: i32) -> Failure {
    Failure {
        code: 128_u8.saturating_add(signal as u8),
        error: anyhow!("stopped by {}", signal_name(signal)),
    }
}
