//! What the bystander works on, all below one directory: the tree that is browsed, the document that is saved, the log.
//!
//! Each call names one component relative to a descriptor, and follows no symbolic link.

use super::failure::Failure;
use crate::run::limits::RunSpace;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Directories of the tree.
pub const DIRECTORIES: usize = 16;
/// Files in each of them.
pub const FILES: usize = 20;
/// Bytes of each file.
pub const FILE_BYTES: usize = 4096;
/// Bytes of the document.
pub const DOCUMENT_BYTES: usize = 10 << 10;
/// The log starts anew when it has reached this size, bytes.
pub const LOG_BYTES: u64 = 1 << 20;

pub const TREE: &CStr = c"tree";
pub const DOCUMENT: &CStr = c"document";
/// What is to become the document.
pub const DRAFT: &CStr = c"document.new";
pub const LOG: &CStr = c"log";

/// What all of it needs at most, with room for the blocks of a file system that takes large ones.
pub const SPACE: RunSpace = RunSpace {
    bytes: 4 << 20,
    inodes: (DIRECTORIES * (FILES + 1) + 8) as u64,
};

/// How directories are opened.
pub const DIRECTORY: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_CLOEXEC);
/// How files are opened, besides what for.
pub const FILE: OFlag = OFlag::O_NOFOLLOW.union(OFlag::O_CLOEXEC);

/// Only ours.
pub const MODE: Mode = Mode::S_IRUSR.union(Mode::S_IWUSR);

/// Name of a directory of the tree.
pub fn directory_name(number: usize) -> CString {
    // Letters and digits hold no NUL.
    CString::new(format!("d{number:02}")).unwrap_or_default()
}

/// Name of a file in each of them.
pub fn file_name(number: usize) -> CString {
    CString::new(format!("f{number:02}")).unwrap_or_default()
}

/// Bytes that no file system makes smaller to speak of.
pub fn content(bytes: usize) -> Box<[u8]> {
    use rand_chacha::rand_core::{Rng, SeedableRng};
    let mut content = vec![0; bytes].into_boxed_slice();
    rand_chacha::ChaCha8Rng::seed_from_u64(1).fill_bytes(&mut content);
    content
}

/// Makes the tree and the document in an empty directory.
///
/// # Errors
/// Any of the calls; what was made until then stays.
pub fn make(directory: BorrowedFd<'_>) -> Result<(), Failure> {
    let content = content(DOCUMENT_BYTES.max(FILE_BYTES));
    let tree = subdirectory(directory, TREE)?;
    for number in 0..DIRECTORIES {
        let one = subdirectory(tree.as_fd(), &directory_name(number))?;
        for file in 0..FILES {
            write_new(one.as_fd(), &file_name(file), &content[..FILE_BYTES])?;
        }
    }
    write_new(directory, DOCUMENT, &content[..DOCUMENT_BYTES])
}

fn subdirectory(parent: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Failure> {
    mkdirat(parent, name, Mode::S_IRWXU).map_err(Failure::call("make its directories"))?;
    openat(parent, name, DIRECTORY, Mode::empty()).map_err(Failure::call("open its directories"))
}

fn write_new(directory: BorrowedFd<'_>, name: &CStr, content: &[u8]) -> Result<(), Failure> {
    let flags = FILE | OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL;
    let file = openat(directory, name, flags, MODE).map_err(Failure::call("make its files"))?;
    File::from(file)
        .write_all(content)
        .map_err(Failure::io("write its files"))
}
