//! How fast loadfiles are read: a made-up trace, and Debian's client.txt where it is installed.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rbench::loadfile::{ReadOptions, Source, parse};
use std::fmt::Write;
use std::hint::black_box;

const CLIENT: &str = "/usr/share/dbench/client.txt";

/// A trace of about a hundred thousand lines, mixed as office traces are.
fn trace() -> String {
    let mut text = String::new();
    for file in 0..10_000 {
        let (handle, path) = (
            10_000 + file % 50,
            format!("\\clients\\client1\\~dmtmp\\WORD\\FILE{:04}.DOC", file % 300),
        );
        let _ = writeln!(text, "NTCreateX \"{path}\" 0x40 0x2 {handle} NT_STATUS_OK");
        let _ = writeln!(text, "QUERY_PATH_INFORMATION \"{path}\" 1004 NT_STATUS_OK");
        for block in 0..6 {
            let offset = block * 4096;
            let _ = writeln!(text, "ReadX {handle} {offset} 4096 4096 NT_STATUS_OK");
        }
        let _ = writeln!(text, "Close {handle} NT_STATUS_OK");
        let _ = writeln!(text, "FIND_FIRST \"{path}.*\" 260 1366 0 NT_STATUS_NO_SUCH_FILE");
    }
    text
}

fn parsing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    let client = std::fs::read(CLIENT).ok();
    for (name, text) in [("trace", Some(trace().into_bytes())), ("client.txt", client)] {
        let Some(text) = text else { continue };
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || Source::new(name, text.clone()),
                |source| black_box(parse(source, &ReadOptions::default())),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, parsing);
criterion_main!(benches);
