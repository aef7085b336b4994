//! Whether what drifts with time can be told from what was changed.

use super::matching::Matched;
use super::notes::Notes;
use super::{NoteKind, Observation};
use crate::compare::agreement::of_cells;

/// A note where all runs of one side came before all of the other.
pub(super) fn note(base: &str, candidate: &str, cells: &[Matched<'_>], notes: &mut Notes) -> Option<u32> {
    let one_after_the_other: Vec<&Matched> = cells.iter().filter(|cell| is_so(cell)).collect();
    if one_after_the_other.is_empty() {
        return None;
    }
    let first = one_after_the_other
        .iter()
        .all(|cell| is_before(&cell.base, &cell.candidate));
    let last = one_after_the_other
        .iter()
        .all(|cell| is_before(&cell.candidate, &cell.base));
    let order = match (first, last) {
        (true, _) => format!("all runs of {base} came before those of {candidate}"),
        (_, true) => format!("all runs of {candidate} came before those of {base}"),
        _ => format!("the runs of {base} and of {candidate} came one side after the other"),
    };
    let names: Vec<String> = match one_after_the_other.len() == cells.len() {
        true => Vec::new(),
        false => one_after_the_other.iter().map(|cell| cell.name.clone()).collect(),
    };
    let text = format!(
        "{order}{}: what drifts with time cannot be told from what was changed; let the two take turns (rbench ab; of kernels, by booting them in turns)",
        of_cells(&names)
    );
    Some(notes.add(NoteKind::Drift, text))
}

/// One run each is no order.
fn is_so(cell: &Matched<'_>) -> bool {
    let several = cell.base.len() > 1 || cell.candidate.len() > 1;
    several && (is_before(&cell.base, &cell.candidate) || is_before(&cell.candidate, &cell.base))
}

fn is_before(one: &[&Observation], other: &[&Observation]) -> bool {
    let last = one.iter().map(|run| run.started_at).max();
    let first = other.iter().map(|run| run.started_at).min();
    last.zip(first).is_some_and(|(last, first)| last < first)
}
