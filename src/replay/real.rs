//! The implementation that makes the system calls.

mod beneath;

use super::dirents;
use super::fs::{Born, FileInfo, Filesystem, LockAction};
use super::tree::TreeRemover;
use crate::program::{Place, Root};
pub use beneath::can_resolve_beneath;
use beneath::{At, at, beneath};
use nix::Result;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, FcntlArg, OFlag};
use nix::sys::stat::{FileStat, Mode, SFlag, UtimensatFlags};
use nix::sys::time::TimeSpec;
use nix::unistd::{AccessFlags, UnlinkatFlags};
use std::ffi::CStr;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// The attribute that Samba keeps DOS attributes in.
const ATTRIBUTE: &CStr = c"user.DosAttrib";

/// The run's directories as one client has them open.
#[derive(Debug)]
pub struct Roots {
    /// `DIR/clients`.
    pub clients: OwnedFd,
    /// `DIR/clients/clientN`.
    pub client: OwnedFd,
    /// `DIR/clients/shared`.
    pub shared: OwnedFd,
}

/// Makes the calls. With `BENEATH`, for runs in whose tree symbolic links can be, every path is resolved with
/// `openat2(RESOLVE_BENEATH)`, so that no link, however it is moved, leads out of its root; without, the paths have
/// no `..` and meet no links, and are used as they are.
pub struct Real<const BENEATH: bool> {
    roots: Roots,
    remover: TreeRemover<'static>,
    proc_path: Vec<u8>,
}

impl Roots {
    fn get(&self, root: Root) -> BorrowedFd<'_> {
        match root {
            Root::Client => self.client.as_fd(),
            Root::Shared => self.shared.as_fd(),
            Root::Clients => self.clients.as_fd(),
        }
    }
}

/// Tries whether extended attributes of users work on a directory, and leaves none behind.
///
/// # Errors
/// EOPNOTSUPP where the file system or the mount has none.
pub fn probe_attributes(directory: BorrowedFd<'_>) -> Result<()> {
    let name = c"user.rbench";
    // SAFETY: the pointers are valid for the call; the value is empty. (nix has no extended attributes.)
    let set = unsafe { libc::fsetxattr(directory.as_raw_fd(), name.as_ptr(), name.as_ptr().cast(), 0, 0) };
    Errno::result(set)?;
    // SAFETY: as above.
    Errno::result(unsafe { libc::fremovexattr(directory.as_raw_fd(), name.as_ptr()) }).map(drop)
}

impl<const BENEATH: bool> Real<BENEATH> {
    pub fn new(roots: Roots) -> Self {
        Real {
            roots,
            remover: TreeRemover::with_room(),
            proc_path: Vec::new(),
        }
    }

    #[inline]
    fn at<'path>(&self, place: Place<'path>) -> Result<At<'_, 'path>> {
        at::<BENEATH>(&self.roots, place)
    }

    /// The object itself, links followed, for calls that need no more than its identity.
    fn handle(&self, place: Place<'_>) -> Result<OwnedFd> {
        let root = self.roots.get(place.root);
        if BENEATH {
            return beneath(root, place.path, OFlag::O_PATH, Mode::empty());
        }
        nix::fcntl::openat(root, place.path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())
    }
}

/// `/proc/thread-self/fd/N` (threads have tables of their own) or, with a path, that and `/path`, in a buffer that stays.
fn proc_path<'b>(
    buffer: &'b mut Vec<u8>,
    directory: BorrowedFd<'_>,
    path: Option<&CStr>,
) -> Result<&'b CStr> {
    buffer.clear();
    buffer.extend_from_slice(b"/proc/thread-self/fd/");
    let written = write!(buffer, "{}", directory.as_raw_fd());
    written.map_err(|_| Errno::ENOMEM)?;
    if let Some(path) = path {
        buffer.push(b'/');
        buffer.extend_from_slice(path.to_bytes());
    }
    buffer.push(0);
    CStr::from_bytes_until_nul(buffer).map_err(|_| Errno::ENAMETOOLONG)
}

impl From<FileStat> for FileInfo {
    #[inline]
    fn from(stat: FileStat) -> FileInfo {
        FileInfo {
            size: stat.st_size,
            is_directory: stat.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFDIR.bits(),
            device: stat.st_dev,
            inode: stat.st_ino,
            // (Its width differs from one architecture to another.)
            #[allow(clippy::unnecessary_cast)]
            links: stat.st_nlink as u64,
            accessed: stat.st_atime,
            modified: stat.st_mtime,
        }
    }
}

fn open_flags(flags: i32) -> OFlag {
    OFlag::from_bits_retain(flags)
}

impl<const BENEATH: bool> Filesystem for Real<BENEATH> {
    type File = OwnedFd;

