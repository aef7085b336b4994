//! Where the bystander works: a directory of its own below the run's `clients`, or below another that is claimed by the
//! same rules.

use super::failure::{BystanderError, Failure};
use super::tree::{self, DIRECTORY, SPACE};
use crate::replay::dirents;
use crate::replay::home::{Home, HomeError, HomeOptions};
use crate::replay::tree::TreeRemover;
use crate::result::Warning;
use crate::run::limits::{self, RunSpace};
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, fstat, mkdirat};
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const NAME: &CStr = c".probe";

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The run's directory.
    pub run: &'a Path,
    /// `--probe-dir`.
    pub probe: Option<&'a Path>,
    pub command: &'a str,
    /// What the run itself needs; absent where nobody wants to know (`--no-space-check`).
    pub space: Option<RunSpace>,
}

/// The bystander's directory, ours and filled.
#[derive(Debug)]
pub struct Place {
    /// Its own home; absent where it works in the run's.
    own: Option<Home>,
    directory: Arc<OwnedFd>,
    path: PathBuf,
}

impl Place {
    /// Makes it, in place of one that a kept tree still holds, and brings its file system to rest.
    ///
    /// # Errors
    /// It cannot be made, or is not ours; what was made is removed again.
    pub fn make(
        wanted: Wanted<'_>,
        home: &Home,
        stop: &AtomicBool,
    ) -> Result<(Place, Vec<Warning>), BystanderError> {
        let (own, warnings) = match elsewhere(wanted) {
            None => (None, Vec::new()),
            Some(directory) => {
                let (own, warnings) = claim(directory, wanted.command, stop)?;
                (Some(own), warnings)
            }
        };
        let path = own.as_ref().unwrap_or(home).path().join(".probe");
        match fill(own.as_ref().unwrap_or(home), home, wanted.space, &path) {
            Ok(directory) => {
                let place = Place {
                    own,
                    directory: Arc::new(directory),
                    path,
                };
                Ok((place, warnings))
            }
            Err(error) => {
                let _ = remove_it(own.as_ref().unwrap_or(home), &path, &AtomicBool::new(false));
                let _ = own.map(|own| give_back(own, &AtomicBool::new(false)));
                Err(error)
            }
        }
    }

    /// The directory.
    pub fn directory(&self) -> &Arc<OwnedFd> {
        &self.directory
    }

    /// For messages only.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, and the home that was claimed for it. When `leave` is set, what is not yet removed is left to
    /// `rbench clean`.
    pub fn remove(self, home: &Home, leave: &AtomicBool) -> Vec<Warning> {
        let mut warnings = remove_it(self.own.as_ref().unwrap_or(home), &self.path, leave);
        if let Some(own) = self.own {
            // What could not be removed is told once.
            warnings.retain(|_| own.is_kept());
            warnings.extend(give_back(own, leave));
        }
        warnings
    }
}

/// Where it works, if not in the run's own directory.
fn elsewhere(wanted: Wanted<'_>) -> Option<&Path> {
    let inode = |path: &Path| {
        let found = std::fs::metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    };
    let probe = wanted.probe?;
    let same = inode(probe).is_some_and(|probe| inode(wanted.run) == Some(probe));
    (!same).then_some(probe)
}

fn claim(directory: &Path, command: &str, stop: &AtomicBool) -> Result<(Home, Vec<Warning>), BystanderError> {
    let options = HomeOptions {
        command: command.to_owned(),
        shared_subdirs: Vec::new(),
        stop: Some(stop),
    };
    Home::prepare(directory, 0, &options).map_err(|error| match error {
        HomeError::Interrupted { .. } => BystanderError::Interrupted,
        error => BystanderError::Home(error),
    })
}

/// A tree that an earlier run has kept there stays one; any other is removed.
fn give_back(mut own: Home, leave: &AtomicBool) -> Vec<Warning> {
    if !own.is_kept() {
        return own.remove(leave);
    }
    let why = own.mark_kept().err().map(|error| error.to_string());
    why.map(|why| Warning::NotKept { why }).into_iter().collect()
}

/// Makes the directory in `home` (which is the run's, or not) and what is in it.
fn fill(home: &Home, of_run: &Home, space: Option<RunSpace>, path: &Path) -> Result<OwnedFd, BystanderError> {
    let clients = home.clients_fd();
    let failed = |failure| BystanderError::Setup {
        directory: path.display().to_string(),
        failure,
    };
    remove_entry(clients, &AtomicBool::new(false))
        .map_err(Failure::call("remove what an earlier run has left"))
        .map_err(failed)?;
    if let Some(run) = space {
        let shared = is_same_file_system(clients, of_run.clients_fd());
        let run = if shared { run } else { RunSpace::default() };
        let both = RunSpace {
            bytes: run.bytes.saturating_add(SPACE.bytes),
            inodes: run.inodes.saturating_add(SPACE.inodes),
        };
        limits::check_space(clients, both).map_err(BystanderError::Space)?;
    }
    let make = || {
        mkdirat(clients, NAME, Mode::S_IRWXU).map_err(Failure::call("make it"))?;
        let directory = openat(clients, NAME, DIRECTORY, Mode::empty()).map_err(Failure::call("open it"))?;
        tree::make(directory.as_fd())?;
        rest(directory.as_fd())?;
        // What the run has made is to be written too, where that is elsewhere.
        rest(of_run.clients_fd())?;
        Ok(directory)
    };
    make().map_err(failed)
}

fn is_same_file_system(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    let device = |directory| fstat(directory).ok().map(|found| found.st_dev);
    device(one).is_some_and(|device_of_one| device(other) == Some(device_of_one))
}

/// Brings a file system to rest: all that is to be written is on the disk.
fn rest(directory: BorrowedFd<'_>) -> Result<(), Failure> {
    let failed = Failure::call("sync the file system");
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let directory = openat(directory, c".", flags, Mode::empty()).map_err(&failed)?;
    nix::unistd::syncfs(File::from(directory)).map_err(&failed)
}

/// Removes the directory; what stays is told.
fn remove_it(home: &Home, path: &Path, leave: &AtomicBool) -> Vec<Warning> {
    let name = path.display().to_string();
    let names = match remove_entry(home.clients_fd(), leave) {
        Ok(()) => return Vec::new(),
        Err(Errno::ECANCELED) if leave.load(Ordering::Relaxed) => vec![name],
        Err(errno) => vec![format!("{name} ({})", errno.desc())],
    };
    vec![Warning::CleanupIncomplete { names }]
}

fn remove_entry(clients: BorrowedFd<'_>, leave: &AtomicBool) -> nix::Result<()> {
    let mut buffer = dirents::buffer(32 << 10);
    match TreeRemover::until(leave).remove(clients, NAME, &mut buffer) {
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(errno) => Err(errno),
    }
}
