//! File systems that are full, read-only or not there, and limits of the process.

use super::process::Running;
use super::site::{Site, describe};
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::geteuid;
use std::cell::RefCell;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SHORT: &str = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";

/// A user that owns nothing.
const NOBODY: u32 = 65534;

/// A file system that is unmounted whatever happens.
struct Mount {
    path: PathBuf,
}

impl Mount {
    fn tmpfs(path: &Path, options: &str) -> Mount {
        succeeds(
            Command::new("mount")
                .args(["-t", "tmpfs", "-o", options, "rbench-test"])
                .arg(path),
        );
        Mount {
            path: path.to_owned(),
        }
    }

    fn make_read_only(&self) {
        succeeds(Command::new("mount").args(["-o", "remount,ro"]).arg(&self.path));
    }
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily, so that a process which a failed test left cannot hold it. Unmounted already is as good.
        let _ = Command::new("umount").arg("-l").arg(&self.path).status();
    }
}

/// A site whose DIR is a small file system; None, with a message, where that cannot be made. The mount goes first.
fn small(options: &str) -> Option<(Mount, Site)> {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can mount a small file system");
        return None;
    }
    let mounted = RefCell::new(None);
    let site = Site::with(|dir| *mounted.borrow_mut() = Some(Mount::tmpfs(dir, options)));
    mounted.into_inner().map(|mount| (mount, site))
}

/// A hundred files of 1 MiB.
fn large() -> String {
    let files = (0..100).map(|n| {
        format!("NTCreateX \"\\clients\\client1\\f{n}\" 0x0 0x2 1 NT_STATUS_OK\nWriteX 1 0 1048576 1048576 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n")
    });
    files.collect()
}

fn many() -> String {
    let files = (0..100).map(|n| {
        format!("NTCreateX \"\\clients\\client1\\f{n}\" 0x0 0x2 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n")
    });
    files.collect()
}

#[test]
fn a_load_that_does_not_fit_is_refused_with_the_figures() {
    let Some((_mount, site)) = small("size=64m") else {
        return;
    };
    site.run(large(), &["2"])
        .assert_code(1)
        .assert_says(&["209.7 MB", "are free", "--no-space-check"]);
    site.assert_nothing_left();
}

#[test]
fn a_file_system_that_fills_up_stops_the_run_which_says_where_and_cleans_up() {
    let Some((_mount, site)) = small("size=64m") else {
        return;
    };
    let ended = site.run(large(), &["2", "--no-space-check"]);
    ended.assert_code(1).assert_says(&["ENOSPC", "test.load:"]);
    site.assert_nothing_left();
}

#[test]
fn inodes_that_do_not_suffice_are_refused_and_running_out_of_them_stops_the_run() {
    let Some((_mount, site)) = small("size=64m,nr_inodes=150") else {
        return;
    };
    site.run(many(), &["2"])
        .assert_code(1)
        .assert_says(&["inodes", "are free", "--no-space-check"]);
    site.assert_nothing_left();
    site.run(many(), &["2", "--no-space-check"])
        .assert_code(1)
        .assert_says(&["ENOSPC", "test.load:"]);
    site.assert_nothing_left();
}

