//! Figures that others have published, in their tables.

use super::{block, cells, megabytes, operations, probe, sweep, sysctl, table, text};
use hdrhistogram::Histogram;
use insta::assert_snapshot;
use rbench::op::Kind;
use rbench::report::{Layout, TableForm, ratio};
use rbench::result::{Activity, AxisKind, Completions, LoadInfo, RunResult};
use std::collections::BTreeMap;
use std::time::Duration;

/// 28 runs of `dbench 32`, MB/sec. Rows: start of writeback, %; columns: start of synchronous wait, %.
const WRITEBACK: &str = "
        60              70              80              90
90      8.693           8.690           8.853           8.875
80      8.822           8.724           8.703           8.910
70      8.558           8.557           8.785           8.420
60      8.194           8.141           8.006           7.847
50      6.662           6.738           6.904           6.892
40      6.347           6.252           6.380           6.274
30      5.687           5.802           6.209           5.898";

/// Operations per second by block size and threads (2011, xfs, sequential writes), before a change and after.
const BEFORE: &str = "
seqwr   1      2      4      8      16     32     64     128
16384   39956  39695  39971  39913  37042  37538  36591  32179
8192    67934  66073  30963  29038  29852  25210  23983  28272
4096    89250  81417  28671  18685  12917  14870  22643  22237
2048    140272 120588 140665 140012 137516 139183 131330 129684
1024    217473 147899 210350 218526 219867 220120 219758 215166
512     328260 181197 211131 263533 294009 298203 301698 298013";
const AFTER: &str = "
seqwr   1      2      4      8      16     32     64     128
16384   37629  37651  37667  37711  37658  37674  37687  37727
8192    77691  77747  77948  78017  77940  77931  77847  77488
4096    123997 122607 121219 120394 120301 119908 119457 119939
2048    159816 154063 151987 150608 150449 151298 150016 148852
1024    185215 175977 169562 171078 170649 170420 169076 166614
512     232890 230669 222830 223140 222877 221812 222588 222369";
const RATIO: &str = "
seqwr   1      2      4      8      16     32     64     128
16384   0.942  0.949  0.942  0.945  1.017  1.004  1.030  1.172
8192    1.144  1.177  2.517  2.687  2.611  3.091  3.246  2.741
4096    1.389  1.506  4.228  6.443  9.313  8.064  5.276  5.394
2048    1.139  1.278  1.080  1.076  1.094  1.087  1.142  1.148
1024    0.852  1.190  0.806  0.783  0.776  0.774  0.769  0.774
512     0.709  1.273  1.055  0.847  0.758  0.744  0.738  0.746";

/// The words of a published table, row by row.
fn words(published: &str) -> Vec<Vec<&str>> {
    let lines = published.lines().filter(|line| !line.is_empty());
    lines.map(|line| line.split_whitespace().collect()).collect()
}

/// The figure in the row and column of these values.
fn figure<'p>(published: &[Vec<&'p str>], row: &str, column: &str) -> &'p str {
    let at = published[0]
        .iter()
        .rev()
        .position(|value| *value == column)
        .unwrap();
    let row = published[1..].iter().find(|cells| cells[0] == row).unwrap();
    row[row.len() - 1 - at]
}

fn writeback(mut change: impl FnMut(&mut RunResult, f64)) -> Vec<RunResult> {
    let published = words(WRITEBACK);
    let axes: [super::Axis<'_>; 2] = [
        (
            sysctl("vm.dirty_background_ratio"),
            &["90", "80", "70", "60", "50", "40", "30"],
        ),
        (sysctl("vm.dirty_ratio"), &["60", "70", "80", "90"]),
    ];
    sweep(&axes, |values| {
        let rate = figure(&published, values[0], values[1]).parse().unwrap();
        let mut run = megabytes(rate);
        change(&mut run, rate);
        vec![run]
    })
}

