//! What an operation costs rbench itself: the bundled load on the null backend, beside readings of the clock.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use rbench::loadfile::{ReadOptions, Source, parse};
use rbench::measure::buckets::{OCTAVES, STEPS};
use rbench::measure::clock::Nanos;
use rbench::measure::recorder::blocks;
use rbench::measure::seconds::Seconds;
use rbench::measure::slowest::Target;
use rbench::measure::{LiveCell, Meter, MeterMemory};
use rbench::program::{CompileOptions, Op, Program, compile, totals};
use rbench::replay::Settings;
use rbench::result::{RunInfo, RunOptions};
use rbench::run::{Backend, Measurement, Pin, Plan, Silent, execute};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Debian's load of dbench 4.0, if its package is installed.
const DBENCH_LOAD: &str = "/usr/share/dbench/client.txt";

/// So few operations are recorded at a time that on a busy machine some samples are undisturbed.
const RECORDED: usize = 20_000;

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
        pin: Pin::None,
        settings: Settings::default(),
        space_check: false,
        skip_cleanup: false,
        per_client: false,
        measurement: Measurement::default(),
        info: RunInfo::now(RunOptions::default()),
    }
}

/// A client's meter at work.
struct Metering<'m> {
    meter: Meter<'m>,
    from: Nanos,
    last: Nanos,
    second_end: Nanos,
}

impl Metering<'_> {
    /// What the timed loop notes of operations: the same methods, with the same arguments.
    fn record(&mut self, ops: &[Op]) {
        for op in ops {
            let now = Nanos::now();
            let mut resumed = now;
            if now >= self.second_end {
                self.second_end = self.meter.end_second(self.from, now);
                resumed = Nanos::now();
            }
            let (meter, last) = (&mut self.meter, self.last);
            if meter.record(op.kind, op.line, u64::from(op.returned), last, now) {
                meter.note(op.kind, op.line, last, now, Target::Program(op.a));
            }
            self.last = resumed;
        }
    }
}

/// The recording of each operation of a program, reading of the clock and passing of seconds included.
fn recording(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, program: &Program) {
    let ops: Vec<Op> = program
        .ops
        .iter()
        .copied()
        .filter(|op| op.code.is_operation())
        .take(RECORDED)
        .collect();
    let mut pool = vec![[0; STEPS]; blocks(program.kinds.len())];
    let mut flushed = vec![[0; STEPS]; OCTAVES];
    let memory = MeterMemory {
        blocks: &mut pool,
        flushed: &mut flushed,
    };
    let (live, seconds) = (LiveCell::default(), Seconds::new());
    let from = Nanos::now();
    let mut metering = Metering {
        meter: Meter::new(&program.kinds, false, memory, &live, &seconds),
        from,
        last: from,
        second_end: from.after(Duration::from_secs(1)),
    };
    group.throughput(Throughput::Elements(ops.len() as u64));
    group.bench_function(format!("recording of {name}"), |bencher| {
        bencher.iter(|| metering.record(&ops));
    });
}

/// All are counted an element, so that criterion's throughput lines can be compared: an operation may take at most
/// 2.5 times as long as a reading, and its recording 1.5 times.
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
        recording(&mut group, name, &program);
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
