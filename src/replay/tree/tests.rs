use super::*;
use crate::replay::dirents;
use nix::fcntl::{OFlag, RenameFlags, openat, renameat2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{Uid, geteuid, gettid};
use std::ffi::{CString, OsStr};
use std::fs::{self, File, Permissions};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A tree to remove, and a directory beside it that must stay as it is.
struct Scratch {
    root: TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("tree")).unwrap();
        fs::create_dir_all(root.path().join("outside/sub")).unwrap();
        fs::write(root.path().join("outside/sub/precious"), "kept").unwrap();
        fs::write(root.path().join("outside/precious"), "kept").unwrap();
        Scratch { root }
    }

    fn tree(&self) -> PathBuf {
        self.root.path().join("tree")
    }

    fn outside(&self) -> PathBuf {
        self.root.path().join("outside")
    }

    fn open(&self, name: &str) -> OwnedFd {
        File::open(self.root.path().join(name)).unwrap().into()
    }

    fn empty(&self) -> nix::Result<()> {
        empty_directory(self.open("tree").as_fd(), &mut dirents::buffer(32 << 10))
    }

    fn assert_emptied(&self) {
        let left: Vec<_> = fs::read_dir(self.tree()).unwrap().collect();
        assert!(left.is_empty(), "left: {left:?}");
        self.assert_outside_intact();
    }

    fn assert_outside_intact(&self) {
        assert_eq!(fs::read(self.outside().join("precious")).unwrap(), b"kept");
        assert_eq!(fs::read(self.outside().join("sub/precious")).unwrap(), b"kept");
    }
}

/// Makes `levels` directories, each in the one before, with a file in each.
fn make_deep(directory: &Path, levels: u32) {
    let mut level: OwnedFd = File::open(directory).unwrap().into();
    for _ in 0..levels {
        mkdirat(&level, c"d", Mode::S_IRWXU).unwrap();
        level = openat(&level, c"d", OFlag::O_DIRECTORY, Mode::empty()).unwrap();
        openat(&level, c"f", OFlag::O_CREAT | OFlag::O_WRONLY, Mode::S_IRUSR).unwrap();
    }
}

/// Runs in a thread that is no longer root, if it was. The directory is given to that user first.
fn unprivileged(directory: &Path, run: impl FnOnce() + Send) {
    const NOBODY: u32 = 65534;
    let root = geteuid().is_root();
    if root {
        for entry in walkdir::WalkDir::new(directory) {
            chown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            if root {
                // SAFETY: takes numbers only; the raw call changes this thread alone, which ends soon.
                let changed = unsafe { libc::syscall(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) };
                assert_eq!(changed, 0);
                assert_eq!(geteuid(), Uid::from_raw(NOBODY));
            }
            run();
        });
    });
}

#[test]
fn everything_below_is_removed_and_the_directory_stays() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.tree().join("a/b/c")).unwrap();
    fs::create_dir_all(scratch.tree().join("empty")).unwrap();
    for file in ["x", "a/x", "a/b/x", "a/b/c/x"] {
        fs::write(scratch.tree().join(file), "data").unwrap();
    }
    nix::unistd::mkfifo(&scratch.tree().join("a/fifo"), Mode::S_IRWXU).unwrap();
    scratch.empty().unwrap();
    scratch.assert_emptied();
    scratch.empty().unwrap();
}

#[test]
fn one_entry_is_removed_whole_and_its_neighbours_stay() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.tree().join("gone/deeper")).unwrap();
    fs::write(scratch.tree().join("gone/deeper/file"), "data").unwrap();
    fs::write(scratch.tree().join("stays"), "data").unwrap();
    symlink(scratch.outside(), scratch.tree().join("link")).unwrap();
    let tree = scratch.open("tree");
    let mut buffer = dirents::buffer(0);
    let mut remover = TreeRemover::new();
    remover.remove(tree.as_fd(), c"gone", &mut buffer).unwrap();
    remover.remove(tree.as_fd(), c"link", &mut buffer).unwrap();
    assert_eq!(
        remover.remove(tree.as_fd(), c"gone", &mut buffer),
        Err(Errno::ENOENT)
    );
    assert!(!scratch.tree().join("gone").exists());
    assert!(scratch.tree().join("stays").exists());
    remover.remove(tree.as_fd(), c"stays", &mut buffer).unwrap();
    scratch.assert_emptied();
}

