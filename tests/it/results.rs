//! Results as JSON: what is written is read back, and what cannot be read is told.

use crate::sample_result::{every_warning, full, one_client, operation, place};
use crate::scratch::Scratch;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use proptest::prelude::*;
use rbench::op::Kind;
use rbench::output::document::{Document, ReadError, results};
use rbench::result::{End, RunResult, Warning};
use serde_json::{Value, json};
use std::time::Duration;

const LOAD: &str = "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\n\
    WriteX 1 0 4096 4096 NT_STATUS_OK\nReadX 1 0 4096 4096 NT_STATUS_OK\n\
    Close 1 NT_STATUS_OK\nUnlink \"\\clients\\client1\\f\" 0x16 NT_STATUS_OK\n";

fn document(runs: &[RunResult]) -> String {
    let mut document = Document::default();
    for run in runs {
        document.add(run).unwrap();
    }
    document.text().unwrap()
}

/// All results of a text that can be read.
fn read(text: &str) -> Vec<RunResult> {
    results(text).map(Result::unwrap).collect()
}

/// What is wrong with a text.
fn error(text: &str) -> String {
    let last = results(text).last().unwrap();
    last.unwrap_err().to_string()
}

fn value(run: &RunResult) -> Value {
    serde_json::to_value(run).unwrap()
}

#[test]
fn the_sample_has_every_kind_of_warning() {
    let places: Vec<_> = every_warning().iter().map(place).collect();
    let expected: Vec<_> = (0..places.len()).map(Some).collect();
    assert_eq!(places, expected);
    assert_eq!(
        place(&Warning::Unknown {
            kind: String::new(),
            text: String::new()
        }),
        None
    );
}

#[test]
fn what_is_written_is_read_back_the_same() {
    let mut failed = one_client();
    failed.end = End::Failed("no space: \"f\"".into());
    let mut interrupted = full();
    interrupted.end = End::Interrupted(15);
    let runs = [full(), one_client(), failed, interrupted];
    assert_eq!(read(&document(&runs)), runs);
    let lines = runs
        .each_ref()
        .map(|run| serde_json::to_string(run).unwrap() + "\n");
    assert!(lines.iter().all(|line| line.lines().count() == 1));
    assert_eq!(read(&lines.concat()), runs);
    let several = document(&runs[..2]) + &document(&runs[2..]);
    assert_eq!(read(&several), runs);
}

#[test]
fn what_a_run_measured_is_written_and_read_back_the_same() {
    let scratch = Scratch::new();
    let mut run = scratch.execute(LOAD, |plan| plan.clients = 2);
    run.warnings.push(Warning::NoLock { errno: "x".into() });
    assert!(run.total_operations() == 10 && run.bytes_per_second > 0.0);
    assert_eq!(read(&document(&[run.clone()])), [run]);
}

