//! A comparison as rows of CSV (RFC 4180, but lines end in `\n`), with all digits.

use crate::compare::{Comparison, Metric, NoteKind, Row};
use crate::report::printable;
use crate::stats::{Better, Scale};

/// The columns. Figures are in base units; what is absent is empty.
const COLUMNS: [&str; 22] = [
    "cell",
    "metric",
    "unit",
    "better",
    "gated",
    "paired",
    "base_runs",
    "base_median",
    "base_spread",
    "candidate_runs",
    "candidate_median",
    "candidate_spread",
    "scale",
    "floor",
    "estimate",
    "estimate_low",
    "estimate_high",
    "p",
    "adjusted_p",
    "verdict",
    "more_needed",
    "notes",
];

/// A row a metric: all of them.
pub fn comparison_csv(comparison: &Comparison) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Memory takes everything, and all rows have as many cells.
    let _ = writer.write_record(COLUMNS);
    for row in &comparison.rows {
        let _ = writer.write_record(record(comparison, row));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn record(comparison: &Comparison, row: &Row) -> [String; COLUMNS.len()] {
    let number = |figure: Option<f64>| figure.map(|figure| figure.to_string()).unwrap_or_default();
    let judgement = row.judgement;
    let estimate = judgement.and_then(|judgement| judgement.estimate);
    let interval = estimate.and_then(|estimate| estimate.interval);
    let better = match row.metric.better() {
        Better::Higher => "higher",
        Better::Lower => "lower",
    };
    let scale = match row.metric.scale() {
        Scale::Ratio => "ratio",
        Scale::Difference => "difference",
    };
    [
        printable(&row.cell),
        row.metric.to_string(),
        unit(row.metric).to_owned(),
        better.to_owned(),
        row.gated.to_string(),
        comparison.paired.to_string(),
        row.base.values.len().to_string(),
        number(row.base.median),
        number(row.base.spread),
        row.candidate.values.len().to_string(),
        number(row.candidate.median),
        number(row.candidate.spread),
        scale.to_owned(),
        row.floor.to_string(),
        number(estimate.map(|estimate| estimate.point)),
        number(interval.map(|(low, _)| low)),
        number(interval.map(|(_, high)| high)),
        number(judgement.and_then(|judgement| judgement.p)),
        number(judgement.and_then(|judgement| judgement.adjusted_p)),
        judgement
            .map(|judgement| judgement.verdict.to_string())
            .unwrap_or_default(),
        judgement
            .map(|judgement| judgement.more_needed.to_string())
            .unwrap_or_default(),
        notes(comparison, row),
    ]
}

/// The base unit of a metric.
fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput | Metric::ThroughputWithSync => "bytes/s",
        Metric::Operations | Metric::MetadataOperations => "operations/s",
        Metric::Latency { .. } | Metric::Bystander { .. } => "s",
        Metric::Processor => "s/operation",
        Metric::Differed => "share",
    }
}

/// The kinds of a row's footnotes, with spaces between them.
fn notes(comparison: &Comparison, row: &Row) -> String {
    let kinds = row.notes.iter().filter_map(|&number| {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        comparison.notes.get(index).map(|note| word(note.kind))
    });
    let mut kinds: Vec<&str> = kinds.collect();
    kinds.dedup();
    kinds.join(" ")
}

fn word(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Identity => "identity",
        NoteKind::Nuisance => "nuisance",
        NoteKind::Drift => "drift",
        NoteKind::Insufficient => "insufficient",
        NoteKind::Floor => "floor",
        NoteKind::Runs => "runs",
        NoteKind::Confirmation => "confirmation",
        NoteKind::Advice => "advice",
    }
}
