//! Comparing as a whole, on runs made for it.

mod agreement;
mod cells;
mod identity;
mod verdicts;

use super::property::Property;
use super::{CellKey, Comparison, Figure, Gate, Metric, NoteKind, Observation, Refusal, Settings, SideRuns};
use crate::result::{End, Turn, TurnSide};
use crate::stats::Verdict;

/// Ten figures around 1 that repeat to a few percent.
const FIGURES: [f64; 10] = [1.0, 1.02, 0.99, 1.01, 0.98, 1.03, 0.97, 1.005, 0.995, 1.015];

/// A run at so many seconds, with a throughput.
fn run(at: i64, throughput: f64) -> Observation {
    let figure = |metric, value| Figure {
        metric,
        value,
        share_of_time: 1.0,
    };
    Observation {
        cell: key("client 2 clients on ext4", "1"),
        load: "client, 2 clients".into(),
        number: None,
        started_at: jiff::Timestamp::from_second(1_000_000 + at).unwrap(),
        turn: None,
        end: End::Completed,
        figures: vec![
            figure(Metric::Throughput, throughput),
            figure(Metric::Processor, 0.5),
        ],
        identity: vec![Property::text("clients", 2)],
        axis: Vec::new(),
        nuisance: Vec::new(),
        moment: Vec::new(),
        warnings: Vec::new(),
    }
}

fn key(name: &str, sha256: &str) -> CellKey {
    CellKey {
        name: name.into(),
        sha256: sha256.into(),
        machine: String::new(),
    }
}

/// Runs one after the other, a second each from `start` on in steps, their throughputs multiplied.
fn runs(start: i64, step: i64, factor: f64) -> Vec<Observation> {
    let times = (0..).map(|n| start + n * step);
    times
        .zip(FIGURES)
        .map(|(at, figure)| run(at, figure * factor * 1e8))
        .collect()
}

/// Two sides whose runs take turns.
fn interleaved(factor: f64) -> (Vec<Observation>, Vec<Observation>) {
    (runs(0, 2, 1.0), runs(1, 2, factor))
}

/// As those of a campaign.
fn turns(factor: f64) -> (Vec<Observation>, Vec<Observation>) {
    let (mut base, mut candidate) = interleaved(factor);
    for (side, runs) in [(TurnSide::A, &mut base), (TurnSide::B, &mut candidate)] {
        for (pair, run) in (1..).zip(runs.iter_mut()) {
            run.turn = Some(Turn {
                campaign_started_at: jiff::Timestamp::from_second(1_000_000).unwrap(),
                side,
                pair,
                position: pair * 2,
                confirms: false,
                order: String::new(),
                what: format!("{side:?}"),
            });
        }
    }
    (base, candidate)
}

fn side(name: &str, runs: Vec<Observation>) -> SideRuns {
    SideRuns {
        name: name.into(),
        runs,
    }
}

fn compared(
    (base, candidate): (Vec<Observation>, Vec<Observation>),
    change: impl FnOnce(&mut Settings<'_>),
) -> Result<Comparison, Refusal> {
    let gate: Gate = "throughput".parse().unwrap();
    let mut settings = Settings::new(&gate);
    change(&mut settings);
    super::compare(side("old", base), side("new", candidate), &settings)
}

/// The texts of a kind of notes.
fn texts(comparison: &Comparison, kind: NoteKind) -> Vec<&str> {
    let of_kind = comparison.notes.iter().filter(|note| note.kind == kind);
    of_kind.map(|note| note.text.as_str()).collect()
}

/// The verdict on the throughput of the first cell.
fn verdict(comparison: &Comparison) -> Verdict {
    comparison.rows[0].judgement.unwrap().verdict
}
