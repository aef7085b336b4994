//! What a page keeps of a run: its result holds megabytes of histograms.

use super::super::picture::{Latencies, Line, short};
use crate::result::{End, RunResult};
use crate::units::{megabytes, milliseconds};
use std::collections::BTreeMap;

/// A run as a page shows it.
#[derive(Debug, Clone)]
pub struct RunView {
    /// The file or name that it is from, its label and number.
    pub name: String,
    pub(super) started_at: String,
    pub(super) load: String,
    pub(super) clients: u32,
    pub(super) end: String,
    pub(super) megabytes_per_second: Option<f64>,
    pub(super) operations_per_second: Option<f64>,
    pub(super) p99_ms: Option<f64>,
    pub(super) max_ms: f64,
    pub(super) line: Line,
    pub(super) kinds: Vec<Latencies>,
    pub(super) differed: Vec<(String, u64)>,
    /// When, how long, of which client, where.
    pub(super) slowest: Vec<Vec<String>>,
    /// Activity, idle and loaded percentiles.
    pub(super) bystander: Vec<Vec<String>>,
    pub(super) warnings: Vec<String>,
    /// By dotted name.
    pub(super) environment: BTreeMap<String, String>,
}

/// Points of a curve of latencies.
const CURVE: usize = 60;
/// Kinds of operation of a run that are shown.
const MOST_KINDS: usize = 40;

impl RunView {
    /// From a result; `source` is the file that it is from.
    pub fn new(source: &str, result: &RunResult) -> RunView {
        let info = &result.info;
        let mut name = match &info.label {
            Some(label) => format!("{label} ({source})"),
            None => source.to_owned(),
        };
        if info.runs > 1 {
            name.push_str(&format!(" run {}", info.run_number));
        }
        if let Some(turn) = &info.turn {
            name.push_str(&format!(" pair {}{:?}", turn.pair, turn.side));
        }
        let shown = result.has_throughput();
        let figures = |figure: Option<f64>| figure.filter(|_| shown);
        let loads: Vec<&str> = result.loadfiles.iter().map(|load| load.name.as_str()).collect();
        RunView {
            line: line(&name, result),
            name,
            started_at: info.started_at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
            load: loads.join(", "),
            clients: result.clients,
            end: match &result.end {
                End::Completed => "completed".to_owned(),
                End::Interrupted(signal) => format!("stopped by {}", crate::result::signal_name(*signal)),
                End::Failed(why) => format!("failed: {why}"),
            },
            megabytes_per_second: figures(Some(megabytes(result.bytes_per_second))),
            operations_per_second: figures(result.operations_per_second()),
            p99_ms: result.percentile(0.99).map(milliseconds),
            max_ms: milliseconds(result.max_latency()),
            kinds: result
                .operations
                .iter()
                .filter(|op| op.count > 0)
                .take(MOST_KINDS)
                .map(latencies)
                .collect(),
            differed: result
                .operations
                .iter()
                .map(|op| (op.kind.to_string(), op.differed))
                .collect(),
            slowest: result.slowest.iter().map(slow).collect(),
            bystander: bystander(result),
            warnings: result.warnings.iter().map(ToString::to_string).collect(),
            environment: environment(result),
        }
    }
}

fn line(name: &str, result: &RunResult) -> Line {
    let warm_up = result.warm_up.length.as_secs_f64();
    let points = result.series.iter().filter_map(|second| {
        // The last one may be so short that its rate says nothing.
        let long = second.length.as_secs_f64() >= 0.5 || result.series.len() < 3;
        let rate = second.bytes_per_second().filter(|_| long)?;
        let end = warm_up + (second.start + second.length).as_secs_f64();
        Some((end, megabytes(rate)))
    });
    Line {
        name: name.to_owned(),
        points: points.collect(),
        warm_up: (warm_up > 0.0).then_some(warm_up),
    }
}

fn latencies(operation: &crate::result::OperationResult) -> Latencies {
    let at = |quantile: f64| operation.percentile(quantile).map_or(0.0, milliseconds);
    let curve = (1..=CURVE).map(|step| {
        // Closer to one another towards the end, where they differ.
        let share = 1.0 - (1.0 - step as f64 / CURVE as f64).powi(2);
        (at(share), share)
    });
    Latencies {
        name: operation.kind.to_string(),
        count: operation.count,
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        max: milliseconds(operation.slowest.latency),
        curve: curve.collect(),
    }
}

fn slow(one: &crate::result::SlowOperation) -> Vec<String> {
    vec![
        format!("{:.3}", milliseconds(one.latency)),
        format!("{:.3}", one.at.as_secs_f64()),
        one.client.to_string(),
        one.kind.to_string(),
        format!("{}:{}", one.loadfile, one.line),
        one.path.clone(),
    ]
}

fn bystander(result: &RunResult) -> Vec<Vec<String>> {
    let activities = result.probe.iter().flat_map(|probe| &probe.activities);
    let told = activities.map(|felt| {
        let ms = |duration: Option<std::time::Duration>| {
            duration.map_or("-".to_owned(), |duration| short(milliseconds(duration)))
        };
        let factor = felt
            .factor(0.99)
            .map_or("-".to_owned(), |factor| format!("{factor:.1}"));
        vec![
            felt.activity.to_string(),
            ms(felt.idle_quantile(0.5)),
            ms(felt.loaded_quantile(0.5)),
            ms(felt.idle_quantile(0.99)),
            ms(felt.loaded_quantile(0.99)),
            factor,
        ]
    });
    told.collect()
}

/// Names and values of all that is known of what a run ran on, and with which options.
fn environment(result: &RunResult) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let environment = serde_json::to_value(&result.environment).unwrap_or_default();
    flatten("", &environment, &mut all);
    let options = serde_json::to_value(&result.info.options).unwrap_or_default();
    flatten("options", &options, &mut all);
    for (index, load) in result.loadfiles.iter().enumerate() {
        all.insert(format!("loads.{index}.{}", load.name), load.sha256.clone());
    }
    all.insert("rbench".to_owned(), result.info.rbench_version.clone());
    all
}

fn flatten(name: &str, value: &serde_json::Value, all: &mut BTreeMap<String, String>) {
    use serde_json::Value;
    let below = |key: &str| {
        if name.is_empty() {
            key.to_owned()
        } else {
            format!("{name}.{key}")
        }
    };
    match value {
        Value::Null => {}
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| flatten(&below(key), value, all)),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            all.insert(name.to_owned(), texts.join(", "));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, value)| flatten(&below(&index.to_string()), value, all));
        }
        Value::String(text) => {
            all.insert(name.to_owned(), text.clone());
        }
        Value::Bool(_) | Value::Number(_) => {
            all.insert(name.to_owned(), value.to_string());
        }
    }
}
