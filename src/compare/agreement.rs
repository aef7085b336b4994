//! Whether what must agree does, and what else differs between two sides.

use super::axis::WHAT;
use super::matching::Matched;
use super::notes::Notes;
use super::property::{self, Difference, Mixture, Property};
use super::refusal::{Conflict, named};
use super::{NoteKind, Observation};

/// Two sides of cells, by which their runs are looked at.
pub(super) struct Agreement<'r> {
    pub(super) base: &'r str,
    pub(super) candidate: &'r str,
    pub(super) cells: &'r [Matched<'r>],
    /// Differences of what must agree are what is compared.
    pub(super) by_intention: bool,
}

type Of = fn(&Observation) -> &[Property];

const IDENTITY: Of = |run| &run.identity;
const AXIS: Of = |run| &run.axis;
const NUISANCE: Of = |run| &run.nuisance;
const MOMENT: Of = |run| &run.moment;

fn of<'r>(runs: &[&'r Observation], of: Of) -> Vec<&'r [Property]> {
    runs.iter().map(|run| of(run)).collect()
}

/// Each different thing once, with the numbers of the cells in which it is so.
fn grouped<T: PartialEq>(found: impl Iterator<Item = (usize, T)>) -> Vec<(T, Vec<usize>)> {
    let mut groups: Vec<(T, Vec<usize>)> = Vec::new();
    for (cell, one) in found {
        match groups.iter_mut().find(|(other, _)| *other == one) {
            Some((_, cells)) => cells.push(cell),
            None => groups.push((one, vec![cell])),
        }
    }
    groups
}

impl Agreement<'_> {
    /// What must agree and does not.
    pub(super) fn conflicts(&self) -> Vec<Conflict> {
        let mut all = Vec::new();
        if !self.by_intention {
            let found = self.differences(IDENTITY);
            all.extend(found.into_iter().map(|(difference, cells)| Conflict::Between {
                difference,
                cells: self.names(&cells),
            }));
        }
        for (side, is_base) in [(self.base, true), (self.candidate, false)] {
            let within = |mixture, cells: Vec<usize>| Conflict::Within {
                side: side.to_owned(),
                mixture,
                cells: self.names(&cells),
            };
            let of_identity = self.mixtures(is_base, IDENTITY);
            // What a side of a campaign is must be one thing as well.
            let of_axis = self.mixtures(is_base, AXIS);
            let what = of_axis.into_iter().filter(|(mixture, _)| mixture.name == WHAT);
            all.extend(
                of_identity
                    .into_iter()
                    .chain(what)
                    .map(|(mixture, cells)| within(mixture, cells)),
            );
        }
        all
    }

    /// What differs by intention.
    pub(super) fn varied(&self) -> Vec<(String, String, String)> {
        let mut all = self.differences(AXIS);
        if self.by_intention {
            all.extend(self.differences(IDENTITY));
        }
        // Where cells differ in it differently, each way is told.
        let told = all.into_iter().map(|(difference, _)| {
            let Difference {
                name,
                base,
                candidate,
            } = difference;
            (name, base, candidate)
        });
        told.collect()
    }

    /// Notes on what disturbs, on what a side does not know of itself, and on sides that are several things.
    pub(super) fn note(&self, notes: &mut Notes) -> Vec<u32> {
        let mut on_rows = Vec::new();
        let mut all = self.differences(NUISANCE);
        all.extend(grouped(self.cells.iter().enumerate().flat_map(
            |(index, cell)| {
                let medians = |runs: &[&Observation]| property::medians(&of(runs, MOMENT));
                let (base, candidate) = (medians(&cell.base), medians(&cell.candidate));
                let found = property::differences(&[&base], &[&candidate]);
                found.into_iter().map(move |difference| (index, difference))
            },
        )));
        for (difference, cells) in all {
            let Difference {
                name,
                base,
                candidate,
            } = difference;
            let text = format!(
                "{name}: {}: {base}; {}: {candidate}{}: this may be what differs; make it the same, and run again",
                self.base,
                self.candidate,
                of_cells(&self.names(&cells))
            );
            on_rows.push(notes.add(NoteKind::Nuisance, text));
        }
        self.note_mixed_axis(notes);
        self.note_unknown(notes);
        on_rows
    }

    /// A side of several kernels or labels may be so by intention.
    fn note_mixed_axis(&self, notes: &mut Notes) {
        for (side, is_base) in [(self.base, true), (self.candidate, false)] {
            let mixed = self.mixtures(is_base, AXIS);
            for (mixture, cells) in mixed.into_iter().filter(|(mixture, _)| mixture.name != WHAT) {
                let Mixture { name, values } = mixture;
                let text = format!(
                    "{side} is of several: {name}: {}{}: if that is not what you mean, keep them apart",
                    named(&values),
                    of_cells(&self.names(&cells))
                );
                notes.add(NoteKind::Advice, text);
            }
        }
    }

    /// What one side does not know cannot be told to agree.
    fn note_unknown(&self, notes: &mut Notes) {
        let sides = [(self.base, true), (self.candidate, false)];
        for (side, is_base) in sides {
            let found = self.cells.iter().enumerate().filter_map(|(index, cell)| {
                let (own, other) = match is_base {
                    true => (&cell.base, &cell.candidate),
                    false => (&cell.candidate, &cell.base),
                };
                let missing: Vec<String> = property::unknown(&of(own, IDENTITY), &of(other, IDENTITY))
                    .into_iter()
                    .map(str::to_owned)
                    .collect();
                (!missing.is_empty()).then_some((index, missing))
            });
            for (missing, cells) in grouped(found) {
                let text = format!(
                    "{side} does not tell its {}{}: make sure that both sides agree in this (runs without --no-environment, and as root, tell more)",
                    missing.join(", "),
                    of_cells(&self.names(&cells))
                );
                notes.add(NoteKind::Advice, text);
            }
        }
    }

    fn differences(&self, kind: Of) -> Vec<(Difference, Vec<usize>)> {
        grouped(self.cells.iter().enumerate().flat_map(|(index, cell)| {
            let found = property::differences(&of(&cell.base, kind), &of(&cell.candidate, kind));
            found.into_iter().map(move |difference| (index, difference))
        }))
    }

    fn mixtures(&self, is_base: bool, kind: Of) -> Vec<(Mixture, Vec<usize>)> {
        grouped(self.cells.iter().enumerate().flat_map(|(index, cell)| {
            let runs = if is_base { &cell.base } else { &cell.candidate };
            let found = property::mixtures(&of(runs, kind));
            found.into_iter().map(move |mixture| (index, mixture))
        }))
    }

    /// The names of cells; none where it is all of them.
    fn names(&self, cells: &[usize]) -> Vec<String> {
        if cells.len() == self.cells.len() {
            return Vec::new();
        }
        let named = cells.iter().filter_map(|&cell| self.cells.get(cell));
        named.map(|cell| cell.name.clone()).collect()
    }
}

pub(super) fn of_cells(cells: &[String]) -> String {
    match cells {
        [] => String::new(),
        cells => format!(" ({})", named(cells)),
    }
}
