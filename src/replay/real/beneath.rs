//! Resolving paths: plainly, or so that no symbolic link leads out of a root.

use super::Roots;
use crate::program::Place;
use nix::Result;
use nix::errno::Errno;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag};
use nix::sys::stat::Mode;
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A directory and a name in it.
pub(super) struct At<'fd, 'path> {
    pub directory: Directory<'fd>,
    pub name: &'path CStr,
}

pub(super) enum Directory<'fd> {
    Root(BorrowedFd<'fd>),
    Opened(OwnedFd),
}

impl AsFd for Directory<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Directory::Root(fd) => *fd,
            Directory::Opened(fd) => fd.as_fd(),
        }
    }
}

/// Whether the kernel has openat2 (Linux 5.6), and lets us use it.
pub fn can_resolve_beneath(directory: BorrowedFd<'_>) -> Result<()> {
    beneath(directory, c".", OFlag::O_PATH, Mode::empty()).map(drop)
}

/// How often a resolution that others' renames disturb is tried again.
const RESOLVE_ATTEMPTS: u32 = 1000;

pub(super) fn beneath(root: BorrowedFd<'_>, path: &CStr, flags: OFlag, mode: Mode) -> Result<OwnedFd> {
    // Where openat ignores a mode that is not used, openat2 answers EINVAL.
    let mode = if flags.contains(OFlag::O_CREAT) {
        mode
    } else {
        Mode::empty()
    };
    let how = OpenHow::new()
        .flags(flags | OFlag::O_CLOEXEC)
        .mode(mode)
        .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_MAGICLINKS);
    // EAGAIN: a rename or mount anywhere came in between at a `..` of a link, and the kernel could not tell whether it
    // leads out; openat2(2) says to try again.
    for _ in 1..RESOLVE_ATTEMPTS {
        match nix::fcntl::openat2(root, path, how) {
            Err(Errno::EAGAIN) => {}
            result => return result,
        }
    }
    nix::fcntl::openat2(root, path, how)
}

/// Where a call that acts on the last component is to be made.
#[inline]
pub(super) fn at<'fd, 'path, const BENEATH: bool>(
    roots: &'fd Roots,
    place: Place<'path>,
) -> Result<At<'fd, 'path>> {
    let root = roots.get(place.root);
    if !BENEATH {
        let directory = Directory::Root(root);
        return Ok(At {
            directory,
            name: place.path,
        });
    }
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY;
    let parent = beneath(root, place.parent, flags, Mode::empty())?;
    Ok(At {
        directory: Directory::Opened(parent),
        name: place.last,
    })
}
