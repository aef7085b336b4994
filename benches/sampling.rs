//! What counting beside a run costs: a whole sample, as it is taken once a second, and with a line of vmstat. Criterion
//! shows time by the clock, which is more than the processor time that a sample takes; a second's budget is 5 ms.

use criterion::{Criterion, criterion_group, criterion_main};
use rbench::measure::clock::Nanos;
use rbench::measure::sampler::Sampler;
use std::fs::File;
use std::hint::black_box;
use std::os::fd::AsFd;
use std::time::Duration;

fn sampler(vmstat_every: Option<Duration>) -> Sampler {
    let directory = File::open(".").expect("the working directory can be opened");
    let mut sampler = Sampler::new(directory.as_fd(), vmstat_every);
    sampler.ready();
    sampler.release(Nanos(0));
    sampler.begin(Nanos(0));
    sampler
}

fn sampling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sampling");
    group.bench_function("sample", |bencher| {
        let mut sampler = sampler(None);
        bencher.iter(|| sampler.sample(black_box(Nanos::now())));
    });
    group.bench_function("sample with a line of vmstat", |bencher| {
        let every = Duration::from_secs(1);
        let mut sampler = sampler(Some(every));
        let mut now = Nanos(0);
        bencher.iter(|| {
            now = now.after(every);
            sampler.sample(black_box(now));
        });
    });
    group.bench_function("start and end of a window", |bencher| {
        bencher.iter_batched(
            || sampler(None),
            |mut sampler| {
                sampler.begin(Nanos(0));
                sampler.end(black_box(Nanos::now()));
                sampler
            },
            criterion::BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, sampling);
criterion_main!(benches);
