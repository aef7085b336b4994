//! The runs of a campaign as two sides, and which runs of a side count.

use super::notes::{Notes, count, runs};
use super::{NoteKind, Observation, Refusal, SideRuns};
use crate::result::{End, TurnSide};

/// The names of the two sides of a campaign.
pub const SIDES: [&str; 2] = ["A", "B"];

/// Runs that took turns (`rbench ab`), as its sides A and B; None where none did. Runs without a turn are left out.
pub fn sides_of_turns(all: Vec<Observation>) -> Option<(SideRuns, SideRuns)> {
    let side = |runs: Vec<Observation>, name: &str| SideRuns {
        name: name.to_owned(),
        runs,
    };
    let with_turn = all.into_iter().filter(|run| run.turn.is_some());
    let (of_a, of_b): (Vec<_>, Vec<_>) = with_turn.partition(|run| is_of(run, TurnSide::A));
    let [a, b] = SIDES;
    (!of_a.is_empty() || !of_b.is_empty()).then(|| (side(of_a, a), side(of_b, b)))
}

fn is_of(run: &Observation, side: TurnSide) -> bool {
    run.turn.as_ref().is_some_and(|turn| turn.side == side)
}

/// Whether two sides are the sides of campaigns: all runs of the one took turns with all runs of the other.
pub(super) fn are_paired(base: &SideRuns, candidate: &SideRuns) -> bool {
    let only = |side: &SideRuns, turn: TurnSide| side.runs.iter().all(|run| is_of(run, turn));
    let same = |turn: TurnSide, other: TurnSide| only(base, turn) && only(candidate, other);
    let opposite = same(TurnSide::A, TurnSide::B) || same(TurnSide::B, TurnSide::A);
    let campaigns = |side: &SideRuns| {
        let mut all: Vec<_> = side.runs.iter().filter_map(campaign).collect();
        all.sort();
        all.dedup();
        all
    };
    opposite && campaigns(base) == campaigns(candidate)
}

/// When the campaign of a run was started.
fn campaign(run: &Observation) -> Option<jiff::Timestamp> {
    run.turn.as_ref().map(|turn| turn.campaign_started_at)
}

/// The runs of a side that count: those that were completed and, of a campaign, not the fresh runs that confirm the
/// others (unless there are no others). The rest becomes a note.
///
/// # Errors
/// None is left.
pub(super) fn counting(mut side: SideRuns, notes: &mut Notes) -> Result<SideRuns, Refusal> {
    let confirms = |run: &Observation| run.turn.as_ref().is_some_and(|turn| turn.confirms);
    if side.runs.iter().any(|run| !confirms(run)) {
        let fresh: Vec<_> = side.runs.extract_if(.., |run| confirms(run)).collect();
        if !fresh.is_empty() {
            let text = format!(
                "{}: {} that confirm what the others flag are left out: they are judged by themselves",
                side.name,
                runs(count(&fresh)).replace("run", "fresh run")
            );
            notes.add(NoteKind::Runs, text);
        }
    }
    let without: Vec<_> = side.runs.extract_if(.., |run| run.figures.is_empty()).collect();
    let left_out = count(&without);
    if side.runs.is_empty() {
        return Err(Refusal::NoRuns {
            side: side.name,
            left_out,
        });
    }
    let interrupted = without
        .iter()
        .filter(|run| matches!(run.end, End::Interrupted(_)));
    let failed = without.iter().filter(|run| matches!(run.end, End::Failed(_)));
    let [interrupted, failed] = [interrupted.count(), failed.count()];
    let empty = without.len().saturating_sub(interrupted + failed);
    let kinds = [
        (failed, "failed"),
        (interrupted, "interrupted"),
        (empty, "without figures"),
    ];
    let told: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if left_out > 0 {
        let text = format!(
            "{}: {} left out ({}): only runs that were completed are compared",
            side.name,
            runs(left_out),
            told.join(", ")
        );
        notes.add(NoteKind::Runs, text);
    }
    Ok(side)
}
