//! The runs of campaigns (`rbench ab`): first pairs, and fresh ones that confirm what these flag.

use super::{Comparison, Gate, Observation, Refusal, SIDES, Settings, compare, sides_of_turns};

/// Compares the two sides of campaigns. Where there are fresh pairs that confirm, or `confirm` asks for them, they are
/// judged by themselves, for what the first flag only: see [`Comparison::confirmed_by`].
///
/// # Errors
/// The first pairs cannot be compared.
pub fn compare_turns(
    runs: &[Observation],
    settings: &Settings<'_>,
    confirm: bool,
) -> Result<Comparison, Refusal> {
    let confirms = |run: &Observation| run.turn.as_ref().is_some_and(|turn| turn.confirms);
    let (fresh, first): (Vec<_>, Vec<_>) = runs.iter().cloned().partition(confirms);
    let comparison = of_sides(first, settings)?;
    let flagged = comparison.flagged();
    if flagged.is_empty() || fresh.is_empty() && !confirm {
        return Ok(comparison);
    }
    let gate = Gate::of(flagged);
    let settings = Settings {
        gate: &gate,
        ..*settings
    };
    let fresh = of_sides(fresh, &settings).ok();
    Ok(comparison.confirmed_by(fresh.as_ref()))
}

fn of_sides(runs: Vec<Observation>, settings: &Settings<'_>) -> Result<Comparison, Refusal> {
    let Some((a, b)) = sides_of_turns(runs) else {
        let [side, _] = SIDES.map(str::to_owned);
        return Err(Refusal::NoRuns { side, left_out: 0 });
    };
    compare(a, b, settings)
}