#[test]
fn symbolic_links_are_removed_and_never_followed() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.tree().join("a")).unwrap();
    for link in ["l", "a/l"] {
        symlink(scratch.outside(), scratch.tree().join(link)).unwrap();
        symlink(
            scratch.outside().join("precious"),
            scratch.tree().join(format!("{link}f")),
        )
        .unwrap();
    }
    symlink("..", scratch.tree().join("a/up")).unwrap();
    symlink("dangling", scratch.tree().join("a/dangling")).unwrap();
    symlink("/", scratch.tree().join("a/root")).unwrap();
    scratch.empty().unwrap();
    scratch.assert_emptied();
}

#[test]
fn names_of_any_bytes_are_removed() {
    let scratch = Scratch::new();
    for byte in (1..=255u8).filter(|&byte| byte != b'/' && byte != b'.') {
        let directory = scratch.tree().join(OsStr::from_bytes(&[byte]));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join(OsStr::from_bytes(&[byte; 255])), "data").unwrap();
    }
    for name in ["...", ". ", "..a", "-rf", "*"] {
        fs::create_dir_all(scratch.tree().join(name).join(name)).unwrap();
    }
    scratch.empty().unwrap();
    scratch.assert_emptied();
}

#[test]
fn a_tree_3000_levels_deep_needs_little_stack_and_few_descriptors() {
    let scratch = Scratch::new();
    make_deep(&scratch.tree(), 3000);
    let tree = scratch.open("tree");
    let done = AtomicBool::new(false);
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let remover = std::thread::Builder::new().stack_size(32 << 10);
        let remover = remover.spawn_scoped(scope, || {
            unshare(CloneFlags::CLONE_FILES).unwrap();
            send.send(gettid()).unwrap();
            let result = empty_directory(tree.as_fd(), &mut dirents::buffer(0));
            done.store(true, Relaxed);
            result
        });
        let table = format!("/proc/self/task/{}/fd", receive.recv().unwrap());
        let count = || fs::read_dir(&table).map_or(0, |table| table.count());
        let before = fs::read_dir("/proc/self/fd").unwrap().count();
        let mut most = 0;
        while !done.load(Relaxed) {
            most = most.max(count());
        }
        // Other tests had descriptors open when the table was copied; a chain of 3000 would stand out.
        assert!(
            most <= before + 100,
            "{most} descriptors at once, {before} without the removal"
        );
        remover.unwrap().join().unwrap().unwrap();
    });
    scratch.assert_emptied();
}

#[test]
fn a_hundred_thousand_entries_are_removed() {
    let scratch = Scratch::new();
    let tree = scratch.open("tree");
    for number in 0..100_000 {
        let name = CString::new(format!("file{number}")).unwrap();
        nix::sys::stat::mknodat(&tree, name.as_c_str(), SFlag::S_IFREG, Mode::S_IRUSR, 0).unwrap();
    }
    scratch.empty().unwrap();
    scratch.assert_emptied();
}

#[test]
fn thousands_of_directories_beside_each_other_are_removed_with_a_small_buffer() {
    let scratch = Scratch::new();
    for number in 0..3000 {
        let directory = scratch.tree().join(format!("directory-{number}"));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("file"), "data").unwrap();
    }
    empty_directory(scratch.open("tree").as_fd(), &mut dirents::buffer(0)).unwrap();
    scratch.assert_emptied();
}

#[test]
fn directories_of_ours_without_permissions_are_removed() {
    let scratch = Scratch::new();
    for (name, mode) in [
        ("none", 0o000),
        ("read", 0o400),
        ("write", 0o200),
        ("search", 0o100),
        ("no-write", 0o500),
    ] {
        fs::create_dir_all(scratch.tree().join(name).join("inner/deep")).unwrap();
        fs::write(scratch.tree().join(name).join("file"), "data").unwrap();
        fs::write(scratch.tree().join(name).join("inner/file"), "data").unwrap();
        fs::set_permissions(
            scratch.tree().join(name).join("inner"),
            Permissions::from_mode(mode),
        )
        .unwrap();
        fs::set_permissions(scratch.tree().join(name), Permissions::from_mode(mode)).unwrap();
    }
    unprivileged(scratch.root.path(), || scratch.empty().unwrap());
    scratch.assert_emptied();
}

