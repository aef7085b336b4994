//! What of a comparison is told in words.

use crate::compare::{Comparison, Row, Side};
use crate::stats::Verdict;

/// The verdict of a row: `regressed`; of what is never tested, a dash.
pub(super) fn verdict(row: &Row) -> String {
    row.judgement
        .map_or("-".to_owned(), |judgement| judgement.verdict.to_string())
}

/// A side: `base.jsonl: 10 runs, 2026-01-02 03:04 to 04:05 UTC`.
pub(super) fn side(side: &Side) -> String {
    let runs = if side.runs == 1 { "run" } else { "runs" };
    let when = match (side.first_started_at, side.last_started_at) {
        (Some(first), Some(last)) => {
            let told = |at: jiff::Timestamp, form: &str| at.strftime(form).to_string();
            let [day, last_day] = [first, last].map(|at| told(at, "%Y-%m-%d"));
            let [from, to] = [first, last].map(|at| told(at, "%H:%M"));
            match (day == last_day, from == to) {
                (true, true) => format!(", {day} {from} UTC"),
                (true, false) => format!(", {day} {from} to {to} UTC"),
                (false, _) => format!(", {day} {from} to {last_day} {to} UTC"),
            }
        }
        _ => String::new(),
    };
    format!("{}: {} {runs}{when}", side.name, side.runs)
}

/// What is varied: `kernel: 6.1.0 → 6.2.0`.
pub(super) fn varied(comparison: &Comparison) -> Vec<String> {
    let told = comparison
        .varied
        .iter()
        .map(|(name, base, candidate)| format!("{name}: {base} → {candidate}"));
    told.collect()
}

/// The sentence that all comes to.
pub(super) fn conclusion(comparison: &Comparison) -> String {
    let gated: Vec<Verdict> = comparison
        .rows
        .iter()
        .filter(|row| row.gated)
        .filter_map(|row| row.judgement.map(|judgement| judgement.verdict))
        .collect();
    let count = |verdicts: &[Verdict]| gated.iter().filter(|one| verdicts.contains(one)).count();
    let all = gated.len();
    let metrics = if all == 1 { "metric" } else { "metrics" };
    let regressed = count(&[Verdict::Regressed]);
    let improved = count(&[Verdict::Improved]);
    let insufficient = count(&[Verdict::Insufficient]);
    let unclear = count(&[Verdict::Inconclusive]);
    if all == 0 {
        return "no metric that decides was compared: nothing is concluded".to_owned();
    }
    if insufficient == all {
        return "nothing is concluded: there are too few runs".to_owned();
    }
    let found = if unclear + insufficient > 0 {
        " was found"
    } else {
        ""
    };
    let mut sentence = match regressed {
        0 => format!("no regression{found} in {all} gated {metrics}"),
        regressed => format!("regression in {regressed} of {all} gated {metrics}"),
    };
    for (count, what) in [
        (improved, "improved"),
        (unclear, "inconclusive"),
        (insufficient, "with too few runs"),
    ] {
        if count > 0 {
            sentence += &format!(", {count} {what}");
        }
    }
    if unclear + insufficient > 0 {
        sentence += ": more runs may tell";
    }
    sentence
}
