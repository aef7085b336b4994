//! The runs of a cell, night by night.

use crate::compare::{Figure, Metric};
use crate::stats::{Scale, Summary};
use crate::store::{NightlyCell, NightlyRun};
use std::collections::{BTreeMap, BTreeSet};

/// The runs of one night of a cell.
pub(super) struct CellNight<'r> {
    pub(super) name: &'r str,
    /// Those that make the night.
    pub(super) runs: Vec<&'r NightlyRun>,
    /// Those that confirm what these have flagged.
    pub(super) fresh: Vec<&'r NightlyRun>,
}

/// The nights of a cell, the oldest first. Runs are in the order of time, and a night is as old as its first run that is
/// not fresh.
pub(super) fn nights(cell: &NightlyCell) -> Vec<CellNight<'_>> {
    let mut nights: Vec<CellNight<'_>> = Vec::new();
    for run in cell.runs.iter().filter(|run| !run.fresh) {
        match nights.iter_mut().find(|night| night.name == run.night) {
            Some(night) => night.runs.push(run),
            None => nights.push(CellNight {
                name: &run.night,
                runs: vec![run],
                fresh: Vec::new(),
            }),
        }
    }
    for run in cell.runs.iter().filter(|run| run.fresh) {
        if let Some(night) = nights.iter_mut().find(|night| night.name == run.night) {
            night.fresh.push(run);
        }
    }
    nights
}

impl CellNight<'_> {
    /// What was built: the labels or kernels of its runs.
    pub(super) fn build(&self) -> Option<String> {
        let mut builds: Vec<&str> = self.runs.iter().filter_map(|run| run.build.as_deref()).collect();
        builds.dedup();
        (!builds.is_empty()).then(|| builds.join(", "))
    }

    /// The figures of a metric, one a run.
    pub(super) fn figures(&self, metric: Metric) -> Vec<f64> {
        values(&self.runs, metric)
    }

    /// The same of the fresh runs.
    pub(super) fn fresh_figures(&self, metric: Metric) -> Vec<f64> {
        values(&self.fresh, metric)
    }
}

fn values(runs: &[&NightlyRun], metric: Metric) -> Vec<f64> {
    let all = runs.iter().flat_map(|run| &run.figures);
    all.filter(|figure| figure.metric == metric)
        .map(|figure| figure.value)
        .collect()
}

/// Which metrics the runs have, each with the median over all of them of its share of the time. A rate that is 0 in all of
/// them is of something that the load does not do.
pub(super) fn metrics(nights: &[CellNight<'_>]) -> Vec<(Metric, f64)> {
    let mut shares: BTreeMap<Metric, Vec<f64>> = BTreeMap::new();
    let mut done: BTreeSet<Metric> = BTreeSet::new();
    for figure in nights
        .iter()
        .flat_map(|night| &night.runs)
        .flat_map(|run| &run.figures)
    {
        let Figure {
            metric,
            value,
            share_of_time,
        } = *figure;
        if value > 0.0 || metric.scale() == Scale::Difference {
            done.insert(metric);
        }
        shares.entry(metric).or_default().push(share_of_time);
    }
    shares.retain(|metric, _| done.contains(metric));
    let medians = shares.into_iter().filter_map(|(metric, shares)| {
        let summary = Summary::of(&shares)?;
        Some((metric, summary.median))
    });
    medians.collect()
}
