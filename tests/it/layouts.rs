//! Tables of sweeps: the published figures come out as published, and nothing is shown that was not measured.

mod command;
mod hostile;
mod published;
mod shown;

use crate::sample_result::{client, one_client};
use hdrhistogram::Histogram;
use rbench::report::{Layout, SweepTable, TableForm};
use rbench::result::{Activity, AxisKind, Cell, Coordinate, End, ProbeActivity, ProbeResult, RunResult};
use std::time::Duration;

/// An axis as typed.
pub(crate) type Axis<'a> = (AxisKind, &'a [&'a str]);

pub(crate) fn sysctl(name: &str) -> AxisKind {
    AxisKind::Sysctl(name.to_owned())
}

fn block() -> AxisKind {
    AxisKind::Parameter("block".to_owned())
}

/// The runs of a sweep: `run` makes those of a cell from its values, each the first of one run.
pub(crate) fn sweep(axes: &[Axis<'_>], mut run: impl FnMut(&[&str]) -> Vec<RunResult>) -> Vec<RunResult> {
    let cells: usize = axes.iter().map(|(_, values)| values.len()).product();
    let mut all = Vec::new();
    for index in 0..cells {
        let mut rest = index;
        let mut values: Vec<&str> = Vec::new();
        for (_, of_axis) in axes.iter().rev() {
            values.insert(0, of_axis[rest % of_axis.len()]);
            rest /= of_axis.len();
        }
        let coordinates = axes.iter().zip(&values).map(|((axis, _), value)| Coordinate {
            axis: axis.clone(),
            value: (*value).to_owned(),
        });
        let cell = Cell {
            sweep_started_at: "2026-01-02T03:00:00Z".parse().unwrap(),
            sweep_command: ["-D", "/mnt"].map(str::to_owned).to_vec(),
            sweep_directory: String::new(),
            number: index as u32 + 1,
            cells: cells as u32,
            coordinates: coordinates.collect(),
        };
        let runs = run(&values);
        let count = runs.len() as u32;
        for (number, mut result) in runs.into_iter().enumerate() {
            result.info.run_number = number as u32 + 1;
            result.info.runs = count;
            result.info.cell = Some(cell.clone());
            all.push(result);
        }
    }
    all
}

/// A run with this many MB/s.
pub(crate) fn megabytes(rate: f64) -> RunResult {
    RunResult {
        bytes_per_second: rate * 1e6,
        ..one_client()
    }
}

/// A run with this many operations a second, which moves no bytes.
fn operations(rate: u64) -> RunResult {
    let mut result = one_client();
    (result.bytes_read, result.bytes_written, result.bytes_per_second) = (0, 0, 0.0);
    result.per_client = vec![client(0, rate * 10)];
    result
}

pub(crate) fn failed() -> RunResult {
    RunResult {
        end: End::Failed("no space is left".into()),
        ..one_client()
    }
}

/// A bystander that waits for so many milliseconds under load, and 5 on the idle machine.
pub(crate) fn probe(waited: &[(Activity, u64)]) -> Option<ProbeResult> {
    let all = |milliseconds: u64| {
        let mut histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 3).unwrap();
        histogram.record_n(milliseconds * 1_000_000, 100).unwrap();
        histogram
    };
    let activity = |&(activity, milliseconds)| ProbeActivity {
        activity,
        idle: all(5),
        loaded: all(milliseconds),
        errors: 0,
    };
    Some(ProbeResult {
        idle_length: Duration::from_secs(3),
        activities: waited.iter().map(activity).collect(),
    })
}

fn table(runs: &[RunResult]) -> SweepTable {
    let mut table = SweepTable::new();
    for run in runs {
        assert!(table.add(run));
    }
    table
}

/// The table of these runs; without a layout, the one that the axes suggest.
fn text(runs: &[RunResult], layout: impl Into<Option<Layout>>, form: TableForm) -> String {
    table(runs).text(layout.into(), form, Activity::Save).unwrap()
}

/// The words between the bars of a Markdown table's rows, its headings first, without the rule.
fn cells(table: &str) -> Vec<Vec<&str>> {
    let lines = table
        .lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("| --"));
    lines
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}
