//! `rbench report --html` and `--svg`: pages that need nothing else.
//!
//! With `RBENCH_PAGES=DIR` the pages of these tests are kept there, for a browser to look at.

mod asked;
mod contents;
mod limits;

use crate::compare;
use crate::history;
use crate::layouts::{self, sysctl};
use crate::sample_result::full;
use crate::scratch::{Ran, Scratch};
use crate::store::lines;
use rbench::result::{Activity, RunResult, Second};
use std::time::Duration;

/// Runs of a minute, with a warm-up and all that a run can have; the second has a hole in it.
fn runs(count: u32, seconds: u64) -> Vec<RunResult> {
    let first = full();
    let run = |number: u32| {
        let mut run = first.clone();
        (run.info.cell, run.info.turn) = (None, None);
        run.info.label = Some(format!("kernel {}", number / 3 + 1));
        (run.info.run_number, run.info.runs) = (number + 1, count);
        run.series = (0..seconds).map(|second| at(second, number)).collect();
        run
    };
    (0..count).map(run).collect()
}

fn at(second: u64, run: u32) -> Second {
    let mut one = full_second();
    one.start = Duration::from_secs(second);
    one.length = Duration::from_secs(1);
    let wave = (second as f64 / 9.0 + f64::from(run)).sin();
    let hole = run % 2 == 1 && (20..25).contains(&second);
    one.bytes_written = if hole { 0 } else { (4e8 + 5e7 * wave) as u64 };
    one.bytes_read = 0;
    one
}

fn full_second() -> Second {
    use std::sync::LazyLock;
    static FIRST: LazyLock<Second> = LazyLock::new(|| full().series[0].clone());
    FIRST.clone()
}

/// A grid of writeback settings with a bystander, in which one cell failed.
fn sweep() -> Vec<RunResult> {
    let axes = [
        (sysctl("vm.dirty_background_ratio"), &["30", "60", "90"][..]),
        (sysctl("vm.dirty_ratio"), &["60", "70", "80", "90"][..]),
    ];
    layouts::sweep(&axes, |values| {
        let number = |index: usize| values[index].parse::<f64>().unwrap();
        let (low, high) = (number(0), number(1));
        let mut run = if high < low {
            layouts::failed()
        } else {
            layouts::megabytes(low * 2.0 + high)
        };
        run.probe = layouts::probe(&[(Activity::Save, (low + high * 3.0) as u64)]);
        vec![run]
    })
}

/// A directory with the page of these arguments in `page.html`; kept under `name` where pages are wanted.
fn page(scratch: &Scratch, name: &str, arguments: &[&str]) -> String {
    let ran = scratch.rbench(&[&["report", "--html", "page.html"], arguments].concat());
    assert_eq!(ran.code, Some(0), "{ran}");
    let file = scratch.path().join("page.html");
    if let Some(directory) = std::env::var_os("RBENCH_PAGES") {
        let kept = std::path::Path::new(&directory).join(format!("{name}.html"));
        std::fs::copy(&file, kept).unwrap();
    }
    std::fs::read_to_string(file).unwrap()
}

/// The page of files with these results.
fn page_of(name: &str, runs: &[RunResult]) -> String {
    let scratch = Scratch::new();
    scratch.write("results.jsonl", &lines(runs));
    page(&scratch, name, &["results.jsonl"])
}

/// A page of two kernels, the second slower.
fn comparison_page(name: &str, base: &str, factor: f64) -> String {
    let scratch = Scratch::new();
    scratch.write(base, &compare::lines(&compare::runs(0, 1.0)));
    scratch.write("new.jsonl", &compare::lines(&compare::runs(30, factor)));
    page(&scratch, name, &["--compare", base, "new.jsonl"])
}

/// A store of three months, with a drop of 5 % in the last of them.
fn three_months() -> Scratch {
    let level = |night: i64| if night < 60 { 1.0 } else { 0.95 };
    let nights = history::nights(&mut history::Noise::new(1), 0..90, level);
    history::imported(&nights)
}

/// A command of `rbench report` that is refused.
fn refused(arguments: &[&str]) -> Ran {
    let scratch = Scratch::new();
    scratch.write("results.jsonl", &lines(&runs(1, 2)));
    let ran = scratch.rbench(&[&["report"], arguments].concat());
    ran.assert_code(2);
    assert!(!scratch.path().join("page.html").exists(), "{ran}");
    ran
}
