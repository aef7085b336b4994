//! docs/results.md names every field of a result and every column, and no others.

use crate::sample_result::{full, two_clients};
use rbench::output::document::Document;
use rbench::output::{OutputKind, table};
use rbench::result::{End, RunResult};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Rows of the tables below the headings: the heading, and what stands in code in the first two cells.
fn rows() -> Vec<(String, Vec<String>, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/results.md");
    let (mut heading, mut rows) = (String::new(), Vec::new());
    for line in fs::read_to_string(path).unwrap().lines() {
        if let Some(text) = line.strip_prefix("## ").or(line.strip_prefix("### ")) {
            heading = text.to_owned();
        }
        if let Some(row) = line.strip_prefix("| ") {
            let mut cells = row.split(" | ").map(code);
            rows.push((
                heading.clone(),
                cells.next().unwrap(),
                cells.next().unwrap_or_default(),
            ));
        }
    }
    rows
}

/// The texts in code.
fn code(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// First cells under the headings that a test is about.
fn documented(wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let rows = rows().into_iter().filter(|(heading, ..)| wanted(heading));
    rows.flat_map(|(_, first, _)| first).collect()
}

/// Adds the path of each value. Histograms and summaries are told once.
fn walk(path: &str, value: &Value, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let inner = match path {
                _ if fields.contains_key("histogram") => "HISTOGRAM",
                _ if fields.contains_key("coefficient_of_variation") => "SUMMARY",
                path => path,
            };
            if inner != path {
                paths.insert(path.to_owned());
            }
            for (name, value) in fields {
                let dot = if inner.is_empty() { "" } else { "." };
                walk(&format!("{inner}{dot}{name}"), value, paths);
            }
        }
        Value::Array(values) => values
            .iter()
            .for_each(|value| walk(&format!("{path}[]"), value, paths)),
        _ => {
            paths.insert(path.to_owned());
        }
    }
}

/// What a run can hold: nothing is absent or empty, and it ends in every way.
fn paths_of_a_run() -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for end in [End::Completed, End::Interrupted(2), End::Failed("x".into())] {
        let run = RunResult { end, ..full() };
        let mut value = serde_json::to_value(run).unwrap();
        value["warnings"] = Value::Null;
        walk("", &value, &mut paths);
    }
    paths.remove("warnings");
    paths
}

fn assert_same(real: &BTreeSet<String>, documented: &[String]) {
    let set: BTreeSet<String> = documented.iter().cloned().collect();
    assert_eq!(set.len(), documented.len(), "told twice: {documented:?}");
    let untold: Vec<_> = real.difference(&set).collect();
    let invented: Vec<_> = set.difference(real).collect();
    assert!(
        untold.is_empty() && invented.is_empty(),
        "untold {untold:#?}\ninvented {invented:#?}"
    );
}

#[test]
fn the_full_sample_has_nothing_that_is_absent_or_empty() {
    fn look(path: &str, value: &Value) {
        match value {
            Value::Null => panic!("{path} is absent"),
            Value::Object(fields) => {
                assert!(!fields.is_empty(), "{path} is empty");
                fields
                    .iter()
                    .for_each(|(name, value)| look(&format!("{path}.{name}"), value));
            }
            Value::Array(values) => {
                assert!(!values.is_empty(), "{path} is empty");
                values.iter().for_each(|value| look(path, value));
            }
            _ => {}
        }
    }
    let mut run = full();
    // A histogram of nothing, which it has on purpose.
    run.operations.retain(|operation| operation.count > 0);
    look("", &serde_json::to_value(run).unwrap());
}

#[test]
fn every_field_of_a_run_is_documented_and_every_documented_one_is_there() {
    let told = documented(|heading| heading.starts_with("Fields: "));
    let mut real = paths_of_a_run();
    real.retain(|path| !path.starts_with("SUMMARY."));
    assert_same(&real, &told);
}

#[test]
fn every_field_of_the_document_is_documented() {
    let mut document = Document::default();
    document.add(&full()).unwrap();
    document.add(&two_clients()).unwrap();
    let mut value: Value = serde_json::from_str(&document.text().unwrap()).unwrap();
    value["runs"] = Value::Array(vec![Value::Null]);
    let mut paths = BTreeSet::new();
    walk("", &value, &mut paths);
    assert_same(&paths, &documented(|heading| heading == "The JSON document"));
}

#[test]
fn every_warning_is_documented_with_its_fields() {
    let written = serde_json::to_value(full()).unwrap();
    let mut real = BTreeMap::new();
    for warning in written["warnings"].as_array().unwrap() {
        let mut fields: Vec<String> = warning.as_object().unwrap().keys().cloned().collect();
        fields.retain(|name| name != "kind" && name != "text");
        fields.sort();
        real.insert(warning["kind"].as_str().unwrap().to_owned(), fields);
    }
    let rows = rows()
        .into_iter()
        .filter(|(heading, first, _)| heading == "Warnings" && !first.is_empty());
    let told: BTreeMap<String, Vec<String>> = rows
        .map(|(_, mut kind, mut fields)| {
            fields.sort();
            (kind.remove(0), fields)
        })
        .collect();
    assert_eq!(told, real);
}

#[test]
fn every_column_is_documented_in_its_order() {
    for (kind, heading) in [
        (OutputKind::Csv, "csv: a row a run"),
        (OutputKind::OperationsCsv, "ops-csv: a row a kind of operation"),
        (OutputKind::SeriesCsv, "series-csv: a row a second"),
    ] {
        let header = table::header(kind).unwrap();
        let told = documented(|under| under == heading);
        assert_eq!(told.join(","), header, "{heading}");
    }
}

#[test]
fn a_full_result_fills_every_column() {
    let mut run = full();
    run.operations.retain(|operation| operation.count > 0);
    for kind in [OutputKind::Csv, OutputKind::OperationsCsv, OutputKind::SeriesCsv] {
        let text = table::header(kind).unwrap() + "\n" + &table::rows(kind, &run).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let mut rows = 0;
        for row in reader.records() {
            rows += 1;
            for (header, cell) in headers.iter().zip(&row.unwrap()) {
                assert!(!cell.is_empty(), "{kind:?} {header}");
            }
        }
        let expected = match kind {
            OutputKind::Csv => 1,
            OutputKind::OperationsCsv => 1 + run.operations.len(),
            _ => run.series.len(),
        };
        assert_eq!(rows, expected);
    }
}
