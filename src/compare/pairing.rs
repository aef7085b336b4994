//! Runs that took turns, pair by pair.

use super::matching::Matched;
use super::notes::{Notes, counted};
use super::{NoteKind, Observation};
use std::collections::BTreeMap;

/// Which pair a run belongs to: its campaign, its number in it, and whether it confirms.
type PairNumber = (jiff::Timestamp, bool, u32);

fn number(run: &Observation) -> Option<PairNumber> {
    let turn = run.turn.as_ref()?;
    Some((turn.campaign_started_at, turn.confirms, turn.pair))
}

/// Leaves in a cell the runs whose partner is there too, in the order of pairs.
pub(super) fn pair<'r>(cell: &mut Matched<'r>, notes: &mut Notes) {
    let mut partners: BTreeMap<PairNumber, &'r Observation> = BTreeMap::new();
    for run in &cell.candidate {
        partners.extend(number(run).map(|number| (number, *run)));
    }
    let mut pairs: BTreeMap<PairNumber, (&'r Observation, &'r Observation)> = BTreeMap::new();
    for run in &cell.base {
        let both = number(run).and_then(|number| Some((number, (*run, *partners.get(&number)?))));
        pairs.extend(both);
    }
    let (base, candidate): (Vec<_>, Vec<_>) = pairs.into_values().unzip();
    let alone = cell.base.len() + cell.candidate.len() - base.len() - candidate.len();
    if alone > 0 {
        let pairs = counted(u32::try_from(alone).unwrap_or(u32::MAX), "pair");
        notes.add(
            NoteKind::Runs,
            format!(
                "{pairs} of {} left out: the other run of the pair is missing or failed",
                cell.name
            ),
        );
    }
    (cell.base, cell.candidate) = (base, candidate);
}