#[test]
fn the_grid_of_writeback_settings_is_as_published_in_any_order_of_runs() {
    let mut runs = writeback(|_, _| {});
    // As a sweep in random order stores them.
    runs.reverse();
    runs.swap(3, 17);
    let text = text(&runs, None, TableForm::Markdown);
    let shown: Vec<Vec<String>> = cells(&text)
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell| cell.trim_end_matches('*').to_owned())
                .collect()
        })
        .collect();
    let published = words(WRITEBACK);
    assert_eq!(shown[0][1..], published[0]);
    assert_eq!(shown[1..], published[1..]);
    assert_snapshot!(text, @r"
    Sweep of 2026-01-02 03:00:00 UTC: 28 of 28 cells

    MB/sec:

    | vm.dirty_background_ratio \ vm.dirty_ratio |     60 |     70 |     80 |     90 |
    | -----------------------------------------: | -----: | -----: | -----: | -----: |
    |                                         90 | 8.693* | 8.690* | 8.853* | 8.875* |
    |                                         80 | 8.822* | 8.724* | 8.703* |  8.910 |
    |                                         70 | 8.558* | 8.557* |  8.785 |  8.420 |
    |                                         60 | 8.194* |  8.141 |  8.006 |  7.847 |
    |                                         50 |  6.662 |  6.738 |  6.904 |  6.892 |
    |                                         40 |  6.347 |  6.252 |  6.380 |  6.274 |
    |                                         30 |  5.687 |  5.802 |  6.209 |  5.898 |

    `*` the background limit is not below the limit (vm.dirty_background_ratio and vm.dirty_ratio, or those in bytes): the kernel then starts writeback at half of the limit, whatever the background limit says
    ");
}

#[test]
fn the_sweet_spot_of_the_writeback_settings_is_found() {
    // The bystander waits the longer the more is written, but for one cell, where it waits longer than for more.
    let runs = writeback(|run, rate| {
        let waited = if rate == 8.822 {
            900
        } else {
            (rate * 100.0) as u64 - 500
        };
        run.probe = probe(&[(Activity::Save, waited)]);
    });
    let text = text(&runs, Layout::Grid, TableForm::Markdown);
    let spots = cells(text.split("The sweet spot").nth(1).unwrap());
    assert_eq!(spots[1][..3], ["80", "90", "8.910"]);
    assert_eq!(spots.last().unwrap()[..3], ["30", "60", "5.687"]);
    assert!(!spots.iter().any(|row| row[2].starts_with("8.822")), "{text}");
    let rates: Vec<f64> = spots[1..]
        .iter()
        .map(|row| row[2].trim_end_matches('*').parse().unwrap())
        .collect();
    assert!(rates.is_sorted_by(|a, b| a >= b), "{rates:?}");
}

/// A sweep of sequential writes with the published operations per second.
fn operations_of(published: &str) -> Vec<RunResult> {
    let published = words(published);
    let axes: [super::Axis<'_>; 3] = [
        (AxisKind::Load, &["seqwr"]),
        (block(), &["16384", "8192", "4096", "2048", "1024", "512"]),
        (AxisKind::Clients, &["1", "2", "4", "8", "16", "32", "64", "128"]),
    ];
    sweep(&axes, |values| {
        let rate = figure(&published, values[1], values[2]).parse().unwrap();
        vec![operations(rate)]
    })
}

#[test]
fn operations_by_block_size_and_clients_are_as_published() {
    for published in [BEFORE, AFTER] {
        let text = text(&operations_of(published), None, TableForm::Markdown);
        assert_eq!(cells(&text), words(published));
    }
}

