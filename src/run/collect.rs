//! From the clients' records to a result.

use super::plan::Plan;
use super::watch::Phases;
use crate::measure::clock::Nanos;
use crate::measure::recorder::{KindTotals, empty_histogram};
use crate::measure::seconds::Seconds;
use crate::measure::slowest::SLOWEST;
use crate::op::Kind;
use crate::program::Program;
use crate::replay::outcome::{Differed, EXAMPLES, SlowRecord};
use crate::replay::{ClientRecord, OnMismatch};
use crate::result::{
    ClientOperation, ClientResult, End, Lag, LoadInfo, Mismatch, OperationResult, Outcomes, PassEnd,
    RunResult, SlowOperation, WarmUp, Warning,
};
use hdrhistogram::Histogram;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// When what was recorded happened.
pub struct Clock<'r> {
    pub release: Nanos,
    pub phases: Phases,
    /// The measured window, second by second; all clients have ended.
    pub seconds: &'r Seconds,
}

/// Merges the records of all clients (those of clients that never ran are absent). `loadfiles` are [`load_infos`] of the
/// plan.
pub fn collect(
    plan: &Plan,
    loadfiles: Vec<LoadInfo>,
    clock: Clock<'_>,
    records: &[Option<ClientRecord<'_>>],
    end: End,
    warnings: Vec<Warning>,
) -> RunResult {
    let present = || {
        let numbered = records.iter().enumerate();
        numbered.filter_map(|(client, record)| record.as_ref().map(|record| (client as u32, record)))
    };
    let Clock {
        release,
        phases,
        seconds,
    } = clock;
    let from = phases.measured_from;
    let to = present().map(|(_, record)| record.to).max().unwrap_or(from);
    let elapsed = to.duration_since(from);
    let operations = operations(plan, release, present());
    let sum = |which: fn(Kind) -> bool| {
        let totals = operations.iter().filter(|(kind, _)| which(**kind));
        totals.map(|(_, totals)| totals.bytes).sum::<u64>()
    };
    let (bytes_read, bytes_written) = (sum(Kind::reads), sum(Kind::writes));
    let latency = all_latencies(&operations);
    let per_client: Vec<_> = present()
        .map(|(client, record)| client_result(plan, elapsed, client, record))
        .collect();
    RunResult {
        info: plan.info.clone(),
        clients: plan.clients,
        processes: plan.clients.div_ceil(plan.clients_per_process),
        loadfiles,
        warm_up: WarmUp {
            length: from.min(phases.ended).duration_since(release),
            settled: phases.settled,
            windows: phases.windows,
        },
        elapsed,
        bytes_read,
        bytes_written,
        // (The sum of nothing would be -0.)
        bytes_per_second: per_client
            .iter()
            .fold(0.0, |sum, client| sum + client.bytes_per_second),
        operations: operations.into_iter().map(operation_result).collect(),
        latency,
        slowest: slowest(plan, release, present()),
        series: seconds.series(elapsed),
        counters: None,
        completions: None,
        probe: None,
        durability: None,
        verification: None,
        environment: None,
        per_client,
        passes: pass_ends(present()),
        outcomes: outcomes(plan, present()),
        lag: lag(release, present()),
        end,
        warnings,
    }
}

/// What is told of the loadfiles. Their hashes take time, which must not pass between the end of the clients and the
/// look at what is not on the disk yet: to be called before the release.
pub fn load_infos(plan: &Plan) -> Vec<LoadInfo> {
    plan.programs.iter().map(|program| load_info(program)).collect()
}

fn load_info(program: &Program) -> LoadInfo {
    LoadInfo {
        name: program.name().to_owned(),
        dialect: program.dialect,
        sha256: program.source.sha256(),
        params: program.params.clone(),
    }
}

/// The latencies of all kinds together.
fn all_latencies(operations: &BTreeMap<Kind, KindTotals>) -> Histogram<u64> {
    let mut latency = empty_histogram();
    for totals in operations.values() {
        // All have the same bounds, so that nothing can fall outside.
        let _ = latency.add(&totals.latency);
    }
    latency
}

fn operations<'r>(
    plan: &Plan,
    release: Nanos,
    records: impl Iterator<Item = (u32, &'r ClientRecord<'r>)>,
) -> BTreeMap<Kind, KindTotals> {
    let mut all: BTreeMap<Kind, KindTotals> = BTreeMap::new();
    for (client, record) in records {
        for (index, &kind) in plan.program(client).kinds.iter().enumerate() {
            let totals = all.entry(kind).or_default();
            record.recorder.add_to(index as u8, client, release, totals);
        }
    }
    all.retain(|_, totals| totals.count > 0);
    all
}

