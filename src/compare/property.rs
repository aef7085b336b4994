//! What is known of a run beside its figures, by name, and how two sides differ in it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A property of a run: its name, and what is known. What is not known has no property.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    pub name: String,
    pub value: Value,
}

/// What a property is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    /// Options, features, settings: of two lists, only what differs is shown.
    Items(Vec<String>),
    /// An amount that never is quite the same: those that lie within `tolerance` agree.
    Amount {
        number: f64,
        tolerance: Tolerance,
        shown: String,
    },
}

/// How far two amounts may lie apart and still agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// As a share of the greater one.
    Share(f64),
    /// In the amount's own unit.
    Distance(f64),
}

/// A property in which two sets of runs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub name: String,
    pub base: String,
    pub candidate: String,
}

/// A property in which the runs of one side differ among themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mixture {
    pub name: String,
    /// Each different value once, in the order of the runs.
    pub values: Vec<String>,
}

impl Property {
    pub(super) fn text(name: impl Into<String>, text: impl ToString) -> Property {
        let value = Value::Text(text.to_string());
        Property {
            name: name.into(),
            value,
        }
    }

    pub(super) fn items(name: impl Into<String>, items: impl IntoIterator<Item = String>) -> Property {
        let mut items: Vec<String> = items.into_iter().collect();
        items.sort();
        let value = Value::Items(items);
        Property {
            name: name.into(),
            value,
        }
    }

    pub(super) fn amount(
        name: impl Into<String>,
        number: f64,
        tolerance: Tolerance,
        shown: String,
    ) -> Property {
        let value = Value::Amount {
            number,
            tolerance,
            shown,
        };
        Property {
            name: name.into(),
            value,
        }
    }
}

impl Value {
    /// Whether two values stand for the same.
    pub(super) fn agrees(&self, other: &Value) -> bool {
        match (self, other) {
            (
                Value::Amount {
                    number, tolerance, ..
                },
                Value::Amount { number: of_other, .. },
            ) => {
                let apart = (number - of_other).abs();
                match tolerance {
                    Tolerance::Share(share) => apart <= share * number.abs().max(of_other.abs()),
                    Tolerance::Distance(distance) => apart <= *distance,
                }
            }
            _ => self == other,
        }
    }

    fn whole(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Amount { shown, .. } => shown.clone(),
            Value::Items(items) => listed(items),
        }
    }

    /// This value beside others: of lists, what not all of them hold as often.
    fn beside(&self, others: &[&Value]) -> String {
        let Value::Items(items) = self else {
            return self.whole();
        };
        let mut left = counted(items);
        for (item, count) in &mut left {
            let in_others = others.iter().map(|other| match other {
                Value::Items(items) => items.iter().filter(|other| other == item).count(),
                _ => 0,
            });
            *count -= in_others.min().unwrap_or(0).min(*count);
        }
        let left: Vec<String> = left
            .into_iter()
            .flat_map(|(item, count)| std::iter::repeat_n(item.to_owned(), count))
            .collect();
        listed(&left)
    }
}

fn counted(items: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item.as_str()).or_default() += 1;
    }
    counts
}

fn listed(items: &[String]) -> String {
    match items {
        [] => "none of these".to_owned(),
        items => items.join(", "),
    }
}

/// The names of the properties of some runs, in the order in which they first occur.
pub(super) fn names<'r>(runs: impl IntoIterator<Item = &'r [Property]>) -> Vec<&'r str> {
    let mut names = Vec::new();
    for property in runs.into_iter().flatten() {
        if !names.contains(&property.name.as_str()) {
            names.push(property.name.as_str());
        }
    }
    names
}

/// The value of a property of one run.
fn value<'r>(run: &'r [Property], name: &str) -> Option<&'r Value> {
    run.iter()
        .find(|property| property.name == name)
        .map(|property| &property.value)
}

/// The values that a property has in some runs, each that does not agree with one before it once.
pub(super) fn values<'r>(runs: &[&'r [Property]], name: &str) -> Vec<&'r Value> {
    let mut different: Vec<&Value> = Vec::new();
    for found in runs.iter().filter_map(|run| value(run, name)) {
        if !different.iter().any(|earlier| earlier.agrees(found)) {
            different.push(found);
        }
    }
    different
}

/// In what two sets of runs differ; what one of them knows nothing of is left out.
pub fn differences(base: &[&[Property]], candidate: &[&[Property]]) -> Vec<Difference> {
    let all = base.iter().chain(candidate).copied();
    let differing = names(all).into_iter().filter_map(|name| {
        let (of_base, of_candidate) = (values(base, name), values(candidate, name));
        let is_known = !of_base.is_empty() && !of_candidate.is_empty();
        let agrees = |one: &Value, others: &[&Value]| others.iter().any(|other| other.agrees(one));
        let differ = !of_base.iter().all(|one| agrees(one, &of_candidate))
            || !of_candidate.iter().all(|one| agrees(one, &of_base));
        (is_known && differ).then(|| Difference {
            name: name.to_owned(),
            base: shown(&of_base, &of_candidate),
            candidate: shown(&of_candidate, &of_base),
        })
    });
    differing.collect()
}

