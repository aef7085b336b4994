//! Making `DIR/clients` ours: new, kept by an earlier run, or left by a killed one. Of several processes that try, one wins.

use super::error::HomeError;
use super::marker::{self, Draft, Lock, Marker, State};
use crate::replay::dirents::{self, Dirents};
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the run's directory in DIR.
pub(super) const CLIENTS: &CStr = c"clients";

const ATTEMPTS: u32 = 200;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// How directories of the run are opened.
pub(super) const DIRECTORY: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_CLOEXEC);

/// `DIR`, and the path of `DIR/clients` for messages.
#[derive(Debug)]
pub(super) struct Place {
    pub dir: OwnedFd,
    pub path: PathBuf,
}

impl Place {
    /// Opens DIR, which may be a symbolic link: it is what the user has given.
    pub(super) fn open(dir: &Path) -> Result<Place, HomeError> {
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        match open(dir, flags, Mode::empty()) {
            Ok(fd) => Ok(Place {
                dir: fd,
                path: dir.join("clients"),
            }),
            Err(errno) => Err(HomeError::Directory {
                path: dir.to_owned(),
                errno,
            }),
        }
    }

    /// An error of a call on `DIR/clients`.
    pub(super) fn failed(&self, doing: &'static str) -> impl Fn(Errno) -> HomeError {
        move |errno| HomeError::Call {
            path: self.path.clone(),
            doing,
            errno,
        }
    }

