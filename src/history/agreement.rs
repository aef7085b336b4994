//! Whether tonight ran on what the nights before ran on.

use super::nights::CellNight;
use crate::compare::{Difference, Property, differences};
use crate::store::{Store, StoreError};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What must agree, of each night.
pub(super) struct Agreement {
    /// By its number in the store.
    known: BTreeMap<i64, Vec<Property>>,
}

/// What differs, and since when it does not.
pub(super) struct Agreeing {
    /// The number of the first night that agrees with the last one, as do all between them.
    pub(super) first: usize,
    /// In what the night before that one differs.
    pub(super) differences: Vec<Difference>,
}

impl Agreement {
    pub(super) fn new() -> Agreement {
        Agreement {
            known: BTreeMap::new(),
        }
    }

    /// From which night on all agree with the last.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) fn of(&mut self, store: &Store, nights: &[CellNight<'_>]) -> Result<Agreeing, StoreError> {
        for run in nights.iter().flat_map(|night| &night.runs) {
            let Some(number) = run.facts else { continue };
            if let Entry::Vacant(unknown) = self.known.entry(number) {
                let facts = store.facts(number)?;
                unknown.insert(facts.map_or(Vec::new(), |facts| facts.observation().identity));
            }
        }
        let last = nights
            .last()
            .map(|night| self.properties(night))
            .unwrap_or_default();
        let mut first = nights.len().saturating_sub(1);
        while let Some(before) = first.checked_sub(1) {
            let differing = differences(&self.properties(&nights[before]), &last);
            if !differing.is_empty() {
                return Ok(Agreeing {
                    first,
                    differences: differing,
                });
            }
            first = before;
        }
        Ok(Agreeing {
            first,
            differences: Vec::new(),
        })
    }

    /// Of the runs of a night; what several share, once.
    fn properties(&self, night: &CellNight<'_>) -> Vec<&[Property]> {
        let mut numbers: Vec<i64> = night.runs.iter().filter_map(|run| run.facts).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let known = numbers.iter().filter_map(|number| self.known.get(number));
        known.map(Vec::as_slice).collect()
    }
}
