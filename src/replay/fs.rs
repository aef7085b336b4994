//! The narrow trait through which every file-system call of a replay goes.

use crate::program::{Op, Place};
use nix::Result;

/// What a stat tells, as far as the replay uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileInfo {
    /// Bytes.
    pub size: i64,
    pub is_directory: bool,
    pub device: u64,
    pub inode: u64,
    /// How many names it has.
    pub links: u64,
    /// Whole seconds since the epoch.
    pub accessed: i64,
    pub modified: i64,
}

/// When an inode was made: seconds since the epoch, and nanoseconds.
pub type Born = (i64, u32);

/// What is done to a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockAction {
    /// Wait for a write lock.
    Lock,
    Unlock,
    /// Ask who holds it.
    Test,
}

/// The system calls of a replay; one implementation makes them, one answers from the trace, one fails on demand.
///
/// Every path is relative to one of the run's roots. Each method is one system call, except where it says otherwise.
/// Errors are the call's errno.
pub trait Filesystem {
    /// An open file.
    type File;

    /// Told before each operation; only the null implementation listens.
    #[inline(always)]
    fn before(&mut self, _op: &Op) {}

    /// Follows a symbolic link.
    fn stat(&mut self, place: Place<'_>) -> Result<FileInfo>;
    fn fstat(&mut self, file: &Self::File) -> Result<FileInfo>;
    /// When the file was made, where the file system keeps it.
    fn born(&mut self, _file: &Self::File) -> Option<Born> {
        None
    }
    /// As `stat`, of a symbolic link itself; no operation makes it (`--verify` does).
    fn stat_link(&mut self, place: Place<'_>) -> Result<FileInfo>;
    /// `flags` are open(2)'s, `mode` is for a file that is made.
    fn open(&mut self, place: Place<'_>, flags: i32, mode: u32) -> Result<Self::File>;
    fn close(&mut self, file: Self::File) -> Result<()>;
    fn read(&mut self, file: &Self::File, buffer: &mut [u8], offset: u64) -> Result<usize>;
    fn write(&mut self, file: &Self::File, data: &[u8], offset: u64) -> Result<usize>;
    fn truncate(&mut self, file: &Self::File, size: u64) -> Result<()>;
    fn fsync(&mut self, file: &Self::File) -> Result<()>;
    fn fdatasync(&mut self, file: &Self::File) -> Result<()>;
    /// A write lock of the process's (here: the client's) own; length 0 is to the end of the file.
    fn lock(&mut self, file: &Self::File, action: LockAction, offset: u64, length: u64) -> Result<()>;
    /// Of the run's directory.
    fn statfs(&mut self) -> Result<()>;
    /// Times of access and modification, seconds since the epoch; absent: the modification is now. Follows a symbolic link.
    fn set_times(&mut self, place: Place<'_>, times: Option<(i64, i64)>) -> Result<()>;
    fn make_directory(&mut self, place: Place<'_>, mode: u32) -> Result<()>;
    fn unlink(&mut self, place: Place<'_>) -> Result<()>;
    fn remove_directory(&mut self, place: Place<'_>) -> Result<()>;
    fn rename(&mut self, old: Place<'_>, new: Place<'_>) -> Result<()>;
    /// Makes `new` another name of `existing`; a symbolic link is linked itself.
    fn link(&mut self, existing: Place<'_>, new: Place<'_>) -> Result<()>;
    fn symlink(&mut self, target: &std::ffi::CStr, link: Place<'_>) -> Result<()>;
    fn read_link(&mut self, place: Place<'_>, buffer: &mut [u8]) -> Result<usize>;
    /// Whether it is there for us.
    fn access(&mut self, place: Place<'_>) -> Result<()>;
    /// The longest name below it.
    fn path_limit(&mut self, place: Place<'_>) -> Result<()>;
    /// Fills the buffer with entries as getdents64(2) gives them; 0 at the end.
    fn read_entries(&mut self, directory: &Self::File, buffer: &mut [u64]) -> Result<usize>;
    /// Looks at an entry of an open directory, not following a link.
    fn stat_entry(&mut self, directory: &Self::File, name: &std::ffi::CStr) -> Result<()>;
    /// Removes everything below a directory, and the directory itself unless `keep`; many calls.
    /// `buffer` is for the entries of directories.
    fn remove_tree(&mut self, place: Place<'_>, keep: bool, buffer: &mut [u64]) -> Result<()>;
    fn get_attribute(&mut self, place: Place<'_>, value: &mut [u8]) -> Result<usize>;
    fn get_file_attribute(&mut self, file: &Self::File, value: &mut [u8]) -> Result<usize>;
    fn set_file_attribute(&mut self, file: &Self::File, value: &[u8]) -> Result<()>;
}
