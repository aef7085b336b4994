//! The lock that one rbench holds, and its guardian with it, while settings are other than before.
//!
//! It is on a file of its own, `/run/rbench/lock`, because the journal is replaced by renaming, and a lock stays with
//! the file that was replaced. rbench and the guardian share one open file: it is free only when both are gone.

use super::error::KnobError;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, FlockArg, OFlag, open, openat};
use nix::sys::signal::kill;
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, fchmodat, fstat, fstatat};
use nix::unistd::{Pid, UnlinkatFlags, mkdir, unlinkat};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

/// Settings do not outlive the machine, and neither does /run.
pub(super) const DIRECTORY: &str = "/run/rbench";
const LOCK: &str = "lock";
/// A journal that is being written.
pub(super) const DRAFT: &str = "journal.new";
const ATTEMPTS: u32 = 20;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// An error with `/run/rbench`.
pub(super) fn failed(name: &str, why: impl Into<String>) -> KnobError {
    let path = PathBuf::from(DIRECTORY);
    KnobError::Journal {
        path: if name.is_empty() { path } else { path.join(name) },
        why: why.into(),
    }
}

/// Fails unless it is root's, and nobody else may write it.
pub(super) fn check_owner(stat: &FileStat, name: &str) -> Result<(), KnobError> {
    if stat.st_uid != 0 {
        let why = format!(
            "it is user {}'s and not root's: it is not heeded; remove it",
            stat.st_uid
        );
        return Err(failed(name, why));
    }
    if stat.st_mode & WRITABLE_BY_OTHERS != 0 {
        let why = "others than root may write it: it is not heeded; remove it";
        return Err(failed(name, why));
    }
    Ok(())
}

/// Opens `/run/rbench`; none if it is not there.
pub(super) fn open_directory() -> Result<Option<OwnedFd>, KnobError> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let directory = match open(DIRECTORY, flags, Mode::empty()) {
        Ok(directory) => directory,
        Err(Errno::ENOENT) => return Ok(None),
        Err(Errno::ENOTDIR | Errno::ELOOP) => {
            return Err(failed("", "it is no directory: it is not heeded; remove it"));
        }
        Err(errno) => return Err(failed("", format!("it cannot be opened ({})", errno.desc()))),
    };
    let stat = fstat(&directory).map_err(|errno| failed("", errno.desc()))?;
    check_owner(&stat, "")?;
    Ok(Some(directory))
}

/// The lock, held.
#[derive(Debug)]
pub(super) struct Lock {
    directory: OwnedFd,
    file: File,
}

impl Lock {
    /// Takes the lock, without waiting; none if someone holds it.
    ///
    /// # Errors
    /// `/run/rbench` cannot be made, or is not root's alone.
    pub(super) fn try_take() -> Result<Option<Lock>, KnobError> {
        for _ in 0..ATTEMPTS {
            let Some(directory) = open_directory()? else {
                make_directory()?;
                continue;
            };
            let flags =
                OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
            let file = match openat(&directory, LOCK, flags, Mode::S_IRUSR | Mode::S_IWUSR) {
                Ok(file) => File::from(file),
                // Just removed by whoever held it.
                Err(Errno::ENOENT) => continue,
                Err(errno) => return Err(failed(LOCK, format!("it cannot be opened ({})", errno.desc()))),
            };
            let stat = fstat(&file).map_err(|errno| failed(LOCK, errno.desc()))?;
            check_owner(&stat, LOCK)?;
            match lock(&file) {
                Ok(()) => {}
                Err(Errno::EWOULDBLOCK) => return Ok(None),
                Err(errno) => return Err(failed(LOCK, format!("it cannot be locked ({})", errno.desc()))),
            }
            let lock = Lock { directory, file };
            if lock.is_current() {
                return Ok(Some(lock));
            }
        }
        Err(failed("", "it comes and goes"))
    }

    /// The lock in a file that was inherited, locked.
    pub(super) fn inherited(file: File) -> Result<Lock, KnobError> {
        let directory = open_directory()?.ok_or_else(|| failed("", "it is gone"))?;
        let lock = Lock { directory, file };
        match lock.is_current() {
            true => Ok(lock),
            false => Err(failed(LOCK, "it is another than was locked")),
        }
    }

    /// Whether `/run/rbench/lock` is still the file that is locked.
    pub(super) fn is_current(&self) -> bool {
        let path = format!("{DIRECTORY}/{LOCK}");
        let named = fstatat(&self.directory, path.as_str(), AtFlags::AT_SYMLINK_NOFOLLOW);
        let held = fstat(&self.file);
        matches!((named, held), (Ok(named), Ok(held)) if (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino))
    }

    /// A descriptor of the same open file, for a child.
    pub(super) fn share(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }

    pub(super) fn directory(&self) -> &OwnedFd {
        &self.directory
    }

    /// Removes the lock's file and the directory. The lock holds until the last descriptor is closed, but nobody asks
    /// for it any more.
    pub(super) fn remove(&self) {
        if !self.is_current() {
            return;
        }
        // Of one that was killed while it wrote. What stays all the same is gone after the next start of the machine.
        let _ = unlinkat(&self.directory, DRAFT, UnlinkatFlags::NoRemoveDir);
        let _ = unlinkat(&self.directory, LOCK, UnlinkatFlags::NoRemoveDir);
        let _ = std::fs::remove_dir(DIRECTORY);
    }
}

fn make_directory() -> Result<(), KnobError> {
    let mode = Mode::from_bits_truncate(0o755);
    let cannot = |errno: Errno| failed("", format!("it cannot be made ({})", errno.desc()));
    match mkdir(DIRECTORY, mode) {
        Ok(()) => {}
        Err(Errno::EEXIST) => return Ok(()),
        Err(errno) => return Err(cannot(errno)),
    }
    // Whatever the umask is, others may see that settings are changed. Another may have removed it already.
    match fchmodat(AT_FDCWD, DIRECTORY, mode, FchmodatFlags::FollowSymlink) {
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(errno) => Err(cannot(errno)),
    }
}

fn lock(file: &File) -> nix::Result<()> {
    loop {
        #[expect(
            deprecated,
            reason = "nix's Flock unlocks when dropped, and with it the guardian's"
        )]
        match nix::fcntl::flock(file.as_raw_fd(), FlockArg::LockExclusiveNonblock) {
            Err(Errno::EINTR) => {}
            result => return result,
        }
    }
}

/// Whether there is such a process.
pub(super) fn is_alive(pid: u32) -> bool {
    kill(Pid::from_raw(pid.cast_signed()), None) != Err(Errno::ESRCH)
}
