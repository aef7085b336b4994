//! A directory that someone else removes during the run.

use super::site::{Site, wait_until};
use std::fs;

fn busy(end: &str) -> String {
    format!(
        "NTCreateX \"\\clients\\client1\\started\" 0x0 0x5 1 NT_STATUS_OK\nLOOP 20000\n\
         NTCreateX \"\\clients\\client1\\f\" 0x0 0x5 2 NT_STATUS_OK\nWriteX 2 0 100 100 NT_STATUS_OK\nClose 2 NT_STATUS_OK\n\
         FIND_FIRST \"\\clients\\client1\\*\" 1 10 1 NT_STATUS_OK\nENDLOOP\n{end}"
    )
}

#[test]
fn a_run_whose_clients_directory_is_removed_ends_by_itself_and_tells() {
    let site = Site::new();
    let run = site.start(busy(""), &["2"]);
    wait_until("both clients work", || {
        site.clients().join("client1/started").exists()
    });
    // Clients keep making files until their directories are gone.
    wait_until("clients is removed", || {
        fs::remove_dir_all(site.clients()).is_ok()
    });
    let ended = run.wait();
    ended.assert_code(1).assert_says(&["ENOENT"]);
    assert!(ended.stdout.contains("Throughput"), "{ended:?}");
    site.assert_nothing_left();
}

#[test]
fn a_run_whose_whole_directory_is_removed_ends_by_itself_and_tells() {
    let site = Site::new();
    let gone = site.dir().join("beside/gone");
    fs::create_dir(&gone).unwrap();
    let load = site.load(
        "busy.load",
        busy("Deltree \"\\clients\\client1\" NT_STATUS_OK\nMkdir \"\\x\" NT_STATUS_OK\n"),
    );
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rbench"));
    command
        .arg("-D")
        .arg(&gone)
        .arg("-c")
        .arg(load)
        .args(["2", "-t", "1", "--warmup", "0"]);
    let run = super::process::Running::start(&mut command);
    wait_until("both clients work", || {
        gone.join("clients/client1/started").exists()
    });
    wait_until("DIR is removed", || fs::remove_dir_all(&gone).is_ok());
    run.wait().assert_code(1).assert_says(&["ENOENT"]);
    assert!(!gone.exists());
}

#[test]
fn a_run_whose_clients_directory_is_replaced_leaves_the_new_one_alone() {
    let site = Site::new();
    let run = site.start(
        busy(""),
        &["2", "-t", "0.5", "--warmup", "0", "--on-mismatch", "ignore"],
    );
    wait_until("both clients work", || {
        site.clients().join("client1/started").exists()
    });
    let aside = site.dir().join("moved");
    fs::rename(site.clients(), &aside).unwrap();
    fs::create_dir_all(site.clients().join("client0")).unwrap();
    fs::write(site.clients().join("client0/thesis"), "precious").unwrap();
    run.wait();
    assert_eq!(
        fs::read(site.clients().join("client0/thesis")).unwrap(),
        b"precious"
    );
    // The run's own tree, wherever it is, was its own to empty.
    fs::remove_dir_all(&aside).unwrap();
    fs::remove_dir_all(site.clients()).unwrap();
    site.assert_nothing_left();
}
