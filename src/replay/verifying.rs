//! `--verify`: an implementation around another that writes data of its own, and checks every read of them.
//!
//! What was written is known by the file, not by its path: [`Ledger`] holds for each file, under its device and inode
//! number, which bytes this run has written last. All else (holes, what other programs or earlier runs have written)
//! is not checked. A write and its note, and a read and its check, exclude one another by the file's lock; while it is
//! held, nothing is waited for but the file system.
//!
//! An inode number can come again. A file leaves the ledger when its last name and handle go; should that be missed,
//! the time at which the inode was made tells at the next open, or, where the file system does not keep it, the size:
//! nothing can be known then of what lies beyond it.

mod cells;
mod comparison;
mod extents;
mod ledger;
#[cfg(test)]
mod model;
mod opening;
#[cfg(test)]
mod tests;
mod trees;

use super::aligned::Aligned;
use super::fs::{FileInfo, Filesystem, LockAction};
use super::gate::{Gate, StopReason};
use super::verification::Corruption;
use crate::op::Kind;
use crate::program::{Op, Place, Program};
use cells::Author;
use comparison::{Comparison, Difference, Reading};
use extents::Extents;
pub use ledger::Ledger;
use ledger::{Identity, WrittenFile};
use nix::Result;
use nix::errno::Errno;
use std::ffi::CStr;
use std::sync::Arc;

/// One client's view of a file system that is checked.
pub struct Verifying<'r, F> {
    inner: F,
    client: u32,
    program: &'r Program,
    ledger: &'r Ledger,
    /// Stopped at the first read that differs, if at all.
    stop: Option<&'r Gate>,
    /// The operation that is executed: its line, and the index of its kind.
    line: u32,
    kind: u8,
    /// What is written is put together here.
    data: Aligned,
    reads_checked: u64,
    bytes_checked: u64,
}

/// An open file, and what is known of it; nothing of a directory.
pub struct Checked<File> {
    file: File,
    written: Option<(Identity, Arc<WrittenFile>)>,
    /// O_APPEND: writes go to the end, wherever they are asked to go (pwrite(2), BUGS).
    appends: bool,
    path: Box<str>,
}

impl<'r, F> Verifying<'r, F> {
    pub fn new(
        inner: F,
        client: u32,
        program: &'r Program,
        ledger: &'r Ledger,
        stop: Option<&'r Gate>,
    ) -> Verifying<'r, F> {
        Verifying {
            inner,
            client,
            program,
            ledger,
            stop,
            line: 0,
            kind: 0,
            // As long as any write, so that no write has to make room.
            data: Aligned::zeros(program.max_write as usize),
            reads_checked: 0,
            bytes_checked: 0,
        }
    }

    #[cold]
    fn report(&self, path: &str, difference: Difference) {
        let kind = self.program.kinds.get(usize::from(self.kind)).copied();
        let corruption = Corruption {
            client: self.client,
            loadfile: self.program.name().to_owned(),
            line: self.line,
            kind: kind.unwrap_or(Kind::ReadX),
            path: path.to_owned(),
            offset: difference.offset,
            expected_byte: difference.expected,
            got_byte: difference.got,
            found: difference.found,
        };
        if let Some(gate) = self.stop {
            gate.stop(StopReason::Failed(corruption.to_string()));
        }
        self.ledger.add_corruption(corruption);
    }
}

impl<F> Drop for Verifying<'_, F> {
    fn drop(&mut self) {
        self.ledger.add_checked(self.reads_checked, self.bytes_checked);
    }
}

/// Whether a call that failed so has surely changed nothing.
fn changes_nothing(errno: Errno) -> bool {
    matches!(errno, Errno::EBADF | Errno::EINVAL | Errno::EINTR)
}

