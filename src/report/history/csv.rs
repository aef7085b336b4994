//! A history as rows of CSV (RFC 4180, but lines end in `\n`), with all digits.

use super::words;
use crate::history::{Checked, Series};
use crate::report::printable;

/// The columns. Figures are in base units; what is absent is empty.
const COLUMNS: [&str; 16] = [
    "cell",
    "machine",
    "metric",
    "gated",
    "night",
    "tonight",
    "runs",
    "build",
    "expected",
    "low",
    "high",
    "p",
    "nights",
    "verdict",
    "changes",
    "new_change",
];

/// A row a series.
pub fn history_csv(checked: &Checked) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Memory takes everything, and all rows have as many cells.
    let _ = writer.write_record(COLUMNS);
    for series in &checked.check.series {
        let _ = writer.write_record(record(checked, series));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn record(checked: &Checked, series: &Series) -> [String; COLUMNS.len()] {
    let number = |figure: Option<f64>| figure.map(|figure| figure.to_string()).unwrap_or_default();
    let last = series.nights.last().filter(|night| night.date == checked.night);
    let judged = series.tonight.as_ref();
    let new = series.change_points.iter().find(|change| change.new_tonight);
    [
        printable(&series.cell),
        series.machine.clone(),
        series.metric.to_string(),
        series.gated.to_string(),
        printable(&checked.night),
        number(last.map(|night| night.median)),
        last.map(|night| night.runs.to_string()).unwrap_or_default(),
        printable(last.and_then(|night| night.build.as_deref()).unwrap_or_default()),
        number(judged.map(|tonight| tonight.expected)),
        number(judged.map(|tonight| tonight.low)),
        number(judged.map(|tonight| tonight.high)),
        number(judged.map(|tonight| tonight.p)),
        judged
            .map(|tonight| tonight.nights.to_string())
            .unwrap_or_default(),
        judged
            .map(|tonight| words::verdict(tonight.verdict))
            .unwrap_or_default()
            .to_owned(),
        series.change_points.len().to_string(),
        printable(new.map(|change| change.date.as_str()).unwrap_or_default()),
    ]
}