    /// Whether `DIR/clients` is still the directory that was opened; None if there is none.
    pub(super) fn still_names(&self, clients: BorrowedFd<'_>) -> nix::Result<Option<bool>> {
        let open = fstat(clients)?;
        match fstatat(&self.dir, CLIENTS, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(named) => Ok(Some((named.st_dev, named.st_ino) == (open.st_dev, open.st_ino))),
            Err(Errno::ENOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }
}

/// What was there before.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing: it has just been made, or adopted while it was empty.
    New,
    /// A tree with this marker.
    Tree(Marker),
}

/// `DIR/clients`, ours and locked.
#[derive(Debug)]
pub(super) struct Claim {
    pub clients: OwnedFd,
    pub marker: File,
    pub lock: Lock,
    pub found: Found,
}

/// What one attempt came to.
enum Attempt {
    Done(Claim),
    /// Something changed between two looks at it.
    Again,
    /// There is no `clients`, or an empty one without a marker.
    Nothing(Option<OwnedFd>),
}

/// Claims `DIR/clients`, making it if need be.
pub(super) fn claim_or_make(place: &Place, command: &str) -> Result<Claim, HomeError> {
    let marker = Marker::of_this_process(command);
    settle(place, || {
        let fresh = match mkdirat(&place.dir, CLIENTS, Mode::S_IRWXU) {
            Ok(()) => true,
            Err(Errno::EEXIST) => false,
            Err(errno) => return Err(place.failed("make it")(errno)),
        };
        match look(place, fresh)? {
            Attempt::Nothing(Some(clients)) if fresh => {
                let made = clients.as_fd().try_clone_to_owned();
                publish(place, clients, &marker).inspect_err(|_| {
                    if let Ok(made) = made {
                        unmake(place, made.as_fd());
                    }
                })
            }
            Attempt::Nothing(Some(clients)) => publish(place, clients, &marker),
            // Removed since mkdir said that it exists.
            Attempt::Nothing(None) => Ok(Attempt::Again),
            attempt => Ok(attempt),
        }
    })?
    .map_err(|_| HomeError::Unsettled {
        path: place.path.clone(),
    })
}

/// Removes the empty `clients` that we have made and could not put a marker in (a full disk), unless it has been
/// replaced. One that another run has adopted meanwhile holds its marker, and is not removed.
fn unmake(place: &Place, made: BorrowedFd<'_>) {
    if place.still_names(made) == Ok(Some(true)) {
        let _ = unlinkat(&place.dir, CLIENTS, UnlinkatFlags::RemoveDir);
    }
}

/// Claims an existing `DIR/clients`; otherwise gives the empty one without a marker, if there is one.
pub(super) fn claim_existing(place: &Place) -> Result<Result<Claim, Option<OwnedFd>>, HomeError> {
    settle(place, || look(place, false))
}

fn settle(
    place: &Place,
    mut attempt: impl FnMut() -> Result<Attempt, HomeError>,
) -> Result<Result<Claim, Option<OwnedFd>>, HomeError> {
    for number in 0..ATTEMPTS {
        match attempt()? {
            Attempt::Done(claim) => return Ok(Ok(claim)),
            Attempt::Nothing(clients) => return Ok(Err(clients)),
            Attempt::Again if number > 3 => std::thread::sleep(Duration::from_millis(5)),
            Attempt::Again => {}
        }
    }
    Err(HomeError::Unsettled {
        path: place.path.clone(),
    })
}

/// Looks at `DIR/clients`; refuses what is not ours. `fresh`: it was made a moment ago.
fn look(place: &Place, fresh: bool) -> Result<Attempt, HomeError> {
    let clients = match openat(&place.dir, CLIENTS, DIRECTORY, Mode::empty()) {
        Ok(clients) => clients,
        Err(Errno::ENOENT) => return Ok(Attempt::Nothing(None)),
        Err(Errno::ENOTDIR | Errno::ELOOP) => return not_a_directory(place),
        Err(errno) => return refuse_unreadable(place, errno),
    };
    let entry = first_entry(clients.as_fd()).map_err(place.failed("read it"))?;
    // The owner and mode of one that was just made may read differently (NFS, CIFS, 9p): see `publish`.
    if !(fresh && entry.is_none()) {
        check_owner(place, &fstat(&clients).map_err(place.failed("look at it"))?)?;
    }
    let file = match open_marker(place, clients.as_fd())? {
        Some(file) => file,
        None => {
            return match entry {
                None => Ok(Attempt::Nothing(Some(clients))),
                Some(name) if has_settled(clients.as_fd(), &name) => Err(HomeError::NoMarker {
                    path: place.path.clone(),
                    found: format!("{:?}", name.to_string_lossy()),
                }),
                Some(_) => Ok(Attempt::Again),
            };
        }
    };
    take_over(place, clients, file)
}

/// Whether an entry is still there and a marker still is not: else another run is just starting or ending.
fn has_settled(clients: BorrowedFd<'_>, entry: &CStr) -> bool {
    let exists = |name| fstatat(clients, name, AtFlags::AT_SYMLINK_NOFOLLOW).is_ok();
    exists(entry) && !exists(marker::NAME)
}

/// A directory that cannot be opened: if it belongs to another, that is the reason.
fn refuse_unreadable(place: &Place, errno: Errno) -> Result<Attempt, HomeError> {
    if let Ok(stat) = fstatat(&place.dir, CLIENTS, AtFlags::AT_SYMLINK_NOFOLLOW) {
        check_owner(place, &stat)?;
    }
    Err(place.failed("open it")(errno))
}

fn not_a_directory(place: &Place) -> Result<Attempt, HomeError> {
    let Ok(stat) = fstatat(&place.dir, CLIENTS, AtFlags::AT_SYMLINK_NOFOLLOW) else {
        return Ok(Attempt::Again);
    };
    match what_it_is(&stat) {
        None => Ok(Attempt::Again),
        Some(what) => Err(HomeError::NotADirectory {
            path: place.path.clone(),
            what,
        }),
    }
}

/// What something is that is no directory.
pub(super) fn what_it_is(stat: &FileStat) -> Option<&'static str> {
    match SFlag::from_bits_truncate(stat.st_mode & SFlag::S_IFMT.bits()) {
        SFlag::S_IFDIR => None,
        SFlag::S_IFLNK => Some("a symbolic link"),
        SFlag::S_IFREG => Some("a file"),
        _ => Some("a special file"),
    }
}

fn check_owner(place: &Place, stat: &FileStat) -> Result<(), HomeError> {
    let ours = geteuid().as_raw();
    if stat.st_uid != ours {
        return Err(HomeError::ForeignOwner {
            path: place.path.clone(),
            uid: stat.st_uid,
            ours,
        });
    }
    if stat.st_mode & WRITABLE_BY_OTHERS != 0 {
        return Err(HomeError::WritableByOthers {
            path: place.path.clone(),
            mode: stat.st_mode & 0o7777,
        });
    }
    Ok(())
}

