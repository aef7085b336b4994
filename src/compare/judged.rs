//! Two sets of runs, compared.

use super::agreement::Agreement;
use super::drift;
use super::matching::{Matched, matched};
use super::notes::{Notes, count};
use super::pairing::pair;
use super::rows::{Cells, rows};
use super::sides::{are_paired, counting};
use super::{Comparison, NoteKind, Refusal, Row, Settings, Side, SideRuns};
use crate::stats::Verdict;

/// Compares a candidate with its baseline: finds the runs that belong together, sees to it that they may be compared,
/// and judges every metric.
///
/// Sides whose runs took turns in the same campaigns are compared pair by pair.
///
/// # Errors
/// A side has no run, no cell is on both sides, or what must agree does not and is not forced.
pub fn compare(base: SideRuns, candidate: SideRuns, settings: &Settings<'_>) -> Result<Comparison, Refusal> {
    let mut notes = Notes::default();
    let paired = are_paired(&base, &candidate);
    let base = counting(base, &mut notes)?;
    let candidate = counting(candidate, &mut notes)?;
    let mut cells = matched(&base, &candidate, &mut notes)?;
    if paired {
        leave_pairs(&mut cells, &mut notes);
        if cells.is_empty() {
            return Err(Refusal::NoPairs {
                base: base.name,
                candidate: candidate.name,
            });
        }
    }
    let agreement = Agreement {
        base: &base.name,
        candidate: &candidate.name,
        cells: &cells,
        by_intention: settings.sides_differ_by_intention || paired,
    };
    let mut doubts = agreed(&agreement, settings.force, &mut notes)?;
    doubts.extend(drift::note(&base.name, &candidate.name, &cells, &mut notes));
    doubts.extend(agreement.note(&mut notes));
    super::doubts::note(&base.name, &candidate.name, &cells, &mut notes);
    let compared = Cells {
        cells: &cells,
        paired,
        settings,
        names: [&base.name, &candidate.name],
    };
    let mut rows = rows(&compared, &mut notes);
    mark(&mut rows, &doubts);
    let varied = agreement.varied();
    Ok(Comparison {
        base: side(&base.name, cells.iter().flat_map(|cell| &cell.base)),
        candidate: side(&candidate.name, cells.iter().flat_map(|cell| &cell.candidate)),
        paired,
        floor: settings.floor(),
        varied,
        rows,
        notes: notes.into_vec(),
    })
}

fn leave_pairs(cells: &mut Vec<Matched<'_>>, notes: &mut Notes) {
    for cell in cells.iter_mut() {
        pair(cell, notes);
    }
    cells.retain(|cell| !cell.base.is_empty());
}

/// Sees to it that what must agree does; where it is forced, answers the numbers of the footnotes.
fn agreed(agreement: &Agreement<'_>, force: bool, notes: &mut Notes) -> Result<Vec<u32>, Refusal> {
    let conflicts = agreement.conflicts();
    let (base, candidate) = (agreement.base, agreement.candidate);
    if !conflicts.is_empty() && !force {
        return Err(Refusal::Identity {
            base: base.to_owned(),
            candidate: candidate.to_owned(),
            conflicts,
        });
    }
    let forced = conflicts.iter().map(|conflict| {
        let text = format!(
            "compared by --force, though they differ in {}",
            conflict.text(base, candidate)
        );
        notes.add(NoteKind::Identity, text)
    });
    Ok(forced.collect())
}

fn side<'r>(name: &str, runs: impl Iterator<Item = &'r &'r super::Observation>) -> Side {
    let started: Vec<jiff::Timestamp> = runs.map(|run| run.started_at).collect();
    Side {
        name: name.to_owned(),
        runs: count(&started),
        first_started_at: started.iter().min().copied(),
        last_started_at: started.iter().max().copied(),
    }
}

/// Doubts about the whole comparison stand at what they put in doubt: verdicts that something has changed.
fn mark(rows: &mut [Row], doubts: &[u32]) {
    let changes = [Verdict::Regressed, Verdict::Improved, Verdict::Small];
    for row in rows {
        let verdict = row.judgement.map(|judgement| judgement.verdict);
        if verdict.is_some_and(|verdict| changes.contains(&verdict)) {
            row.notes.extend(doubts);
            row.notes.sort_unstable();
            row.notes.dedup();
        }
    }
}
