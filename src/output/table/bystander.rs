//! `csv`: what a bystander waited for, in a run's row.

use super::{Column, column, fraction, nanoseconds};
use crate::result::{Activity, RunResult};

/// A quantile (0 to 1) under load.
fn loaded(run: &RunResult, activity: Activity, quantile: f64) -> Option<String> {
    nanoseconds(
        run.probe
            .as_ref()?
            .activity(activity)?
            .loaded_quantile(quantile)?,
    )
}

/// How many times as long as on the idle machine that is.
fn factor(run: &RunResult, activity: Activity, quantile: f64) -> Option<String> {
    fraction(run.probe.as_ref()?.activity(activity)?.factor(quantile))
}

/// The columns of one activity.
macro_rules! of {
    ($name:literal, $activity:expr) => {
        [
            column::<&RunResult>(concat!($name, "_p50_ns"), |run| loaded(run, $activity, 0.5)),
            column::<&RunResult>(concat!($name, "_p95_ns"), |run| loaded(run, $activity, 0.95)),
            column::<&RunResult>(concat!($name, "_p99_ns"), |run| loaded(run, $activity, 0.99)),
            column::<&RunResult>(concat!($name, "_max_ns"), |run| loaded(run, $activity, 1.0)),
            column::<&RunResult>(concat!($name, "_p50_factor"), |run| factor(run, $activity, 0.5)),
            column::<&RunResult>(concat!($name, "_p95_factor"), |run| factor(run, $activity, 0.95)),
            column::<&RunResult>(concat!($name, "_p99_factor"), |run| factor(run, $activity, 0.99)),
            column::<&RunResult>(concat!($name, "_max_factor"), |run| factor(run, $activity, 1.0)),
        ]
    };
}

/// All of them, activity by activity.
pub(super) fn columns<'r>() -> impl Iterator<Item = Column<&'r RunResult>> {
    [
        of!("save", Activity::Save),
        of!("browse", Activity::Browse),
        of!("append", Activity::Append),
        of!("timer", Activity::Timer),
    ]
    .into_iter()
    .flatten()
}
