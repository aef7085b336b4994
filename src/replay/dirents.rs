//! Reading a directory with getdents64 into a caller's buffer: no allocation, and it can stop early.
//!
//! nix and std read directories through `DIR*`, which allocates and takes the descriptor away.

use nix::errno::Errno;
use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Smallest buffer that holds an entry of every file system (names up to 1024 bytes on FUSE), bytes.
pub const MIN_BYTES: usize = 2048;

/// Offset of a record's name: inode (8), position (8), record length (2), type (1).
const NAME_OFFSET: usize = 19;
const LENGTH_OFFSET: usize = 16;
const TYPE_OFFSET: usize = 18;

/// A buffer for [`read`], [`Dirents`] and the tree remover, of at least `bytes` and [`MIN_BYTES`].
///
/// It is made of `u64` because the kernel writes records aligned to 8 bytes.
pub fn buffer(bytes: usize) -> Box<[u64]> {
    vec![0; bytes.max(MIN_BYTES).div_ceil(size_of::<u64>())].into_boxed_slice()
}

/// What a directory says of an entry's type. Only a hint: the entry may be another one by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryType {
    Directory,
    File,
    SymbolicLink,
    /// A FIFO, socket or device.
    Other,
    /// The file system does not say (DT_UNKNOWN): fstatat knows.
    Unknown,
}

/// One entry of a directory; `.` and `..` are entries too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    pub name: &'a CStr,
    pub entry_type: EntryType,
}

impl Entry<'_> {
    /// Whether it is `.` or `..`.
    pub fn is_dot(&self) -> bool {
        matches!(self.name.to_bytes(), b"." | b"..")
    }
}

/// Reads the next batch of entries of an open directory; returns how many bytes of the buffer it fills, 0 at the end.
///
/// # Errors
/// As getdents64; EINVAL also when the buffer is too small for the next entry.
pub fn read(directory: BorrowedFd<'_>, buffer: &mut [u64]) -> nix::Result<usize> {
    loop {
        // SAFETY: the kernel writes at most the given number of bytes, which is the length of the exclusively
        // borrowed buffer; any bytes are valid u64s.
        let filled = unsafe {
            libc::syscall(
                libc::SYS_getdents64,
                directory.as_raw_fd(),
                buffer.as_mut_ptr(),
                size_of_val(buffer),
            )
        };
        match Errno::result(filled) {
            Ok(filled) => return usize::try_from(filled).map_err(|_| Errno::EIO),
            Err(Errno::EINTR) => continue,
            Err(errno) => return Err(errno),
        }
    }
}

/// The entries that [`read`] left in the first `filled` bytes of the buffer.
pub fn entries(buffer: &[u64], filled: usize) -> Entries<'_> {
    let bytes = bytes(buffer);
    Entries {
        records: &bytes[..filled.min(bytes.len())],
    }
}

/// Iterates over one batch of entries; a record that makes no sense is EIO, and the last item.
#[derive(Debug)]
pub struct Entries<'a> {
    records: &'a [u8],
}

impl<'a> Iterator for Entries<'a> {
    type Item = nix::Result<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.records.is_empty() {
            return None;
        }
        match parse(self.records) {
            Some((entry, length)) => {
                self.records = &self.records[length..];
                Some(Ok(entry))
            }
            None => {
                self.records = &[];
                Some(Err(Errno::EIO))
            }
        }
    }
}

/// Reads a whole directory batch by batch, or as much of it as the caller asks for.
#[derive(Debug)]
pub struct Dirents<'a> {
    directory: BorrowedFd<'a>,
    buffer: &'a mut [u64],
    filled: usize,
    position: usize,
}

impl<'a> Dirents<'a> {
    /// Starts where the descriptor's position is: at the beginning, if it was opened just now.
    pub fn new(directory: BorrowedFd<'a>, buffer: &'a mut [u64]) -> Dirents<'a> {
        Dirents {
            directory,
            buffer,
            filled: 0,
            position: 0,
        }
    }

    /// The next entry, or None at the end. (No `Iterator`, for the entry lies in the buffer.)
    ///
    /// # Errors
    /// As [`read`]; EIO when the kernel's record makes no sense.
    #[expect(clippy::should_implement_trait, reason = "the entry borrows the buffer")]
    pub fn next(&mut self) -> nix::Result<Option<Entry<'_>>> {
        if self.position >= self.filled {
            self.filled = read(self.directory, self.buffer)?.min(size_of_val(self.buffer));
            self.position = 0;
            if self.filled == 0 {
                return Ok(None);
            }
        }
        let records = &bytes(self.buffer)[self.position..self.filled];
        let (entry, length) = parse(records).ok_or(Errno::EIO)?;
        self.position += length;
        Ok(Some(entry))
    }
}

