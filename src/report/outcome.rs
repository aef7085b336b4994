//! What is to be said of a run on stderr: doubts, outcomes that differ from the trace, how it ended.

use super::printable::printable;
use crate::result::signal_name;
use crate::result::{End, Mismatch, Outcomes, RunResult, Verification};
use crate::units::Grouped;

/// How many outcomes that differ are shown.
const SHOWN: usize = 10;

/// Warnings, outcomes that differ, skipped operations and an end before the end, for stderr; empty when all is well.
///
/// To be printed before [`summary`](super::summary).
pub fn diagnostics(result: &RunResult) -> String {
    let mut text = String::new();
    for warning in &result.warnings {
        text.push_str(&format!("warning: {}\n", printable(&warning.to_string())));
    }
    text.push_str(&differed(&result.outcomes));
    text.push_str(&skipped(&result.outcomes));
    text.push_str(&result.verification.as_ref().map(corrupt).unwrap_or_default());
    text.push_str(&end(result));
    text
}

fn differed(outcomes: &Outcomes) -> String {
    if outcomes.differed == 0 || outcomes.ignored {
        return String::new();
    }
    let (differed, checked) = (outcomes.differed, outcomes.checked);
    let shown = &outcomes.examples[..outcomes.examples.len().min(SHOWN)];
    let verb = if differed == 1 { "differs" } else { "differ" };
    let colon = if shown.is_empty() { "" } else { ":" };
    let mut text = format!("error: {differed} of {checked} checked outcomes {verb} from the trace{colon}\n");
    // The indentation keeps a kind's name out of the field where mmtests looks for one.
    text.extend(shown.iter().map(|mismatch| format!("  {}\n", example(mismatch))));
    let more = differed.saturating_sub(shown.len() as u64);
    if more > 0 && !shown.is_empty() {
        text.push_str(&format!("  … and {more} more\n"));
    }
    text
}

/// `file:line op path: expected X, got ENOENT`.
fn example(mismatch: &Mismatch) -> String {
    let (file, line, kind) = (printable(&mismatch.loadfile), mismatch.line, mismatch.kind);
    let (expected, got) = (printable(&mismatch.expected), printable(&mismatch.got));
    let path = printable(&mismatch.path);
    format!("{file}:{line} {kind} {path}: expected {expected}, got {got}")
}

/// `--verify`: reads that are not as written, whatever is made of other differences.
fn corrupt(verification: &Verification) -> String {
    let count = verification.corrupt_reads;
    if count == 0 {
        return String::new();
    }
    let shown = &verification.examples[..verification.examples.len().min(SHOWN)];
    let verb = if count == 1 { "is" } else { "are" };
    let (differ, checked) = (Grouped(count), Grouped(verification.reads_checked));
    let colon = if shown.is_empty() { "" } else { ":" };
    let mut text = format!("error: {differ} of {checked} checked reads {verb} not as written{colon}\n");
    text.extend(
        shown
            .iter()
            .map(|one| format!("  {}\n", printable(&one.to_string()))),
    );
    let more = count.saturating_sub(shown.len() as u64);
    if more > 0 && !shown.is_empty() {
        text.push_str(&format!("  … and {} more\n", Grouped(more)));
    }
    text
}

fn skipped(outcomes: &Outcomes) -> String {
    let count = match outcomes.skipped {
        0 => return String::new(),
        1 => "1 operation was".to_owned(),
        many => format!("{many} operations were"),
    };
    let why = "the open of the handle failed against the trace, or the slice leaves it out";
    format!("warning: {count} skipped: {why}\n")
}

fn end(result: &RunResult) -> String {
    let seconds = result.elapsed.as_secs_f64();
    match &result.end {
        End::Completed => String::new(),
        End::Interrupted(signal) if result.elapsed.is_zero() => {
            let signal = signal_name(*signal);
            format!("warning: stopped by {signal} before anything was measured\n")
        }
        End::Interrupted(signal) => {
            let signal = signal_name(*signal);
            format!(
                "warning: stopped by {signal} after {seconds:.3} s: the figures are of the part that ran\n"
            )
        }
        End::Failed(why) => format!("error: the run failed after {seconds:.3} s: {}\n", printable(why)),
    }
}
