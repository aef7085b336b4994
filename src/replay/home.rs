//! The run's directory `DIR/clients`: whose it is, the directories that exist before the clients start, and its removal.
//!
//! Nothing outside it is ever made, changed or removed: all is done relative to descriptors of DIR and of `clients`,
//! and no symbolic link below DIR is followed. At any moment the process may be killed; the next run (or
//! `rbench clean`) knows by the marker what to do with what is there.

mod claim;
mod error;
mod marker;
mod removal;
#[cfg(test)]
mod tests;

use crate::warning::Warning;
use claim::{CLIENTS, Claim, DIRECTORY, Found, Place, what_it_is};
pub use error::HomeError;
use marker::{Draft, Lock, Marker, State};
use nix::errno::Errno;
use nix::fcntl::{AtFlags, openat};
use nix::sys::stat::{Mode, fstat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};
use rayon::prelude::*;
use std::ffi::{CStr, CString};
use std::fmt;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const SHARED: &CStr = c"shared";

/// What [`Home::prepare`] needs to know besides DIR and the number of clients.
#[derive(Debug, Clone, Default)]
pub struct HomeOptions<'a> {
    /// The command line, for the marker.
    pub command: String,
    /// Directories to make in `clients/shared`: one component each.
    pub shared_subdirs: Vec<String>,
    /// Preparing ends with [`HomeError::Interrupted`] soon after this is set.
    pub stop: Option<&'a AtomicBool>,
}

/// The directory of a run that is prepared, ours and locked.
///
/// Dropped without [`remove`](Home::remove) or [`mark_kept`](Home::mark_kept), the tree stays, and the next run removes it.
#[derive(Debug)]
pub struct Home {
    place: Place,
    clients: OwnedFd,
    marker: Marker,
    /// Holds the lock.
    marker_file: File,
    kept: bool,
}

impl Home {
    /// Makes `DIR/clients` with a root for each client and the shared one, or takes over the tree that an earlier run kept.
    /// What a killed run has left is removed first.
    ///
    /// # Errors
    /// DIR cannot be used; `clients` is not ours, or in use by another run; a directory cannot be made. What was made is
    /// removed again then.
    pub fn prepare(
        dir: &Path,
        clients: u32,
        options: &HomeOptions<'_>,
    ) -> Result<(Home, Vec<Warning>), HomeError> {
        let subdirs = subdirectory_names(&options.shared_subdirs)?;
        let place = Place::open(dir)?;
        let claim = claim::claim_or_make(&place, &options.command)?;
        let mut warnings = Vec::new();
        if let Lock::Unsupported(errno) = claim.lock {
            warnings.push(Warning::NoLock {
                errno: errno.to_string(),
            });
        }
        let never = AtomicBool::new(false);
        let stop = options.stop.unwrap_or(&never);
        let mut home = Home::of_claim(place, claim, &options.command, stop, &mut warnings)?;
        if let Err(error) = home
            .scaffold(clients, &subdirs)
            .and_then(|()| home.check_stop(stop))
        {
            if !home.kept {
                home.remove(&AtomicBool::new(false));
            }
            return Err(error);
        }
        if home.marker.state == State::Kept {
            home.write_marker(State::Running)?;
        }
        Ok((home, warnings))
    }

    fn of_claim(
        place: Place,
        claim: Claim,
        command: &str,
        stop: &AtomicBool,
        warnings: &mut Vec<Warning>,
    ) -> Result<Home, HomeError> {
        let mut home = Home {
            place,
            clients: claim.clients,
            marker: Marker::of_this_process(command),
            marker_file: claim.marker,
            kept: false,
        };
        match claim.found {
            Found::New => {}
            Found::Tree(marker) if marker.state == State::Kept => {
                home.kept = true;
                home.marker.state = State::Kept;
            }
            Found::Tree(marker) => {
                let left = removal::sweep(home.clients.as_fd(), stop);
                home.check_stop(stop)?;
                let left = left.map_err(home.place.failed("remove what a killed run left"))?;
                if !left.is_empty() {
                    let names = removal::names(&home.place.path, &left);
                    return Err(HomeError::Leftovers { names });
                }
                home.write_marker(State::Running)?;
                warnings.push(Warning::RemovedLeftovers {
                    pid: Some(marker.pid),
                });
            }
        }
        Ok(home)
    }

