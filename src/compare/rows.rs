//! The metrics of cells, judged together.

use super::matching::Matched;
use super::notes::{Notes, counted};
use super::{Figure, Metric, NoteKind, Observation, Row, Sample, Settings, floor};
use crate::stats::{
    Judgement, LEAST_PAIRS, LEAST_RUNS, MedianInterval, Question, SIGNIFICANT, Scale, Verdict, judge,
};
use std::collections::BTreeSet;

/// Cells whose runs may be compared.
pub(super) struct Cells<'r> {
    pub(super) cells: &'r [Matched<'r>],
    pub(super) paired: bool,
    pub(super) settings: &'r Settings<'r>,
    /// Of the baseline and the candidate.
    pub(super) names: [&'r str; 2],
}

/// The rows of all cells: in each the gated metrics first. All are judged together: that many metrics of many cells are
/// looked at makes none of them significant.
pub(super) fn rows(cells: &Cells<'_>, notes: &mut Notes) -> Vec<Row> {
    let mut rows: Vec<Row> = cells
        .cells
        .iter()
        .flat_map(|cell| of_cell(cells, cell, notes))
        .collect();
    let tested: Vec<usize> = (0..rows.len())
        .filter(|&index| rows[index].metric.is_tested())
        .collect();
    let questions: Vec<Question> = tested
        .iter()
        .map(|&index| question(&rows[index], cells.paired))
        .collect();
    for (index, judgement) in tested.into_iter().zip(judge(&questions)) {
        rows[index].judgement = Some(judgement);
    }
    for row in &mut rows {
        insufficient(cells, row, notes);
    }
    for metric in cells.settings.gate.missing(&rows) {
        let text = format!(
            "{metric} was to decide (--gate), and decides nothing: it was not measured, took 1 % of the time or less, or is never tested"
        );
        notes.add(NoteKind::Advice, text);
    }
    beyond_reach(cells, &rows, notes);
    rows
}

fn of_cell(cells: &Cells<'_>, cell: &Matched<'_>, notes: &mut Notes) -> Vec<Row> {
    let all = cell.base.iter().chain(&cell.candidate);
    let metrics: BTreeSet<Metric> = all
        .flat_map(|run| run.figures.iter().map(|figure| figure.metric))
        .collect();
    let mut rows: Vec<Row> = metrics
        .into_iter()
        .filter(|&metric| is_done(cell, metric))
        .map(|metric| row(cells, cell, metric, notes))
        .collect();
    rows.sort_by_key(|row| !row.gated);
    rows
}

/// Whether the load does what the metric is about: with rates of 0 on both sides it does not.
fn is_done(cell: &Matched<'_>, metric: Metric) -> bool {
    let mut all = cell.base.iter().chain(&cell.candidate);
    metric.scale() == Scale::Difference
        || all.any(|run| run.figure(metric).is_some_and(|figure| figure.value > 0.0))
}

fn row(cells: &Cells<'_>, cell: &Matched<'_>, metric: Metric, notes: &mut Notes) -> Row {
    let (base, candidate) = figures(cells.paired, cell, metric);
    let shares = |figures: &[Figure]| {
        figures
            .iter()
            .map(|figure| figure.share_of_time)
            .collect::<Vec<_>>()
    };
    let share = [shares(&base), shares(&candidate)]
        .iter()
        .filter_map(|shares| Some(MedianInterval::of(shares)?.median))
        .fold(0.0, f64::max);
    let values = |figures: &[Figure]| figures.iter().map(|figure| figure.value).collect::<Vec<_>>();
    let mut row = Row {
        cell: cell.name.clone(),
        metric,
        gated: cells.settings.gate.decides(metric, share),
        base: sample(values(&base)),
        candidate: sample(values(&candidate)),
        floor: cells.settings.floor(),
        judgement: None,
        notes: Vec::new(),
    };
    raise_floor(cells, cell, &mut row, notes);
    row
}

/// The figures of both sides: of pairs, where both runs have one.
fn figures(paired: bool, cell: &Matched<'_>, metric: Metric) -> (Vec<Figure>, Vec<Figure>) {
    let of = |runs: &[&Observation]| -> Vec<Option<Figure>> {
        runs.iter().map(|run| run.figure(metric)).collect()
    };
    let (base, candidate) = (of(&cell.base), of(&cell.candidate));
    if paired {
        base.into_iter()
            .zip(candidate)
            .filter_map(|(base, candidate)| base.zip(candidate))
            .unzip()
    } else {
        let known = |figures: Vec<Option<Figure>>| figures.into_iter().flatten().collect();
        (known(base), known(candidate))
    }
}

fn sample(values: Vec<f64>) -> Sample {
    let median = MedianInterval::of(&values);
    Sample {
        values,
        median: median.map(|median| median.median),
        spread: median.and_then(|median| median.spread()),
    }
}

