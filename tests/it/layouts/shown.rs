//! What is shown of cells that failed, were not run, or are to be looked at twice.

use super::{Axis, block, failed, megabytes, operations, probe, sweep, sysctl, table, text};
use insta::assert_snapshot;
use rbench::report::{Layout, LayoutError, SweepTable, TableForm, ratio};
use rbench::result::{Activity, AxisKind, End, RunResult};

/// A grid with cells of each sort: with three runs, failed, partly failed, differing, interrupted, not run, moving nothing.
fn sorts() -> Vec<RunResult> {
    let axes: [Axis<'_>; 2] = [
        (sysctl("vm.dirty_background_ratio"), &["30", "10", "5"]),
        (sysctl("vm.dirty_ratio"), &["20", "40"]),
    ];
    let probed = |rate: f64, waited: u64| {
        let mut run = megabytes(rate);
        run.probe = probe(&[(Activity::Save, waited), (Activity::Timer, waited / 10)]);
        run
    };
    sweep(&axes, |values| match values {
        ["30", "20"] => vec![probed(9.5, 300), probed(8.5, 310), probed(9.0, 200)],
        ["30", "40"] => vec![failed(), failed(), failed()],
        ["10", "20"] => vec![probed(8.0, 100), failed(), probed(7.0, 120)],
        ["10", "40"] => {
            let mut run = probed(8.75, 400);
            run.outcomes.differed = 3;
            let interrupted = RunResult {
                end: End::Interrupted(2),
                ..probed(1.0, 1)
            };
            vec![run, interrupted, probed(8.75, 400)]
        }
        ["5", "20"] => vec![],
        _ => vec![probed(6.0, 100)],
    })
}

