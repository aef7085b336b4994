//! What an operation costs rbench itself: the bundled load on the null backend, beside readings of the clock.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rbench::loadfile::{ReadOptions, Source, parse};
use rbench::measure::clock::Nanos;
use rbench::program::{CompileOptions, Program, compile, totals};
use rbench::replay::Settings;
use rbench::result::{RunInfo, RunOptions};
use rbench::run::{Backend, Measurement, Plan, Silent, execute};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Debian's load of dbench 4.0, if its package is installed.
const DBENCH_LOAD: &str = "/usr/share/dbench/client.txt";

fn programs() -> Vec<(&'static str, Arc<Program>)> {
    let options = ReadOptions::default();
    let bundled = rbench::bundled::text("client").map(|text| parse(Source::new("client", text), &options));
    let mut files = vec![("client", bundled.expect("it is bundled").expect("it parses"))];
    if let Ok(file) = rbench::loadfile::read(Path::new(DBENCH_LOAD), &options) {
        files.push(("client.txt", file));
    }
    let compiled = files.into_iter().map(|(name, file)| {
        let program = compile(&file, CompileOptions::default()).expect("it compiles");
        (name, Arc::new(program))
    });
    compiled.collect()
}

fn plan(program: &Arc<Program>) -> Plan {
    Plan {
        programs: vec![program.clone()],
        clients: 1,
        clients_per_process: 1,
        directory: ".".into(),
        backend: Backend::Null,
        settings: Settings::default(),
        space_check: false,
        skip_cleanup: false,
        per_client: false,
        measurement: Measurement::default(),
        info: RunInfo::now(RunOptions::default()),
    }
}

/// Both are counted an element, so that criterion's throughput lines can be compared: an operation may take at most
/// 2.5 times as long as a reading.
fn null_replay(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("null");
    let readings: u64 = 100_000;
    group.throughput(Throughput::Elements(readings));
    group.bench_function("clock reading", |bencher| {
        bencher.iter(|| {
            for _ in 0..readings {
                black_box(Nanos::now());
            }
        });
    });
    for (name, program) in programs() {
        let counts = totals(&program).operations;
        let operations: u64 = counts.iter().map(|(_, count)| count).sum();
        group.throughput(Throughput::Elements(operations));
        let plan = plan(&program);
        group.bench_function(format!("operation of {name}"), |bencher| {
            // The run's own window, so that starting a thread is not counted.
            bencher.iter_custom(|times| {
                let one = || execute(&plan, &mut Silent).expect("it runs").elapsed;
                (0..times).map(|_| one()).sum::<Duration>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, null_replay);
criterion_main!(benches);