    #[inline]
    fn stat(&mut self, place: Place<'_>) -> Result<FileInfo> {
        if BENEATH {
            return Ok(nix::sys::stat::fstat(self.handle(place)?)?.into());
        }
        let root = self.roots.get(place.root);
        Ok(nix::sys::stat::fstatat(root, place.path, AtFlags::empty())?.into())
    }

    #[inline]
    fn fstat(&mut self, file: &OwnedFd) -> Result<FileInfo> {
        Ok(nix::sys::stat::fstat(file)?.into())
    }

    fn born(&mut self, file: &OwnedFd) -> Option<Born> {
        let mut about = std::mem::MaybeUninit::<libc::statx>::zeroed();
        // SAFETY: the descriptor is open, the path is an empty C string, and `about` has room for the answer.
        // (nix has no statx.)
        let about = unsafe {
            let (empty, wanted) = (c"".as_ptr(), libc::STATX_BTIME);
            let done = libc::statx(
                file.as_raw_fd(),
                empty,
                libc::AT_EMPTY_PATH,
                wanted,
                about.as_mut_ptr(),
            );
            if done != 0 {
                return None;
            }
            // Zeros are a valid value of it, and the call has filled in the rest.
            about.assume_init()
        };
        let kept = about.stx_mask & libc::STATX_BTIME != 0;
        kept.then_some((about.stx_btime.tv_sec, about.stx_btime.tv_nsec))
    }

    fn stat_link(&mut self, place: Place<'_>) -> Result<FileInfo> {
        let at = self.at(place)?;
        Ok(nix::sys::stat::fstatat(at.directory, at.name, AtFlags::AT_SYMLINK_NOFOLLOW)?.into())
    }

    #[inline]
    fn open(&mut self, place: Place<'_>, flags: i32, mode: u32) -> Result<OwnedFd> {
        let root = self.roots.get(place.root);
        let (flags, mode) = (open_flags(flags), Mode::from_bits_retain(mode));
        if BENEATH {
            return beneath(root, place.path, flags, mode);
        }
        nix::fcntl::openat(root, place.path, flags, mode)
    }

    #[inline]
    fn close(&mut self, file: OwnedFd) -> Result<()> {
        nix::unistd::close(file)
    }

    #[inline]
    fn read(&mut self, file: &OwnedFd, buffer: &mut [u8], offset: u64) -> Result<usize> {
        nix::sys::uio::pread(file, buffer, offset.cast_signed())
    }

    #[inline]
    fn write(&mut self, file: &OwnedFd, data: &[u8], offset: u64) -> Result<usize> {
        nix::sys::uio::pwrite(file, data, offset.cast_signed())
    }

    fn truncate(&mut self, file: &OwnedFd, size: u64) -> Result<()> {
        nix::unistd::ftruncate(file, size.cast_signed())
    }

    fn fsync(&mut self, file: &OwnedFd) -> Result<()> {
        nix::unistd::fsync(file)
    }

    fn fdatasync(&mut self, file: &OwnedFd) -> Result<()> {
        nix::unistd::fdatasync(file)
    }

    fn lock(&mut self, file: &OwnedFd, action: LockAction, offset: u64, length: u64) -> Result<()> {
        let kind = match action {
            LockAction::Unlock => libc::F_UNLCK,
            LockAction::Lock | LockAction::Test => libc::F_WRLCK,
        };
        let mut range = libc::flock {
            l_type: kind as libc::c_short,
            l_whence: libc::SEEK_SET as libc::c_short,
            l_start: offset.cast_signed(),
            l_len: length.cast_signed(),
            l_pid: 0,
        };
        let call = match action {
            LockAction::Test => FcntlArg::F_GETLK(&mut range),
            LockAction::Lock | LockAction::Unlock => FcntlArg::F_SETLKW(&range),
        };
        nix::fcntl::fcntl(file, call).map(drop)
    }

    fn statfs(&mut self) -> Result<()> {
        nix::sys::statfs::fstatfs(&self.roots.clients).map(drop)
    }

    fn set_times(&mut self, place: Place<'_>, times: Option<(i64, i64)>) -> Result<()> {
        let (accessed, modified) = match times {
            Some((accessed, modified)) => (TimeSpec::new(accessed, 0), TimeSpec::new(modified, 0)),
            None => (TimeSpec::UTIME_OMIT, TimeSpec::UTIME_NOW),
        };
        if BENEATH {
            let handle = self.handle(place)?;
            let path = proc_path(&mut self.proc_path, handle.as_fd(), None)?;
            let follow = UtimensatFlags::FollowSymlink;
            return nix::sys::stat::utimensat(&handle, path, &accessed, &modified, follow);
        }
        let (root, follow) = (self.roots.get(place.root), UtimensatFlags::FollowSymlink);
        nix::sys::stat::utimensat(root, place.path, &accessed, &modified, follow)
    }

