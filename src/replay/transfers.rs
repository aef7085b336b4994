//! Reads and writes of open files.

use super::execute::{Failure, Outcome};
use super::fs::Filesystem;
use super::replayer::Replayer;
use crate::program::{Op, flag};

impl<F: Filesystem> Replayer<'_, F> {
    #[inline]
    pub(super) fn read(&mut self, op: &Op) -> Outcome {
        let file = self.slots[op.a as usize].file().ok_or(Failure::Skipped)?;
        let buffer = &mut self.buffer[..op.length as usize];
        if self.settings.fake_io {
            return Ok(counted(op, u64::from(op.returned)));
        }
        let read = self.fs.read(file, buffer, op.offset)? as u64;
        Ok(counted(op, read))
    }

    #[inline]
    pub(super) fn write(&mut self, op: &Op) -> Outcome {
        let file = self.slots[op.a as usize].file().ok_or(Failure::Skipped)?;
        let settings = self.settings;
        if settings.fake_io {
            return Ok(counted(op, u64::from(op.returned)));
        }
        let data = self.data.next(&mut self.cursor, op.length as usize);
        let fix = settings.one_byte_write_fix && op.length == 1;
        if fix && !must_write_byte(&mut self.fs, file, data, op.offset)? {
            // Nothing was written that an fsync could be for (as in dbench 4.0).
            return Ok(counted(op, 1));
        }
        let written = self.fs.write(file, data, op.offset)? as u64;
        if settings.fsync {
            self.fs.fsync(file)?;
        }
        Ok(counted(op, written))
    }
}

/// `--one-byte-write-fix`: a single byte at or past the end only sets the size; one inside is read, and tells
/// whether it has to be written.
fn must_write_byte<F: Filesystem>(fs: &mut F, file: &F::File, data: &[u8], offset: u64) -> nix::Result<bool> {
    let size = fs.fstat(file)?.size.unsigned_abs();
    if offset >= size {
        fs.truncate(file, offset.saturating_add(1))?;
        return Ok(false);
    }
    let mut present = [0];
    fs.read(file, &mut present, offset)?;
    Ok(present != *data)
}

/// What counts: what came, or (smb1, nb2) what was asked for.
#[inline]
pub(super) fn counted(op: &Op, bytes: u64) -> u64 {
    if op.flags & flag::COUNT_REQUESTED != 0 {
        u64::from(op.length)
    } else {
        bytes
    }
}
