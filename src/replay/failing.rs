//! An implementation that fails on demand, around another: for tests of what happens when calls fail.

use super::fs::{Born, FileInfo, Filesystem, LockAction};
use crate::program::{Op, Place};
use nix::Result;
use nix::errno::Errno;
use std::ffi::CStr;
use std::time::Duration;

/// The calls that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Stat,
    Open,
    Close,
    Read,
    Write,
    Sync,
    MakeDirectory,
    Unlink,
    Rename,
    Statfs,
}

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The call number `nth` of its kind (from 1) and every `every`-th after it fails.
    Fail {
        call: Call,
        nth: u64,
        every: u64,
        errno: Errno,
    },
    /// Reads and writes move at most so many bytes.
    Short { bytes: usize },
    /// Every call of a kind takes so much longer.
    Slow { call: Call, delay: Duration },
    /// In the read or write number `nth`, these bits of the byte at `index` are turned over.
    Flip {
        call: Call,
        nth: u64,
        index: usize,
        bits: u8,
    },
    /// The write number `nth` writes only its first bytes, and says that it wrote all.
    Lose { nth: u64, keep: usize },
    /// The write number `nth` goes to another offset.
    Misplace { nth: u64, offset: u64 },
}

/// A file system with faults.
#[derive(Debug)]
pub struct Failing<F> {
    inner: F,
    faults: Vec<Fault>,
    calls: [u64; 10],
}

impl<F> Failing<F> {
    pub fn new(inner: F, faults: Vec<Fault>) -> Failing<F> {
        Failing {
            inner,
            faults,
            calls: [0; 10],
        }
    }

    fn count(&mut self, made: Call) -> Result<()> {
        let count = &mut self.calls[made as usize];
        *count += 1;
        let count = *count;
        for fault in &self.faults {
            match *fault {
                Fault::Fail {
                    call,
                    nth,
                    every,
                    errno,
                } if call == made && is_due(count, nth, every) => return Err(errno),
                Fault::Slow { call, delay } if call == made => std::thread::sleep(delay),
                _ => {}
            }
        }
        Ok(())
    }

    /// The byte that a transfer changes, and which of its bits.
    fn flip(&self, made: Call) -> Option<(usize, u8)> {
        let count = self.calls[made as usize];
        self.faults.iter().find_map(|fault| match *fault {
            Fault::Flip {
                call,
                nth,
                index,
                bits,
            } if call == made && nth == count => Some((index, bits)),
            _ => None,
        })
    }

    /// How much of a write is made, and where.
    fn astray(&self, length: usize, offset: u64) -> (usize, u64) {
        let count = self.calls[Call::Write as usize];
        self.faults
            .iter()
            .fold((length, offset), |(length, offset), fault| match *fault {
                Fault::Lose { nth, keep } if nth == count => (length.min(keep), offset),
                Fault::Misplace { nth, offset } if nth == count => (length, offset),
                _ => (length, offset),
            })
    }

    fn cut(&self, length: usize) -> usize {
        let limits = self.faults.iter().filter_map(|fault| match fault {
            Fault::Short { bytes } => Some(*bytes),
            _ => None,
        });
        limits.fold(length, usize::min)
    }
}

/// Whether call number `count` is the `nth`, or one of every `every` after it.
fn is_due(count: u64, nth: u64, every: u64) -> bool {
    count == nth || (every > 0 && count > nth && (count - nth).is_multiple_of(every))
}

impl<F: Filesystem> Filesystem for Failing<F> {
    type File = F::File;

