//! Doubts that the runs have about themselves.

use super::matching::Matched;
use super::notes::Notes;
use super::{NoteKind, Observation};
use std::collections::{BTreeMap, BTreeSet};

/// A note on the runs' own warnings, counted by kind, and one on runs that stand on both sides.
pub(super) fn note(base: &str, candidate: &str, cells: &[Matched<'_>], notes: &mut Notes) {
    let of_base: Vec<&Observation> = cells.iter().flat_map(|cell| cell.base.iter().copied()).collect();
    let of_candidate: Vec<&Observation> = cells
        .iter()
        .flat_map(|cell| cell.candidate.iter().copied())
        .collect();
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (side, runs) in [&of_base, &of_candidate].into_iter().enumerate() {
        for kind in runs.iter().flat_map(|run| &run.warnings) {
            counts.entry(kind).or_default()[side] += 1;
        }
    }
    if !counts.is_empty() {
        let told: Vec<String> = counts
            .into_iter()
            .map(|(kind, [of_base, of_candidate])| {
                format!("{} {of_base} and {of_candidate}", kind.replace('_', " "))
            })
            .collect();
        let text = format!(
            "runs of {base} ({} of them) and {candidate} ({}) that have warnings: {}: rbench report tells each with what to do",
            of_base.len(),
            of_candidate.len(),
            told.join(", ")
        );
        notes.add(NoteKind::Runs, text);
    }
    let same = on_both_sides(&of_base, &of_candidate);
    if same > 0 {
        let text = format!(
            "{} on both sides, and make them look more alike than they are: keep the two apart",
            if same == 1 {
                "1 run stands".to_owned()
            } else {
                format!("{same} runs stand")
            }
        );
        notes.add(NoteKind::Advice, text);
    }
}

fn on_both_sides(base: &[&Observation], candidate: &[&Observation]) -> usize {
    let id = |run: &&Observation| (run.started_at, run.cell.clone());
    let of_base: BTreeSet<_> = base.iter().map(id).collect();
    candidate.iter().filter(|run| of_base.contains(&id(run))).count()
}