#[test]
fn a_directory_that_cannot_be_prepared_for_want_of_inodes_is_not_left_behind() {
    for spare in 0..6 {
        if !geteuid().is_root() {
            eprintln!("skipped: only root can mount a small file system");
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let mount = Mount::tmpfs(root.path(), &format!("nr_inodes={}", spare + 1));
        let load = tempfile::NamedTempFile::new().unwrap();
        fs::write(load.path(), SHORT).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rbench"));
        let command = command
            .arg("-D")
            .arg(root.path())
            .arg("-c")
            .arg(load.path())
            .arg("2");
        Running::start(command).wait().assert_code(1);
        assert_eq!(
            fs::read_dir(root.path()).unwrap().count(),
            0,
            "left with {spare} inodes"
        );
        drop(mount);
    }
}

#[test]
fn an_error_is_told_once() {
    let site = Site::new();
    fs::write(site.clients(), "a file").unwrap();
    let ended = site.run(SHORT, &["1"]);
    ended.assert_code(1);
    assert_eq!(ended.stderr.matches("is a file").count(), 1, "{ended:?}");
    assert_eq!(ended.stdout, "");
}

#[test]
fn a_read_only_file_system_is_named_with_the_reason() {
    let Some((mount, site)) = small("size=1m") else {
        return;
    };
    mount.make_read_only();
    let path = site.clients().display().to_string();
    site.run(SHORT, &["1"])
        .assert_code(1)
        .assert_says(&[&path, "Read-only file system"]);
    site.assert_nothing_left();
}

/// As a user that owns nothing, if this is root.
fn unprivileged(command: &mut Command) -> &mut Command {
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// The program where any user can execute it.
fn program_for_all(site: &Site) -> PathBuf {
    let path = site.dir().parent().unwrap().join("loads/rbench");
    // By another process: a descriptor of ours that is open for writing would be in the children of other tests for a
    // moment, and a program that is open for writing cannot be executed.
    let copied = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_rbench"))
        .arg(&path)
        .status();
    assert!(copied.unwrap().success());
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_directory_without_write_permission_is_named_with_the_reason() {
    let site = Site::new();
    let program = program_for_all(&site);
    let (load, locked) = (site.load("short.load", SHORT), site.dir().join("beside"));
    fs::set_permissions(&locked, Permissions::from_mode(0o555)).unwrap();
    let before = describe(&locked);
    let mut command = Command::new(program);
    command.arg("-D").arg(&locked).arg("-c").arg(load).arg("1");
    let ended = Running::start(unprivileged(&mut command)).wait();
    let path = locked.display().to_string();
    ended.assert_code(1).assert_says(&[&path, "Permission denied"]);
    assert_eq!(describe(&locked), before);
    assert!(!locked.join("clients").exists());
}

#[test]
fn a_missing_directory_and_a_file_in_its_place_are_named_with_the_reason() {
    let site = Site::new();
    let load = site.load("short.load", SHORT);
    for (name, reason) in [
        ("missing", "No such file or directory"),
        ("file", "Not a directory"),
        ("file/x", "Not a directory"),
    ] {
        let path = site.dir().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_rbench"));
        command.arg("-D").arg(&path).arg("-c").arg(&load).arg("1");
        let ended = Running::start(&mut command).wait();
        ended
            .assert_code(1)
            .assert_says(&[path.to_str().unwrap(), reason]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_rbench"));
        let cleaned = Running::start(command.arg("clean").arg(&path)).wait();
        cleaned
            .assert_code(1)
            .assert_says(&[path.to_str().unwrap(), reason]);
        site.assert_nothing_left();
    }
}

/// Two hundred handles open at once.
fn handles() -> String {
    let open = (0..200).map(|n| format!("NTCreateX \"\\clients\\client1\\f{n}\" 0x0 0x2 {n} NT_STATUS_OK\n"));
    let write = (0..200).map(|n| format!("WriteX {n} 0 10 10 NT_STATUS_OK\n"));
    let close = (0..200).map(|n| format!("Close {n} NT_STATUS_OK\n"));
    open.chain(write).chain(close).collect()
}

/// rbench by an unprivileged user under limits of open files, in DIR (which all may write).
fn limited(site: &Site, soft: u32, hard: u32) -> super::process::Ended {
    let (program, load) = (program_for_all(site), site.load("handles.load", handles()));
    let mut command = Command::new("/bin/sh");
    // The soft limit first: it may not exceed the hard one.
    let script = format!("ulimit -S -n {soft} && ulimit -H -n {hard} && exec \"$0\" \"$@\"");
    command
        .arg("-c")
        .arg(script)
        .arg(program)
        .arg("-D")
        .arg(site.dir())
        .arg("-c")
        .arg(load)
        .arg("4");
    Running::start(unprivileged(&mut command)).wait()
}

#[test]
fn a_soft_limit_of_open_files_is_raised_as_far_as_the_load_needs() {
    let site = Site::new();
    limited(&site, 64, 1000).assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn a_hard_limit_of_open_files_that_is_too_low_is_told_with_both_numbers() {
    let site = Site::new();
    limited(&site, 64, 64)
        .assert_code(1)
        .assert_says(&["ulimit -n", "but 64 are allowed", "needs 2"]);
    site.assert_nothing_left();
}

#[test]
fn a_limit_on_the_size_of_files_is_an_outcome_and_the_run_cleans_up() {
    let site = Site::new();
    let load = format!(
        "{SHORT}NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\nWriteX 1 1000000 10 10 NT_STATUS_OK\n"
    );
    let run = site.command(load, &["1"]);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -f 100 && exec \"$0\" \"$@\""]);
    command.arg(run.get_program()).args(run.get_args());
    Running::start(&mut command)
        .wait()
        .assert_code(1)
        .assert_says(&["EFBIG"]);
    site.assert_nothing_left();
}

/// Ends a command that may start no threads.
fn without_threads(command: &mut Command) -> super::process::Ended {
    let none = || Ok(setrlimit(Resource::RLIMIT_NPROC, 1, 1)?);
    // SAFETY: setrlimit is a plain system call.
    unsafe { command.pre_exec(none) };
    Running::start(unprivileged(command)).wait()
}

#[test]
fn a_limit_on_threads_that_allows_none_is_told() {
    let site = Site::new();
    let (program, load) = (program_for_all(&site), site.load("short.load", SHORT));
    let mut command = Command::new(program);
    command.arg("-D").arg(site.dir()).arg("-c").arg(load).arg("1");
    without_threads(&mut command)
        .assert_code(1)
        .assert_says(&["threads cannot be started", "ulimit -u"]);
    site.assert_nothing_left();
}