/// The first entry that is not a marker in the making.
fn first_entry(clients: BorrowedFd<'_>) -> nix::Result<Option<CString>> {
    let mut buffer = dirents::buffer(4096);
    let mut entries = Dirents::new(clients, &mut buffer);
    loop {
        match entries.next() {
            Ok(Some(entry)) if entry.is_dot() || marker::is_temporary(entry.name) => {}
            Ok(Some(entry)) => return Ok(Some(entry.name.to_owned())),
            Ok(None) | Err(Errno::ENOENT) => return Ok(None),
            Err(errno) => return Err(errno),
        }
    }
}

/// Opens the marker; None if there is none.
fn open_marker(place: &Place, clients: BorrowedFd<'_>) -> Result<Option<File>, HomeError> {
    let bad = |why| HomeError::BadMarker {
        path: place.path.clone(),
        why,
    };
    let failed = place.failed("open its marker .rbench");
    // Looked at first: opening a device may have effects.
    let stat = match fstatat(clients, marker::NAME, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::ENOENT) => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    check_marker(&stat).map_err(bad)?;
    let flags = OFlag::O_RDWR | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let file = match openat(clients, marker::NAME, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::ENOENT) => return Ok(None),
        Err(Errno::ELOOP) => return Err(bad("has a symbolic link as its marker .rbench")),
        Err(errno) => return Err(failed(errno)),
    };
    check_marker(&fstat(&file).map_err(failed)?).map_err(bad)?;
    Ok(Some(file))
}

fn check_marker(stat: &FileStat) -> Result<(), &'static str> {
    match what_it_is(stat) {
        Some("a file") => {}
        Some("a symbolic link") => return Err("has a symbolic link as its marker .rbench"),
        _ => return Err("has something as its marker .rbench that is no file"),
    }
    if stat.st_uid != geteuid().as_raw() {
        return Err("has a marker .rbench that belongs to another user");
    }
    Ok(())
}

/// Locks an existing marker and reads it.
fn take_over(place: &Place, clients: OwnedFd, file: File) -> Result<Attempt, HomeError> {
    let locked = |pid| HomeError::Locked {
        path: place.path.clone(),
        pid,
    };
    let lock = marker::lock(&file).map_err(place.failed("lock its marker .rbench"))?;
    if lock == Lock::Taken {
        return Err(locked(marker::read(&file).map(|marker| marker.pid)));
    }
    // Its run may have removed or replaced it before the lock was free.
    let current = marker::is_current(clients.as_fd(), &file);
    if !current.map_err(place.failed("look at its marker .rbench"))? {
        return Ok(Attempt::Again);
    }
    let Some(marker) = marker::read(&file) else {
        return Err(HomeError::BadMarker {
            path: place.path.clone(),
            why: "has a marker .rbench that is not rbench's, or is damaged",
        });
    };
    if matches!(lock, Lock::Unsupported(_)) && marker.state == State::Running && marker.writer_lives() {
        return Err(locked(Some(marker.pid)));
    }
    Ok(Attempt::Done(Claim {
        clients,
        marker: file,
        lock,
        found: Found::Tree(marker),
    }))
}

/// Puts our marker into a `clients` that has none and is empty.
fn publish(place: &Place, clients: OwnedFd, marker: &Marker) -> Result<Attempt, HomeError> {
    let failed = place.failed("write its marker .rbench");
    let draft = match Draft::write(clients.as_fd(), marker) {
        Ok(draft) => draft,
        Err(Errno::ENOENT | Errno::ESTALE) => return Ok(Attempt::Again),
        Err(errno) => return Err(failed(errno)),
    };
    // However this file system shows owners: what we make in a directory that we made has the same one.
    let owners = fstat(&clients).and_then(|directory| Ok((directory.st_uid, fstat(&draft.file)?.st_uid)));
    let same_owner = owners.map(|(directory, file)| (directory == file, directory, file));
    match same_owner {
        Ok((true, ..)) => {}
        Ok((false, uid, ours)) => {
            draft.discard(clients.as_fd());
            let path = place.path.clone();
            return Err(HomeError::ForeignOwner { path, uid, ours });
        }
        Err(errno) => {
            draft.discard(clients.as_fd());
            return Err(failed(errno));
        }
    }
    let (file, lock) = match draft.publish_first(clients.as_fd(), marker) {
        Ok(published) => published,
        Err(Errno::EEXIST | Errno::ENOENT | Errno::ESTALE) => return Ok(Attempt::Again),
        Err(errno) => return Err(failed(errno)),
    };
    Ok(Attempt::Done(Claim {
        clients,
        marker: file,
        lock,
        found: Found::New,
    }))
}