proptest! {
    // A case encodes and decodes a dozen histograms.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_was_measured_is_read_back_the_same(
        rate in prop::num::f64::POSITIVE | prop::num::f64::ZERO,
        share in prop::num::f64::NORMAL,
        elapsed in any::<u64>(),
        latencies in prop::collection::vec(0u64..(1 << 42), 0..200),
        text in any::<String>(),
        signal in any::<i32>(),
    ) {
        let mut run = full();
        run.bytes_per_second = rate;
        run.elapsed = Duration::from_nanos(elapsed);
        run.latency = rbench::measure::recorder::empty_histogram();
        for latency in latencies {
            run.latency.record(latency).unwrap();
        }
        run.info.label = Some(text.clone());
        run.outcomes.examples[0].path = text;
        run.end = End::Interrupted(signal);
        run.warnings.push(Warning::Unsteady { spread: share, drift: rate });
        prop_assert_eq!(read(&document(&[run.clone()])), [run]);
    }

    #[test]
    fn a_damaged_file_is_told_and_never_ends_the_program(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = document(&[one_client()]).into_bytes();
        for (place, byte) in cuts {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        for result in results(&String::from_utf8_lossy(&bytes)).take(10) {
            if let Err(error) = result {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn a_file_that_was_cut_short_is_told_as_such(length in any::<prop::sample::Index>()) {
        let text = document(&[one_client()]);
        let length = 1 + length.index(text.trim_end().len() - 1);
        let found = results(&text[..length]).last().unwrap();
        prop_assert!(matches!(found, Err(ReadError::Truncated { .. })), "{:?}", found.map(|_| ()));
    }
}

#[test]
fn a_histogram_that_asks_for_much_memory_is_refused() {
    let mut run = one_client();
    run.latency = Histogram::new_with_bounds(1, u64::MAX / 2, 5).unwrap();
    let found = results(&document(&[run])).next().unwrap();
    let Err(ReadError::Json { what, .. }) = found else {
        panic!("it was read");
    };
    assert!(what.contains("it claims 5 digits"), "{what}");
}

#[test]
fn a_histogram_is_in_the_standard_encoding_with_figures_beside_it() {
    use base64::Engine;
    let run = one_client();
    let latency = &value(&run)["operations"][0]["latency"];
    let text = latency["histogram"].as_str().unwrap();
    // The cookie of the compressed form V2, as every base64 of it starts.
    assert!(text.starts_with("HISTFA"), "{text}");
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    let decoded: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
    assert_eq!(decoded, run.operations[0].latency);
    assert_eq!(latency["count"], 2000);
    assert_eq!(latency["mean_ns"], 1_000_500.0);
    assert_eq!(latency["max_ns"], 2_000_000);
    let figures = ["min_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns"];
    let figures = figures.map(|name| latency[name].as_u64().unwrap());
    assert!(figures.is_sorted() && figures[0] > 0, "{figures:?}");
}

#[test]
fn no_percentile_is_above_the_slowest() {
    let mut run = one_client();
    for operation in &mut run.operations {
        operation.slowest.latency = Duration::from_nanos(1234);
    }
    run.latency = operation(Kind::Close, 10).latency;
    let run = value(&run);
    for name in ["min_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns"] {
        let kind = &run["operations"][0]["latency"][name];
        assert!(kind.as_u64().unwrap() <= 1234, "{name}");
        assert!(run["latency"][name].as_u64().unwrap() <= 1234, "{name}");
    }
}

#[test]
fn a_histogram_of_nothing_has_no_figures() {
    let run = value(&one_client());
    let latency = &run["operations"][3]["latency"];
    assert_eq!(latency["count"], 0);
    for name in ["min_ns", "mean_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns"] {
        assert_eq!(latency[name], Value::Null, "{name}");
    }
}

#[test]
fn a_failed_run_has_no_rates_to_be_shown() {
    let mut run = one_client();
    run.end = End::Failed("no space".into());
    let run = value(&run);
    assert_eq!(run["megabytes_per_second"], Value::Null);
    assert_eq!(run["operations_per_second"], Value::Null);
    assert_eq!(run["end"], json!({"kind": "failed", "why": "no space"}));
}

#[test]
fn derived_figures_are_not_read_back() {
    let mut changed = value(&one_client());
    changed["megabytes_per_second"] = json!("wrong");
    changed["latency"]["p50_ns"] = json!([]);
    changed["operations"][0]["latency"]
        .as_object_mut()
        .unwrap()
        .remove("count");
    assert_eq!(read(&changed.to_string()), [one_client()]);
}

#[test]
fn fields_that_are_not_known_are_ignored_and_absent_ones_that_may_be_are_absent() {
    let mut changed = value(&one_client());
    changed["of_another_version"] = json!({"a": 1});
    changed["outcomes"]["of_another_version"] = json!([1]);
    for name in ["counters", "durability", "verification", "environment", "lag"] {
        changed.as_object_mut().unwrap().remove(name);
    }
    let options = changed["info"]["options"].as_object_mut().unwrap();
    options.remove("time_limit_ns");
    options.remove("resolve");
    assert_eq!(read(&changed.to_string()), [one_client()]);
}

#[test]
fn a_warning_of_another_version_is_kept_by_its_text() {
    let mut changed = value(&one_client());
    changed["warnings"] = json!([
        {"kind": "haunted", "ghosts": 3, "text": "there were ghosts"},
        {"kind": "short", "text": "it was short"},
        {"kind": "short", "elapsed_ns": 5, "text": "not read"},
    ]);
    let unknown = |kind: &str, text: &str| Warning::Unknown {
        kind: kind.into(),
        text: text.into(),
    };
    let run = read(&changed.to_string()).remove(0);
    let short = Warning::Short {
        elapsed: Duration::from_nanos(5),
    };
    let expected = [
        unknown("haunted", "there were ghosts"),
        unknown("short", "it was short"),
        short,
    ];
    assert_eq!(run.warnings, expected);
    assert_eq!(run.warnings[0].to_string(), "there were ghosts");
    assert_eq!(read(&document(std::slice::from_ref(&run))), [run]);
}

#[test]
fn a_warning_says_in_the_file_what_it_says_on_the_screen() {
    let run = full();
    let written = value(&run);
    for (index, warning) in run.warnings.iter().enumerate() {
        assert_eq!(written["warnings"][index]["text"], warning.to_string());
    }
}

#[test]
fn a_later_version_is_refused_with_what_to_do() {
    let mut later = value(&one_client());
    later["schema_version"] = json!(2);
    let text = format!("{}\n{later}\n", value(&one_client()));
    let says = "2:1: has schema_version 2, and this rbench reads versions up to 1: \
                read it with the newer rbench that wrote it";
    assert_eq!(error(&text), says);
    assert_eq!(results(&text).filter(Result::is_ok).count(), 1);
    let document = json!({"schema_version": 7, "everything": "else"});
    assert!(error(&document.to_string()).starts_with("1:1: has schema_version 7"));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let text = document(&[one_client(), one_client()]);
    let line = |text: &str, what: &str| text.lines().position(|line| line.contains(what)).unwrap() + 1;

    let wrong = text.replacen("\"elapsed_ns\": 10000000000", "\"elapsed_ns\": \"ten\"", 2);
    let second = wrong.replacen("\"elapsed_ns\": \"ten\"", "\"elapsed_ns\": 10000000000", 1);
    let place = line(&second, "\"ten\"");
    let told = error(&second);
    assert!(
        told.starts_with(&format!("{place}:")) && told.contains("invalid type: string \"ten\""),
        "{told}"
    );
    assert_eq!(results(&second).filter(Result::is_ok).count(), 1);

    let missing = text.replacen("\"clients\": 1", "\"klients\": 1", 1);
    assert!(
        error(&missing).contains("missing field `clients`"),
        "{}",
        error(&missing)
    );

    let broken = text.replacen("\"clients\": 1", "\"clients\" 1", 1);
    let place = line(&broken, "\"clients\" 1");
    assert!(
        error(&broken).starts_with(&format!("{place}:")),
        "{}",
        error(&broken)
    );

    let no_histogram = text.replacen("\"histogram\": \"HISTFA", "\"histogram\": \"HISTGA", 1);
    let place = line(&no_histogram, "HISTGA");
    let told = error(&no_histogram);
    assert!(
        told.starts_with(&format!("{place}:")) && told.contains("is no HDR histogram"),
        "{told}"
    );

    assert_eq!(error(""), " holds no result");
    assert_eq!(error("{\"schema_version\": 1, \"runs\": []}"), " holds no result");
    assert_eq!(
        error("\n {\"a\": 1}"),
        "2:2: is no result of rbench: it has no `schema_version`"
    );
    assert!(error("NTCreateX 1").starts_with("1:"));
}

#[test]
fn a_document_sums_up_the_runs_that_completed_if_there_are_several() {
    let with_rate = |rate| RunResult {
        bytes_per_second: rate,
        ..one_client()
    };
    let interrupted = RunResult {
        end: End::Interrupted(2),
        ..with_rate(1.0)
    };
    let summary = |runs: &[RunResult]| {
        let document: Value = serde_json::from_str(&document(runs)).unwrap();
        assert_eq!(document["runs"].as_array().unwrap().len(), runs.len());
        document["summary"].clone()
    };
    assert_eq!(summary(&[with_rate(2.0), interrupted.clone()]), Value::Null);
    let summary = summary(&[with_rate(5e6), interrupted, with_rate(6e6), with_rate(1e7)]);
    let rates = &summary["bytes_per_second"];
    assert_eq!((&rates["runs"], &rates["median"]), (&json!(3), &json!(6e6)));
    assert_eq!((&rates["min"], &rates["max"]), (&json!(5e6), &json!(1e7)));
    assert_eq!(summary["operations_per_second"]["mean"], json!(2573.8));
    let p99 = one_client().percentile(0.99).unwrap().as_nanos() as f64;
    assert_eq!(summary["p99_ns"]["median"], json!(p99));
}