/// The first record and its length in bytes.
fn parse(records: &[u8]) -> Option<(Entry<'_>, usize)> {
    let length = records.get(LENGTH_OFFSET..LENGTH_OFFSET + 2)?;
    let length = usize::from(u16::from_ne_bytes(length.try_into().ok()?));
    let record = records.get(..length)?;
    let name = CStr::from_bytes_until_nul(record.get(NAME_OFFSET..)?).ok()?;
    let entry_type = match record[TYPE_OFFSET] {
        libc::DT_DIR => EntryType::Directory,
        libc::DT_REG => EntryType::File,
        libc::DT_LNK => EntryType::SymbolicLink,
        libc::DT_UNKNOWN => EntryType::Unknown,
        _ => EntryType::Other,
    };
    Some((Entry { name, entry_type }, length))
}

fn bytes(buffer: &[u64]) -> &[u8] {
    // SAFETY: the same memory, read only, as bytes: every byte of a u64 is initialised and alignment 1 always holds.
    unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast(), size_of_val(buffer)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn every_entry_is_read_once_with_its_type() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join("sub")).unwrap();
        std::os::unix::fs::symlink("sub", scratch.path().join("link")).unwrap();
        for number in 0..500 {
            File::create(scratch.path().join(format!("file-with-a-long-name-{number}"))).unwrap();
        }
        let directory = File::open(scratch.path()).unwrap();
        let mut buffer = buffer(0);
        let mut seen = BTreeMap::new();
        let mut dirents = Dirents::new(directory.as_fd(), &mut buffer);
        while let Some(entry) = dirents.next().unwrap() {
            let again = seen.insert(entry.name.to_bytes().to_vec(), entry.entry_type);
            assert_eq!(again, None);
        }
        assert_eq!(seen.len(), 504);
        assert_eq!(seen[b"sub".as_slice()], EntryType::Directory);
        assert_eq!(seen[b"link".as_slice()], EntryType::SymbolicLink);
        assert_eq!(seen[b"file-with-a-long-name-7".as_slice()], EntryType::File);
        assert_eq!(seen[b"..".as_slice()], EntryType::Directory);
    }

    #[test]
    fn names_of_255_odd_bytes_are_read_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let name = [0xffu8, b'\n', b'"', 0x01, b' '].repeat(51);
        File::create(scratch.path().join(std::ffi::OsStr::from_bytes(&name))).unwrap();
        let directory = File::open(scratch.path()).unwrap();
        let mut buffer = buffer(0);
        let filled = read(directory.as_fd(), &mut buffer).unwrap();
        let names: Vec<_> = entries(&buffer, filled).map(|entry| entry.unwrap()).collect();
        assert!(names.iter().any(|entry| entry.name.to_bytes() == name));
        assert_eq!(names.iter().filter(|entry| entry.is_dot()).count(), 2);
        assert_eq!(read(directory.as_fd(), &mut buffer), Ok(0));
    }

    #[test]
    fn records_that_make_no_sense_are_an_error_and_end_the_batch() {
        for length in [0u16, 5, 19, 24, 25, u16::MAX] {
            let mut buffer = [u64::MAX; 3];
            buffer[2] = u64::from_ne_bytes([
                length.to_ne_bytes()[0],
                length.to_ne_bytes()[1],
                4,
                b'x',
                b'x',
                b'x',
                b'x',
                b'x',
            ]);
            let read: Vec<_> = entries(&buffer, 24).collect();
            assert_eq!(read, [Err(Errno::EIO)], "record length {length}");
        }
    }

    #[test]
    fn a_file_is_no_directory() {
        let file = tempfile::tempfile().unwrap();
        let mut buffer = buffer(0);
        let error = Dirents::new(file.as_fd(), &mut buffer).next().unwrap_err();
        assert_eq!(error, Errno::ENOTDIR);
    }
}
