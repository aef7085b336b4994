//! Whatever a file says of its cells, there is a table or an error, and a Markdown table is one.

use super::{failed, megabytes, operations};
use proptest::prelude::*;
use rbench::report::{Layout, SweepTable, TableForm, ratio};
use rbench::result::{Activity, AxisKind, Cell, Coordinate, RunResult};

const LAYOUTS: [Layout; 5] = [
    Layout::Grid,
    Layout::Tio,
    Layout::Iops,
    Layout::Affinity,
    Layout::Long,
];

fn axis() -> impl Strategy<Value = AxisKind> {
    prop_oneof![
        Just(AxisKind::Clients),
        Just(AxisKind::Load),
        Just(AxisKind::Directory),
        Just(AxisKind::Pin),
        prop_oneof!["block", "size", "[a|\n]{0,3}"].prop_map(AxisKind::Parameter),
        prop_oneof!["vm.dirty_ratio", "vm.dirty_background_ratio"].prop_map(AxisKind::Sysctl),
        Just(AxisKind::Sysfs("block/sda/queue/rq_affinity".into())),
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "seqrd|rndrd|seqwr|rndwr",
        "[0-9]{1,2}",
        "[1-9]{0,30}K",
        "[a|\\\\\n`<>*\u{1b}é]{0,6}",
        Just("Throughput 9 MB/sec".to_owned()),
    ]
}

/// Runs of one sweep, with any values at any numbers.
fn runs() -> impl Strategy<Value = Vec<RunResult>> {
    let runs = |axes: Vec<AxisKind>| {
        let run = (any::<u8>(), prop::collection::vec(value(), axes.len()), 0..3u8);
        let runs = prop::collection::vec(run, 1..8);
        (Just(axes), prop_oneof![0..30u32, any::<u32>()], runs)
    };
    let axes = prop::collection::vec(axis(), 0..4).prop_flat_map(runs);
    axes.prop_map(|(axes, cells, runs)| {
        let run = |(number, values, sort): (u8, Vec<String>, u8)| {
            let coordinates = axes.iter().cloned().zip(values);
            let mut result = match sort {
                0 => failed(),
                1 => operations(u64::from(number)),
                _ => megabytes(f64::from(number)),
            };
            result.info.run_number = number.into();
            result.info.cell = Some(Cell {
                sweep_started_at: "2026-01-02T03:00:00Z".parse().unwrap(),
                sweep_command: Vec::new(),
                sweep_directory: String::new(),
                number: number.into(),
                cells,
                coordinates: coordinates
                    .map(|(axis, value)| Coordinate { axis, value })
                    .collect(),
            });
            result
        };
        runs.into_iter().map(run).collect()
    })
}

/// How many cells a row of a Markdown table has (GFM 4.10).
fn bars(row: &str) -> usize {
    let mut count = 0;
    let mut escaped = false;
    for c in row.chars() {
        count += usize::from(c == '|' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    count
}

fn assert_is_markdown(text: &str) {
    let mut of_table = None;
    for line in text.lines() {
        assert!(!line.chars().any(char::is_control), "{text}");
        assert!(!line.contains("Throughput"), "{text}");
        let is_row = line.starts_with('|');
        let expected = *of_table.get_or_insert(bars(line));
        if is_row {
            assert_eq!(bars(line), expected, "{line:?} in\n{text}");
        } else {
            of_table = None;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_cells_give_tables_or_errors(base in runs(), candidate in runs()) {
        let tables = [&base, &candidate].map(|runs| {
            let mut table = SweepTable::new();
            for run in runs {
                prop_assert!(table.add(run));
            }
            Ok(table)
        });
        let [base, candidate] = tables;
        let (base, candidate) = (base?, candidate?);
        let suggested = base.text(None, TableForm::Markdown, Activity::Save);
        prop_assert!(suggested.is_ok(), "{:?}", suggested);
        for layout in LAYOUTS {
            for form in [TableForm::Markdown, TableForm::Csv] {
                let texts = [
                    base.text(Some(layout), form, Activity::Save),
                    ratio(&base, &base, Some(layout), form),
                    ratio(&base, &candidate, Some(layout), form),
                ];
                for text in texts.into_iter().flatten() {
                    match form {
                        TableForm::Markdown => assert_is_markdown(&text),
                        TableForm::Csv => {
                            let mut reader = csv::Reader::from_reader(text.as_bytes());
                            prop_assert!(reader.records().all(|record| record.is_ok()), "{}", text);
                        }
                    }
                }
            }
        }
    }
}
