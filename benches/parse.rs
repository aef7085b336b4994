//! How fast loadfiles are read: a made-up trace, and Debian's client.txt where it is installed.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rbench::loadfile::{ReadOptions, Source, parse};
use rbench::program::{CompileOptions, compile};
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

/// Texts made to be slow, at one size and four times that: the time for a byte must be the same.
fn hostile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hostile");
    for (name, text) in SHAPES {
        for size in [100_000, 400_000] {
            let text = text(size);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(format!("{name}, {} kB", size / 1000), |bencher| {
                bencher.iter_batched(
                    || Source::new(*name, text.as_str()),
                    |source| {
                        let file = parse(source, &ReadOptions::default());
                        black_box(file.map(|file| compile(&file, CompileOptions::default())))
                    },
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

/// A name, and a text of about so many bytes.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("one line", |size| format!("NTCreateX \"{}", "a".repeat(size))),
    ("bad lines", |size| "X\n".repeat(size / 2)),
    ("bad handles", |size| "Close 5 NT_STATUS_OK\n".repeat(size / 21)),
    ("distinct paths", |size| {
        numbered(size, |n| {
            format!("Unlink \"\\clients\\client1\\{n}\" NT_STATUS_OK\n")
        })
    }),
    ("distinct handles", |size| {
        numbered(size, |n| {
            format!("NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 {n} NT_STATUS_OK\n")
        })
    }),
    ("random names", |size| {
        format!(
            "RANDOMSTRING 1 \"[ab]\"\n{}",
            "CREATE3 $1 0x0\n".repeat(size / 15)
        )
    }),
    ("random strings", |size| {
        "RANDOMSTRING 1 \"[ab]\"\nCREATE3 $1 0x0\n".repeat(size / 37)
    }),
    ("expressions", |size| {
        numbered(size, |n| format!("READ3 \"/f\" *%{}/512 512 0x0\n", n + 1))
    }),
    ("loops without ends", |size| {
        "LOOP 2\nNTCreateX \"/f\" 0x40 0x2 1 NT_STATUS_OK\nWriteX 1 +5 5 5 NT_STATUS_OK\n".repeat(size / 80)
    }),
    ("nested loops", |size| {
        let body = "CREATE3 \"/clients/client1/f\" 0x0\nREMOVE3 \"/clients/client1/f\" 0x0\n";
        let nest = format!("{}{body}{}", "LOOP 2\n".repeat(60), "ENDLOOP\n".repeat(60));
        nest.repeat(size / nest.len() + 1)
    }),
    ("Deltrees", |size| {
        numbered(size, |n| {
            format!(
                "Mkdir \"\\clients\\client1\\{n}\" NT_STATUS_OK\n\
                 Deltree \"\\clients\\client1\\none\" NT_STATUS_OK\n"
            )
        })
    }),
];

fn numbered(size: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 100);
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&line(number));
    }
    text
}

criterion_group!(benches, parsing, hostile);
criterion_main!(benches);
