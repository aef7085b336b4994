//! The forms of output, to the byte.

use crate::sample_result::{one_client, operation, two_clients};
use hdrhistogram::Histogram;
use insta::assert_snapshot;
use rbench::measure::recorder::empty_histogram;
use rbench::measure::{Phase, Tick};
use rbench::op::Kind;
use rbench::report::{ReportOptions, Style, started, summary, tick};
use rbench::result::{Activity, Lag, ProbeActivity, ProbeResult, RunResult};
use std::time::Duration;

fn everything(style: Style) -> ReportOptions {
    ReportOptions {
        per_client: true,
        show_execute_time: true,
        ..ReportOptions::new(style)
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// A result with this one kind of operation.
fn only(kind: Kind, count: u64, total: Duration, slowest: Duration) -> RunResult {
    let mut result = one_client();
    let mut operation = operation(kind, 1);
    operation.count = count;
    operation.total = total;
    operation.slowest.latency = slowest;
    result.operations = vec![operation];
    result
}

#[test]
fn the_style_names_are_those_of_the_programs() {
    use clap::ValueEnum;
    let names: Vec<String> = Style::value_variants()
        .iter()
        .map(|style| style.to_possible_value().unwrap().get_name().to_owned())
        .collect();
    assert_eq!(names, ["dbench1", "dbench4", "dbench5"]);
}

#[test]
fn dbench1_says_the_throughput_in_one_line_with_no_table() {
    assert_eq!(started(32), "32 clients started\n");
    assert_eq!(
        summary(&one_client(), &ReportOptions::new(Style::Dbench1)),
        "2573.8 operations/sec  2343.8 metadata operations/sec\n\
         0 of 4000 checked outcomes differ from the trace\n\
         Throughput 5.88569 MB/sec (NB=7.35711 MB/sec  58.8569 MBit/sec)\n"
    );
}

#[test]
fn the_sync_marks_end_the_line_of_dbench1_and_follow_the_unit_in_dbench4() {
    let mut options = ReportOptions::new(Style::Dbench1);
    options.sync_open = true;
    let text = summary(&one_client(), &options);
    assert!(text.ends_with("  58.8569 MBit/sec) (sync open)\n"), "{text}");
    options.sync_dirs = true;
    let text = summary(&one_client(), &options);
    assert!(
        text.ends_with("  58.8569 MBit/sec) (sync open) (sync dirs)\n"),
        "{text}"
    );
    options.style = Style::Dbench4;
    let text = summary(&one_client(), &options);
    let line =
        "\nThroughput 5.88569 MB/sec (sync open) (sync dirs)  1 clients  1 procs  max_latency=19.937 ms\n";
    assert!(text.ends_with(line), "{text}");
}

#[test]
fn dbench4_has_its_short_names_and_order_and_our_percentiles_to_the_right() {
    assert_snapshot!(summary(&one_client(), &ReportOptions::new(Style::Dbench4)), @r"
    2573.8 operations/sec  2343.8 metadata operations/sec
    0 of 4000 checked outcomes differ from the trace

     Operation      Count    AvgLat    MaxLat       P50       P95       P99     P99.9
     ----------------------------------------
     NTCreateX       2000     1.000     2.000     1.000     1.901     1.980     1.999
     Deltree            1     0.001     0.001  0.001000  0.001000  0.001000  0.001000
     Qpathinfo        500     0.251     0.500     0.250     0.475     0.495     0.500
     Find            1000     0.500     1.000     0.500     0.950     0.990     0.999
     WriteX           800     0.401     0.800     0.400     0.760     0.792     0.800
     ReadX           1500     0.750     1.500     0.750     1.425     1.486     1.499
     Flush          19937     9.969    19.937     9.970    18.956    19.743    19.923

    Throughput 5.88569 MB/sec  1 clients  1 procs  max_latency=19.937 ms
    ");
}

#[test]
fn dbench5_has_its_order_and_the_names_of_the_loadfile() {
    assert_snapshot!(summary(&one_client(), &ReportOptions::new(Style::Dbench5)), @r"
    2573.8 operations/sec  2343.8 metadata operations/sec
    0 of 4000 checked outcomes differ from the trace

     Operation                Count    AvgLat    MaxLat       P50       P95       P99     P99.9
     --------------------------------------------------
     Deltree                      1     0.001     0.001  0.001000  0.001000  0.001000  0.001000
     Flush                    19937     9.969    19.937     9.970    18.956    19.743    19.923
     ReadX                     1500     0.750     1.500     0.750     1.425     1.486     1.499
     WriteX                     800     0.401     0.800     0.400     0.760     0.792     0.800
     FIND_FIRST                1000     0.500     1.000     0.500     0.950     0.990     0.999
     QUERY_PATH_INFORMATION     500     0.251     0.500     0.250     0.475     0.495     0.500
     NTCreateX                 2000     1.000     2.000     1.000     1.901     1.980     1.999

    Throughput 5.88569 MB/sec  1 clients  1 procs  max_latency=19.937 ms
    ");
}

#[test]
fn dbench1_shows_the_table_when_asked_before_its_line() {
    let mut options = ReportOptions::new(Style::Dbench1);
    options.show_table = true;
    let (plain, text) = (
        summary(&one_client(), &ReportOptions::new(Style::Dbench5)),
        summary(&one_client(), &options),
    );
    let (plain, text) = (lines(&plain), lines(&text));
    assert_eq!(plain[..plain.len() - 1], text[..text.len() - 1]);
    assert_eq!(
        text.last(),
        Some(&"Throughput 5.88569 MB/sec (NB=7.35711 MB/sec  58.8569 MBit/sec)")
    );
}

#[test]
fn per_client_results_and_finished_passes_have_the_forms_of_dbench() {
    assert_snapshot!(summary(&two_clients(), &everything(Style::Dbench4)), @r"
       0 completed in 3210 ms at time 3215 ms
       0 completed in 3300 ms at time 6520 ms
    2573.8 operations/sec  2343.8 metadata operations/sec  12738 to 13000 operations by each client
    0 of 4000 checked outcomes differ from the trace

     Operation      Count    AvgLat    MaxLat       P50       P95       P99     P99.9
     ----------------------------------------
     NTCreateX       2000     1.000     2.000     1.000     1.901     1.980     1.999
     Deltree            1     0.001     0.001  0.001000  0.001000  0.001000  0.001000
     Qpathinfo        500     0.251     0.500     0.250     0.475     0.495     0.500
     Find            1000     0.500     1.000     0.500     0.950     0.990     0.999
     WriteX           800     0.401     0.800     0.400     0.760     0.792     0.800
     ReadX           1500     0.750     1.500     0.750     1.425     1.486     1.499
     Flush          19937     9.969    19.937     9.970    18.956    19.743    19.923

    Per client results:
    Client 0 did 13000 lines and 58856900 bytes  5.89 MB/sec  3 passes  max_latency=5.288 ms
     Operation      Count    AvgLat    MaxLat
     ----------------------------------------
     NTCreateX       1100     0.025     2.200
     Qfsinfo          550     0.025     1.100

    Client 1 did 12738 lines and 58856900 bytes  5.89 MB/sec  3 passes  max_latency=5.288 ms
     Operation      Count    AvgLat    MaxLat
     ----------------------------------------
     NTCreateX        900     0.025     1.800
     Qfsinfo          450     0.025     0.900

    Throughput 5.88569 MB/sec  2 clients  2 procs  max_latency=19.937 ms
    ");
}

#[test]
fn a_client_without_figures_by_kind_has_its_line_alone() {
    let mut options = ReportOptions::new(Style::Dbench1);
    options.per_client = true;
    assert_snapshot!(summary(&two_clients(), &options), @r"
    2573.8 operations/sec  2343.8 metadata operations/sec  12738 to 13000 operations by each client
    0 of 4000 checked outcomes differ from the trace
    Per client results:
    Client 0 did 13000 lines and 58856900 bytes  5.89 MB/sec  3 passes  max_latency=5.288 ms
    Client 1 did 12738 lines and 58856900 bytes  5.89 MB/sec  3 passes  max_latency=5.288 ms
    Throughput 5.88569 MB/sec (NB=7.35711 MB/sec  58.8569 MBit/sec)
    ");
}

#[test]
fn machine_readable_lines_are_those_of_dbench5_alone() {
    let mut options = ReportOptions::new(Style::Dbench5);
    options.machine_readable = true;
    assert_snapshot!(summary(&two_clients(), &options), @r"
    :Deltree:1:0.001:0.001:
    :Flush:19937:9.969:19.937:
    :ReadX:1500:0.750:1.500:
    :WriteX:800:0.401:0.800:
    :FIND_FIRST:1000:0.500:1.000:
    :QUERY_PATH_INFORMATION:500:0.251:0.500:
    :NTCreateX:2000:1.000:2.000:
    ;5.88569;2;2;19.937;
    ");
}

#[test]
fn the_table_starts_as_dbench_prints_it() {
    let result = only(
        Kind::NtCreateX,
        28_301,
        Duration::from_micros(396_214),
        Duration::from_micros(1719),
    );
    let text = summary(&result, &ReportOptions::new(Style::Dbench4));
    assert_eq!(lines(&text)[2], "");
    assert!(lines(&text)[3].starts_with(" Operation      Count    AvgLat    MaxLat "));
    assert_eq!(lines(&text)[4], " ----------------------------------------");
    assert!(lines(&text)[5].starts_with(" NTCreateX      28301     0.014     1.719 "));

    let result = only(
        Kind::NtCreateX,
        276_637,
        Duration::from_micros(1_936_459),
        Duration::from_micros(14_114),
    );
    let text = summary(&result, &ReportOptions::new(Style::Dbench5));
    assert!(lines(&text)[3].starts_with(" Operation                Count    AvgLat    MaxLat "));
    assert_eq!(
        lines(&text)[4],
        " --------------------------------------------------"
    );
    assert!(lines(&text)[5].starts_with(" NTCreateX               276637     0.007    14.114 "));
}

#[test]
fn every_kind_has_a_row_in_each_style_and_names_keep_to_their_column() {
    let first5 = [
        "Deltree",
        "Flush",
        "Close",
        "LockX",
        "Rmdir",
        "Mkdir",
        "Rename",
        "ReadX",
        "WriteX",
        "Unlink",
        "UnlockX",
        "FIND_FIRST",
        "SET_FILE_INFORMATION",
        "QUERY_FILE_INFORMATION",
        "QUERY_PATH_INFORMATION",
        "QUERY_FS_INFORMATION",
        "NTCreateX",
    ];
    let first4 = [
        "NTCreateX",
        "Close",
        "Rename",
        "Unlink",
        "Deltree",
        "Mkdir",
        "Rmdir",
        "Qpathinfo",
        "Qfileinfo",
        "Qfsinfo",
        "Sfileinfo",
        "Find",
        "WriteX",
        "ReadX",
        "LockX",
        "UnlockX",
        "Flush",
    ];
    let mut result = one_client();
    result.operations = Kind::ALL.map(|kind| operation(kind, 3)).into();
    for (style, first, width) in [(Style::Dbench4, first4, 12), (Style::Dbench5, first5, 22)] {
        let text = summary(&result, &ReportOptions::new(style));
        let rows = &lines(&text)[5..5 + Kind::ALL.len()];
        for row in rows {
            assert_eq!(&row[width + 1..width + 9], "       3", "{row}");
        }
        let names: Vec<&str> = rows.iter().map(|row| row[1..=width].trim_end()).collect();
        assert_eq!(names[..17], first);
        let others: Vec<&str> = Kind::ALL[17..].iter().map(|kind| kind.name()).collect();
        assert_eq!(names[17..], others);
    }
}

#[test]
fn percentiles_that_were_not_measured_are_dashes_and_none_is_above_the_slowest() {
    let mut result = only(
        Kind::Close,
        5,
        Duration::from_micros(5),
        Duration::from_nanos(1000),
    );
    result.operations[0].latency = Histogram::new(3).unwrap();
    let text = summary(&result, &ReportOptions::new(Style::Dbench4));
    let row = " Close              5     0.001     0.001         -         -         -         -";
    assert_eq!(lines(&text)[5], row);

    let mut coarse = Histogram::<u64>::new(1).unwrap();
    coarse.record(1_000_001).unwrap();
    result.operations[0].latency = coarse;
    result.operations[0].slowest.latency = Duration::from_nanos(1_000_001);
    let text = summary(&result, &ReportOptions::new(Style::Dbench4));
    assert!(
        lines(&text)[5].ends_with("     1.000     1.000     1.000     1.000     1.000"),
        "{text}"
    );
}

#[test]
fn an_empty_window_has_no_rates_and_a_table_without_rows() {
    let mut result = one_client();
    result.operations.clear();
    result.bytes_per_second = 0.0;
    result.per_client[0].measured = Duration::ZERO;
    assert_snapshot!(summary(&result, &ReportOptions::new(Style::Dbench4)), @r"
    0 of 4000 checked outcomes differ from the trace

     Operation      Count    AvgLat    MaxLat       P50       P95       P99     P99.9
     ----------------------------------------

    Throughput 0 MB/sec  1 clients  1 procs  max_latency=0.000 ms
    ");
}

#[test]
fn lag_is_said_where_there_are_due_times() {
    let mut histogram = Histogram::new(3).unwrap();
    histogram.record_n(250_000, 99).unwrap();
    histogram.record(8_000_000).unwrap();
    let mut result = one_client();
    result.lag = Some(Lag { histogram });
    let text = summary(&result, &ReportOptions::new(Style::Dbench1));
    assert_eq!(
        lines(&text)[2],
        "lag behind due times  P50 0.250 ms  P99 0.250 ms  max 8.004 ms"
    );
}

#[test]
fn ticks_have_the_forms_of_dbench() {
    let mut now = Tick {
        phase: Phase::Execute,
        clients: 3,
        lines_per_client: 57_589,
        bytes_per_second: 982_090_000.0,
        elapsed: Duration::from_millis(1004),
        latency: Duration::from_micros(5119),
    };
    let show = |now: &Tick, machine_readable| {
        let plain = ReportOptions::new(Style::Dbench4);
        tick(
            now,
            &ReportOptions {
                machine_readable,
                ..plain
            },
        )
        .unwrap()
    };
    assert_eq!(
        show(&now, false),
        "   3     57589   982.09 MB/sec  execute   1 sec  latency 5.119 ms\n"
    );
    assert_eq!(show(&now, true), "@R@3@57589@982.09@1@5.119@\n");
    now.phase = Phase::Warmup;
    assert_eq!(
        show(&now, false),
        "   3     57589   982.09 MB/sec  warmup   1 sec  latency 5.119 ms\n"
    );
    assert_eq!(show(&now, true), "@W@3@57589@982.09@1@5.119@\n");
    now.phase = Phase::Cleanup;
    assert_eq!(show(&now, false), "   3  cleanup   1 sec\n");
    assert_eq!(show(&now, true), "@C@3@1@\n");
    assert_eq!(tick(&now, &ReportOptions::new(Style::Dbench1)), None);
}

#[test]
fn a_bystander_stands_before_the_table_and_within_a_terminal() {
    let mut result = one_client();
    result.probe = Some(bystander());
    let text = summary(&result, &ReportOptions::new(Style::Dbench4));
    let lines = lines(&text);
    let first = lines
        .iter()
        .position(|line| line.starts_with("bystander"))
        .unwrap();
    let table = lines.iter().position(|line| line.contains("Operation")).unwrap();
    assert!(first < table, "{text}");
    assert!(lines[first..table].iter().all(|line| line.len() <= 100), "{text}");
    assert_snapshot!(lines[first..table - 1].join("\n"), @r"
    bystander  count    P50 ms x idle       P95 ms x idle       P99 ms x idle       max ms x idle
    save         100  6174.015 x5609     11735.663 x9779     12222.202 x10184    12348.031 x10289
    browse         3     0.100 x1.00         0.250 x2.47         0.250 x2.47         0.250 x2.47
    append         0         - -                 - -                 - -                 - -
    timer          3     0.052 -             0.053 -             0.053 -             0.053 -
    save failed 3 times, on the idle machine and under load together
    append failed 1 time, on the idle machine and under load together
    ");
}

#[test]
fn a_bystander_is_not_shown_to_programs() {
    let mut result = one_client();
    let mut options = ReportOptions::new(Style::Dbench5);
    options.machine_readable = true;
    let without = summary(&result, &options);
    result.probe = Some(bystander());
    assert_eq!(summary(&result, &options), without);
}

/// Of the timer there is nothing from the idle machine, of append nothing at all.
fn bystander() -> ProbeResult {
    let times = |micros: &[u64]| {
        let mut histogram = empty_histogram();
        micros
            .iter()
            .for_each(|micros| histogram.saturating_record(micros * 1000));
        histogram
    };
    let activity = |activity, idle: &[u64], loaded: &[u64], errors| ProbeActivity {
        activity,
        idle: times(idle),
        loaded: times(loaded),
        errors,
    };
    let many: Vec<u64> = (1..=100).map(|number| number * 123_456).collect();
    ProbeResult {
        idle_length: Duration::from_secs(3),
        activities: vec![
            activity(Activity::Save, &[1000, 1100, 1200], &many, 3),
            activity(Activity::Browse, &[100, 101], &[99, 100, 250], 0),
            activity(Activity::Append, &[], &[], 1),
            activity(Activity::Timer, &[], &[5, 52, 53], 0),
        ],
    }
}