#[test]
fn a_grid_shows_what_was_measured_and_marks_what_is_to_be_looked_at() {
    assert_snapshot!(text(&sorts(), None, TableForm::Markdown), @r"
    Sweep of 2026-01-02 03:00:00 UTC: 5 of 6 cells, medians of 3 runs

    MB/sec:

    | vm.dirty_background_ratio \ vm.dirty_ratio |     20 |     40 |
    | -----------------------------------------: | -----: | -----: |
    |                                         30 | 9.000* | failed |
    |                                         10 | 7.500‡ | 8.750† |
    |                                          5 |      - |  6.000 |

    save p99 ms:

    | vm.dirty_background_ratio \ vm.dirty_ratio |       20 |       40 |
    | -----------------------------------------: | -------: | -------: |
    |                                         30 | 300.155* |   failed |
    |                                         10 | 110.035‡ | 400.032† |
    |                                          5 |        - |  100.008 |

    The sweet spot, cells that no other cell beats on both MB/sec and save p99 ms:

    | vm.dirty_background_ratio | vm.dirty_ratio | MB/sec | save p99 ms |
    | ------------------------: | -------------: | -----: | ----------: |
    |                        30 |             20 | 9.000* |    300.155* |
    |                        10 |             20 | 7.500‡ |    110.035‡ |
    |                         5 |             40 |  6.000 |     100.008 |

    `*` the background limit is not below the limit (vm.dirty_background_ratio and vm.dirty_ratio, or those in bytes): the kernel then starts writeback at half of the limit, whatever the background limit says

    `†` the file system did other work than the trace says: outcomes differed, or reads from what was written; see the warnings of the runs

    `‡` some runs of the cell failed; the figure is of those that did not
    ");
    assert_snapshot!(text(&sorts(), None, TableForm::Csv), @r"
    figure,vm.dirty_background_ratio \ vm.dirty_ratio,20,40
    MB/sec,30,9.000,failed
    MB/sec,10,7.500,8.750
    MB/sec,5,,6.000
    save p99 ms,30,300.155,failed
    save p99 ms,10,110.035,400.032
    save p99 ms,5,,100.008
    sweet spot,30,yes,
    sweet spot,10,yes,
    sweet spot,5,,yes
    marks,30,background_not_below_limit,
    marks,10,runs_failed,outcomes_differed
    marks,5,,
    ");
}

#[test]
fn a_row_a_cell_has_all_figures() {
    assert_snapshot!(text(&sorts(), Layout::Long, TableForm::Markdown), @r"
    Sweep of 2026-01-02 03:00:00 UTC: 5 of 6 cells, medians of 3 runs

    | vm.dirty_background_ratio | vm.dirty_ratio |   runs | MB/sec |   min |   max | CV % | operations/sec | p99 ms | save p99 ms | save factor | timer p99 ms | timer factor | marks |
    | ------------------------- | -------------- | -----: | -----: | ----: | ----: | ---: | -------------: | -----: | ----------: | ----------: | -----------: | -----------: | ----- |
    | 30                        | 20             |      3 |  9.000 | 8.500 | 9.500 | 5.56 |         2573.8 | 19.937 |     300.155 |        60.0 |       30.015 |          6.0 | *     |
    | 30                        | 40             | 0 of 3 | failed |     - |     - |    - |              - |      - |           - |           - |            - |            - |       |
    | 10                        | 20             | 2 of 3 |  7.500 | 7.000 | 8.000 | 9.43 |         2573.8 | 19.937 |     110.035 |        22.0 |       11.002 |          2.2 | ‡     |
    | 10                        | 40             | 2 of 3 |  8.750 | 8.750 | 8.750 | 0.00 |         2573.8 | 19.937 |     400.032 |        80.0 |       40.010 |          8.0 | †     |
    | 5                         | 20             |      - |      - |     - |     - |    - |              - |      - |           - |           - |            - |            - |       |
    | 5                         | 40             |      1 |  6.000 |     - |     - |    - |         2573.8 | 19.937 |     100.008 |        20.0 |       10.002 |          2.0 |       |

    `*` the background limit is not below the limit (vm.dirty_background_ratio and vm.dirty_ratio, or those in bytes): the kernel then starts writeback at half of the limit, whatever the background limit says

    `†` the file system did other work than the trace says: outcomes differed, or reads from what was written; see the warnings of the runs

    `‡` some runs of the cell failed; the figure is of those that did not
    ");
    assert_snapshot!(text(&sorts(), Layout::Long, TableForm::Csv), @r"
    vm.dirty_background_ratio,vm.dirty_ratio,completed,runs,MB/sec,min,max,CV %,operations/sec,p99 ms,save p99 ms,save factor,timer p99 ms,timer factor,marks
    30,20,3,3,9.000,8.500,9.500,5.56,2573.8,19.937,300.155,60.0,30.015,6.0,background_not_below_limit
    30,40,0,3,failed,,,,,,,,,,
    10,20,2,3,7.500,7.000,8.000,9.43,2573.8,19.937,110.035,22.0,11.002,2.2,runs_failed
    10,40,2,3,8.750,8.750,8.750,0.00,2573.8,19.937,400.032,80.0,40.010,8.0,outcomes_differed
    5,20,,,,,,,,,,,,,
    5,40,1,1,6.000,,,,2573.8,19.937,100.008,20.0,10.002,2.0,
    ");
}

#[test]
fn a_load_that_moves_no_bytes_has_operations_in_the_grid() {
    let axes: [Axis<'_>; 3] = [
        (AxisKind::Clients, &["1", "2"]),
        (AxisKind::Directory, &["/a|b"]),
        (AxisKind::Option("sync".into()), &["off", "on"]),
    ];
    let runs = sweep(&axes, |values| {
        vec![operations(if values[2] == "on" { 12 } else { 3400 })]
    });
    assert_snapshot!(text(&runs, None, TableForm::Markdown), @r"
    Sweep of 2026-01-02 03:00:00 UTC: 4 of 4 cells, dir /a|b

    operations/sec:

    | clients \ sync |    off |   on |
    | -------------: | -----: | ---: |
    |              1 | 3400.0 | 12.0 |
    |              2 | 3400.0 | 12.0 |
    ");
    assert_snapshot!(text(&runs, Layout::Long, TableForm::Csv), @r"
    clients,dir,sync,completed,runs,operations/sec,p99 ms,marks
    1,/a|b,off,1,1,3400.0,19.937,
    1,/a|b,on,1,1,12.0,19.937,
    2,/a|b,off,1,1,3400.0,19.937,
    2,/a|b,on,1,1,12.0,19.937,
    ");
}

#[test]
fn more_axes_make_a_grid_for_each_combination_of_the_others() {
    let axes: [Axis<'_>; 3] = [
        (sysctl("a"), &["1", "2"]),
        (AxisKind::Directory, &["/x", "/y"]),
        (AxisKind::Clients, &["8", "4"]),
    ];
    let runs = sweep(&axes, |values| {
        let clients: f64 = values[2].parse().unwrap();
        vec![megabytes(clients * 10.0)]
    });
    assert_snapshot!(text(&runs, Layout::Grid, TableForm::Markdown), @r"
    Sweep of 2026-01-02 03:00:00 UTC: 8 of 8 cells

    ### clients 8

    MB/sec:

    | a \ dir |     /x |     /y |
    | ------: | -----: | -----: |
    |       1 | 80.000 | 80.000 |
    |       2 | 80.000 | 80.000 |

    ### clients 4

    MB/sec:

    | a \ dir |     /x |     /y |
    | ------: | -----: | -----: |
    |       1 | 40.000 | 40.000 |
    |       2 | 40.000 | 40.000 |
    ");
    assert_snapshot!(text(&runs, Layout::Grid, TableForm::Csv), @r"
    figure,clients,a \ dir,/x,/y
    MB/sec,8,1,80.000,80.000
    MB/sec,8,2,80.000,80.000
    MB/sec,4,1,40.000,40.000
    MB/sec,4,2,40.000,40.000
    ");
    assert_eq!(table(&runs).default_layout(), Layout::Long);
}

#[test]
fn affinity_without_counted_completions_says_how_they_are_counted() {
    let axes: [Axis<'_>; 1] = [(AxisKind::Pin, &["none", "0,2-3"])];
    let runs = sweep(&axes, |values| {
        vec![if values[0] == "none" {
            megabytes(100.0)
        } else {
            failed()
        }]
    });
    assert_snapshot!(text(&runs, None, TableForm::Markdown), @r"
    Sweep of 2026-01-02 03:00:00 UTC: 2 of 2 cells

    | pin   |   MBPS |  Avg Lat | StdDev |
    | ----- | -----: | -------: | -----: |
    | none  |  100.0 | 0.007880 | 0.0074 |
    | 0,2-3 | failed |   failed | failed |

    Avg Lat and StdDev: of the latencies of all operations, in seconds.
    Completions of requests were not counted: --completions counts them, as root and where the kernel has tracefs.
    ");
    assert_snapshot!(text(&runs, None, TableForm::Csv), @r#"
    pin,MBPS,Avg Lat,StdDev,marks
    none,100.0,0.007880,0.0074,
    "0,2-3",failed,failed,failed,
    "#);
}

#[test]
fn a_layout_that_needs_other_axes_says_which_and_what_fits() {
    let axes: [Axis<'_>; 2] = [(sysctl("a"), &["1", "2"]), (AxisKind::Clients, &["4"])];
    let table = table(&sweep(&axes, |_| vec![megabytes(1.0)]));
    let refused = |layout| {
        let refused = table.text(Some(layout), TableForm::Markdown, Activity::Save);
        refused.unwrap_err().to_string()
    };
    let has = "the sweep has a with 2 values, clients with 1 value; use long";
    assert_eq!(
        refused(Layout::Grid),
        format!("the layout grid needs two axes with more than one value: {has}")
    );
    assert_eq!(
        refused(Layout::Iops),
        format!("the layout iops needs an axis of the parameter block: {has}")
    );
    assert!(refused(Layout::Tio).contains("a load axis of seqrd, rndrd, seqwr and rndwr"));
    assert!(refused(Layout::Affinity).contains("an axis of pin"));
    let empty = SweepTable::new().text(None, TableForm::Csv, Activity::Save);
    assert_eq!(empty, Err(LayoutError::Empty));
}

#[test]
fn with_known_axes_cells_that_were_not_run_are_rows_too() {
    let axes: [Axis<'_>; 2] = [(sysctl("a"), &["1", "2"]), (AxisKind::Clients, &["4", "8"])];
    let runs = sweep(&axes, |values| {
        if values == ["2", "4"] {
            vec![megabytes(5.0)]
        } else {
            vec![]
        }
    });
    let known = axes.map(|(kind, values)| {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        (kind, values)
    });
    let mut table = SweepTable::with_axes(known);
    assert!(runs.iter().all(|run| table.add(run)));
    let grid = table.text(None, TableForm::Csv, Activity::Save).unwrap();
    assert_eq!(grid, "figure,a \\ clients,4,8\nMB/sec,1,,\nMB/sec,2,5.000,\n");
}

#[test]
fn a_ratio_names_the_cells_that_are_missing_and_the_loads_that_differ() {
    let axes: [Axis<'_>; 2] = [(block(), &["4K", "8K", "16K"]), (AxisKind::Clients, &["1", "2"])];
    let base = sweep(&axes, |values| match values {
        ["4K", "2"] => vec![],
        ["8K", "2"] => vec![operations(0)],
        _ => vec![operations(100)],
    });
    let candidate = sweep(&axes, |values| match values {
        ["8K", "1"] => vec![failed()],
        ["16K", "1"] => {
            let mut run = operations(150);
            run.loadfiles[0].sha256 = "1".repeat(64);
            vec![run]
        }
        _ => vec![operations(150)],
    });
    let (base, candidate) = (table(&base), table(&candidate));
    for layout in [Layout::Iops, Layout::Long] {
        let text = ratio(&base, &candidate, Some(layout), TableForm::Markdown).unwrap();
        assert!(
            text.contains(
                "`-` has no ratio: block 4K, clients 2 (not in the base); block 8K, clients 1 (failed in the candidate)"
            ),
            "{text}"
        );
        assert!(text.contains(" 1.500# "), "{text}");
    }
    assert_snapshot!(ratio(&base, &candidate, None, TableForm::Markdown).unwrap(), @r"
    Base: Sweep of 2026-01-02 03:00:00 UTC: 5 of 6 cells

    Candidate: Sweep of 2026-01-02 03:00:00 UTC: 6 of 6 cells

    operations/sec, candidate / base, > 1 is better:

    | block \ clients |      1 |     2 |
    | --------------: | -----: | ----: |
    |              4K |  1.500 |     - |
    |              8K |      - |     - |
    |             16K | 1.500# | 1.500 |

    `#` the two sweeps ran other loadfiles in this cell: their ratio tells little

    `-` has no ratio: block 4K, clients 2 (not in the base); block 8K, clients 1 (failed in the candidate); block 8K, clients 2 (0 in the base)
    ");
    assert_snapshot!(ratio(&base, &candidate, None, TableForm::Csv).unwrap(), @r"
    figure,block \ clients,1,2
    ratio,4K,1.500,
    ratio,8K,,
    ratio,16K,1.500,1.500
    marks,4K,,
    marks,8K,,
    marks,16K,loadfiles_differ,
    ");
}

#[test]
fn sweeps_with_other_axes_are_not_divided() {
    let sizes: Axis<'_> = (block(), &["4K", "8K"]);
    let of = |axis: Axis<'_>| table(&sweep(&[sizes.clone(), axis], |_| vec![megabytes(2.0)]));
    let clients = of((AxisKind::Clients, &["1", "2"]));
    let error = ratio(&clients, &of((sysctl("a"), &["1", "2"])), None, TableForm::Csv).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the two sweeps have different axes, and cannot be divided: \
         clients is an axis of the base only; a is an axis of the candidate only"
    );
    let error = ratio(
        &clients,
        &of((AxisKind::Clients, &["4", "8"])),
        None,
        TableForm::Csv,
    )
    .unwrap_err();
    assert!(
        error.to_string().ends_with(": clients has no value in both"),
        "{error}"
    );
    // A single directory in each is what is compared.
    let (one, other) = (
        of((AxisKind::Directory, &["/a"])),
        of((AxisKind::Directory, &["/b"])),
    );
    let text = ratio(&one, &other, None, TableForm::Csv).unwrap();
    assert_eq!(
        text,
        "block,dir,ratio,marks\n4K,/a -> /b,1.000,\n8K,/a -> /b,1.000,\n"
    );
}

#[test]
fn tiobench_and_operations_have_marks_and_failures_too() {
    let axes: [Axis<'_>; 3] = [
        (AxisKind::Load, &["seqrd", "rndrd", "seqwr", "rndwr"]),
        (block(), &["4K", "1M"]),
        (AxisKind::Clients, &["1", "16"]),
    ];
    let runs = sweep(&axes, |values| match values {
        ["seqrd", "4K", "1"] => {
            let mut run = megabytes(1234.5);
            run.outcomes.differed = 1;
            vec![run]
        }
        ["rndrd", ..] => vec![failed()],
        ["seqwr", "1M", _] => vec![],
        ["rndwr", _, "16"] => vec![failed(), megabytes(0.5), megabytes(0.75)],
        _ => vec![megabytes(10.0)],
    });
    assert_snapshot!(text(&runs, Layout::Tio, TableForm::Markdown), @r"
    Sweep of 2026-01-02 03:00:00 UTC: 14 of 16 cells, medians of 3 runs

    ```text
             File   Block  Num   Seq Read    Rand Read    Seq Write    Rand Write
      Dir    Size   Size   Thr Rate (CPU%)  Rate (CPU%)  Rate (CPU%)  Rate (CPU%)
    ------- ------ ------- --- ------------ ------------ ------------ ------------
    /mnt      -     4096    1   1234     -† failed       10.00     -  10.00     -
    /mnt      -     4096   16  10.00     -  failed       10.00     -  0.625     -‡
    /mnt      -    1048576  1  10.00     -  failed           -        10.00     -
    /mnt      -    1048576 16  10.00     -  failed           -        0.625     -‡
    ```

    File Size: MB (1,000,000 bytes) of all clients together; Block Size: bytes; Rate: MB/sec; CPU%: of one processor.

    `†` the file system did other work than the trace says: outcomes differed, or reads from what was written; see the warnings of the runs

    `‡` some runs of the cell failed; the figure is of those that did not
    ");
    assert_snapshot!(text(&runs, Layout::Tio, TableForm::Csv), @r"
    dir,file_size_mb,block_bytes,clients,seqrd MB/sec,seqrd CPU%,rndrd MB/sec,rndrd CPU%,seqwr MB/sec,seqwr CPU%,rndwr MB/sec,rndwr CPU%,marks
    /mnt,,4096,1,1234,,failed,failed,10.00,,10.00,,seqrd outcomes_differed
    /mnt,,4096,16,10.00,,failed,failed,10.00,,0.625,,rndwr runs_failed
    /mnt,,1048576,1,10.00,,failed,failed,,,10.00,,
    /mnt,,1048576,16,10.00,,failed,failed,,,0.625,,rndwr runs_failed
    ");
    assert_snapshot!(text(&runs, Layout::Iops, TableForm::Markdown), @r"
    Sweep of 2026-01-02 03:00:00 UTC: 14 of 16 cells, medians of 3 runs

    operations/sec; rows: block, columns: clients:

    | seqrd | 1     | 16   |
    | ----- | ----- | ---- |
    | 4K    | 2574† | 2574 |
    | 1M    | 2574  | 2574 |

    | rndrd | 1      | 16     |
    | ----- | ------ | ------ |
    | 4K    | failed | failed |
    | 1M    | failed | failed |

    | seqwr | 1    | 16   |
    | ----- | ---- | ---- |
    | 4K    | 2574 | 2574 |
    | 1M    | -    | -    |

    | rndwr | 1    | 16    |
    | ----- | ---- | ----- |
    | 4K    | 2574 | 2574‡ |
    | 1M    | 2574 | 2574‡ |

    `†` the file system did other work than the trace says: outcomes differed, or reads from what was written; see the warnings of the runs

    `‡` some runs of the cell failed; the figure is of those that did not
    ");
    assert_snapshot!(text(&runs, Layout::Iops, TableForm::Csv), @r"
    figure,load,block \ clients,1,16
    operations/sec,seqrd,4K,2574,2574
    operations/sec,seqrd,1M,2574,2574
    marks,seqrd,4K,outcomes_differed,
    marks,seqrd,1M,,
    operations/sec,rndrd,4K,failed,failed
    operations/sec,rndrd,1M,failed,failed
    operations/sec,seqwr,4K,2574,2574
    operations/sec,seqwr,1M,,
    operations/sec,rndwr,4K,2574,2574
    operations/sec,rndwr,1M,2574,2574
    marks,rndwr,4K,,runs_failed
    marks,rndwr,1M,,runs_failed
    ");
}

#[test]
fn a_limit_is_compared_with_what_the_machine_has_where_it_is_no_axis() {
    let marked = |axes: &[Axis<'_>], machine: &[(&str, &str)]| {
        let runs = sweep(axes, |_| {
            let mut run = megabytes(1.0);
            let mut environment = crate::sample_result::full().environment.unwrap();
            let machine = machine
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()));
            environment.nuisance.sysctls = machine.collect();
            run.environment = Some(environment);
            vec![run]
        });
        let csv = text(&runs, Layout::Long, TableForm::Csv);
        let marked = csv
            .lines()
            .skip(1)
            .map(|row| row.ends_with(",background_not_below_limit"));
        marked.collect::<Vec<bool>>()
    };
    let machine = [
        ("vm.dirty_background_ratio", "10"),
        ("vm.dirty_background_bytes", "0"),
    ];
    let ratio = (sysctl("vm.dirty_ratio"), &["5", "10", "20"][..]);
    assert_eq!(
        marked(std::slice::from_ref(&ratio), &machine),
        [true, true, false]
    );
    assert_eq!(marked(&[ratio], &[]), [false; 3]);
    // Of no axis the machine's limits are no matter of the sweep.
    let clients = (AxisKind::Clients, &["1"][..]);
    let odd = [("vm.dirty_background_ratio", "10"), ("vm.dirty_ratio", "5")];
    assert_eq!(marked(&[clients], &odd), [false]);
    let bytes: [Axis<'_>; 2] = [
        (sysctl("vm.dirty_background_bytes"), &["4096", "8192"]),
        (sysctl("vm.dirty_bytes"), &["0", "8192"]),
    ];
    assert_eq!(marked(&bytes, &machine), [false, false, false, true]);
}