    fn check_stop(&self, stop: &AtomicBool) -> Result<(), HomeError> {
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            let path = self.place.path.clone();
            return Err(HomeError::Interrupted { path });
        }
        Ok(())
    }

    /// Makes the clients' roots, in parallel, and the shared tree.
    fn scaffold(&self, clients: u32, subdirs: &[CString]) -> Result<(), HomeError> {
        (0..clients).into_par_iter().try_for_each(|client| {
            make_directory(self.clients.as_fd(), &root_name(client), &self.place.path)
        })?;
        make_directory(self.clients.as_fd(), SHARED, &self.place.path)?;
        let path = self.place.path.join("shared");
        let shared = self.shared_root().map_err(|errno| HomeError::Call {
            path: path.clone(),
            doing: "open it",
            errno,
        })?;
        subdirs
            .iter()
            .try_for_each(|name| make_directory(shared.as_fd(), name, &path))
    }

    /// Writes the marker anew; the lock goes over to the new file.
    fn write_marker(&mut self, state: State) -> Result<(), HomeError> {
        let marker = Marker {
            state,
            ..self.marker.clone()
        };
        let clients = self.clients.as_fd();
        let (file, _) = Draft::write(clients, &marker)
            .and_then(|draft| draft.replace(clients))
            .map_err(self.place.failed("write its marker .rbench"))?;
        self.marker_file = file;
        self.marker = marker;
        Ok(())
    }

    /// Opens a client's root. To be called in the client's own thread, after it has a descriptor table of its own.
    ///
    /// # Errors
    /// ENOENT for a client that this run has not; ENOTDIR if someone has put something else there; EMFILE.
    pub fn client_root(&self, client: u32) -> nix::Result<OwnedFd> {
        self.open_root(&root_name(client))
    }

    /// Opens the root of the tree that all clients share.
    ///
    /// # Errors
    /// As [`client_root`](Home::client_root).
    pub fn shared_root(&self) -> nix::Result<OwnedFd> {
        self.open_root(SHARED)
    }

    fn open_root(&self, name: &CStr) -> nix::Result<OwnedFd> {
        loop {
            match openat(&self.clients, name, DIRECTORY, Mode::empty()) {
                Err(Errno::EINTR) => continue,
                result => return result,
            }
        }
    }

    /// `DIR/clients`.
    pub fn clients_fd(&self) -> BorrowedFd<'_> {
        self.clients.as_fd()
    }

    /// `DIR/clients`, for messages only.
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    /// Whether the run goes on with the tree of an earlier one.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Whether the tree holds a symbolic link, so that paths have to be resolved with openat2. Only a kept tree can
    /// before the run. True also where the tree cannot be read whole.
    pub fn holds_symlinks(&self) -> bool {
        if !self.kept {
            return false;
        }
        // thread-self: the descriptor table may be this thread's own.
        let root = format!("/proc/thread-self/fd/{}", self.clients.as_raw_fd());
        walkdir::WalkDir::new(root)
            .min_depth(1)
            .into_iter()
            .any(|entry| match entry {
                Ok(entry) => entry.path_is_symlink(),
                Err(_) => true,
            })
    }

    /// Says in the marker that the tree is to be used by the next run (`--skip-cleanup`, after a run that ended well).
    ///
    /// # Errors
    /// The marker cannot be written; the next run will remove the tree then.
    pub fn mark_kept(&mut self) -> Result<(), HomeError> {
        self.write_marker(State::Kept)
    }

    /// Removes `DIR/clients` and all in it. When `stop` is set, what is not yet removed is left to `rbench clean`.
    pub fn remove(self, stop: &AtomicBool) -> Vec<Warning> {
        let incomplete = |names| vec![Warning::CleanupIncomplete { names }];
        let whole = self.place.path.display().to_string();
        match removal::sweep(self.clients.as_fd(), stop) {
            Ok(left) if left.is_empty() => {}
            Ok(left) => return incomplete(removal::names(&self.place.path, &left)),
            Err(Errno::ECANCELED) => return incomplete(vec![whole]),
            Err(errno) => return incomplete(vec![format!("{whole} ({})", errno.desc())]),
        }
        match self.remove_itself() {
            Ok(()) => Vec::new(),
            Err(errno) => incomplete(vec![format!("{whole} ({})", errno.desc())]),
        }
    }

    /// Removes the marker and the empty `clients`.
    fn remove_itself(self) -> nix::Result<()> {
        let clients = self.clients.as_fd();
        if marker::is_current(clients, &self.marker_file)? {
            match unlinkat(clients, marker::NAME, UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(errno) => return Err(errno),
            }
        }
        // Only after the unlinking, so that the lock covers it; before rmdir, for NFS keeps an open file's directory.
        drop(self.marker_file);
        for attempt in 0..10 {
            match self.place.still_names(clients)? {
                Some(true) => {}
                // Removed by someone else; or moved elsewhere, empty: what has its name now is not ours.
                None | Some(false) => return moved(clients),
            }
            match unlinkat(&self.place.dir, CLIENTS, UnlinkatFlags::RemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => return Ok(()),
                Err(Errno::ENOTEMPTY | Errno::EEXIST | Errno::EBUSY) if is_adopted(clients) => return Ok(()),
                Err(Errno::ENOTEMPTY | Errno::EEXIST | Errno::EBUSY) if attempt < 9 => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::ENOTEMPTY)
    }
}

