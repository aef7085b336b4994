//! Cells that ran on something else, or not at all; and the forms in which all is told.

use super::{Noise, add, checked, imported, nights};
use rbench::result::RunResult;

/// Runs on another disk's file system.
fn elsewhere(mut runs: Vec<RunResult>) -> Vec<RunResult> {
    for run in &mut runs {
        let identity = &mut run.environment.as_mut().unwrap().identity;
        identity
            .file_system
            .as_mut()
            .unwrap()
            .mount_options
            .push("data=journal".into());
    }
    runs
}

#[test]
fn a_night_on_something_else_is_not_judged_unless_that_is_forced() {
    let mut noise = Noise::new(5);
    let scratch = imported(&nights(&mut noise, 0..10, |_| 1.0));
    add(&scratch, &elsewhere(nights(&mut noise, 10..11, |_| 0.5)));
    let ran = checked(&scratch, &[]);
    ran.assert_code(4);
    assert!(
        ran.stdout
            .contains("2026-01-12 ran on something else than 2026-01-11: mount options"),
        "{ran}"
    );
    assert!(ran.stdout.contains("data=journal"), "{ran}");
    checked(&scratch, &["--force"]).assert_code(1);
    // From then on, it is another series.
    add(&scratch, &elsewhere(nights(&mut noise, 11..12, |_| 0.5)));
    let ran = checked(&scratch, &["--strict"]);
    ran.assert_code(3);
    assert!(
        ran.stdout.contains("nights up to 2026-01-11 are left out"),
        "{ran}"
    );
    assert!(ran.stdout.contains("(there are 1)"), "{ran}");
}

#[test]
fn a_cell_that_did_not_run_is_told_while_it_is_missed() {
    let mut noise = Noise::new(5);
    let mut other = nights(&mut noise, 0..6, |_| 1.0);
    for run in &mut other {
        run.clients = 4;
    }
    let scratch = imported(&other);
    add(&scratch, &nights(&mut noise, 0..9, |_| 1.0));
    let ran = checked(&scratch, &[]);
    ran.assert_code(0);
    let note =
        "client 4 clients on ext4: has no completed run of night 2026-01-10; its last is of 2026-01-07";
    assert!(ran.stdout.contains(note), "{ran}");
    add(&scratch, &nights(&mut noise, 29..30, |_| 1.0));
    assert!(!checked(&scratch, &[]).stdout.contains("has no completed run"));
}

#[test]
fn all_is_told_for_people_and_for_programs() {
    let scratch = imported(&nights(&mut Noise::new(11), 0..12, |_| 1.0));
    let form = |form: &str| {
        let ran = checked(&scratch, &["--form", form, "--gate", "throughput"]);
        ran.assert_code(0);
        ran.stdout
    };
    insta::assert_snapshot!(form("text"), @r"
    client 1 client on ext4
      metric      tonight       expected      interval (99 %)                    p  nights  verdict
      throughput  5.777 MB/sec  5.905 MB/sec  5.598 MB/sec to 6.229 MB/sec  0.2230      11  steady

    night 2026-01-13: nothing is worse in 1 gated series
    ");
    insta::assert_snapshot!(form("markdown"), @r"
    ### client 1 client on ext4

    | metric     |      tonight |     expected |              interval (99 %) |      p | nights | verdict |
    | ---------- | -----------: | -----------: | ---------------------------: | -----: | -----: | ------- |
    | throughput | 5.777 MB/sec | 5.905 MB/sec | 5.598 MB/sec to 6.229 MB/sec | 0.2230 |     11 | steady  |

    **night 2026-01-13: nothing is worse in 1 gated series**
    ");
    let csv = form("csv");
    assert_eq!(csv.lines().count(), 2);
    assert!(
        csv.starts_with("cell,machine,metric,gated,night,tonight,"),
        "{csv}"
    );
    let json: serde_json::Value = serde_json::from_str(&form("json")).unwrap();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["night"], "2026-01-13");
    assert_eq!(json["series"][0]["metric"], "throughput");
    assert_eq!(json["series"][0]["nights"].as_array().unwrap().len(), 12);
    assert_eq!(json["series"][0]["tonight"]["verdict"], "steady");
}