#[test]
fn what_cannot_be_removed_is_named_and_the_rest_is_removed() {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can make a directory that belongs to another user");
        return;
    }
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.tree().join("a/foreign/b")).unwrap();
    fs::write(scratch.tree().join("a/file"), "data").unwrap();
    fs::write(scratch.tree().join("file"), "data").unwrap();
    unprivileged(scratch.root.path(), || {});
    for foreign in ["a/foreign", "a/foreign/b"] {
        chown(scratch.tree().join(foreign), Some(0), Some(0)).unwrap();
    }
    unprivileged(&scratch.outside(), || {
        let mut remover = TreeRemover::new();
        let tree = scratch.open("tree");
        let mut buffer = dirents::buffer(0);
        let result = remover.empty_directory(tree.as_fd(), &mut buffer);
        assert_eq!(result, Err(Errno::EACCES));
        let expected = Leftover {
            path: b"a/foreign/b".to_vec(),
            errno: Errno::EACCES,
        };
        assert_eq!((remover.leftovers(), remover.failed()), (&[expected][..], 1));
    });
    assert!(scratch.tree().join("a/foreign/b").exists());
    assert!(!scratch.tree().join("a/file").exists());
    assert!(!scratch.tree().join("file").exists());
}

#[test]
fn what_is_mounted_in_the_tree_is_not_entered() {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can mount");
        return;
    }
    for without_openat2 in [false, true] {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.tree().join("a/mounted")).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                if unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_FS).is_err() {
                    eprintln!("skipped: mount namespaces are not allowed here");
                    return;
                }
                let outside = CString::new(scratch.outside().as_os_str().as_bytes()).unwrap();
                let target = CString::new(scratch.tree().join("a/mounted").as_os_str().as_bytes()).unwrap();
                let mount = |source: &CString, target: &CString, flags| {
                    let none = std::ptr::null();
                    // SAFETY: the strings end in NUL and outlive the call; the other pointers may be null.
                    unsafe { libc::mount(source.as_ptr(), target.as_ptr(), none, flags, none.cast()) }
                };
                let root = c"/".to_owned();
                assert_eq!(mount(&root, &root, libc::MS_REC | libc::MS_PRIVATE), 0);
                assert_eq!(mount(&outside, &target, libc::MS_BIND), 0);
                assert!(scratch.tree().join("a/mounted/precious").exists());
                let mut remover = TreeRemover::new();
                remover.opener = Opener::for_kernel(without_openat2);
                let tree = scratch.open("tree");
                let mut buffer = dirents::buffer(0);
                let result = remover.empty_directory(tree.as_fd(), &mut buffer);
                assert_eq!(result, Err(Errno::EBUSY));
                assert_eq!(remover.leftovers()[0].path, b"a/mounted");
                assert_eq!(remover.remove(tree.as_fd(), c"a", &mut buffer), Err(Errno::EBUSY));
            });
        });
        scratch.assert_outside_intact();
    }
}

#[test]
fn a_removal_stops_when_it_is_told() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.tree().join("a/b")).unwrap();
    let stop = AtomicBool::new(true);
    let tree = scratch.open("tree");
    let result = TreeRemover::until(&stop).empty_directory(tree.as_fd(), &mut dirents::buffer(0));
    assert_eq!(result, Err(Errno::ECANCELED));
    assert!(scratch.tree().join("a/b").exists());
}

#[test]
fn a_directory_moved_out_of_the_tree_does_not_lead_the_removal_out() {
    for moved in 1..20 {
        let scratch = Scratch::new();
        make_deep(&scratch.tree(), 30);
        let mut remover = TreeRemover::new();
        let mut buffer = dirents::buffer(0);
        remover.begin(open::reopen(scratch.open("tree").as_fd()).unwrap());
        while remover.frames.len() < 25 {
            remover.step(&mut buffer).unwrap();
        }
        let path: PathBuf = std::iter::repeat_n("d", moved).collect();
        fs::rename(scratch.tree().join(path), scratch.outside().join("d")).unwrap();
        while !remover.frames.is_empty() {
            remover.step(&mut buffer).unwrap();
        }
        assert_eq!(remover.failed(), 0);
        scratch.assert_emptied();
    }
}