fn operation_result((kind, totals): (Kind, KindTotals)) -> OperationResult {
    let KindTotals {
        count,
        differed,
        bytes: _,
        total,
        slowest,
        latency,
    } = totals;
    OperationResult {
        kind,
        count,
        differed,
        total,
        slowest,
        latency,
    }
}

fn client_result(plan: &Plan, elapsed: Duration, client: u32, record: &ClientRecord<'_>) -> ClientResult {
    let kinds = &plan.program(client).kinds;
    let mut operations_by_kind = Vec::new();
    let mut bytes = 0;
    for (index, &kind) in kinds.iter().enumerate() {
        let totals = record.recorder.kind_summary(index as u8);
        bytes += totals.bytes;
        if plan.per_client && totals.count > 0 {
            operations_by_kind.push(ClientOperation {
                kind,
                count: totals.count,
                total: totals.total,
                max_latency: totals.slowest,
            });
        }
    }
    operations_by_kind.sort_by_key(|operation| operation.kind);
    let measured = elapsed.saturating_sub(Duration::from_nanos(record.unmeasured));
    let seconds = measured.as_secs_f64();
    ClientResult {
        client,
        operations: record.recorder.operations(),
        bytes,
        passes: record.passes,
        measured,
        bytes_per_second: if seconds > 0.0 {
            bytes as f64 / seconds
        } else {
            0.0
        },
        max_latency: record.recorder.slowest(),
        operations_by_kind,
    }
}

fn pass_ends<'r>(records: impl Iterator<Item = (u32, &'r ClientRecord<'r>)>) -> Vec<PassEnd> {
    let mut ends: Vec<_> = records
        .flat_map(|(_, record)| record.pass_ends.iter().copied())
        .collect();
    ends.sort_by_key(|end| end.at);
    ends
}

fn outcomes<'r>(plan: &Plan, records: impl Iterator<Item = (u32, &'r ClientRecord<'r>)>) -> Outcomes {
    let mut outcomes = Outcomes {
        ignored: plan.settings.on_mismatch == OnMismatch::Ignore,
        ..Outcomes::default()
    };
    let mut differed = Vec::new();
    for (client, record) in records {
        outcomes.checked += record.outcomes.checked;
        outcomes.differed += record.outcomes.differed;
        outcomes.skipped += record.outcomes.skipped;
        let sliced = plan.program(client).sliced;
        let sliced = sliced.saturating_mul(record.passes);
        outcomes.skipped = outcomes.skipped.saturating_add(sliced);
        differed.extend(record.differed.iter().map(|one| (client, one)));
    }
    differed.sort_by_key(|(client, one)| (one.at, *client));
    let first = differed.iter().take(EXAMPLES);
    let examples = first.map(|&(client, one)| mismatch(plan, client, one));
    outcomes.examples = examples.collect();
    outcomes
}

/// The slowest operations over all clients, the slowest first.
fn slowest<'r>(
    plan: &Plan,
    release: Nanos,
    records: impl Iterator<Item = (u32, &'r ClientRecord<'r>)>,
) -> Vec<SlowOperation> {
    let mut all: Vec<_> = records
        .flat_map(|(client, record)| record.slowest.iter().map(move |one| (client, one)))
        .collect();
    all.sort_by_key(|(client, one)| (Reverse(one.latency), one.at, *client));
    let slowest = all.into_iter().take(SLOWEST);
    let operation = |(client, one): (u32, &SlowRecord)| SlowOperation {
        latency: one.latency,
        client,
        loadfile: plan.program(client).name().to_owned(),
        line: one.line,
        kind: one.kind,
        path: one.path.clone(),
        at: one.at.duration_since(release),
    };
    slowest.map(operation).collect()
}

fn mismatch(plan: &Plan, client: u32, one: &Differed) -> Mismatch {
    Mismatch {
        loadfile: plan.program(client).name().to_owned(),
        line: one.line,
        client,
        kind: one.kind,
        path: one.path.clone(),
        expected: one.expected.to_string(),
        got: one.got.to_string(),
    }
}

fn lag<'r>(release: Nanos, records: impl Iterator<Item = (u32, &'r ClientRecord<'r>)>) -> Option<Lag> {
    let mut histogram = empty_histogram();
    let mut any = false;
    for (client, record) in records {
        let Some(lag) = &record.lag else { continue };
        let mut totals = KindTotals::new();
        lag.add_to(0, client, release, &mut totals);
        any |= totals.count > 0;
        // Both have the same bounds, so that nothing can fall outside.
        let _ = histogram.add(&totals.latency);
    }
    any.then_some(Lag { histogram })
}