    fn before(&mut self, op: &Op) {
        self.inner.before(op);
    }
    fn stat(&mut self, place: Place<'_>) -> Result<FileInfo> {
        self.count(Call::Stat)?;
        self.inner.stat(place)
    }
    fn fstat(&mut self, file: &Self::File) -> Result<FileInfo> {
        self.inner.fstat(file)
    }
    fn stat_link(&mut self, place: Place<'_>) -> Result<FileInfo> {
        self.inner.stat_link(place)
    }
    fn open(&mut self, place: Place<'_>, flags: i32, mode: u32) -> Result<Self::File> {
        self.count(Call::Open)?;
        self.inner.open(place, flags, mode)
    }
    fn born(&mut self, file: &Self::File) -> Option<Born> {
        self.inner.born(file)
    }
    fn close(&mut self, file: Self::File) -> Result<()> {
        self.inner.close(file)?;
        self.count(Call::Close)
    }
    fn read(&mut self, file: &Self::File, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.count(Call::Read)?;
        let length = self.cut(buffer.len());
        let read = self.inner.read(file, &mut buffer[..length], offset)?;
        if let Some((index, bits)) = self.flip(Call::Read)
            && index < read
        {
            buffer[index] ^= bits;
        }
        Ok(read)
    }
    fn write(&mut self, file: &Self::File, data: &[u8], offset: u64) -> Result<usize> {
        self.count(Call::Write)?;
        let data = &data[..self.cut(data.len())];
        let (length, offset) = self.astray(data.len(), offset);
        if length < data.len() {
            self.inner.write(file, &data[..length], offset)?;
            return Ok(data.len());
        }
        match self.flip(Call::Write) {
            Some((index, bits)) if index < data.len() => {
                let mut data = data.to_vec();
                data[index] ^= bits;
                self.inner.write(file, &data, offset)
            }
            _ => self.inner.write(file, data, offset),
        }
    }
    fn truncate(&mut self, file: &Self::File, size: u64) -> Result<()> {
        self.inner.truncate(file, size)
    }
    fn fsync(&mut self, file: &Self::File) -> Result<()> {
        self.count(Call::Sync)?;
        self.inner.fsync(file)
    }
    fn fdatasync(&mut self, file: &Self::File) -> Result<()> {
        self.count(Call::Sync)?;
        self.inner.fdatasync(file)
    }
    fn lock(&mut self, file: &Self::File, action: LockAction, offset: u64, length: u64) -> Result<()> {
        self.inner.lock(file, action, offset, length)
    }
    fn statfs(&mut self) -> Result<()> {
        self.count(Call::Statfs)?;
        self.inner.statfs()
    }
    fn set_times(&mut self, place: Place<'_>, times: Option<(i64, i64)>) -> Result<()> {
        self.inner.set_times(place, times)
    }
    fn make_directory(&mut self, place: Place<'_>, mode: u32) -> Result<()> {
        self.count(Call::MakeDirectory)?;
        self.inner.make_directory(place, mode)
    }
    fn unlink(&mut self, place: Place<'_>) -> Result<()> {
        self.count(Call::Unlink)?;
        self.inner.unlink(place)
    }
    fn remove_directory(&mut self, place: Place<'_>) -> Result<()> {
        self.inner.remove_directory(place)
    }
    fn rename(&mut self, old: Place<'_>, new: Place<'_>) -> Result<()> {
        self.count(Call::Rename)?;
        self.inner.rename(old, new)
    }
    fn link(&mut self, existing: Place<'_>, new: Place<'_>) -> Result<()> {
        self.inner.link(existing, new)
    }
    fn symlink(&mut self, target: &CStr, link: Place<'_>) -> Result<()> {
        self.inner.symlink(target, link)
    }
    fn read_link(&mut self, place: Place<'_>, buffer: &mut [u8]) -> Result<usize> {
        self.inner.read_link(place, buffer)
    }
    fn access(&mut self, place: Place<'_>) -> Result<()> {
        self.inner.access(place)
    }
    fn path_limit(&mut self, place: Place<'_>) -> Result<()> {
        self.inner.path_limit(place)
    }
    fn read_entries(&mut self, directory: &Self::File, buffer: &mut [u64]) -> Result<usize> {
        self.inner.read_entries(directory, buffer)
    }
    fn stat_entry(&mut self, directory: &Self::File, name: &CStr) -> Result<()> {
        self.inner.stat_entry(directory, name)
    }
    fn remove_tree(&mut self, place: Place<'_>, keep: bool, buffer: &mut [u64]) -> Result<()> {
        self.inner.remove_tree(place, keep, buffer)
    }
    fn get_attribute(&mut self, place: Place<'_>, value: &mut [u8]) -> Result<usize> {
        self.inner.get_attribute(place, value)
    }
    fn get_file_attribute(&mut self, file: &Self::File, value: &mut [u8]) -> Result<usize> {
        self.inner.get_file_attribute(file, value)
    }
    fn set_file_attribute(&mut self, file: &Self::File, value: &[u8]) -> Result<()> {
        self.inner.set_file_attribute(file, value)
    }
}
