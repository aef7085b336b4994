//! The run's directory: whose it is, what is refused, what is removed.

use nix::errno::Errno;
use nix::unistd::geteuid;
use rbench::replay::home::{CleanOutcome, Home, HomeError, HomeOptions, clean};
use rbench::result::Warning;
use std::fs::{self, File, Permissions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// DIR, beside something that must stay as it is.
struct Scratch {
    root: TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("dir")).unwrap();
        fs::create_dir_all(root.path().join("outside/sub")).unwrap();
        fs::write(root.path().join("outside/sub/precious"), "kept").unwrap();
        Scratch { root }
    }

    fn dir(&self) -> PathBuf {
        self.root.path().join("dir")
    }

    fn clients(&self) -> PathBuf {
        self.dir().join("clients")
    }

    fn outside(&self) -> PathBuf {
        self.root.path().join("outside")
    }

    fn prepare(&self, clients: u32) -> Result<(Home, Vec<Warning>), HomeError> {
        Home::prepare(&self.dir(), clients, &options())
    }

    /// A run that ends well with --skip-cleanup.
    fn keep(&self, clients: u32) {
        let (mut home, _) = self.prepare(clients).unwrap();
        home.mark_kept().unwrap();
    }

    /// What a run leaves that is killed.
    fn kill(&self, clients: u32) {
        drop(self.prepare(clients).unwrap());
        fs::write(self.clients().join("client0/data"), "left").unwrap();
    }

    fn refused(&self) -> HomeError {
        let before = listing(&self.dir());
        let error = self.prepare(1).unwrap_err();
        assert_eq!(clean(&self.dir()).unwrap_err(), error);
        assert_eq!(listing(&self.dir()), before, "a refusal has changed something");
        self.assert_outside_intact();
        error
    }

    fn assert_outside_intact(&self) {
        assert_eq!(fs::read(self.outside().join("sub/precious")).unwrap(), b"kept");
        assert_eq!(listing(&self.outside()).len(), 2);
    }
}

fn options() -> HomeOptions<'static> {
    HomeOptions {
        command: "rbench 2 -t 60".into(),
        shared_subdirs: vec!["clients".into()],
        stop: None,
    }
}

fn remove(home: Home) -> Vec<Warning> {
    home.remove(&AtomicBool::new(false))
}

/// Paths, modes and inodes below a directory.
fn listing(directory: &Path) -> Vec<(PathBuf, u32, u64)> {
    let entries = walkdir::WalkDir::new(directory).min_depth(1).sort_by_file_name();
    let describe = |entry: walkdir::DirEntry| {
        let metadata = fs::symlink_metadata(entry.path()).unwrap();
        (entry.into_path(), metadata.mode(), metadata.ino())
    };
    entries
        .into_iter()
        .map(|entry| describe(entry.unwrap()))
        .collect()
}

/// The file that an open descriptor leads to, as (device, inode).
fn inode(descriptor: OwnedFd) -> (u64, u64) {
    let metadata = File::from(descriptor).metadata().unwrap();
    (metadata.dev(), metadata.ino())
}

#[test]
fn a_run_finds_its_directories_and_leaves_nothing() {
    let scratch = Scratch::new();
    let (home, warnings) = scratch.prepare(20).unwrap();
    assert_eq!(warnings, []);
    assert!(!home.is_kept() && !home.holds_symlinks());
    for client in 0..20 {
        let path = scratch.clients().join(format!("client{client}"));
        let metadata = fs::metadata(path).unwrap();
        assert_eq!(metadata.mode() & 0o7777, 0o700);
        let opened = inode(home.client_root(client).unwrap());
        assert_eq!(opened, (metadata.dev(), metadata.ino()));
    }
    assert_eq!(home.client_root(20).unwrap_err(), Errno::ENOENT);
    assert_eq!(fs::metadata(scratch.clients()).unwrap().mode() & 0o7777, 0o700);
    assert!(scratch.clients().join("shared/clients").is_dir());
    home.shared_root().unwrap();
    fs::create_dir_all(scratch.clients().join("client7/a/b")).unwrap();
    fs::write(scratch.clients().join("client7/a/b/file"), "data").unwrap();
    fs::write(scratch.clients().join("shared/file"), "data").unwrap();
    assert_eq!(remove(home), []);
    assert_eq!(listing(&scratch.dir()), []);
}