#[test]
fn a_directory_that_others_remove_meanwhile_is_no_error() {
    let scratch = Scratch::new();
    for number in 0..200 {
        make_deep(&scratch.tree(), 3);
        fs::rename(scratch.tree().join("d"), scratch.tree().join(number.to_string())).unwrap();
    }
    std::thread::scope(|scope| {
        let removers: Vec<_> = (0..3).map(|_| scope.spawn(|| scratch.empty())).collect();
        for remover in removers {
            remover.join().unwrap().unwrap();
        }
    });
    scratch.assert_emptied();
}

/// Stops the other threads of a test, also when it fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Swaps two entries over and over until told to stop, and counts.
fn swap(parent: &OwnedFd, first: &CStr, second: &CStr, stop: &AtomicBool, swaps: &AtomicU64) {
    while !stop.load(Relaxed) {
        let swapped = renameat2(parent, first, parent, second, RenameFlags::RENAME_EXCHANGE).is_ok();
        swaps.fetch_add(u64::from(swapped), Relaxed);
    }
}

#[test]
fn an_entry_that_keeps_changing_into_a_link_to_outside_leads_nowhere() {
    let scratch = Scratch::new();
    let stop = AtomicBool::new(false);
    let (swaps, others) = (AtomicU64::new(0), AtomicU64::new(0));
    let root = scratch.open(".");
    let tree = scratch.open("tree");
    let before = fs::metadata(scratch.outside()).unwrap();
    std::thread::scope(|scope| {
        // `entry` is a directory or a link to `outside`, by turns; `tree` itself changes its place with another.
        fs::create_dir(scratch.root.path().join("tree2")).unwrap();
        symlink("outside", scratch.root.path().join("spare")).unwrap();
        scope.spawn(|| swap(&tree, c"entry", c"link", &stop, &swaps));
        scope.spawn(|| swap(&root, c"tree2", c"spare", &stop, &others));
        let _stop_swapping = SetOnDrop(&stop);
        let start = Instant::now();
        let mut remover = TreeRemover::new();
        let mut buffer = dirents::buffer(0);
        let mut rounds = 0;
        let enough = |rounds| rounds >= 300 && swaps.load(Relaxed) > 10;
        while !enough(rounds) && start.elapsed() < Duration::from_secs(10) {
            // Made elsewhere and moved in, so that no path of the test itself leads outside. What the swappers and the
            // last round have left differs: errors are fine.
            for (parent, name) in [("tree", "entry"), (".", "tree2")] {
                let nursery = scratch.root.path().join("nursery").join(name);
                fs::create_dir_all(nursery.join("sub")).unwrap();
                fs::write(nursery.join("sub/file"), "data").unwrap();
                let _ = fs::rename(nursery, scratch.root.path().join(parent).join(name));
            }
            let _ = symlink(scratch.outside(), scratch.tree().join("link"));
            let _ = symlink("outside", scratch.root.path().join("spare"));
            let _ = remover.empty_directory(tree.as_fd(), &mut buffer);
            let _ = remover.remove(root.as_fd(), c"tree2", &mut buffer);
            scratch.assert_outside_intact();
            rounds += 1;
        }
        assert!(
            rounds >= 10 && swaps.load(Relaxed) > 10,
            "{rounds} rounds, {swaps:?} swaps"
        );
    });
    let after = fs::metadata(scratch.outside()).unwrap();
    assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()));
    scratch.empty().unwrap();
    scratch.assert_emptied();
}

#[test]
fn a_link_that_takes_a_directorys_place_before_it_is_opened_is_not_opened() {
    let scratch = Scratch::new();
    let tree = scratch.open("tree");
    for (target, name) in [("../outside", c"relative"), (".", c"inside"), ("/", c"root")] {
        symlink(target, scratch.tree().join(name.to_str().unwrap())).unwrap();
        for without_openat2 in [false, true] {
            let error = Opener::for_kernel(without_openat2).open(tree.as_fd(), name);
            let errno = error.unwrap_err();
            assert!(matches!(errno, Errno::ELOOP | Errno::ENOTDIR), "{errno}");
        }
    }
    // With openat2 the parent is no way out either.
    let error = Opener::default().open(tree.as_fd(), c"..").unwrap_err();
    assert_eq!(error, Errno::EXDEV);
}
