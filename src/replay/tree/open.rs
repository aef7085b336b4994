//! Opening a directory of a tree that is being removed, without leaving the tree.

use nix::errno::Errno;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat, openat2};
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, fchmod, fchmodat, fstat};
use nix::unistd::geteuid;
use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

const OWNER_ALL: u32 = 0o700;

/// How directories are opened to be read: never through a symbolic link, and never waiting for a FIFO.
pub(super) const READ: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_NONBLOCK)
    .union(OFlag::O_CLOEXEC);

/// Opens directories by name; remembers whether the kernel has openat2.
#[derive(Debug, Default)]
pub(super) struct Opener {
    without_openat2: bool,
}

impl Opener {
    /// An opener that does without openat2 from the start, as on old kernels.
    #[cfg(test)]
    pub(super) fn for_kernel(without_openat2: bool) -> Opener {
        Opener { without_openat2 }
    }

    /// Opens a subdirectory for reading. One of ours that its mode forbids to read is made accessible first.
    ///
    /// # Errors
    /// ENOTDIR (or ELOOP) if the name is no directory, EXDEV if something is mounted there; else as openat2.
    pub(super) fn open(&mut self, parent: BorrowedFd<'_>, name: &CStr) -> nix::Result<OwnedFd> {
        match self.open_as(parent, name, READ) {
            Err(Errno::EACCES) => self.open_forbidden(parent, name),
            result => result,
        }
    }

    /// openat2 does not cross mount points, bind mounts included, which a comparison of devices would not notice.
    fn open_as(&mut self, parent: BorrowedFd<'_>, name: &CStr, flags: OFlag) -> nix::Result<OwnedFd> {
        if !self.without_openat2 {
            let how = OpenHow::new().flags(flags).resolve(
                ResolveFlag::RESOLVE_BENEATH
                    | ResolveFlag::RESOLVE_NO_XDEV
                    | ResolveFlag::RESOLVE_NO_SYMLINKS
                    | ResolveFlag::RESOLVE_NO_MAGICLINKS,
            );
            // EAGAIN: a rename or mount elsewhere came in between and the kernel could not tell; it says to try again.
            for _ in 0..100 {
                match openat2(parent, name, how) {
                    Err(Errno::EINTR | Errno::EAGAIN) => continue,
                    // Kernels before 5.6, and sandboxes that do not know the call.
                    Err(Errno::ENOSYS | Errno::EPERM) => break,
                    result => return result,
                }
            }
            self.without_openat2 = true;
        }
        retry(|| openat(parent, name, flags, Mode::empty()))
    }

    fn open_forbidden(&mut self, parent: BorrowedFd<'_>, name: &CStr) -> nix::Result<OwnedFd> {
        let pinned = self.open_as(
            parent,
            name,
            OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC,
        )?;
        let mode = missing_access(&fstat(&pinned)?).ok_or(Errno::EACCES)?;
        // fchmod refuses O_PATH descriptors. thread-self: clients have descriptor tables of their own.
        let path = format!("/proc/thread-self/fd/{}", pinned.as_raw_fd());
        fchmodat(
            nix::fcntl::AT_FDCWD,
            path.as_str(),
            mode,
            FchmodatFlags::FollowSymlink,
        )
        .map_err(|_| Errno::EACCES)?;
        retry(|| openat(&pinned, c".", READ, Mode::empty()))
    }
}

/// Gives the owner all access to an open directory, if it is ours and lacks some; says whether anything has changed.
pub(super) fn give_access(directory: BorrowedFd<'_>) -> bool {
    fstat(directory)
        .ok()
        .and_then(|stat| missing_access(&stat))
        .is_some_and(|mode| fchmod(directory, mode).is_ok())
}

/// The mode with all access for the owner, if the directory is ours and lacks some.
fn missing_access(stat: &FileStat) -> Option<Mode> {
    let ours = stat.st_uid == geteuid().as_raw();
    let lacks = stat.st_mode & OWNER_ALL != OWNER_ALL;
    (ours && lacks).then(|| Mode::from_bits_truncate(stat.st_mode | OWNER_ALL))
}

/// Opens a directory again, with a position of its own.
pub(super) fn reopen(directory: BorrowedFd<'_>) -> nix::Result<OwnedFd> {
    retry(|| openat(directory.as_fd(), c".", READ, Mode::empty()))
}

/// Repeats a call that a signal interrupts.
pub(super) fn retry<T>(mut call: impl FnMut() -> nix::Result<T>) -> nix::Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => continue,
            result => return result,
        }
    }
}
