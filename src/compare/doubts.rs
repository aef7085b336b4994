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
        let [all, all_candidates] = [of_base.len(), of_candidate.len()];
        let told = |(kind, [of_base, of_candidate]): (&str, [usize; 2])| {
            let kind = kind.replace('_', " ");
            format!(
                "{kind} in {of_base} of {all} of {base}, {of_candidate} of {all_candidates} of {candidate}"
            )
        };
        let told: Vec<String> = counts.into_iter().map(told).collect();
        let text = format!(
            "warnings of the runs (rbench report tells what to do): {}",
            told.join("; ")
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
