//! Runs of real loadfiles: the folder that `RBENCH_CORPUS` names.

use crate::scratch::{Ran, Scratch};

/// A file of the folder; none, with a message, where there is no folder.
fn file(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("RBENCH_CORPUS") else {
        eprintln!("skipped: RBENCH_CORPUS is not set");
        return None;
    };
    let path = std::path::Path::new(&folder).join(name);
    Some(path.to_str().unwrap().to_owned())
}

fn run(name: &str, arguments: &[&str]) -> Option<Ran> {
    let path = file(name)?;
    let scratch = Scratch::in_memory();
    let ran = scratch.rbench(&[&["-c", &path], arguments].concat());
    scratch.assert_clean();
    Some(ran)
}

#[test]
fn the_real_1_x_file_counts_132_65_mb_for_each_of_several_clients() {
    let Some(ran) = run("dbench1-client.txt.gz", &["3", "--per-client-results"]) else {
        return;
    };
    let clients = ran.assert_well().per_client();
    assert_eq!(clients.len(), 3);
    for (bytes, _) in clients {
        assert!((132_645_000..132_655_000).contains(&bytes), "{bytes}");
    }
}

#[test]
fn of_nfs_load_exactly_the_locks_of_a_file_that_nothing_makes_differ() {
    for pace in [&["--time-scale", "0.05"][..], &["--ignore-timestamps"]] {
        let Some(ran) = run("dbench5-nfs.load", &[&["1"], pace].concat()) else {
            return;
        };
        ran.assert_code(1).assert_says("error: 3 of ");
        let lines = ran.mismatches();
        assert!(
            lines
                .iter()
                .all(|line| line.contains("shared/foo.dbench: expected success, got ENOENT"))
        );
        let has_lag = ran.stdout.contains("lag behind due times");
        assert_eq!(has_lag, pace.len() == 2, "{ran}");
    }
}

#[test]
fn the_other_nfs_loads_go_well_with_several_clients() {
    for name in ["dbench5-nfs_2.load", "dbench5-nfs_3.load"] {
        for clients in ["1", "4"] {
            let Some(ran) = run(name, &[clients]) else { return };
            ran.assert_well();
        }
    }
}

#[test]
fn a_load_of_ten_million_locks_that_all_differ_ends_with_its_time() {
    let Some(ran) = run("dbench5-nfs_lock.load", &["-t", "1", "2"]) else {
        return;
    };
    ran.assert_code(1)
        .assert_says("LOCK4 shared/foo.dbench: expected success, got ENOENT");
    assert_eq!(ran.mismatches().len(), 10);
    assert_eq!(ran.throughput(), 0.0);
}

#[test]
fn the_smb_loads_go_well_with_one_client() {
    for number in ["", "_1", "_2", "_3"] {
        let Some(ran) = run(&format!("dbench5-smb{number}.load"), &["1"]) else {
            return;
        };
        ran.assert_well();
    }
}

#[test]
fn traces_of_devices_are_refused_with_a_reason() {
    for name in ["dbench5-scsi.load", "dbench5-block1G4krw.load"] {
        let Some(ran) = run(name, &["1"]) else { return };
        ran.assert_refused("not a file-system trace");
    }
}