#[test]
fn a_directory_that_cannot_be_used_is_named_with_the_reason_and_a_remedy() {
    let scratch = Scratch::new();
    fs::write(scratch.root.path().join("file"), "").unwrap();
    for (name, reason) in [
        ("missing", "No such file or directory: make it first"),
        ("file", "Not a directory: give a directory"),
    ] {
        let path = scratch.root.path().join(name);
        let error = Home::prepare(&path, 1, &options()).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(reason) && text.contains(path.to_str().unwrap()),
            "{text}"
        );
        assert!(clean(&path).is_err());
    }
    // /proc refuses new directories to root too.
    let error = Home::prepare(Path::new("/proc/self"), 1, &options()).unwrap_err();
    assert!(
        matches!(error, HomeError::Call { doing: "make it", .. }),
        "{error}"
    );
}

#[test]
fn a_link_given_as_dir_is_followed() {
    let scratch = Scratch::new();
    symlink("dir", scratch.root.path().join("link")).unwrap();
    let (home, _) = Home::prepare(&scratch.root.path().join("link"), 1, &options()).unwrap();
    assert!(scratch.clients().join("client0").is_dir());
    assert_eq!(remove(home), []);
}

#[test]
fn clients_that_is_no_directory_is_refused() {
    let scratch = Scratch::new();
    symlink(scratch.outside(), scratch.clients()).unwrap();
    let error = scratch.refused();
    assert!(
        matches!(
            error,
            HomeError::NotADirectory {
                what: "a symbolic link",
                ..
            }
        ),
        "{error}"
    );
    fs::remove_file(scratch.clients()).unwrap();
    fs::write(scratch.clients(), "").unwrap();
    let error = scratch.refused();
    assert!(
        matches!(error, HomeError::NotADirectory { what: "a file", .. }),
        "{error}"
    );
}

#[test]
fn clients_without_a_marker_is_refused_unless_it_is_empty() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.clients()).unwrap();
    fs::set_permissions(scratch.clients(), Permissions::from_mode(0o700)).unwrap();
    fs::write(scratch.clients().join("thesis"), "years of work").unwrap();
    let error = scratch.refused();
    assert!(
        matches!(&error, HomeError::NoMarker { found, .. } if found.contains("thesis")),
        "{error}"
    );
    fs::remove_file(scratch.clients().join("thesis")).unwrap();
    let (home, warnings) = scratch.prepare(1).unwrap();
    assert_eq!((warnings, home.is_kept()), (vec![], false));
    assert_eq!(remove(home), []);
    assert!(!scratch.clients().exists());
}

#[test]
fn a_kill_before_the_marker_had_its_name_is_no_obstacle() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.clients()).unwrap();
    fs::set_permissions(scratch.clients(), Permissions::from_mode(0o700)).unwrap();
    fs::write(scratch.clients().join(".rbench.new.1234.0"), "rbench mar").unwrap();
    let (home, _) = scratch.prepare(1).unwrap();
    assert_eq!(remove(home), []);
    assert_eq!(listing(&scratch.dir()), []);
}

#[test]
fn clients_that_others_can_write_is_refused() {
    for mode in [0o770, 0o702, 0o1777] {
        let scratch = Scratch::new();
        scratch.keep(1);
        fs::set_permissions(scratch.clients(), Permissions::from_mode(mode)).unwrap();
        let error = scratch.refused();
        assert!(
            matches!(error, HomeError::WritableByOthers { mode: m, .. } if m == mode),
            "{error}"
        );
    }
}