impl<F: Filesystem> Verifying<'_, F> {
    /// What a read has to be held against, and whether it was as written.
    fn check(
        &mut self,
        file: &Checked<F::File>,
        number: u64,
        extents: &Extents,
        read: &[u8],
        asked: u64,
        offset: u64,
    ) -> Option<Difference> {
        let reading = Reading {
            file: number,
            offset,
            bytes: read,
        };
        let Comparison { bytes, difference } = reading.compare(extents);
        let missing = match difference {
            None if (read.len() as u64) < asked => self.missing(
                file,
                number,
                extents,
                offset + read.len() as u64..offset.saturating_add(asked),
            ),
            _ => None,
        };
        if bytes > 0 || missing.is_some() {
            self.reads_checked += 1;
            self.bytes_checked += bytes;
        }
        difference.or(missing)
    }

    /// A read came short: it may have been interrupted, but where the file ends, written bytes have gone.
    #[cold]
    fn missing(
        &mut self,
        file: &Checked<F::File>,
        number: u64,
        extents: &Extents,
        unread: std::ops::Range<u64>,
    ) -> Option<Difference> {
        let first = extents.within(unread).next()?;
        let ends = match self.inner.read(&file.file, &mut [0], first.start) {
            Ok(read) => read == 0,
            // A single byte cannot be read with O_DIRECT.
            Err(Errno::EINVAL) => {
                let info = self.inner.fstat(&file.file).ok()?;
                info.size.max(0).unsigned_abs() <= first.start
            }
            Err(_) => false,
        };
        let author = Author {
            client: first.client,
            file: number,
            write: first.write,
        };
        ends.then(|| Difference {
            offset: first.start,
            expected: cells::byte(author, first.start),
            got: None,
            found: "the file ends before it".to_owned(),
        })
    }

    /// Takes the file that a name leads to out of the ledger, if the name is its last and nobody has it open.
    fn take(&mut self, place: Place<'_>) -> Option<(Identity, Arc<WrittenFile>)> {
        let info = self.inner.stat_link(place).ok()?;
        if info.is_directory || info.links != 1 {
            return None;
        }
        let identity = Identity::from(&info);
        Some((identity, self.ledger.take(identity)?))
    }

    fn restore(&self, taken: Option<(Identity, Arc<WrittenFile>)>) {
        if let Some((identity, file)) = taken {
            self.ledger.restore(identity, file);
        }
    }
}

