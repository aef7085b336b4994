//! What each operation does: the calls of the semantics tables in the loadfile reference, line by line.

use super::attributes::{read_attribute, renew_attribute};
use super::fs::{Filesystem, LockAction};
use super::lookup::lookup;
use super::names::Which;
use super::replayer::Replayer;
use crate::program::{Code, Op, Place, flag};
use nix::errno::Errno;

/// Why an operation did not do what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    Errno(Errno),
    /// Not executed: the open of its handle has failed.
    Skipped,
}

impl From<Errno> for Failure {
    #[inline]
    fn from(errno: Errno) -> Failure {
        Failure::Errno(errno)
    }
}

/// Bytes moved, where the operation moves any.
pub type Outcome = Result<u64, Failure>;

pub(super) const DIRECTORY_FLAGS: i32 = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;

impl<F: Filesystem> Replayer<'_, F> {
    /// Executes one operation.
    #[inline(always)]
    pub(super) fn execute(&mut self, op: &Op) -> Outcome {
        self.fs.before(op);
        match op.code {
            Code::Read => self.read(op),
            Code::Write => self.write(op),
            Code::Create => self.create(op),
            Code::Close => self.close(op.a),
            Code::QueryPath => self.on_path(op, |_, _| Ok(())),
            Code::QueryFile => self.query_file(op),
            Code::Find => self.find(op),
            Code::Unlink => self.removal(op, false, F::unlink),
            Code::SetFile => self.set_file(op),
            Code::Flush => self.on_file(op, |fs, file| fs.fsync(file)),
            Code::QueryFs if op.flags & flag::NO_CALL != 0 => Ok(0),
            Code::QueryFs => Ok(self.fs.statfs().map(|()| 0)?),
            _ => self.execute_rarer(op),
        }
    }

    fn execute_rarer(&mut self, op: &Op) -> Outcome {
        match op.code {
            Code::Rename => self.rename(op),
            Code::Mkdir => self.make_directory(op),
            Code::Rmdir => self.remove_directory(op),
            Code::Deltree => self.remove_tree(op),
            Code::Lock => self.on_range(op, LockAction::Lock),
            Code::Unlock => self.on_range(op, LockAction::Unlock),
            Code::SmbOpen => self.smb_open(op),
            Code::SmbCreate => self.smb_create(op),
            Code::Setattr => self.on_path(op, |fs, place| fs.set_times(place, None)),
            Code::Access => self.on_path(op, F::access),
            Code::Pathconf => self.on_path(op, F::path_limit),
            Code::Readlink => {
                let mut target = [0; 256];
                self.on_path(op, |fs, place| fs.read_link(place, &mut target).map(drop))
            }
            Code::CreateFile => self.on_path(op, |fs, place| {
                let flags = libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC;
                let file = fs.open(place, flags, 0o600)?;
                fs.close(file)
            }),
            Code::ReadDirectory => self.read_directory(op, false),
            Code::ReadDirectoryPlus => self.read_directory(op, true),
            Code::Link | Code::Symlink => self.link(op),
            _ => self.by_path(op),
        }
    }

    /// An operation on one path; where the path is looked up first, a stat alone is that look-up.
    #[inline]
    fn on_path(&mut self, op: &Op, act: impl FnOnce(&mut F, Place<'_>) -> nix::Result<()>) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        if op.code == Code::QueryPath {
            let found = lookup(
                &mut self.fs,
                self.settings,
                self.entries,
                place,
                op.flags | flag::STAT_FIRST,
            );
            return Ok(found.map(|()| 0)?);
        }
        act(&mut self.fs, place)?;
        Ok(0)
    }

    #[inline]
    fn close(&mut self, slot: u32) -> Outcome {
        let Some(file) = self.slots[slot as usize].take() else {
            return Err(Failure::Skipped);
        };
        self.fs.close(file)?;
        Ok(0)
    }

    /// Closes what a slot holds, if anything.
    pub(super) fn close_slot(&mut self, slot: u32) {
        if let Some(file) = self.slots[slot as usize].take() {
            let _ = self.fs.close(file);
        }
    }

    #[inline]
    fn on_file(&mut self, op: &Op, act: impl FnOnce(&mut F, &F::File) -> nix::Result<()>) -> Outcome {
        let file = self.slots[op.a as usize].file().ok_or(Failure::Skipped)?;
        if op.flags & flag::NO_CALL == 0 {
            act(&mut self.fs, file)?;
        }
        Ok(0)
    }

    fn on_range(&mut self, op: &Op, action: LockAction) -> Outcome {
        self.on_file(op, |fs, file| fs.lock(file, action, op.offset, op.range_length()))
    }

    #[inline]
    fn query_file(&mut self, op: &Op) -> Outcome {
        let xattr = self.settings.xattr;
        self.on_file(op, |fs, file| {
            fs.fstat(file)?;
            if xattr {
                read_attribute(fs, file)?;
            }
            Ok(())
        })
    }

    fn set_file(&mut self, op: &Op) -> Outcome {
        let slot = &self.slots[op.a as usize];
        let file = slot.file().ok_or(Failure::Skipped)?;
        let (fs, settings) = (&mut self.fs, self.settings);
        if settings.xattr {
            read_attribute(fs, file)?;
        }
        let info = fs.fstat(file)?;
        let place = match slot.own_place() {
            Some(place) => place,
            None => self.names.place(self.program, slot.path(), Which::First),
        };
        let set = fs.set_times(place, Some((info.accessed - 10, info.modified - 12)));
        if settings.xattr && !info.is_directory {
            renew_attribute(fs, file)?;
        }
        Ok(set.map(|()| 0)?)
    }
}