/// Whether the next run has put its marker there already.
fn is_adopted(clients: BorrowedFd<'_>) -> bool {
    fstatat(clients, marker::NAME, AtFlags::AT_SYMLINK_NOFOLLOW).is_ok()
}

/// A `clients` that is not in DIR any more: fine if it was removed.
fn moved(clients: BorrowedFd<'_>) -> nix::Result<()> {
    if fstat(clients)?.st_nlink == 0 {
        return Ok(());
    }
    Err(Errno::ESTALE)
}

fn root_name(client: u32) -> CString {
    // Digits and letters hold no NUL.
    CString::new(format!("client{client}")).unwrap_or_default()
}

fn subdirectory_names(names: &[String]) -> Result<Vec<CString>, HomeError> {
    let bad = |name: &str| HomeError::BadName {
        name: name.to_owned(),
    };
    names
        .iter()
        .map(|name| {
            if matches!(name.as_str(), "" | "." | "..") || name.contains('/') {
                return Err(bad(name));
            }
            CString::new(name.as_str()).map_err(|_| bad(name))
        })
        .collect()
}

/// Makes a directory; one that exists must be a real one of ours.
fn make_directory(parent: BorrowedFd<'_>, name: &CStr, parent_path: &Path) -> Result<(), HomeError> {
    let path = || parent_path.join(name.to_string_lossy().as_ref());
    let failed = |doing| {
        move |errno| HomeError::Call {
            path: path(),
            doing,
            errno,
        }
    };
    match mkdirat(parent, name, Mode::S_IRWXU) {
        Ok(()) => return Ok(()),
        Err(Errno::EEXIST) => {}
        Err(errno) => return Err(failed("make it")(errno)),
    }
    let stat = fstatat(parent, name, AtFlags::AT_SYMLINK_NOFOLLOW).map_err(failed("look at it"))?;
    if let Some(what) = what_it_is(&stat) {
        return Err(HomeError::NotADirectory { path: path(), what });
    }
    let ours = geteuid().as_raw();
    if stat.st_uid != ours {
        return Err(HomeError::ForeignOwner {
            path: path(),
            uid: stat.st_uid,
            ours,
        });
    }
    Ok(())
}

/// What [`clean`] did.
#[derive(Debug, Clone, PartialEq)]
pub enum CleanOutcome {
    /// There is no `clients` in DIR.
    Nothing { path: PathBuf },
    /// It was removed, as far as the warnings do not say otherwise.
    Removed { path: PathBuf, warnings: Vec<Warning> },
}

impl fmt::Display for CleanOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CleanOutcome::Nothing { path } => write!(f, "{}: there is nothing to remove", path.display()),
            CleanOutcome::Removed { path, warnings } if warnings.is_empty() => {
                write!(f, "{}: removed", path.display())
            }
            CleanOutcome::Removed { path, .. } => write!(f, "{}: removed in part", path.display()),
        }
    }
}

/// Removes `DIR/clients` if it is one of ours that no run uses, kept or not: `rbench clean DIR`.
///
/// # Errors
/// As [`Home::prepare`], for what is not ours or in use.
pub fn clean(dir: &Path) -> Result<CleanOutcome, HomeError> {
    let place = Place::open(dir)?;
    let path = place.path.clone();
    let claim = match claim::claim_existing(&place)? {
        Err(None) => return Ok(CleanOutcome::Nothing { path }),
        // Empty and without a marker: a run was killed before it wrote one, or is about to. Claimed, it is ours alone.
        Err(Some(_)) => claim::claim_or_make(&place, "rbench clean")?,
        Ok(claim) => claim,
    };
    let kept = matches!(&claim.found, Found::Tree(marker) if marker.state == State::Kept);
    let mut home = Home {
        place,
        clients: claim.clients,
        marker: Marker::of_this_process("rbench clean"),
        marker_file: claim.marker,
        kept,
    };
    if kept {
        // So that nobody runs on half a tree if this is killed. On a full disk it is removed all the same.
        let _ = home.write_marker(State::Running);
    }
    let warnings = home.remove(&AtomicBool::new(false));
    Ok(CleanOutcome::Removed { path, warnings })
}
