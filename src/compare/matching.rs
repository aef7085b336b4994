//! Which runs of one side belong beside which of the other.

use super::notes::Notes;
use super::property::{self, Property};
use super::refusal::named;
use super::{CellKey, NoteKind, Observation, Refusal, SideRuns};
use std::collections::{BTreeMap, BTreeSet};

/// A cell with its runs on both sides.
#[derive(Debug)]
pub(super) struct Matched<'r> {
    /// Tells it from all others.
    pub(super) name: String,
    /// The baseline's.
    pub(super) key: &'r CellKey,
    pub(super) base: Vec<&'r Observation>,
    pub(super) candidate: Vec<&'r Observation>,
}

type Cells<'r, K> = BTreeMap<K, Vec<&'r Observation>>;

/// Puts the cells of two sides beside each other: those with the same key; where there are none, a single cell on each
/// side, or those of the same load, clients and place in a sweep (what must agree then tells why they must not be
/// compared). Cells of one side alone become a note.
pub(super) fn matched<'r>(
    base: &'r SideRuns,
    candidate: &'r SideRuns,
    notes: &mut Notes,
) -> Result<Vec<Matched<'r>>, Refusal> {
    let by_key = |side: &'r SideRuns| cells(side, |run| &run.cell.sha256);
    let mut all = beside(by_key(base), by_key(candidate));
    let (of_base, of_candidate) = (by_key(base), by_key(candidate));
    if all.is_empty() && of_base.len() == 1 && of_candidate.len() == 1 {
        let only = |cells: Cells<'r, &String>| cells.into_values().next().unwrap_or_default();
        all.push((only(of_base), only(of_candidate)));
    }
    if all.is_empty() {
        let by_load = |side: &'r SideRuns| cells(side, |run| &run.load);
        all = beside(by_load(base), by_load(candidate));
    }
    if all.is_empty() {
        return Err(Refusal::NoCommonCell {
            base: base.name.clone(),
            candidate: candidate.name.clone(),
            of_base: names(&base.runs),
            of_candidate: names(&candidate.runs),
        });
    }
    unmatched(base, candidate, &all, notes);
    let cells = all.into_iter().filter_map(|(base, candidate)| {
        let key = &base.first()?.cell;
        let of_candidate = &candidate.first()?.cell;
        let name = match key.name == of_candidate.name {
            true => key.name.clone(),
            false => format!("{} → {}", key.name, of_candidate.name),
        };
        Some(Matched {
            name,
            key,
            base,
            candidate,
        })
    });
    let mut cells: Vec<Matched> = cells.collect();
    cells.sort_by_key(order);
    tell_apart(&mut cells);
    Ok(cells)
}

/// As in a sweep, or in the order of the first runs.
fn order(cell: &Matched<'_>) -> (Option<u32>, Option<jiff::Timestamp>, String) {
    let number = cell.base.first().and_then(|run| run.number);
    let first = cell.base.iter().map(|run| run.started_at).min();
    (number, first, cell.name.clone())
}

fn cells<'r, K: Ord>(side: &'r SideRuns, key: impl Fn(&'r Observation) -> K) -> Cells<'r, K> {
    let mut cells: Cells<'r, K> = BTreeMap::new();
    for run in &side.runs {
        cells.entry(key(run)).or_default().push(run);
    }
    for runs in cells.values_mut() {
        runs.sort_by_key(|run| run.started_at);
    }
    cells
}

type Pair<'r> = (Vec<&'r Observation>, Vec<&'r Observation>);

fn beside<'r, K: Ord>(base: Cells<'r, K>, mut candidate: Cells<'r, K>) -> Vec<Pair<'r>> {
    let both = base
        .into_iter()
        .filter_map(|(key, runs)| Some((runs, candidate.remove(&key)?)));
    both.collect()
}

fn names<'r>(runs: impl IntoIterator<Item = &'r Observation>) -> Vec<String> {
    let names: BTreeSet<&str> = runs.into_iter().map(|run| run.cell.name.as_str()).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn unmatched(base: &SideRuns, candidate: &SideRuns, matched: &[Pair<'_>], notes: &mut Notes) {
    let both = matched
        .iter()
        .flat_map(|(base, candidate)| base.iter().chain(candidate));
    let in_cells: BTreeSet<*const Observation> = both.map(|run| std::ptr::from_ref(*run)).collect();
    for side in [base, candidate] {
        let alone = side
            .runs
            .iter()
            .filter(|run| !in_cells.contains(&std::ptr::from_ref(*run)));
        let names = names(alone);
        if !names.is_empty() {
            notes.add(
                NoteKind::Runs,
                format!(
                    "only {} has runs of {}: they are left out; run the same load, clients and options on both sides",
                    side.name,
                    named(&names)
                ),
            );
        }
    }
}

/// Adds to the names of cells that have the same one what they differ in.
fn tell_apart(cells: &mut [Matched<'_>]) {
    let names: Vec<String> = cells.iter().map(|cell| cell.name.clone()).collect();
    let told: Vec<Option<String>> = (0..cells.len())
        .map(|index| {
            let same = |other: &usize| names[*other] == names[index];
            let group: Vec<usize> = (0..cells.len()).filter(same).collect();
            (group.len() > 1).then(|| apart(cells, &group, index))
        })
        .collect();
    for (cell, told) in cells.iter_mut().zip(told) {
        if let Some(told) = told {
            cell.name = format!("{} ({told})", cell.name);
        }
    }
}

fn apart(cells: &[Matched<'_>], group: &[usize], index: usize) -> String {
    let identity = |cell: usize| -> &[Property] {
        cells[cell]
            .base
            .first()
            .map_or(&[], |run| run.identity.as_slice())
    };
    let all: Vec<&[Property]> = group.iter().map(|&cell| identity(cell)).collect();
    let own = property::told_apart(identity(index), &all);
    // What else tells them apart does not matter: a number does then.
    if own.is_empty() {
        let number = group.iter().position(|&one| one == index).unwrap_or_default();
        return format!("{} of {}", number + 1, group.len());
    }
    own.join(", ")
}
