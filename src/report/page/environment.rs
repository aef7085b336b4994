//! What runs ran on, and the doubts about them.

use super::super::picture::legible;
use super::parts::{headings, table};
use super::view::RunView;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Longest value that is shown whole.
const LONGEST: usize = 300;

/// Every setting that is the same for all runs, and those that are not, with all their values; None where nothing is known.
pub(super) fn section(runs: &[RunView]) -> Option<Markup> {
    let names: BTreeSet<&String> = runs.iter().flat_map(|run| run.environment.keys()).collect();
    if names.is_empty() {
        return None;
    }
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for name in names {
        let mut values: Vec<(String, u32)> = Vec::new();
        for run in runs {
            let value = run.environment.get(name).map_or("-", String::as_str);
            match values.iter_mut().find(|(known, _)| known == value) {
                Some((_, count)) => *count += 1,
                None => values.push((value.to_owned(), 1)),
            }
        }
        match &values[..] {
            [(value, _)] => same.push(vec![name.clone(), clipped(value)]),
            several => {
                let told: Vec<String> = several
                    .iter()
                    .take(6)
                    .map(|(value, count)| format!("{} ({count} of {})", clipped(value), runs.len()))
                    .collect();
                let more = if several.len() > 6 {
                    format!("; {} more", several.len() - 6)
                } else {
                    String::new()
                };
                different.push(vec![name.clone(), told.join("; ") + &more]);
            }
        }
    }
    Some(html! {
        @if !different.is_empty() {
            (table("What differs from run to run", &headings(&["name", "values"]), &different))
        }
        details open[runs.len() == 1] {
            summary { @if runs.len() == 1 { "All that is known" } @else { "What is the same for all runs" } }
            (table("Environment and options", &headings(&["name", "value"]), &same))
        }
    })
}

fn clipped(value: &str) -> String {
    match value.char_indices().nth(LONGEST) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
    }
}

/// Each warning once, with how many runs have it; None where no run has any.
pub(super) fn warnings(runs: &[RunView]) -> Option<Markup> {
    // Those that differ in their figures only are one.
    let kind = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let mut all: BTreeMap<String, (u32, &str)> = BTreeMap::new();
    for warning in runs.iter().flat_map(|run| &run.warnings) {
        all.entry(kind(warning)).or_insert((0, warning)).0 += 1;
    }
    if all.is_empty() {
        return None;
    }
    Some(html! {
        ul {
            @for (count, text) in all.values() {
                li { (count) " of " (runs.len()) " runs: " (legible(text)) }
            }
        }
    })
}