/// What equal runs differ by is no change, whatever floor was asked for.
fn raise_floor(cells: &Cells<'_>, cell: &Matched<'_>, row: &mut Row, notes: &mut Notes) {
    let Some(differences) = cells.settings.equal_runs.filter(|_| row.metric.is_tested()) else {
        return;
    };
    let scale = row.metric.scale();
    let Some((floor, count)) = floor::of_equal_runs(differences(cell.key, row.metric), scale) else {
        return;
    };
    if floor <= row.floor {
        return;
    }
    row.floor = floor;
    let amount = match scale {
        Scale::Ratio => format!("{:.1} %", floor * 100.0),
        Scale::Difference => format!("{:.2} percentage points", floor * 100.0),
    };
    let text = format!(
        "the floor of {} is raised to {amount}: by so much equal runs of this cell differ (99th percentile of {count} comparisons in the store); find out what disturbs them, or let runs be longer (-t)",
        row.metric
    );
    row.notes.push(notes.add(NoteKind::Floor, text));
}

fn question(row: &Row, paired: bool) -> Question {
    Question {
        base: row.base.values.clone(),
        candidate: row.candidate.values.clone(),
        paired,
        scale: row.metric.scale(),
        better: row.metric.better(),
        floor: row.floor,
        gated: row.gated,
    }
}

/// What is missing where there are too few runs.
fn insufficient(cells: &Cells<'_>, row: &mut Row, notes: &mut Notes) {
    let is_so = |judgement: &Judgement| judgement.verdict == Verdict::Insufficient;
    if !row.judgement.as_ref().is_some_and(is_so) {
        return;
    }
    let [base, candidate] = [&row.base.values, &row.candidate.values].map(Vec::len);
    let of_cell = cells.cells.iter().find(|cell| cell.name == row.cell);
    let least = if cells.paired { LEAST_PAIRS } else { LEAST_RUNS };
    let enough = of_cell.is_some_and(|cell| cell.base.len().min(cell.candidate.len()) >= least);
    let have = if enough { " have this figure" } else { "" };
    let text = if cells.paired {
        let more = counted(missing(LEAST_PAIRS, base), "more pair");
        format!("too few pairs{have} for a verdict: need at least {more} (rbench ab --pairs)")
    } else {
        let more: Vec<String> = cells
            .names
            .iter()
            .zip([base, candidate])
            .map(|(name, runs)| (name, missing(LEAST_RUNS, runs)))
            .filter(|(_, more)| *more > 0)
            .map(|(name, more)| format!("{more} more of {name}"))
            .collect();
        match more.is_empty() {
            true => return,
            false => format!(
                "too few runs{have} for a verdict: need at least {} (--runs)",
                more.join(" and ")
            ),
        }
    };
    row.notes.push(notes.add(NoteKind::Insufficient, text));
}

fn missing(least: usize, runs: usize) -> u32 {
    u32::try_from(least.saturating_sub(runs)).unwrap_or(u32::MAX)
}

/// With many gated metrics and few runs not even the clearest difference is significant.
fn beyond_reach(cells: &Cells<'_>, rows: &[Row], notes: &mut Notes) {
    let tested = |row: &&Row| row.gated && row.judgement.is_some_and(|judgement| judgement.p.is_some());
    let family: Vec<&Row> = rows.iter().filter(tested).collect();
    let sizes: Vec<[usize; 2]> = family
        .iter()
        .map(|row| [row.base.values.len(), row.candidate.values.len()])
        .collect();
    let Some(fewest) = sizes.iter().flatten().copied().min() else {
        return;
    };
    // What the least sides would be worth, were they of at least so many.
    let attainable = |least: usize| {
        let ps = sizes
            .iter()
            .map(|sides| least_p(sides.map(|runs| runs.max(least)), cells.paired));
        ps.fold(0.0, f64::max) * family.len() as f64
    };
    if attainable(fewest) <= SIGNIFICANT {
        return;
    }
    let Some(enough) = (fewest..1000).find(|&runs| attainable(runs) <= SIGNIFICANT) else {
        return;
    };
    let what = if cells.paired { "pairs" } else { "runs a side" };
    let text = format!(
        "{} gated metrics are judged together: with {fewest} {what} not even the clearest difference can be significant; {enough} {what} are the least, or let fewer metrics decide (--gate)",
        family.len()
    );
    notes.add(NoteKind::Advice, text);
}

/// The smallest p value that the exact test of so many runs on each side can have: the figures of the two do not overlap,
/// or all pairs differ in the same way.
fn least_p([base, candidate]: [usize; 2], paired: bool) -> f64 {
    let ways = if paired {
        2.0_f64.powf(base.min(candidate) as f64)
    } else {
        (1..=candidate).map(|n| (base + n) as f64 / n as f64).product()
    };
    2.0 / ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_p_values_are_those_of_the_exact_tests() {
        assert!((least_p([6, 6], false) - 0.002_164_5).abs() < 1e-6);
        assert!((least_p([10, 10], false) - 1.082_5e-5).abs() < 1e-8);
        assert!((least_p([30, 6], false) - 2.0 / 1_947_792.0).abs() < 1e-12);
        assert!((least_p([10, 10], true) - 0.001_953).abs() < 1e-6);
    }
}