#[test]
fn the_published_ratio_comes_out_digit_for_digit() {
    let (before, after) = (table(&operations_of(BEFORE)), table(&operations_of(AFTER)));
    let text = ratio(&before, &after, None, TableForm::Markdown).unwrap();
    assert_eq!(cells(&text), words(RATIO));
    let csv = ratio(&before, &after, Some(Layout::Iops), TableForm::Csv).unwrap();
    let rows: Vec<Vec<&str>> = csv
        .lines()
        .map(|line| line.split(',').skip(2).collect())
        .collect();
    assert_eq!(
        rows[1..],
        words(RATIO)[1..]
            .iter()
            .map(|row| row[1..].to_vec())
            .collect::<Vec<_>>()
    );
    assert_snapshot!(text, @r"
    Base: Sweep of 2026-01-02 03:00:00 UTC: 48 of 48 cells, load seqwr

    Candidate: Sweep of 2026-01-02 03:00:00 UTC: 48 of 48 cells, load seqwr

    operations/sec, candidate / base, > 1 is better:

    | seqwr | 1     | 2     | 4     | 8     | 16    | 32    | 64    | 128   |
    | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- | ----- |
    | 16384 | 0.942 | 0.949 | 0.942 | 0.945 | 1.017 | 1.004 | 1.030 | 1.172 |
    | 8192  | 1.144 | 1.177 | 2.517 | 2.687 | 2.611 | 3.091 | 3.246 | 2.741 |
    | 4096  | 1.389 | 1.506 | 4.228 | 6.443 | 9.313 | 8.064 | 5.276 | 5.394 |
    | 2048  | 1.139 | 1.278 | 1.080 | 1.076 | 1.094 | 1.087 | 1.142 | 1.148 |
    | 1024  | 0.852 | 1.190 | 0.806 | 0.783 | 0.776 | 0.774 | 0.769 | 0.774 |
    | 512   | 0.709 | 1.273 | 1.055 | 0.847 | 0.758 | 0.744 | 0.738 | 0.746 |
    ");
}

/// Threaded I/O (2000, kernel 2.2.16): rate and share of a processor of the four loads, with one thread and two.
const THREADED: [[(f64, f64); 4]; 2] = [
    [(18.88, 14.0), (0.748, 1.60), (18.89, 25.2), (0.985, 1.85)],
    [(18.77, 13.8), (0.750, 1.34), (18.78, 24.8), (0.960, 1.86)],
];

fn threaded() -> Vec<RunResult> {
    let loads = ["seqrd", "rndrd", "seqwr", "rndwr"];
    let axes: [super::Axis<'_>; 3] = [
        (AxisKind::Directory, &["//mnt1"]),
        (AxisKind::Clients, &["1", "2"]),
        (AxisKind::Load, &loads),
    ];
    sweep(&axes, |values| {
        let clients: u32 = values[1].parse().unwrap();
        let load = loads.iter().position(|load| *load == values[2]).unwrap();
        let (rate, percent) = THREADED[clients as usize - 1][load];
        let mut run = megabytes(rate);
        run.clients = clients;
        let size = format!("{}MB", 200 / clients);
        let params = [("size", size.as_str()), ("block", "4K")];
        run.loadfiles[0] = LoadInfo {
            name: values[2].into(),
            params: BTreeMap::from(params.map(|(name, value)| (name.into(), value.into()))),
            ..run.loadfiles[0].clone()
        };
        let mut counters = crate::sample_result::full().counters.unwrap();
        counters.usage.user = Duration::ZERO;
        counters.usage.system = Duration::from_micros((percent * 100_000.0_f64).round() as u64);
        counters.usage.elapsed = Duration::from_secs(10);
        run.counters = Some(counters);
        vec![run]
    })
}

#[test]
fn threaded_reads_and_writes_are_as_tiobench_prints_them() {
    let text = text(&threaded(), None, TableForm::Markdown);
    let published = "         File   Block  Num  Seq Read    Rand Read   Seq Write  Rand Write
  Dir    Size   Size   Thr Rate (CPU%) Rate (CPU%) Rate (CPU%) Rate (CPU%)
------- ------ ------- --- ----------- ----------- ----------- -----------
//mnt1   200    4096    1  18.88 14.0% 0.748 1.60% 18.89 25.2% 0.985 1.85%
//mnt1   200    4096    2  18.77 13.8% 0.750 1.34% 18.78 24.8% 0.960 1.86%
";
    assert!(text.contains(&format!("```text\n{published}```\n")), "{text}");
    assert_snapshot!(super::text(&threaded(), Layout::Tio, TableForm::Csv), @r"
    dir,file_size_mb,block_bytes,clients,seqrd MB/sec,seqrd CPU%,rndrd MB/sec,rndrd CPU%,seqwr MB/sec,seqwr CPU%,rndwr MB/sec,rndwr CPU%,marks
    //mnt1,200,4096,1,18.88,14.0,0.748,1.60,18.89,25.2,0.985,1.85,
    //mnt1,200,4096,2,18.77,13.8,0.750,1.34,18.78,24.8,0.960,1.86,
    ");
}

/// A run with this throughput, latency and its deviation in seconds, and completions a second.
fn completing(rate: f64, latency: f64, deviation: f64, local: f64, remote: f64) -> RunResult {
    let mut run = megabytes(rate);
    let nanoseconds = |seconds: f64| (seconds * 1e9).round() as u64;
    let mut latencies = Histogram::new_with_bounds(1, 3_600_000_000_000, 4).unwrap();
    for end in [latency - deviation, latency + deviation] {
        latencies.record_n(nanoseconds(end), 500).unwrap();
    }
    let mut operation = crate::sample_result::operation(Kind::ReadX, 1);
    operation.count = 1000;
    operation.total = Duration::from_nanos(nanoseconds(latency)) * 1000;
    run.operations = vec![operation];
    run.latency = latencies;
    run.completions = Some(Completions {
        local: (local * 10.0).round() as u64,
        remote: (remote * 10.0).round() as u64,
        lost: 0,
        counted: Duration::from_secs(10),
    });
    run
}

#[test]
fn affinity_of_submission_and_completion_is_as_published() {
    let axes: [super::Axis<'_>; 2] = [
        (AxisKind::Pin, &["none", "spread"]),
        (AxisKind::Sysfs("block/sda/queue/rq_affinity".into()), &["0", "1"]),
    ];
    // Two rows of 2008, and what makes their means with the others those of rq=0 and rq=1.
    let runs = sweep(&axes, |values| {
        vec![match values {
            ["none", "0"] => completing(1850.4, 0.413_880, 0.0109, 0.0, 27946.9),
            ["none", "1"] => completing(1570.7, 0.487_686, 0.0142, 0.0, 23719.5),
            ["spread", "0"] => completing(1603.0, 0.473_244, 0.0131, 4277.2, 19927.5),
            _ => completing(2070.3, 0.353_772, 0.0078, 0.0, 31251.7),
        }]
    });
    let text = text(&runs, None, TableForm::Markdown);
    let rows = cells(&text);
    let figures: Vec<&[&str]> = rows.iter().map(|row| &row[2..]).collect();
    assert_eq!(figures[0], ["MBPS", "Avg Lat", "StdDev", "C-local", "C-remote"]);
    assert_eq!(figures[1], ["1850.4", "0.413880", "0.0109", "0.0", "27946.9"]);
    assert_eq!(figures[2], ["1570.7", "0.487686", "0.0142", "0.0", "23719.5"]);
    assert_eq!(figures[7], ["1726.7", "0.443562", "0.0120", "2138.6", "23937.2"]);
    assert_eq!(figures[8], ["1820.5", "0.420729", "0.0110", "0.0", "27485.6"]);
    assert_snapshot!(text, @r"
    Sweep of 2026-01-02 03:00:00 UTC: 4 of 4 cells

    | pin    | block/sda/queue/rq_affinity |   MBPS |  Avg Lat | StdDev | C-local | C-remote |
    | ------ | --------------------------- | -----: | -------: | -----: | ------: | -------: |
    | none   | 0                           | 1850.4 | 0.413880 | 0.0109 |     0.0 |  27946.9 |
    | none   | 1                           | 1570.7 | 0.487686 | 0.0142 |     0.0 |  23719.5 |
    | spread | 0                           | 1603.0 | 0.473244 | 0.0131 |  4277.2 |  19927.5 |
    | spread | 1                           | 2070.3 | 0.353772 | 0.0078 |     0.0 |  31251.7 |
    | none   | all                         | 1710.6 | 0.450783 | 0.0126 |     0.0 |  25833.2 |
    | spread | all                         | 1836.7 | 0.413508 | 0.0105 |  2138.6 |  25589.6 |
    | all    | 0                           | 1726.7 | 0.443562 | 0.0120 |  2138.6 |  23937.2 |
    | all    | 1                           | 1820.5 | 0.420729 | 0.0110 |     0.0 |  27485.6 |

    Avg Lat and StdDev: of the latencies of all operations, in seconds. all: the mean of the rows with that value; `-` where one of them has no figure.
    C-local and C-remote: requests completed on the processor that issued them, and on others, per second.
    ");
}
