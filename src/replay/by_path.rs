//! Operations that name an open file by its path: nfs (through a cache, as a server has one) and smb5.

use super::execute::{Failure, Outcome};
use super::fs::{Filesystem, LockAction};
use super::names::Which;
use super::replayer::Replayer;
use super::transfers::counted;
use crate::op::Status;
use crate::program::{Code, NO_SLOT, Op, flag};
use nix::errno::Errno;

impl<F: Filesystem> Replayer<'_, F> {
    pub(super) fn by_path(&mut self, op: &Op) -> Outcome {
        match op.code {
            Code::Open => self.open_by_path(op),
            Code::CloseOpen => self.close_by_path(op),
            Code::ReadOpen | Code::WriteOpen => self.with_open(op, false),
            _ => self.with_open(op, true),
        }
    }

    /// smb5's OPEN: the file stays open under its path (or, where all paths are known, in a slot).
    fn open_by_path(&mut self, op: &Op) -> Outcome {
        if op.b != NO_SLOT {
            self.close_slot(op.b);
        }
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        if let Some(old) = self.open_files.take(place) {
            self.fs.close(old)?;
        }
        let flags = op.length.cast_signed() | libc::O_CLOEXEC | self.settings.open_flags();
        let file = self.fs.open(place, flags, 0o600)?;
        if op.expect == Status::Fail {
            self.fs.close(file)?;
        } else if op.b != NO_SLOT {
            self.slots[op.b as usize].open(file, op.a, self.program, place);
        } else if let Some(other) = self.open_files.put(place, file) {
            self.fs.close(other)?;
        }
        Ok(0)
    }

    fn close_by_path(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        let file = self.open_files.take(place).ok_or(Failure::Skipped)?;
        self.fs.close(file)?;
        Ok(0)
    }

    /// An operation on a path's open file; `opens`: it is opened if it is not open yet.
    fn with_open(&mut self, op: &Op, opens: bool) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        if self.open_files.get(place).is_none() {
            if !opens {
                return Err(Failure::Skipped);
            }
            let flags = libc::O_RDWR | libc::O_CLOEXEC | self.settings.open_flags();
            let file = match self.fs.open(place, flags, 0) {
                Err(Errno::EISDIR) => self.fs.open(place, libc::O_RDONLY | libc::O_CLOEXEC, 0)?,
                opened => opened?,
            };
            if let Some(other) = self.open_files.put(place, file) {
                self.fs.close(other)?;
            }
        }
        let file = self.open_files.get(place).ok_or(Failure::Skipped)?;
        let (fs, settings) = (&mut self.fs, self.settings);
        let length = op.length as usize;
        match op.code {
            Code::ReadPath | Code::ReadOpen | Code::WritePath | Code::WriteOpen if settings.fake_io => {
                Ok(u64::from(op.returned))
            }
            Code::ReadPath | Code::ReadOpen => {
                let read = fs.read(file, &mut self.buffer[..length], op.offset)?;
                Ok(counted(op, read as u64))
            }
            Code::WritePath | Code::WriteOpen => {
                let data = self.data.next(&mut self.cursor, length);
                let written = fs.write(file, data, op.offset)?;
                if settings.fsync {
                    fs.fsync(file)?;
                } else if op.flags & flag::FOLLOW_UP != 0 {
                    fs.fdatasync(file)?;
                }
                Ok(counted(op, written as u64))
            }
            Code::Commit => Ok(fs.fsync(file).map(|()| 0)?),
            Code::LockPath => Ok(fs
                .lock(file, LockAction::Lock, op.offset, op.range_length())
                .map(|()| 0)?),
            Code::UnlockPath => Ok(fs
                .lock(file, LockAction::Unlock, op.offset, op.range_length())
                .map(|()| 0)?),
            Code::TestLockPath => Ok(fs
                .lock(file, LockAction::Test, op.offset, op.range_length())
                .map(|()| 0)?),
            _ => Err(Errno::ENOSYS.into()),
        }
    }
}