/// The values of one side, beside those of the other.
fn shown(values: &[&Value], others: &[&Value]) -> String {
    let all: Vec<&Value> = values.iter().chain(others).copied().collect();
    let texts: Vec<String> = values.iter().map(|value| value.beside(&all)).collect();
    texts.join(" and ")
}

/// The amounts of some runs, each as that of the run in their middle.
pub(super) fn medians(runs: &[&[Property]]) -> Vec<Property> {
    let amount = |property: &Property| match property.value {
        Value::Amount { number, .. } => Some(number),
        _ => None,
    };
    let middle = |name: &str| {
        let of_runs = runs
            .iter()
            .filter_map(|run| run.iter().find(|one| one.name == name));
        let mut sorted: Vec<(f64, &Property)> = of_runs.filter_map(|one| Some((amount(one)?, one))).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let middle = sorted.len().checked_sub(1)? / 2;
        sorted.get(middle).map(|(_, property)| (*property).clone())
    };
    names(runs.iter().copied())
        .into_iter()
        .filter_map(middle)
        .collect()
}

/// In what the runs of one side differ among themselves.
pub(super) fn mixtures(runs: &[&[Property]]) -> Vec<Mixture> {
    let mixed = names(runs.iter().copied()).into_iter().filter_map(|name| {
        let values = values(runs, name);
        (values.len() > 1).then(|| Mixture {
            name: name.to_owned(),
            values: values.iter().map(|value| value.beside(&values)).collect(),
        })
    });
    mixed.collect()
}

/// In what one run is told from others that look the same.
pub(super) fn told_apart(run: &[Property], all: &[&[Property]]) -> Vec<String> {
    let told = run.iter().filter_map(|property| {
        let values = values(all, &property.name);
        let differs = values.len() > 1;
        differs.then(|| format!("{} {}", property.name, property.value.beside(&values)))
    });
    told.collect()
}

/// The names of properties that all runs of one side lack, and the other side knows.
pub(super) fn unknown<'r>(side: &[&'r [Property]], other: &[&'r [Property]]) -> Vec<&'r str> {
    let known = names(side.iter().copied());
    let mut missing = names(other.iter().copied());
    missing.retain(|name| !known.contains(name));
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(items: &[&str]) -> Vec<Property> {
        vec![Property::items(
            "options",
            items.iter().map(|&item| item.to_owned()),
        )]
    }

    fn amount(number: f64, tolerance: Tolerance) -> Vec<Property> {
        vec![Property::amount("memory", number, tolerance, number.to_string())]
    }

    fn told(base: &[Property], candidate: &[Property]) -> Vec<(String, String, String)> {
        let told = differences(&[base], &[candidate]);
        told.into_iter()
            .map(|one| (one.name, one.base, one.candidate))
            .collect()
    }

    #[test]
    fn of_lists_only_what_differs_is_told() {
        assert_eq!(
            told(&items(&["noatime", "rw", "a"]), &items(&["relatime", "a", "rw"])),
            [("options".into(), "noatime".into(), "relatime".into())]
        );
        assert_eq!(
            told(&items(&["rw", "disk", "disk"]), &items(&["disk", "rw"])),
            [("options".into(), "disk".into(), "none of these".into())]
        );
        assert_eq!(told(&items(&["rw", "a"]), &items(&["a", "rw"])), []);
    }

    #[test]
    fn amounts_agree_within_their_tolerance() {
        let share = Tolerance::Share(0.01);
        assert_eq!(told(&amount(1000.0, share), &amount(1009.0, share)), []);
        assert_eq!(told(&amount(1000.0, share), &amount(1020.0, share)).len(), 1);
        let distance = Tolerance::Distance(0.1);
        assert_eq!(told(&amount(0.0, distance), &amount(0.1, distance)), []);
        assert_eq!(told(&amount(0.0, distance), &amount(0.2, distance)).len(), 1);
    }

    #[test]
    fn what_one_side_does_not_know_is_no_difference_but_unknown() {
        let known = items(&["rw"]);
        assert_eq!(told(&known, &[]), []);
        assert_eq!(unknown(&[&[]], &[&known]), ["options"]);
        assert_eq!(unknown(&[&known], &[&[]]), Vec::<&str>::new());
    }

    #[test]
    fn runs_of_a_side_that_differ_are_told_by_all_their_values() {
        let (one, two) = (items(&["rw", "noatime"]), items(&["rw"]));
        let mixed = mixtures(&[&one, &two, &one]);
        assert_eq!(mixed[0].values, ["noatime", "none of these"]);
        assert_eq!(mixed.len(), 1);
    }
}
