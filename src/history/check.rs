//! All cells, judged.

use super::advice::{CellCheck, notes};
use super::agreement::Agreement;
use super::nights::{metrics, nights};
use super::series::{Rule, series};
use super::{HistoryCheck, Series, TonightVerdict};
use crate::compare::{CellKey, Difference, Gate, Metric, floor_of_equal_runs, tell_apart};
use crate::stats::{CHANGING_NIGHTS, FLOOR};
use crate::store::{NightStart, NightlyCell, Store, StoreError};
use serde::Serialize;

/// How nights are judged.
#[derive(Debug, Clone, Copy)]
pub struct CheckSettings<'s> {
    /// Which metrics decide.
    pub gate: &'s Gate,
    /// `--floor`, as a share; absent: [`FLOOR`].
    pub floor: Option<f64>,
    /// Judge tonight by nights that ran on something else, too.
    pub force: bool,
    /// Which night is tonight; absent: the last one.
    pub night: Option<&'s str>,
    /// Only cells whose names hold this text.
    pub cell: Option<&'s str>,
}

/// What became of a night.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// Tonight.
    pub night: String,
    #[serde(flatten)]
    pub check: HistoryCheck,
    /// Cells that ran on something else than in the night before: they are not judged, unless that is forced.
    pub conflicts: Vec<IdentityConflict>,
}

/// A cell that tonight ran on something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdentityConflict {
    pub cell: String,
    pub machine: String,
    /// `base` is the night before, `candidate` is tonight.
    pub differences: Vec<Difference>,
}

/// Judges a night by the nights before it; None where the store has no such night.
///
/// # Errors
/// The store cannot be read.
pub fn check(store: &Store, settings: &CheckSettings<'_>) -> Result<Option<Checked>, StoreError> {
    let Some(tonight) = store.night(settings.night)? else {
        return Ok(None);
    };
    let wanted = |metric: Metric| settings.gate.decides(metric, 1.0);
    let mut cells = store.nightly(&tonight, CHANGING_NIGHTS, &wanted)?;
    tell_apart(cells.iter_mut().map(|cell| &mut cell.key).collect());
    let mut checked = Checked {
        night: tonight.night.clone(),
        check: HistoryCheck {
            series: Vec::new(),
            notes: Vec::new(),
        },
        conflicts: Vec::new(),
    };
    let mut agreement = Agreement::new();
    for cell in &cells {
        if settings.cell.is_none_or(|text| cell.key.name.contains(text)) {
            one(store, settings, &tonight, cell, &mut agreement, &mut checked)?;
        }
    }
    Ok(Some(checked))
}

fn one(
    store: &Store,
    settings: &CheckSettings<'_>,
    tonight: &NightStart,
    cell: &NightlyCell,
    agreement: &mut Agreement,
    checked: &mut Checked,
) -> Result<(), StoreError> {
    let all = nights(cell);
    let ran_tonight = all.last().is_some_and(|night| night.name == tonight.night);
    let agreeing = agreement.of(store, &all)?;
    let differs = !agreeing.differences.is_empty();
    let is_conflict = ran_tonight && differs && agreeing.first + 1 == all.len() && !settings.force;
    // Nights on something else before that are of another series.
    let first = match is_conflict || settings.force {
        true => 0,
        false => agreeing.first,
    };
    let of_series = &all[first..];
    let mut judged = Vec::new();
    for (metric, share) in metrics(of_series) {
        if !settings.gate.decides(metric, share) {
            continue;
        }
        let rule = Rule {
            metric,
            gated: true,
            floor: floor(store, settings, &cell.key, metric)?,
            tonight: (ran_tonight && !is_conflict).then_some(tonight.night.as_str()),
        };
        judged.push(series(&cell.key, of_series, &rule));
    }
    let about = CellCheck {
        key: &cell.key,
        nights: &all,
        ran_tonight,
        is_conflict,
        is_forced: settings.force,
        agreeing: &agreeing,
        series: &judged,
    };
    checked.check.notes.extend(notes(&about, tonight));
    if is_conflict {
        checked.conflicts.push(IdentityConflict {
            cell: cell.key.name.clone(),
            machine: cell.key.machine.clone(),
            differences: agreeing.differences,
        });
    }
    checked.check.series.extend(judged);
    Ok(())
}

/// The floor that was asked for, raised to what equal runs of the cell differ by where the store knows that.
fn floor(
    store: &Store,
    settings: &CheckSettings<'_>,
    key: &CellKey,
    metric: Metric,
) -> Result<f64, StoreError> {
    let floor = settings.floor.unwrap_or(FLOOR);
    let equal = floor_of_equal_runs(store.aa_differences(key, metric, &[])?, metric.scale());
    Ok(equal.map_or(floor, |(of_equal, _)| of_equal.max(floor)))
}

impl Checked {
    /// Whether a gated series is worse tonight, or shows tonight that it has become worse.
    pub fn is_worse(&self) -> bool {
        let gated = self.check.series.iter().filter(|series| series.gated);
        let worse = [TonightVerdict::SuspectedWorse, TonightVerdict::ConfirmedWorse];
        gated.into_iter().any(|series| {
            let tonight = series.tonight.as_ref();
            tonight.is_some_and(|tonight| worse.contains(&tonight.verdict))
                || series
                    .change_points
                    .iter()
                    .any(|change| change.worse && change.new_tonight)
        })
    }

    /// Whether a gated series that ran tonight has too few nights before it, or none is judged at all.
    pub fn is_inconclusive(&self) -> bool {
        let mut gated = self.check.series.iter().filter(|series| series.gated);
        let none_is_judged = gated.clone().all(|series| series.tonight.is_none());
        none_is_judged
            || gated.any(|series| {
                let ran = series.nights.last().is_some_and(|night| night.date == self.night);
                ran && series.tonight.is_none() && !self.is_in_conflict(series)
            })
    }

    fn is_in_conflict(&self, series: &Series) -> bool {
        let of_series =
            |conflict: &IdentityConflict| conflict.cell == series.cell && conflict.machine == series.machine;
        self.conflicts.iter().any(of_series)
    }

    /// 1 where something is worse; 4 where tonight ran on something else; strictly 3 where it cannot be told; else 0.
    pub fn exit_code(&self, strict: bool) -> u8 {
        if self.is_worse() {
            1
        } else if !self.conflicts.is_empty() {
            4
        } else if strict && self.is_inconclusive() {
            3
        } else {
            0
        }
    }
}