    fn make_directory(&mut self, place: Place<'_>, mode: u32) -> Result<()> {
        let at = self.at(place)?;
        nix::sys::stat::mkdirat(at.directory, at.name, Mode::from_bits_retain(mode))
    }

    fn unlink(&mut self, place: Place<'_>) -> Result<()> {
        let at = self.at(place)?;
        nix::unistd::unlinkat(at.directory, at.name, UnlinkatFlags::NoRemoveDir)
    }

    fn remove_directory(&mut self, place: Place<'_>) -> Result<()> {
        let at = self.at(place)?;
        nix::unistd::unlinkat(at.directory, at.name, UnlinkatFlags::RemoveDir)
    }

    fn rename(&mut self, old: Place<'_>, new: Place<'_>) -> Result<()> {
        let (old, new) = (self.at(old)?, self.at(new)?);
        nix::fcntl::renameat(old.directory, old.name, new.directory, new.name)
    }

    fn link(&mut self, existing: Place<'_>, new: Place<'_>) -> Result<()> {
        let (old, new) = (self.at(existing)?, self.at(new)?);
        nix::unistd::linkat(old.directory, old.name, new.directory, new.name, AtFlags::empty())
    }

    fn symlink(&mut self, target: &CStr, link: Place<'_>) -> Result<()> {
        let at = self.at(link)?;
        nix::unistd::symlinkat(target, at.directory, at.name)
    }

    fn read_link(&mut self, place: Place<'_>, buffer: &mut [u8]) -> Result<usize> {
        let at = self.at(place)?;
        // SAFETY: both pointers are valid for the call, and the kernel writes at most `buffer.len()` bytes.
        // (nix's readlinkat allocates.)
        let length = unsafe {
            libc::readlinkat(
                at.directory.as_fd().as_raw_fd(),
                at.name.as_ptr(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
            )
        };
        Errno::result(length).map(|length| length.unsigned_abs())
    }

    fn access(&mut self, place: Place<'_>) -> Result<()> {
        if BENEATH {
            return self.handle(place).map(drop);
        }
        let root = self.roots.get(place.root);
        nix::unistd::faccessat(root, place.path, AccessFlags::F_OK, AtFlags::empty())
    }

    fn path_limit(&mut self, place: Place<'_>) -> Result<()> {
        // There is no pathconfat; the C library answers pathconf from a statfs of the path.
        nix::sys::statfs::fstatfs(self.handle(place)?).map(drop)
    }

    #[inline]
    fn read_entries(&mut self, directory: &OwnedFd, buffer: &mut [u64]) -> Result<usize> {
        dirents::read(directory.as_fd(), buffer)
    }

    fn stat_entry(&mut self, directory: &OwnedFd, name: &CStr) -> Result<()> {
        nix::sys::stat::fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW).map(drop)
    }

    fn remove_tree(&mut self, place: Place<'_>, keep: bool, buffer: &mut [u64]) -> Result<()> {
        if keep {
            let root = self.roots.get(place.root);
            return self.remover.empty_directory(root, buffer);
        }
        let at = at::<BENEATH>(&self.roots, place)?;
        self.remover.remove(at.directory.as_fd(), at.name, buffer)
    }

    fn get_attribute(&mut self, place: Place<'_>, value: &mut [u8]) -> Result<usize> {
        let opened;
        let path = if BENEATH {
            opened = self.handle(place)?;
            proc_path(&mut self.proc_path, opened.as_fd(), None)?
        } else {
            let root = self.roots.get(place.root);
            proc_path(&mut self.proc_path, root, Some(place.path))?
        };
        // SAFETY: the pointers are valid for the call, and the kernel writes at most `value.len()` bytes.
        // (nix has no extended attributes.)
        let length = unsafe {
            libc::getxattr(
                path.as_ptr(),
                ATTRIBUTE.as_ptr(),
                value.as_mut_ptr().cast(),
                value.len(),
            )
        };
        Errno::result(length).map(|length| length.unsigned_abs())
    }

    fn get_file_attribute(&mut self, file: &OwnedFd, value: &mut [u8]) -> Result<usize> {
        // SAFETY: as in `get_attribute`.
        let length = unsafe {
            libc::fgetxattr(
                file.as_raw_fd(),
                ATTRIBUTE.as_ptr(),
                value.as_mut_ptr().cast(),
                value.len(),
            )
        };
        Errno::result(length).map(|length| length.unsigned_abs())
    }

    fn set_file_attribute(&mut self, file: &OwnedFd, value: &[u8]) -> Result<()> {
        // SAFETY: the pointers are valid for the call, and the kernel only reads `value`.
        let done = unsafe {
            libc::fsetxattr(
                file.as_raw_fd(),
                ATTRIBUTE.as_ptr(),
                value.as_ptr().cast(),
                value.len(),
                0,
            )
        };
        Errno::result(done).map(drop)
    }
}
