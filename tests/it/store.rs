//! The store: what is added stays, and nothing else is touched.

mod killed;
mod selected;
mod transferred;
mod under_test;
mod versions;

use crate::sample_result::{one_client, operation};
use crate::scratch::Scratch;
use rbench::op::Kind;
use rbench::result::RunResult;
use rbench::store::Store;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A small run, so many hours after others.
pub(crate) fn run(hours: i64) -> RunResult {
    // Histograms take long to fill: they are made once.
    static FIRST: LazyLock<RunResult> = LazyLock::new(|| {
        let mut run = one_client();
        run.info.rbench_version = "0.1.0".into();
        run.operations = vec![operation(Kind::NtCreateX, 20), operation(Kind::WriteX, 80)];
        run.latency = operation(Kind::Close, 100).latency;
        run
    });
    let mut run = FIRST.clone();
    run.info.started_at += jiff::SignedDuration::from_hours(hours);
    run
}

/// Runs as lines of JSON.
pub(crate) fn lines(runs: &[RunResult]) -> String {
    let lines = runs.iter().map(|run| serde_json::to_string(run).unwrap() + "\n");
    lines.collect()
}

/// A store with these runs, in a fresh directory.
pub(crate) fn stored(runs: &[RunResult]) -> (Scratch, Store, PathBuf) {
    let scratch = Scratch::new();
    let file = scratch.path().join("s.db");
    let store = Store::open(Some(&file)).unwrap();
    for run in runs {
        store.add(run).unwrap();
    }
    (scratch, store, file)
}
