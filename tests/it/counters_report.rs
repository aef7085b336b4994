//! The counters of a run as text, to the byte.

use crate::sample_result::one_client;
use insta::assert_snapshot;
use rbench::report::{ReportOptions, Style, summary};
use rbench::result::{Counters, Device, End, Pressure, RunResult, Usage, Vmstat, VmstatMoment};
use std::time::Duration;

const MILLISECOND: Duration = Duration::from_millis(1);

fn vmstat(moment: VmstatMoment, seconds: u64) -> Vmstat {
    Vmstat {
        moment,
        at: Duration::from_secs(seconds),
        running: 32,
        blocked: 4,
        swapped_kib: 1024,
        free_kib: 2048,
        buffers_kib: 3072,
        cache_kib: 300_000,
        swap_in_kib_per_second: 1,
        swap_out_kib_per_second: 2,
        blocks_in_kib_per_second: 33,
        blocks_out_kib_per_second: 4444,
        interrupts_per_second: 555,
        context_switches_per_second: 123_456,
        user_percent: 5,
        system_percent: 55,
        idle_percent: 25,
        wait_percent: 15,
        stolen_percent: 0,
    }
}

/// The figures of a run of 2001, and made-up ones for what it did not tell.
fn counters() -> Counters {
    Counters {
        usage: Usage {
            user: 37_169 * MILLISECOND,
            system: 398_400 * MILLISECOND,
            elapsed: 717_779 * MILLISECOND,
            major_faults: 11,
            minor_faults: 222,
            blocks_in: 3333,
            blocks_out: 44_444,
            voluntary_context_switches: 555,
            involuntary_context_switches: 66,
            max_resident_kib: 7777,
        },
        vmstat: vec![
            vmstat(VmstatMoment::Before, 0),
            vmstat(VmstatMoment::During, 300),
            vmstat(VmstatMoment::After, 717),
        ],
        devices: vec![
            Device {
                name: "dm-0".into(),
                reads: 10,
                read_bytes: 1_250_000,
                writes: 2000,
                written_bytes: 987_654_321,
                flushes: Some(30),
                busy: 358_889 * MILLISECOND,
            },
            Device {
                name: "sda2".into(),
                reads: 11,
                read_bytes: 0,
                writes: 1999,
                written_bytes: 900_000_000,
                flushes: None,
                busy: Duration::ZERO,
            },
        ],
        dirty_start_bytes: Some(100_000),
        dirty_end_bytes: Some(55_500_000),
        writeback_start_bytes: Some(0),
        writeback_end_bytes: Some(2_000_000),
        pressure: Some(Pressure {
            cpu_some: 7178 * MILLISECOND,
            memory_some: 14_356 * MILLISECOND,
            memory_full: 717 * MILLISECOND,
            io_some: 71_778 * MILLISECOND,
            io_full: 35_889 * MILLISECOND,
        }),
        processors_busy: vec![0.987, 0.5],
        sampling: Duration::from_micros(71_234),
    }
}

fn with(counters: Option<Counters>) -> RunResult {
    let mut result = one_client();
    result.counters = counters;
    result
}

fn shown(result: &RunResult) -> String {
    let mut options = ReportOptions::new(Style::Dbench1);
    options.counters = true;
    summary(result, &options)
}

