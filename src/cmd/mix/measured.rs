//! What was measured of the groups: kept, told, and compared.

use super::super::run::{exit_code, kept};
use super::super::{Failure, tell};
use super::group::Group;
use crate::output::Outputs;
use crate::report::{Interference, InterferenceFigure, InterferenceGroup, diagnostics};
use crate::result::{End, RunResult, Warning};
use crate::run::RunError;
use crate::stats::Summary;
use crate::units::{General, megabytes};
use std::fmt;

/// Which of a group's measurements it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Alone,
    Together,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Alone => "alone",
            Phase::Together => "together",
        })
    }
}

/// A group's figures, one a round.
#[derive(Debug, Default)]
struct Figures {
    /// By what it is compared; known with its first result.
    figure: Option<InterferenceFigure>,
    alone: Vec<f64>,
    together: Vec<f64>,
}

/// What was measured so far.
pub(super) struct Measured<'g> {
    groups: &'g [Group],
    figures: Vec<Figures>,
    pub outputs: Outputs,
    code: u8,
    /// Whether all has ended well so far (what differs from the trace is told, and no reason to stop).
    goes_on: bool,
}

impl<'g> Measured<'g> {
    pub(super) fn new(groups: &'g [Group], outputs: Outputs) -> Measured<'g> {
        Measured {
            groups,
            figures: groups.iter().map(|_| Figures::default()).collect(),
            outputs,
            code: 0,
            goes_on: true,
        }
    }

    /// The exit code so far.
    pub(super) fn code(&self) -> u8 {
        self.code
    }

    /// Whether another measurement may follow.
    pub(super) fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Tells and keeps what became of a group.
    ///
    /// # Errors
    /// Nobody reads standard output any more.
    pub(super) fn take(
        &mut self,
        index: usize,
        phase: Phase,
        done: Result<RunResult, RunError>,
    ) -> Result<(), Failure> {
        let group = &self.groups[index];
        let mut result = match done {
            Ok(result) => result,
            Err(error) => {
                tell(format_args!("rbench: {} {phase}: {error}", group.name));
                self.code = self.code.max(error.exit_code());
                self.goes_on = false;
                return Ok(());
            }
        };
        if phase == Phase::Together {
            forget_what_is_of_all(&mut result);
        }
        tell(line(group, phase, &result));
        let diagnostics = diagnostics(&result);
        if !diagnostics.is_empty() {
            tell(diagnostics.trim_end());
        }
        self.code = self.code.max(exit_code(&result, group.args.on_mismatch));
        self.code = self.code.max(kept(self.outputs.add(&result))?);
        self.goes_on &= result.end == End::Completed;
        let figures = &mut self.figures[index];
        if result.end == End::Completed && !result.elapsed.is_zero() {
            let figure = *figures.figure.get_or_insert_with(|| figure_of(group, &result));
            let value = value(figure, &result);
            match phase {
                Phase::Alone => figures.alone.push(value),
                Phase::Together => figures.together.push(value),
            }
        }
        Ok(())
    }

    /// 1 where all went well, and yet a group was not measured: it started after the others had ended, or they did in
    /// its warm-up.
    pub(super) fn code_of_gaps(&self) -> u8 {
        let mut code = 0;
        for (group, figures) in self.groups.iter().zip(&self.figures) {
            if figures.alone.is_empty() || figures.together.is_empty() {
                tell(format_args!(
                    "rbench: group {}: nothing was measured, because the others had ended before: let it start \
                     earlier, with a shorter warm-up, or make their work longer",
                    group.name
                ));
                code = 1;
            }
        }
        code
    }

    /// The table; of several rounds the medians.
    pub(super) fn table(&self) -> Interference {
        let median = |figures: &[f64]| Summary::of(figures).map(|summary| summary.median);
        let rows = self.groups.iter().zip(&self.figures);
        let rows = rows.map(|(group, figures)| InterferenceGroup {
            name: group.name.clone(),
            load: group.load.clone(),
            directory: group.directory.clone(),
            clients: group.clients(),
            figure: figures.figure.unwrap_or(match group.is_fixed() {
                true => InterferenceFigure::Seconds,
                false => InterferenceFigure::MegabytesPerSecond,
            }),
            alone: median(&figures.alone),
            together: median(&figures.together),
        });
        Interference {
            groups: rows.collect(),
        }
    }
}

/// The process and its memory are those of all groups: what one of them used is not known.
fn forget_what_is_of_all(result: &mut RunResult) {
    result.counters = None;
    let of_all = |warning: &Warning| matches!(warning, Warning::Unwritten { .. });
    result.warnings.retain(|warning| !of_all(warning));
}

fn figure_of(group: &Group, result: &RunResult) -> InterferenceFigure {
    match group.is_fixed() {
        true => InterferenceFigure::Seconds,
        false if result.bytes_per_second > 0.0 => InterferenceFigure::MegabytesPerSecond,
        false => InterferenceFigure::OperationsPerSecond,
    }
}

fn value(figure: InterferenceFigure, result: &RunResult) -> f64 {
    match figure {
        InterferenceFigure::Seconds => result.elapsed.as_secs_f64(),
        InterferenceFigure::MegabytesPerSecond => megabytes(result.bytes_per_second),
        InterferenceFigure::OperationsPerSecond => result.operations_per_second().unwrap_or(0.0),
    }
}

/// What is told of a measurement as it ends.
fn line(group: &Group, phase: Phase, result: &RunResult) -> String {
    let name = &group.name;
    if !result.has_throughput() || result.elapsed.is_zero() {
        return format!("{name} {phase}: not measured");
    }
    let rate = General(megabytes(result.bytes_per_second));
    let operations = result.operations_per_second().unwrap_or(0.0);
    let seconds = result.elapsed.as_secs_f64();
    format!("{name} {phase}: {seconds:.3} s  {rate} MB/sec  {operations:.1} operations/sec")
}
