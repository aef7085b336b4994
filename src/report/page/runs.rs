//! Runs.

use super::super::picture::{self, Picture, short};
use super::MOST_RUNS;
use super::parts::{figure, headings, table};
use super::view::RunView;
use maud::{Markup, html};

/// Pictures of runs one by one; of more, those of the first.
const MOST_PICTURES: usize = 8;

/// The pictures of this part.
pub(super) fn pictures(runs: &[RunView]) -> Vec<Picture> {
    let lines: Vec<_> = runs
        .iter()
        .map(|run| run.line.clone())
        .filter(|line| line.points.len() > 1)
        .collect();
    let mut all = Vec::new();
    if !lines.is_empty() {
        all.push(picture::throughput(&lines));
    }
    for run in runs
        .iter()
        .filter(|run| !run.kinds.is_empty())
        .take(MOST_PICTURES)
    {
        all.extend(of_one(run));
    }
    all
}

fn of_one(run: &RunView) -> [Picture; 2] {
    [
        picture::latencies(&format!("Latencies of {}", run.name), &run.kinds),
        picture::latency_curves(&run.kinds),
    ]
}

pub(super) fn section(runs: &[RunView]) -> Markup {
    let lines: Vec<_> = runs
        .iter()
        .map(|run| run.line.clone())
        .filter(|line| line.points.len() > 1)
        .collect();
    html! {
        (summary(runs))
        @if !lines.is_empty() {
            (figure(&picture::throughput(&lines)))
            @if lines.len() > picture::MOST_LINES {
                p { "The picture has the first " (picture::MOST_LINES) " of " (lines.len()) " runs." }
            }
        }
        @for (number, run) in runs.iter().take(MOST_RUNS).enumerate() { (one(run, number, runs.len() == 1)) }
        @if runs.len() > MOST_RUNS {
            p { "Of " (runs.len()) " runs the first " (MOST_RUNS) " are shown one by one." }
        }
    }
}

fn summary(runs: &[RunView]) -> Markup {
    let told = |figure: Option<f64>| figure.map_or("-".to_owned(), short);
    let row = |run: &RunView| {
        vec![
            run.name.clone(),
            run.started_at.clone(),
            run.load.clone(),
            run.clients.to_string(),
            told(run.megabytes_per_second),
            told(run.operations_per_second),
            told(run.p99_ms),
            short(run.max_ms),
            run.end.clone(),
        ]
    };
    let columns = [
        "run",
        "started",
        "load",
        "clients",
        "MB/sec",
        "ops/sec",
        "p99 ms",
        "longest ms",
        "end",
    ];
    table(
        "All runs",
        &headings(&columns),
        &runs.iter().map(row).collect::<Vec<_>>(),
    )
}

/// A run by itself, folded where there are several.
fn one(run: &RunView, number: usize, only: bool) -> Markup {
    let rows: Vec<Vec<String>> = run
        .kinds
        .iter()
        .map(|kind| {
            let differed = run
                .differed
                .iter()
                .find(|(name, _)| *name == kind.name)
                .map_or(0, |(_, count)| *count);
            let figures = [kind.p50, kind.p95, kind.p99, kind.max].map(short);
            let counts = [kind.name.clone(), kind.count.to_string(), differed.to_string()];
            counts.into_iter().chain(figures).collect()
        })
        .collect();
    let columns = [
        "operation",
        "count",
        "differed",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "longest ms",
    ];
    html! {
        details open[only] {
            summary { "Run " (number + 1) ": " (picture::legible(&run.name)) }
            @if !run.kinds.is_empty() {
                @if number < MOST_PICTURES { @for one in of_one(run) { (figure(&one)) } }
                (table(&format!("Operations of run {}", number + 1), &headings(&columns), &rows))
            }
            @if !run.bystander.is_empty() {
                (table(
                    &format!("What a bystander waited for in run {}", number + 1),
                    &headings(&["activity", "idle p50 ms", "loaded p50 ms", "idle p99 ms", "loaded p99 ms", "factor"]),
                    &run.bystander,
                ))
            }
            @if !run.slowest.is_empty() {
                (table(
                    &format!("The slowest operations of run {}", number + 1),
                    &headings(&["ms", "at s", "client", "operation", "line", "path"]),
                    &run.slowest,
                ))
            }
        }
    }
}
