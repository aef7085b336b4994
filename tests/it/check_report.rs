//! The forms of `rbench check`.

use insta::assert_snapshot;
use rbench::loadfile::{Dialect, Param, Problem};
use rbench::op::Kind;
use rbench::report::{CheckParam, CheckReport, CheckWarning, OperationCount};

fn client_txt() -> CheckReport {
    let count = |kind, count| OperationCount { kind, count };
    CheckReport {
        name: "client.txt".into(),
        dialect: Dialect::Nb3,
        lines: 458_344,
        operations: vec![
            count(Kind::NtCreateX, 79_230),
            count(Kind::QueryPathInformation, 71_814),
        ],
        bytes_read: 1_472_088_767,
        bytes_written: 1_015_974_170,
        expected_failures: 59_743,
        distinct_paths: 261,
        peak_handles: 23,
        disk_bytes_per_client: Some(27_000_000),
        inodes_per_client: Some(140),
        duration_seconds: Some(4.742382),
        params: vec![CheckParam::from(&Param {
            name: "files".into(),
            default: "100".into(),
            help: "how many files".into(),
            value: "200".into(),
            choices: Vec::new(),
        })],
        warnings: vec![CheckWarning::from(&Problem {
            line: 17,
            column: 5,
            what: "handle 7 is opened again without a close".into(),
            help: String::new(),
        })],
    }
}

#[test]
fn the_text_is_aligned_and_has_thousands_separators() {
    assert_snapshot!(client_txt().text(), @r"
    client.txt: nb3, 458,344 lines
      read                              1,472,088,767 bytes
      written                           1,015,974,170 bytes
      expected failures                        59,743
      distinct paths                              261
      open handles at most                         23
      disk space per client                27,000,000 bytes
      files and directories per client            140
      duration by its timestamps                4.742 s
    operations: 151,044
      NTCreateX               79,230
      QUERY_PATH_INFORMATION  71,814
    parameters:
      files = 200 (default 100): how many files
    warning: client.txt:17:5: handle 7 is opened again without a close
    ");
}

#[test]
fn what_the_loadfile_does_not_fix_is_absent_in_text_and_json() {
    let mut report = client_txt();
    report.disk_bytes_per_client = None;
    report.inodes_per_client = None;
    report.duration_seconds = None;
    report.params.clear();
    report.warnings = vec![CheckWarning::from(&Problem {
        line: 0,
        column: 0,
        what: "the last line has no newline".into(),
        help: String::new(),
    })];
    report.operations.clear();
    assert_snapshot!(report.text(), @r"
    client.txt: nb3, 458,344 lines
      read                  1,472,088,767 bytes
      written               1,015,974,170 bytes
      expected failures            59,743
      distinct paths                  261
      open handles at most             23
    operations: 0
    warning: client.txt: the last line has no newline
    ");
    assert_snapshot!(report.json().unwrap(), @r#"
    {
      "name": "client.txt",
      "dialect": "nb3",
      "lines": 458344,
      "operations": [],
      "bytes_read": 1472088767,
      "bytes_written": 1015974170,
      "expected_failures": 59743,
      "distinct_paths": 261,
      "peak_handles": 23,
      "params": [],
      "warnings": [
        {
          "what": "the last line has no newline"
        }
      ]
    }
    "#);
}

#[test]
fn the_json_has_every_figure_under_a_name_with_its_unit() {
    let json: serde_json::Value = serde_json::from_str(&client_txt().json().unwrap()).unwrap();
    let expected = serde_json::json!({
        "name": "client.txt",
        "dialect": "nb3",
        "lines": 458_344,
        "operations": [
            {"kind": "NTCreateX", "count": 79_230},
            {"kind": "QUERY_PATH_INFORMATION", "count": 71_814},
        ],
        "bytes_read": 1_472_088_767,
        "bytes_written": 1_015_974_170,
        "expected_failures": 59_743,
        "distinct_paths": 261,
        "peak_handles": 23,
        "disk_bytes_per_client": 27_000_000,
        "inodes_per_client": 140,
        "duration_seconds": 4.742382,
        "params": [{"name": "files", "default": "100", "value": "200", "help": "how many files"}],
        "warnings": [{"line": 17, "column": 5, "what": "handle 7 is opened again without a close"}],
    });
    assert_eq!(json, expected);
}

#[test]
fn a_hostile_name_cannot_steer_the_terminal() {
    let mut report = client_txt();
    report.name = "a\x1b]0;b\nc".into();
    report.params[0].help = "\x07".into();
    report.warnings[0].what = "\x1b[31m".into();
    let text = report.text();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}
