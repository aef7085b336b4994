//! Whose `DIR/clients` is: runs side by side, and what is not ours.

use super::process::{Ended, Running};
use super::site::{Site, tree, wait_until};
use nix::sys::signal::Signal;
use nix::unistd::geteuid;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

const WAITS: &str = "NTCreateX \"\\clients\\client1\\started\" 0x0 0x5 1 NT_STATUS_OK\nWriteX 1 0 10 10 NT_STATUS_OK\nSLEEP 3600000000\nClose 1 NT_STATUS_OK\n";
const SHORT: &str = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";

fn started(site: &Site) -> bool {
    let file = fs::metadata(site.clients().join("client0/started"));
    file.is_ok_and(|file| file.len() == 10)
}

#[test]
fn a_second_run_in_a_directory_is_refused_with_the_pid_and_disturbs_nothing() {
    let site = Site::new();
    let first = site.start(WAITS, &["1"]);
    wait_until("the first run works", || started(&site));
    let before = tree(&site.clients());
    let pid = format!("pid {}", first.pid());
    let other = site.load("other.load", SHORT);
    Running::start(&mut site.command_of(&other, &["3"]))
        .wait()
        .assert_code(1)
        .assert_says(&[&pid, "in use"]);
    site.clean().assert_code(1).assert_says(&[&pid]);
    assert_eq!(tree(&site.clients()), before);
    site.assert_outside_intact();
    first.signal(Signal::SIGINT);
    first.wait().assert_code(130);
    site.assert_nothing_left();
}

#[test]
fn of_runs_started_at_the_same_moment_exactly_one_goes_on() {
    let site = Site::new();
    let load = site.load("waits.load", WAITS);
    for round in 0..12 {
        let mut runs: Vec<_> = (0..3)
            .map(|_| Running::start(&mut site.command_of(&load, &["1"])))
            .collect();
        wait_until("all but one are refused", || {
            runs.iter_mut()
                .filter_map(|run| run.has_ended().then_some(()))
                .count()
                == 2
        });
        wait_until("one has won", || started(&site));
        let (ended, mut at_work): (Vec<_>, Vec<_>) = runs
            .into_iter()
            .map(|mut run| (run.has_ended(), run))
            .partition(|(ended, _)| *ended);
        assert_eq!(at_work.len(), 1, "round {round}");
        for (_, loser) in ended {
            loser.wait().assert_code(1).assert_says(&["in use by"]);
        }
        let (_, winner) = at_work.remove(0);
        winner.signal(Signal::SIGINT);
        winner.wait().assert_code(130);
        site.assert_nothing_left();
    }
}

/// A run and `clean` both refuse what is there, say why, and leave it as it is.
fn is_refused(site: &Site, words: &[&str]) {
    let before = tree(&site.clients());
    let path = site.clients().display().to_string();
    let check = |ended: Ended| {
        ended.assert_code(1).assert_says(words).assert_says(&[&path]);
        assert_eq!(tree(&site.clients()), before, "touched");
    };
    check(site.run(SHORT, &["2"]));
    check(site.clean());
}

fn foreign_tree(top: &Path) {
    fs::create_dir_all(top.join("client0/sub")).unwrap();
    fs::write(top.join("client0/sub/thesis"), "precious").unwrap();
}

#[test]
fn a_foreign_clients_directory_is_refused_and_stays_as_it_is() {
    let site = Site::new();
    foreign_tree(&site.clients());
    is_refused(&site, &["was not made by rbench"]);
    fs::write(site.clients().join(".rbench"), "something else").unwrap();
    is_refused(&site, &[".rbench", "by hand"]);
}

#[test]
fn clients_that_is_a_link_or_a_file_is_refused_and_stays_as_it_is() {
    let site = Site::new();
    symlink(site.elsewhere(), site.clients()).unwrap();
    is_refused(&site, &["is a symbolic link"]);
    fs::remove_file(site.clients()).unwrap();
    symlink("nowhere", site.clients()).unwrap();
    is_refused(&site, &["is a symbolic link"]);
    fs::remove_file(site.clients()).unwrap();
    fs::write(site.clients(), "a file").unwrap();
    is_refused(&site, &["is a file"]);
}

#[test]
fn clients_that_others_may_write_is_refused_even_with_a_marker() {
    let site = Site::new();
    site.run(SHORT, &["1", "--skip-cleanup"]).assert_code(0);
    fs::set_permissions(site.clients(), Permissions::from_mode(0o777)).unwrap();
    is_refused(&site, &["can be written by others"]);
    fs::set_permissions(site.clients(), Permissions::from_mode(0o700)).unwrap();
    site.clean().assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn clients_of_another_user_is_refused_even_with_a_marker() {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can give a directory to another user");
        return;
    }
    let site = Site::new();
    foreign_tree(&site.clients());
    chown(site.clients(), Some(65534), Some(65534)).unwrap();
    is_refused(&site, &["belongs to user 65534"]);
    fs::remove_dir_all(site.clients()).unwrap();
    site.run(SHORT, &["1", "--skip-cleanup"]).assert_code(0);
    chown(site.clients().join(".rbench"), Some(65534), None).unwrap();
    is_refused(&site, &["belongs to another user"]);
}