#[test]
fn clients_and_markers_of_other_users_are_refused() {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can make a directory that belongs to another user");
        return;
    }
    let scratch = Scratch::new();
    scratch.keep(1);
    chown(scratch.clients().join(".rbench"), Some(12345), None).unwrap();
    assert!(matches!(scratch.refused(), HomeError::BadMarker { .. }));
    chown(scratch.clients(), Some(12345), None).unwrap();
    let error = scratch.refused();
    assert!(
        matches!(
            error,
            HomeError::ForeignOwner {
                uid: 12345,
                ours: 0,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_marker_that_is_not_rbenchs_is_refused() {
    let scratch = Scratch::new();
    scratch.keep(1);
    let path = scratch.clients().join(".rbench");
    let whole = fs::read(&path).unwrap();
    for text in [&b""[..], &whole[..whole.len() - 1], b"notes", &[0xff; 10_000]] {
        fs::write(&path, text).unwrap();
        assert!(matches!(scratch.refused(), HomeError::BadMarker { .. }));
    }
    fs::remove_file(&path).unwrap();
    // The target would do, were it followed.
    fs::write(scratch.root.path().join("marker"), &whole).unwrap();
    symlink(scratch.root.path().join("marker"), &path).unwrap();
    let error = scratch.refused();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    fs::remove_file(&path).unwrap();
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(matches!(scratch.refused(), HomeError::BadMarker { .. }));
}

#[test]
fn a_tree_in_use_is_refused_and_the_pid_is_named() {
    let scratch = Scratch::new();
    let (mut home, _) = scratch.prepare(1).unwrap();
    let error = scratch.refused();
    let pid = std::process::id();
    assert!(
        matches!(error, HomeError::Locked { pid: Some(p), .. } if p == pid),
        "{error}"
    );
    assert!(error.to_string().contains(&pid.to_string()), "{error}");
    // The lock goes over to the marker that says `kept`.
    home.mark_kept().unwrap();
    assert!(matches!(scratch.refused(), HomeError::Locked { .. }));
    drop(home);
    assert!(scratch.prepare(1).unwrap().0.is_kept());
}

#[test]
fn what_a_killed_run_left_is_removed_first() {
    let scratch = Scratch::new();
    scratch.kill(3);
    let (home, warnings) = scratch.prepare(2).unwrap();
    let pid = Some(std::process::id());
    assert_eq!(warnings, [Warning::RemovedLeftovers { pid }]);
    assert!(!home.is_kept());
    assert!(!scratch.clients().join("client0/data").exists());
    assert!(!scratch.clients().join("client2").exists());
    assert_eq!(remove(home), []);
    assert_eq!(listing(&scratch.dir()), []);
}

#[test]
fn a_kept_tree_is_used_as_it_is_and_counts_as_killed_until_it_is_kept_again() {
    let scratch = Scratch::new();
    scratch.keep(2);
    fs::write(scratch.clients().join("client1/data"), "for the next run").unwrap();
    let (home, warnings) = scratch.prepare(3).unwrap();
    assert_eq!(warnings, []);
    assert!(home.is_kept() && !home.holds_symlinks());
    assert!(scratch.clients().join("client1/data").exists());
    assert!(scratch.clients().join("client2").is_dir());
    drop(home);
    let (home, warnings) = scratch.prepare(3).unwrap();
    assert!(matches!(warnings[..], [Warning::RemovedLeftovers { .. }]));
    assert!(!scratch.clients().join("client1/data").exists());
    assert_eq!(remove(home), []);
}

#[test]
fn a_kept_tree_with_a_link_anywhere_says_so() {
    let scratch = Scratch::new();
    scratch.keep(1);
    fs::create_dir_all(scratch.clients().join("client0/a/b")).unwrap();
    symlink(scratch.outside(), scratch.clients().join("client0/a/b/link")).unwrap();
    let (home, _) = scratch.prepare(1).unwrap();
    assert!(home.holds_symlinks());
    assert_eq!(remove(home), []);
    scratch.assert_outside_intact();
}

#[test]
fn a_kept_tree_with_something_else_in_a_roots_place_is_refused_and_stays() {
    for name in ["client0", "shared", "shared/clients"] {
        let scratch = Scratch::new();
        scratch.keep(1);
        fs::write(scratch.clients().join("precious"), "data").unwrap();
        fs::remove_dir_all(scratch.clients().join(name)).unwrap();
        symlink(scratch.outside(), scratch.clients().join(name)).unwrap();
        let error = scratch.prepare(1).unwrap_err();
        assert!(
            matches!(
                error,
                HomeError::NotADirectory {
                    what: "a symbolic link",
                    ..
                }
            ),
            "{error}"
        );
        assert!(scratch.clients().join("precious").exists());
        assert!(matches!(clean(&scratch.dir()), Ok(CleanOutcome::Removed { .. })));
        assert_eq!(listing(&scratch.dir()), []);
        scratch.assert_outside_intact();
    }
}

#[test]
fn names_that_lead_elsewhere_are_no_shared_directories() {
    let scratch = Scratch::new();
    let long = "x".repeat(256);
    for name in ["", ".", "..", "a/b", "/", "a\0b", &long] {
        let options = HomeOptions {
            shared_subdirs: vec![name.into()],
            ..options()
        };
        Home::prepare(&scratch.dir(), 1, &options).unwrap_err();
        assert_eq!(listing(&scratch.dir()), []);
    }
}

#[test]
fn clean_removes_what_is_ours_and_says_when_there_is_nothing() {
    let scratch = Scratch::new();
    let path = scratch.clients();
    let nothing = clean(&scratch.dir()).unwrap();
    assert_eq!(nothing, CleanOutcome::Nothing { path: path.clone() });
    let removed = CleanOutcome::Removed {
        path,
        warnings: Vec::new(),
    };
    scratch.kill(2);
    assert_eq!(clean(&scratch.dir()).unwrap(), removed);
    scratch.keep(2);
    assert_eq!(clean(&scratch.dir()).unwrap(), removed);
    fs::create_dir(scratch.clients()).unwrap();
    fs::set_permissions(scratch.clients(), Permissions::from_mode(0o700)).unwrap();
    assert_eq!(clean(&scratch.dir()).unwrap(), removed);
    assert_eq!(listing(&scratch.dir()), []);
}

#[test]
fn a_removal_that_is_stopped_leaves_a_tree_that_clean_removes() {
    let scratch = Scratch::new();
    let (home, _) = scratch.prepare(2).unwrap();
    let warnings = home.remove(&AtomicBool::new(true));
    assert!(matches!(&warnings[..], [Warning::CleanupIncomplete { names }] if names.len() == 1));
    assert!(scratch.clients().join("client1").exists());
    clean(&scratch.dir()).unwrap();
    assert_eq!(listing(&scratch.dir()), []);
}

#[test]
fn preparing_that_is_stopped_leaves_what_a_killed_run_leaves() {
    let scratch = Scratch::new();
    scratch.kill(2);
    let stop = AtomicBool::new(true);
    let options = HomeOptions {
        stop: Some(&stop),
        ..options()
    };
    let error = Home::prepare(&scratch.dir(), 2, &options).unwrap_err();
    assert!(matches!(error, HomeError::Interrupted { .. }), "{error}");
    clean(&scratch.dir()).unwrap();
    assert_eq!(listing(&scratch.dir()), []);
}

#[test]
fn clients_that_was_replaced_during_the_run_is_not_touched() {
    let scratch = Scratch::new();
    let (home, _) = scratch.prepare(2).unwrap();
    let elsewhere = scratch.dir().join("elsewhere");
    fs::rename(scratch.clients(), &elsewhere).unwrap();
    symlink(scratch.outside(), scratch.clients()).unwrap();
    home.client_root(1).unwrap();
    let warnings = remove(home);
    assert!(matches!(warnings[..], [Warning::CleanupIncomplete { .. }]));
    assert_eq!(listing(&elsewhere), []);
    scratch.assert_outside_intact();
    // An empty directory that is not ours stays, too.
    fs::remove_file(scratch.clients()).unwrap();
    let (home, _) = scratch.prepare(1).unwrap();
    fs::rename(scratch.clients(), scratch.dir().join("again")).unwrap();
    fs::create_dir(scratch.clients()).unwrap();
    assert_eq!(remove(home).len(), 1);
    assert!(scratch.clients().is_dir());
}

#[test]
fn clients_that_someone_else_removed_is_no_error() {
    let scratch = Scratch::new();
    let (home, _) = scratch.prepare(2).unwrap();
    fs::remove_dir_all(scratch.clients()).unwrap();
    assert_eq!(remove(home), []);
}

#[test]
fn a_root_that_was_replaced_by_a_link_is_not_followed() {
    let scratch = Scratch::new();
    let (home, _) = scratch.prepare(2).unwrap();
    for name in ["client0", "shared"] {
        fs::rename(scratch.clients().join(name), scratch.dir().join(name)).unwrap();
        symlink(scratch.outside(), scratch.clients().join(name)).unwrap();
    }
    assert_eq!(home.client_root(0).unwrap_err(), Errno::ENOTDIR);
    assert_eq!(home.shared_root().unwrap_err(), Errno::ENOTDIR);
    assert_eq!(remove(home), []);
    scratch.assert_outside_intact();
}

#[test]
fn of_runs_that_start_at_the_same_moment_exactly_one_goes_on() {
    for kept in [false, true] {
        for _ in 0..30 {
            let scratch = Scratch::new();
            if kept {
                scratch.keep(1);
            }
            let start = Barrier::new(4);
            let results: Vec<_> = std::thread::scope(|scope| {
                let run = || {
                    start.wait();
                    scratch.prepare(3)
                };
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
            assert_eq!(won.len(), 1, "{lost:?}");
            for error in lost {
                assert!(matches!(error, Err(HomeError::Locked { .. })), "{error:?}");
            }
            let (home, warnings) = won.into_iter().next().unwrap().unwrap();
            assert_eq!((warnings, home.is_kept()), (vec![], kept));
            assert_eq!(remove(home), []);
            assert_eq!(listing(&scratch.dir()), []);
        }
    }
}

#[test]
fn runs_that_follow_each_other_closely_never_share_a_tree() {
    let scratch = Scratch::new();
    let inside = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let end = Instant::now() + Duration::from_secs(1);
                while Instant::now() < end {
                    match scratch.prepare(2) {
                        Ok((home, warnings)) => {
                            assert!(!inside.swap(true, Relaxed), "two runs at once");
                            assert_eq!(warnings, []);
                            home.client_root(1).unwrap();
                            inside.store(false, Relaxed);
                            assert_eq!(remove(home), []);
                        }
                        Err(HomeError::Locked { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    assert_eq!(listing(&scratch.dir()), []);
}

#[test]
fn clients_that_keeps_changing_into_a_link_leads_nowhere() {
    let scratch = Scratch::new();
    let stop = AtomicBool::new(false);
    symlink("../outside", scratch.dir().join("spare")).unwrap();
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let dir = File::open(scratch.dir()).unwrap();
            let exchange = nix::fcntl::RenameFlags::RENAME_EXCHANGE;
            while !stop.load(Relaxed) {
                let _ = nix::fcntl::renameat2(&dir, "clients", &dir, "spare", exchange);
            }
        });
        let end = Instant::now() + Duration::from_secs(1);
        let mut prepared = 0;
        while Instant::now() < end && prepared < 1000 {
            if let Ok((home, _)) = scratch.prepare(2) {
                prepared += 1;
                home.remove(&AtomicBool::new(false));
            }
        }
        stop.store(true, Relaxed);
        swapper.join().unwrap();
        assert!(prepared > 0);
    });
    scratch.assert_outside_intact();
}