#[test]
fn counters_are_shown_as_vmstat_and_time_print_them_and_the_throughput_stays_last() {
    assert_snapshot!(shown(&with(Some(counters()))), @r"
    2573.8 operations/sec  2343.8 metadata operations/sec
    0 of 4000 checked outcomes differ from the trace
    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
    32  4   1024   2048   3072 300000    1    2    33  4444  555 123456  5 55 25 15  0
    32  4   1024   2048   3072 300000    1    2    33  4444  555 123456  5 55 25 15  0
    32  4   1024   2048   3072 300000    1    2    33  4444  555 123456  5 55 25 15  0
    37.16user 398.40system 11:57.77elapsed 60%CPU (0avgtext+0avgdata 7777maxresident)k
    3333inputs+44444outputs (11major+222minor)pagefaults 0swaps
    555 voluntary and 66 involuntary context switches
    dm-0  10 reads 1.2 MB  2000 writes 987.7 MB  30 flushes  busy 50.0 %
    sda2  11 reads 0.0 MB  1999 writes 900.0 MB  busy 0.0 %
    dirty 0.1 MB to 55.5 MB  writeback 0.0 MB to 2.0 MB
    pressure  cpu some 1.0 %  memory some 2.0 % full 0.1 %  io some 10.0 % full 5.0 %
    processors busy  98.7 %  50.0 %
    reading counters took 71.234 ms of processor time
    Throughput 5.88569 MB/sec (NB=7.35711 MB/sec  58.8569 MBit/sec)
    ");
}

#[test]
fn what_a_system_does_not_tell_is_left_out() {
    let bare = Counters {
        vmstat: Vec::new(),
        devices: Vec::new(),
        dirty_start_bytes: None,
        writeback_end_bytes: None,
        pressure: None,
        processors_busy: Vec::new(),
        ..counters()
    };
    assert_snapshot!(shown(&with(Some(bare))), @r"
    2573.8 operations/sec  2343.8 metadata operations/sec
    0 of 4000 checked outcomes differ from the trace
    37.16user 398.40system 11:57.77elapsed 60%CPU (0avgtext+0avgdata 7777maxresident)k
    3333inputs+44444outputs (11major+222minor)pagefaults 0swaps
    555 voluntary and 66 involuntary context switches
    reading counters took 71.234 ms of processor time
    Throughput 5.88569 MB/sec (NB=7.35711 MB/sec  58.8569 MBit/sec)
    ");
    assert_snapshot!(shown(&with(None)), @r"
    2573.8 operations/sec  2343.8 metadata operations/sec
    0 of 4000 checked outcomes differ from the trace
    no counters of the system were read
    Throughput 5.88569 MB/sec (NB=7.35711 MB/sec  58.8569 MBit/sec)
    ");
}

#[test]
fn time_has_hours_where_there_are_any_and_no_share_of_no_time() {
    let line = |elapsed| {
        let mut counters = counters();
        counters.usage.elapsed = elapsed;
        let text = shown(&with(Some(counters)));
        let line = text.lines().find(|line| line.contains("elapsed")).unwrap();
        line[..line.find(" (").unwrap()].to_owned()
    };
    assert_eq!(
        line(Duration::from_millis(59_999)),
        "37.16user 398.40system 0:59.99elapsed 725%CPU"
    );
    assert_eq!(
        line(Duration::from_millis(3_600_000)),
        "37.16user 398.40system 1:00:00elapsed 12%CPU"
    );
    assert_eq!(
        line(Duration::ZERO),
        "37.16user 398.40system 0:00.00elapsed ?%CPU"
    );
}

#[test]
fn many_processors_take_one_short_line() {
    let mut counters = counters();
    counters.processors_busy = (0..=100).map(|n| f64::from(n) / 100.0).collect();
    let text = shown(&with(Some(counters)));
    let line = text.lines().find(|line| line.starts_with("processors"));
    assert_eq!(
        line,
        Some("processors busy  least 0.0 %  mean 50.0 %  most 100.0 %")
    );
}

#[test]
fn counters_come_before_the_table_and_hold_no_word_that_programs_search_for() {
    for style in [Style::Dbench1, Style::Dbench4, Style::Dbench5] {
        let mut options = ReportOptions::new(style);
        let result = with(Some(counters()));
        let plain = summary(&result, &options);
        options.counters = true;
        let text = summary(&result, &options);
        let own: String = text
            .lines()
            .filter(|line| !plain.lines().any(|other| other == *line))
            .collect();
        assert!(own.contains("elapsed") && own.contains("pressure"), "{text}");
        for word in ["Throughput", "execute", "Operation", "completed in"] {
            assert!(!own.contains(word), "{word} in {own}");
        }
        if let Some(table) = text.find(" Operation ") {
            assert!(text.rfind("processor time").unwrap() < table, "{text}");
        }
        assert!(text.lines().last().unwrap().starts_with("Throughput "), "{text}");
    }
}

#[test]
fn programs_lines_have_no_counters_and_a_failed_run_has_them() {
    let mut options = ReportOptions::new(Style::Dbench5);
    options.machine_readable = true;
    let mut result = with(Some(counters()));
    let plain = summary(&result, &options);
    options.counters = true;
    assert_eq!(summary(&result, &options), plain);
    result.end = End::Failed("EIO".into());
    let text = shown(&result);
    assert!(text.contains("398.40system"), "{text}");
}
