//! However much there is to show, a page stays small.

use super::{page_of, runs};
use crate::layouts::{self, sysctl};
use rbench::compare::Metric;
use rbench::history::{Checked, HistoryCheck, Night, Series};
use rbench::report::page::Page;
use rbench::result::{Activity, RunResult};

const LIMIT: usize = 1_000_000;

#[test]
fn sixty_runs_of_ten_minutes_fit() {
    let page = page_of("many-runs", &runs(60, 600));
    assert!(page.len() < LIMIT, "{} bytes", page.len());
    assert!(page.contains("Of 60 runs the first 40 are shown one by one."));
}

#[test]
fn two_hundred_cells_fit() {
    let rows: Vec<String> = (1..=20).map(|row| row.to_string()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let axes = [
        (sysctl("vm.dirty_ratio"), &rows[..]),
        (sysctl("vm.dirty_background_ratio"), &rows[..10]),
    ];
    let cells: Vec<RunResult> = layouts::sweep(&axes, |values| {
        let mut run = layouts::megabytes(values[0].parse().unwrap());
        run.probe = layouts::probe(&[(Activity::Save, values[1].parse().unwrap())]);
        vec![run]
    });
    let page = page_of("many-cells", &cells);
    assert!(page.len() < LIMIT, "{} bytes", page.len());
}

fn series(number: usize) -> Series {
    let night = |night: usize| Night {
        date: format!("2026-{:02}-{:02}", night / 28 + 1, night % 28 + 1),
        median: 1e8 + (night * 7 % 13) as f64 * 1e5,
        runs: 5,
        build: Some("6.12.0-rc3-next-20260301".into()),
    };
    Series {
        cell: format!("client {number} clients on ext4"),
        machine: "0123456789".into(),
        metric: Metric::Throughput,
        gated: true,
        nights: (0..90).map(night).collect(),
        change_points: Vec::new(),
        tonight: None,
    }
}

#[test]
fn forty_series_of_three_months_fit() {
    let page = Page {
        history: Some(Checked {
            night: "2026-03-31".into(),
            check: HistoryCheck {
                series: (0..40).map(series).collect(),
                notes: Vec::new(),
            },
            conflicts: Vec::new(),
        }),
        ..Page::default()
    };
    let html = page.html();
    assert!(html.len() < LIMIT, "{} bytes", html.len());
    assert!(html.contains("Pictures of the first 16 of 40 metrics"));
    let names: std::collections::BTreeSet<String> =
        page.pictures().into_iter().map(|picture| picture.name).collect();
    assert_eq!(names.len(), 16);
}