impl<F: Filesystem> Filesystem for Verifying<'_, F> {
    type File = Checked<F::File>;

    fn before(&mut self, op: &Op) {
        (self.line, self.kind) = (op.line, op.kind);
        self.inner.before(op);
    }
    fn stat(&mut self, place: Place<'_>) -> Result<FileInfo> {
        self.inner.stat(place)
    }
    fn fstat(&mut self, file: &Self::File) -> Result<FileInfo> {
        self.inner.fstat(&file.file)
    }
    fn stat_link(&mut self, place: Place<'_>) -> Result<FileInfo> {
        self.inner.stat_link(place)
    }

    fn open(&mut self, place: Place<'_>, flags: i32, mode: u32) -> Result<Self::File> {
        if flags & libc::O_TRUNC != 0 {
            return self.open_empty(place, flags, mode);
        }
        let file = self.inner.open(place, flags, mode)?;
        self.enter(place, flags, file)
    }

    fn close(&mut self, file: Self::File) -> Result<()> {
        let Checked { file, written, .. } = file;
        if let Some((identity, written)) = written {
            // The ledger's and this one.
            let last = Arc::strong_count(&written) <= 2;
            let gone = last && self.inner.fstat(&file).is_ok_and(|info| info.links == 0);
            self.ledger.close(identity, written, gone);
        }
        self.inner.close(file)
    }

    fn read(&mut self, file: &Self::File, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let Some((_, written)) = &file.written else {
            return self.inner.read(&file.file, buffer, offset);
        };
        let extents = written.reading();
        let count = self.inner.read(&file.file, buffer, offset)?;
        let (read, asked) = (&buffer[..count.min(buffer.len())], buffer.len() as u64);
        let difference = self.check(file, written.number, &extents, read, asked, offset);
        drop(extents);
        if let Some(difference) = difference {
            self.report(&file.path, difference);
        }
        Ok(count)
    }

    fn write(&mut self, file: &Self::File, data: &[u8], offset: u64) -> Result<usize> {
        let Some((_, written)) = &file.written else {
            return self.inner.write(&file.file, data, offset);
        };
        let mut extents = written.writing();
        let start = match file.appends {
            true => self.inner.fstat(&file.file)?.size.max(0).unsigned_abs(),
            false => offset,
        };
        let range = start..start.saturating_add(data.len() as u64);
        let author = Author {
            client: self.client,
            file: written.number,
            write: extents.next_write(range.clone()),
        };
        if self.data.len() < data.len() {
            self.data = Aligned::zeros(data.len());
        }
        let data = &mut self.data[..data.len()];
        cells::fill(data, author, start);
        match self.inner.write(&file.file, data, offset) {
            Ok(count) => {
                let end = start.saturating_add(count as u64).min(range.end);
                extents.note(start..end, self.client, author.write);
                Ok(count)
            }
            Err(errno) => {
                if !changes_nothing(errno) {
                    extents.forget(range);
                    extents.raise_floor(author.write);
                }
                Err(errno)
            }
        }
    }

    fn truncate(&mut self, file: &Self::File, size: u64) -> Result<()> {
        let Some((_, written)) = &file.written else {
            return self.inner.truncate(&file.file, size);
        };
        let mut extents = written.writing();
        let truncated = self.inner.truncate(&file.file, size);
        if !truncated.is_err_and(changes_nothing) {
            extents.forget(size..u64::MAX);
        }
        truncated
    }

    fn fsync(&mut self, file: &Self::File) -> Result<()> {
        self.inner.fsync(&file.file)
    }
    fn fdatasync(&mut self, file: &Self::File) -> Result<()> {
        self.inner.fdatasync(&file.file)
    }
    fn lock(&mut self, file: &Self::File, action: LockAction, offset: u64, length: u64) -> Result<()> {
        self.inner.lock(&file.file, action, offset, length)
    }
    fn statfs(&mut self) -> Result<()> {
        self.inner.statfs()
    }
    fn set_times(&mut self, place: Place<'_>, times: Option<(i64, i64)>) -> Result<()> {
        self.inner.set_times(place, times)
    }
    fn make_directory(&mut self, place: Place<'_>, mode: u32) -> Result<()> {
        self.inner.make_directory(place, mode)
    }

    fn unlink(&mut self, place: Place<'_>) -> Result<()> {
        // Before, because afterwards its number may be another file's.
        let taken = self.take(place);
        let unlinked = self.inner.unlink(place);
        if unlinked.is_err() {
            self.restore(taken);
        }
        unlinked
    }

    fn remove_directory(&mut self, place: Place<'_>) -> Result<()> {
        self.inner.remove_directory(place)
    }

    fn rename(&mut self, old: Place<'_>, new: Place<'_>) -> Result<()> {
        let taken = self.take(new);
        let renamed = self.inner.rename(old, new);
        let stays = match &taken {
            Some((identity, _)) if renamed.is_ok() => {
                // A file that is renamed to its own name is still there.
                let info = self.inner.stat_link(new);
                info.is_ok_and(|info| Identity::from(&info) == *identity)
            }
            _ => renamed.is_err(),
        };
        if stays {
            self.restore(taken);
        }
        renamed
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
        self.inner.read_entries(&directory.file, buffer)
    }
    fn stat_entry(&mut self, directory: &Self::File, name: &CStr) -> Result<()> {
        self.inner.stat_entry(&directory.file, name)
    }

    fn remove_tree(&mut self, place: Place<'_>, keep: bool, buffer: &mut [u64]) -> Result<()> {
        self.forget_below(place, buffer);
        self.inner.remove_tree(place, keep, buffer)
    }

    fn get_attribute(&mut self, place: Place<'_>, value: &mut [u8]) -> Result<usize> {
        self.inner.get_attribute(place, value)
    }
    fn get_file_attribute(&mut self, file: &Self::File, value: &mut [u8]) -> Result<usize> {
        self.inner.get_file_attribute(&file.file, value)
    }
    fn set_file_attribute(&mut self, file: &Self::File, value: &[u8]) -> Result<()> {
        self.inner.set_file_attribute(&file.file, value)
    }
}
