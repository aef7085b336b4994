//! Removing trees: the replay's Deltree, and the cleanup of a run's directory.
//!
//! Nothing outside the tree is touched, whatever others do to it meanwhile: every call names one component relative to
//! a directory's descriptor, symbolic links and mount points are never entered, and where a parent has to be opened
//! again through `..`, it must be the same inode as on the way down.
//!
//! The walk keeps its own stack, so that depth costs neither thread stack nor descriptors.

mod open;
#[cfg(test)]
mod tests;
mod walk;

use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::sys::stat::{SFlag, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use open::{Opener, retry};
use std::ffi::CStr;
use std::os::fd::BorrowedFd;
use std::sync::atomic::AtomicBool;
use walk::Frame;

/// Most descriptors that one removal has open at a time.
pub const DESCRIPTORS: u64 = walk::KEPT_OPEN as u64 + 3;

/// How many entries that could not be removed are named.
const LISTED: usize = 10;

/// How often a directory is read again because others keep adding to it.
const MAX_PASSES: u32 = 100;

/// Something that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Path relative to the directory that was to be removed or emptied; empty for that directory itself.
    pub path: Vec<u8>,
    pub errno: Errno,
}

/// Removes trees. Its stacks are kept from one removal to the next.
///
/// Directories of ours that their mode makes inaccessible are made accessible first. What cannot be removed is left
/// out, and the rest removed all the same.
#[derive(Debug, Default)]
pub struct TreeRemover<'s> {
    /// The directories from the root of the removal down to the one that is worked on.
    frames: Vec<Frame>,
    /// Names of subdirectories still to be removed, each with its NUL; those of deeper directories follow.
    names: Vec<u8>,
    /// Frames from this one on have their descriptors open, and so has the first.
    oldest_open: usize,
    opener: Opener,
    stop: Option<&'s AtomicBool>,
    failed: u64,
    leftovers: Vec<Leftover>,
}

impl<'s> TreeRemover<'s> {
    /// A remover that goes on to the end.
    pub fn new() -> TreeRemover<'s> {
        TreeRemover::default()
    }

    /// A remover whose stacks have room for usual trees, so that removing those allocates nothing. In a timed loop an
    /// allocation is more than its own time: the allocator's locks are shared by the clients, and when one is
    /// preempted with such a lock, the others wait until its turn comes again.
    pub fn with_room() -> TreeRemover<'s> {
        TreeRemover {
            frames: Vec::with_capacity(64),
            names: Vec::with_capacity(16 << 10),
            ..TreeRemover::default()
        }
    }

    /// A remover that gives up with ECANCELED soon after `stop` is set.
    pub fn until(stop: &'s AtomicBool) -> TreeRemover<'s> {
        TreeRemover {
            stop: Some(stop),
            ..TreeRemover::default()
        }
    }

    /// Removes everything below a directory, and keeps the directory. `buffer`: see [`dirents::buffer`](super::dirents::buffer).
    ///
    /// # Errors
    /// The first error of an entry that could not be removed ([`leftovers`](Self::leftovers) names it); ENOTEMPTY if
    /// others keep adding entries; ECANCELED.
    pub fn empty_directory(&mut self, directory: BorrowedFd<'_>, buffer: &mut [u64]) -> nix::Result<()> {
        self.forget();
        let root = open::reopen(directory)?;
        self.empty_opened(root, buffer)
    }

    /// Removes one entry, whatever it is, with all below it.
    ///
    /// # Errors
    /// ENOENT if there is none; else as [`empty_directory`](Self::empty_directory).
    pub fn remove(&mut self, parent: BorrowedFd<'_>, name: &CStr, buffer: &mut [u64]) -> nix::Result<()> {
        self.forget();
        self.check_stop()?;
        match remove_non_directory(parent, name) {
            Err(Errno::EISDIR) => {}
            result => return result,
        }
        for _ in 0..MAX_PASSES {
            match remove_empty_directory(parent, name) {
                Err(Errno::ENOTEMPTY) => {}
                Err(Errno::ENOTDIR) => match remove_non_directory(parent, name) {
                    Err(Errno::EISDIR) => continue,
                    result => return gone(result),
                },
                result => return gone(result),
            }
            match self.opener.open(parent, name) {
                Ok(directory) => self.empty_opened(directory, buffer)?,
                Err(Errno::ENOENT) => return Ok(()),
                Err(Errno::ENOTDIR | Errno::ELOOP) => continue,
                Err(Errno::EXDEV) => return Err(Errno::EBUSY),
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::ENOTEMPTY)
    }

    /// What the last removal could not remove, the first few of them.
    pub fn leftovers(&self) -> &[Leftover] {
        &self.leftovers
    }

    /// How many entries the last removal could not remove.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    fn forget(&mut self) {
        self.failed = 0;
        self.leftovers.clear();
    }
}

/// Removes one directory's contents; see [`TreeRemover::empty_directory`]. For a single removal.
pub fn empty_directory(directory: BorrowedFd<'_>, buffer: &mut [u64]) -> nix::Result<()> {
    TreeRemover::new().empty_directory(directory, buffer)
}

/// Removes one entry whole; see [`TreeRemover::remove`]. For a single removal.
pub fn remove(parent: BorrowedFd<'_>, name: &CStr, buffer: &mut [u64]) -> nix::Result<()> {
    TreeRemover::new().remove(parent, name, buffer)
}

/// Unlinks what is no directory; EISDIR if it is one, on every file system.
fn remove_non_directory(parent: BorrowedFd<'_>, name: &CStr) -> nix::Result<()> {
    match retry(|| unlinkat(parent, name, UnlinkatFlags::NoRemoveDir)) {
        // POSIX's answer for a directory, but also for an immutable or foreign file.
        Err(Errno::EPERM) => match retry(|| fstatat(parent, name, AtFlags::AT_SYMLINK_NOFOLLOW)) {
            Ok(stat) if stat.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFDIR.bits() => Err(Errno::EISDIR),
            Err(Errno::ENOENT) => Err(Errno::ENOENT),
            _ => Err(Errno::EPERM),
        },
        result => result,
    }
}

/// Removes an empty directory; ENOTEMPTY if it has entries, EBUSY if something is mounted there.
fn remove_empty_directory(parent: BorrowedFd<'_>, name: &CStr) -> nix::Result<()> {
    match retry(|| unlinkat(parent, name, UnlinkatFlags::RemoveDir)) {
        Err(Errno::EEXIST) => Err(Errno::ENOTEMPTY),
        result => result,
    }
}

/// What someone else has removed is gone as well.
fn gone(result: nix::Result<()>) -> nix::Result<()> {
    match result {
        Err(Errno::ENOENT) => Ok(()),
        result => result,
    }
}
