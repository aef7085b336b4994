use super::*;
use crate::compare::property::differences;
use crate::result::{BlockDevice, Environment, FileSystem, RunInfo, RunOptions, RunResult};
use crate::warning::Warning;
use std::time::Duration;

fn result() -> RunResult {
    let mut result = RunResult::not_made(RunInfo::now(RunOptions::default()), 2, String::new());
    let mut environment = Environment::default();
    environment.identity.file_system = Some(FileSystem {
        kind: "tmpfs".into(),
        mount_options: vec!["relatime".into(), "rw".into()],
        super_options: vec!["size=1000000k".into(), "inode64".into()],
        ..FileSystem::default()
    });
    environment.identity.devices = vec![BlockDevice {
        name: "sda1".into(),
        kind: "partition".into(),
        size_bytes: Some(1 << 30),
        ..BlockDevice::default()
    }];
    result.environment = Some(environment);
    result
}

/// What must agree and does not, after a change.
fn changed(change: impl FnOnce(&mut RunResult)) -> Vec<String> {
    let (base, mut candidate) = (result(), result());
    change(&mut candidate);
    let [base, candidate] = [&base, &candidate].map(Observation::from);
    let found = differences(&[&base.identity], &[&candidate.identity]);
    found
        .into_iter()
        .map(|one| format!("{}: {}; {}", one.name, one.base, one.candidate))
        .collect()
}

fn file_system(result: &mut RunResult) -> &mut FileSystem {
    let environment = result.environment.as_mut().unwrap();
    environment.identity.file_system.as_mut().unwrap()
}

fn device(result: &mut RunResult) -> &mut BlockDevice {
    &mut result.environment.as_mut().unwrap().identity.devices[0]
}

#[test]
fn options_of_runs_must_agree_but_for_the_seed_and_what_becomes_of_the_files() {
    assert_eq!(
        changed(|run| run.info.options.time_limit = Some(Duration::from_secs(10))),
        ["time limit: none; 10 s"]
    );
    assert_eq!(
        changed(|run| run.info.options.warmup = Duration::from_millis(2500)),
        ["warm-up: 0 s; 2.5 s"]
    );
    assert_eq!(changed(|run| run.info.options.fsync = true), ["fsync: off; on"]);
    assert_eq!(changed(|run| run.clients = 4), ["clients: 2; 4"]);
    let untouched = changed(|run| {
        run.info.options.seed = 7;
        run.info.options.skip_cleanup = true;
        run.info.label = Some("new".into());
    });
    assert_eq!(untouched, [] as [String; 0]);
}

#[test]
fn a_device_is_the_same_under_another_name_and_another_with_another_size() {
    assert_eq!(changed(|run| device(run).name = "sdb1".into()), [] as [String; 0]);
    assert_eq!(
        changed(|run| device(run).size_bytes = Some(1 << 31)),
        ["devices: partition of 1G; partition of 2G"]
    );
}

#[test]
fn mount_options_must_agree_and_sizes_of_tmpfs_to_a_percent() {
    assert_eq!(
        changed(|run| file_system(run).mount_options[0] = "noatime".into()),
        ["mount options: relatime; noatime"]
    );
    assert_eq!(
        changed(|run| file_system(run).super_options[0] = "size=1001000k".into()),
        [] as [String; 0]
    );
    assert_eq!(
        changed(|run| file_system(run).super_options[0] = "size=2000000k".into()),
        ["mount option size: 1024000000; 2048000000"]
    );
    assert_eq!(
        changed(|run| file_system(run).super_options = vec!["inode64".into()]),
        ["mount option size: 1024000000; not given"]
    );
    assert_eq!(
        changed(|run| file_system(run).super_options[1] = "size=lots".into()),
        ["mount options of the super block: inode64; size=lots"]
    );
}

#[test]
fn a_run_without_an_environment_knows_no_file_system() {
    assert_eq!(changed(|run| run.environment = None), [] as [String; 0]);
}

#[test]
fn a_run_that_failed_has_no_figures_and_warnings_have_their_stored_names() {
    let mut failed = result();
    failed.warnings = vec![
        Warning::NearlyFull { fill_level: 0.95 },
        Warning::Unknown {
            kind: "later".into(),
            text: "?".into(),
        },
    ];
    let observation = Observation::from(&failed);
    assert_eq!(observation.figures, []);
    assert_eq!(observation.warnings, ["later", "nearly_full"]);
}
