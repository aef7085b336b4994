//! How a comparison looks.

use super::{compared, runs};
use serde_json::Value;

#[test]
fn for_people_it_is_a_table_of_what_decides_and_what_has_changed() {
    let ran = compared(&runs(0, 1.0), &runs(30, 0.9), &[]);
    insta::assert_snapshot!(ran.stdout, @"
    base       old.jsonl: 10 runs, 2026-01-02 03:04 to 03:13 UTC
    candidate  new.jsonl: 10 runs, 2026-01-02 03:04 to 03:13 UTC

    client 1 client on ext4
      gated metric   base              candidate         change                        p  adjusted p      n  verdict
      throughput     100.2 MB/sec ±2%  90.22 MB/sec ±2%  -10.0% [-11.8%, -8.2%]  <0.0001     <0.0001  10+10  regressed
      operations     2574 ops/sec ±0%  2574 ops/sec ±0%  +0.0% [+0.0%, +0.0%]     1.0000      1.0000  10+10  unchanged
      p99:NTCreateX  1.982 ms ±0%      1.982 ms ±0%      +0.0% [+0.0%, +0.0%]     1.0000      1.0000  10+10  unchanged
      p99:WriteX     0.7946 ms ±0%     0.7946 ms ±0%     +0.0% [+0.0%, +0.0%]     1.0000      1.0000  10+10  unchanged

    12 other metrics without a significant change are left out: --all shows them
    regression in 1 of 4 gated metrics
    ");
}

#[test]
fn metrics_that_do_not_decide_stand_by_themselves() {
    let arguments = ["--all", "--ratio", "--gate", "throughput"];
    let ran = compared(&runs(0, 1.0), &runs(30, 1.1)[..4], &arguments);
    let start: String = ran
        .stdout
        .lines()
        .take(12)
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!(start, @"
    base       old.jsonl: 10 runs, 2026-01-02 03:04 to 03:13 UTC
    candidate  new.jsonl: 4 runs, 2026-01-02 03:04 to 03:07 UTC

    client 1 client on ext4
      gated metric         base              candidate     change                p  adjusted p     n  verdict
      throughput           100.2 MB/sec ±2%  110.6 MB/sec  1.103 [1.078, 1.133]  -           -  10+4  insufficient  (1)

      other metric         base              candidate     change                p  adjusted p     n  verdict
      operations           2574 ops/sec ±0%  2574 ops/sec  1.000 [1.000, 1.000]  -           -  10+4  insufficient  (1)
      metadata-operations  1838 ops/sec ±0%  1838 ops/sec  1.000 [1.000, 1.000]  -           -  10+4  insufficient  (1)
      p50                  2.000 ms ±0%      2.000 ms      1.000 [1.000, 1.000]  -           -  10+4  insufficient  (1)
      p95                  2.000 ms ±0%      2.000 ms      1.000 [1.000, 1.000]  -           -  10+4  insufficient  (1)
    ");
}

#[test]
fn in_markdown_it_is_a_table_for_each_cell() {
    let arguments = ["--form", "markdown", "--gate", "throughput"];
    let ran = compared(&runs(0, 1.0), &runs(1000, 0.9), &arguments);
    insta::assert_snapshot!(ran.stdout, @"
    - base: old.jsonl: 10 runs, 2026-01-02 03:04 to 03:13 UTC
    - candidate: new.jsonl: 10 runs, 2026-01-02 03:20 to 03:29 UTC

    ### client 1 client on ext4

    | metric     | gated |             base |        candidate |                 change |       p | adjusted p |     n | verdict   | notes |
    | ---------- | ----- | ---------------: | ---------------: | ---------------------: | ------: | ---------: | ----: | --------- | ----- |
    | throughput | yes   | 100.2 MB/sec ±2% | 90.22 MB/sec ±2% | -10.0% [-11.8%, -8.2%] | <0.0001 |    <0.0001 | 10+10 | regressed | 1     |

    15 other metrics without a significant change are left out: --all shows them

    1. all runs of old.jsonl came before those of new.jsonl: what drifts with time cannot be told from what was changed; let the two take turns (rbench ab; of kernels, by booting them in turns)

    **regression in 1 of 1 gated metric**
    ");
}

#[test]
fn csv_has_a_row_for_every_metric_with_all_digits() {
    let ran = compared(&runs(0, 1.0), &runs(30, 0.9), &["--form", "csv"]);
    ran.assert_code(1);
    let mut reader = csv::Reader::from_reader(ran.stdout.as_bytes());
    let header = reader.headers().unwrap().iter().collect::<Vec<_>>().join(",");
    assert_eq!(
        header,
        "cell,metric,unit,better,gated,paired,base_runs,base_median,base_spread,candidate_runs,candidate_median,\
         candidate_spread,scale,floor,estimate,estimate_low,estimate_high,p,adjusted_p,verdict,more_needed,notes"
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 16);
    let first: Vec<&str> = rows[0].iter().collect();
    assert_eq!(
        first[..8],
        [
            "client 1 client on ext4",
            "throughput",
            "bytes/s",
            "higher",
            "true",
            "false",
            "10",
            "100250000"
        ]
    );
    assert_eq!(first[19..], ["regressed", "0", ""]);
    let max = rows.iter().find(|row| &row[1] == "max").unwrap();
    assert_eq!(max.iter().skip(14).collect::<String>(), "", "never tested");
}

#[test]
fn json_has_all_there_is() {
    let ran = compared(
        &runs(0, 1.0),
        &runs(1000, 0.9),
        &["--form", "json", "--floor", "5%"],
    );
    ran.assert_code(1);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["schema_version"], 1);
    assert_eq!(told["floor"], 0.05);
    assert_eq!(told["base"]["name"], "old.jsonl");
    assert_eq!(told["rows"].as_array().unwrap().len(), 16);
    let row = &told["rows"][0];
    assert_eq!(row["metric"], "throughput");
    assert_eq!(row["base"]["values"].as_array().unwrap().len(), 10);
    assert_eq!(row["judgement"]["verdict"], "regressed");
    assert_eq!(told["notes"][0]["kind"], "drift");
    assert_eq!(row["notes"][0], 1);
    let read: rbench::compare::Comparison = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(read.rows.len(), 16);
}

#[test]
fn a_footnote_of_rows_that_are_left_out_is_left_out_and_the_others_are_numbered_without_it() {
    let mut new = runs(1000, 0.9);
    for run in &mut new[2..] {
        run.operations
            .retain(|operation| operation.kind != rbench::op::Kind::WriteX);
    }
    let told = |more: &[&str]| -> (Vec<String>, String) {
        let arguments = [&["--gate", "throughput"], more].concat();
        let ran = compared(&runs(0, 1.0), &new, &arguments);
        let listed =
            |line: &&str| line.starts_with('(') || line.starts_with("1. ") || line.starts_with("2. ");
        let row = ran.stdout.lines().find(|line| line.contains(" throughput "));
        (
            ran.stdout.lines().filter(listed).map(str::to_owned).collect(),
            row.unwrap_or_default().to_owned(),
        )
    };
    let (notes, row) = told(&[]);
    assert!(
        notes.len() == 1 && notes[0].starts_with("(1) all runs of"),
        "{notes:?}"
    );
    assert!(row.ends_with("(1)"), "{row}");
    let (notes, _) = told(&["--form", "markdown"]);
    assert!(
        notes.len() == 1 && notes[0].starts_with("1. all runs of"),
        "{notes:?}"
    );
    let (notes, row) = told(&["--all"]);
    assert_eq!(notes.len(), 2, "{notes:?}");
    let missing = "too few runs have this figure for a verdict: need at least 4 more of new.jsonl (--runs)";
    let number = notes.iter().find_map(|note| note.strip_suffix(missing));
    assert!(
        number.is_some_and(|number| !row.ends_with(number.trim())),
        "{notes:?} {row}"
    );
}
