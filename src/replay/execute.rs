//! What each operation does: the calls of the semantics tables in the loadfile reference, line by line.

use super::dirents;
use super::fs::{Filesystem, LockAction};
use super::lookup::{lookup, scan, sync_parent};
use super::names::Which;
use super::replayer::Replayer;
use super::slots::Slot;
use crate::op::Status;
use crate::program::{Code, NO_SLOT, Op, Place, create, flag};
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

/// Length of Samba's DOS attribute, bytes.
pub(super) const ATTRIBUTE_BYTES: usize = 44;
const DIRECTORY_FLAGS: i32 = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;

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
            Code::QueryFs if op.flags & flag::SCAFFOLD != 0 => Ok(0),
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
    fn create(&mut self, op: &Op) -> Outcome {
        if op.b != NO_SLOT {
            self.close_slot(op.b);
            self.slots[op.b as usize].fail();
        }
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        let (fs, settings) = (&mut self.fs, self.settings);
        let _ = lookup(fs, settings, self.entries, place, op.flags);
        let mut flags = libc::O_RDWR | libc::O_CLOEXEC;
        let mut creates = op.length & create::CREATE != 0;
        let exclusive = op.length & create::EXCLUSIVE != 0;
        if settings.stat_check && op.length & create::DISPOSITION_CREATE != 0 && fs.stat(place).is_ok() {
            if exclusive {
                return Err(Errno::EEXIST.into());
            }
            creates = false;
        }
        let file = if op.length & create::DIRECTORY != 0 {
            let scaffold = op.flags & flag::SCAFFOLD != 0 || place.is_root();
            open_directory(fs, place, settings.stat_check, scaffold, exclusive)?
        } else {
            flags |= if creates { libc::O_CREAT } else { 0 };
            flags |= if exclusive { libc::O_EXCL } else { 0 };
            flags |= if op.length & create::TRUNCATE != 0 {
                libc::O_TRUNC
            } else {
                0
            };
            flags |= if settings.sync_open { libc::O_SYNC } else { 0 };
            match fs.open(place, flags, 0o600) {
                Err(Errno::EISDIR) => fs.open(place, DIRECTORY_FLAGS, 0)?,
                opened => opened?,
            }
        };
        if op.flags & flag::FOLLOW_UP != 0 {
            let info = fs.fstat(&file)?;
            if settings.xattr && !info.is_directory {
                renew_attribute(fs, &file)?;
            }
        }
        self.keep(op, file)
    }

    /// Keeps an opened file in its slot; one that opened against the trace is closed at once.
    #[inline]
    fn keep(&mut self, op: &Op, file: F::File) -> Outcome {
        if op.expect == Status::Fail || op.b == NO_SLOT {
            self.fs.close(file)?;
            return Ok(0);
        }
        let place = self.names.place(self.program, op.a, Which::First);
        self.slots[op.b as usize].open(file, op.a, self.program, place);
        Ok(0)
    }

    /// SMB 1's open: the file then gets the size that the server told, with written data.
    fn smb_open(&mut self, op: &Op) -> Outcome {
        if op.b != NO_SLOT {
            self.close_slot(op.b);
            self.slots[op.b as usize].fail();
        }
        let file = self.open_sized(op)?;
        self.keep(op, file)
    }

    fn smb_create(&mut self, op: &Op) -> Outcome {
        let file = self.open_sized(op)?;
        self.fs.close(file)?;
        Ok(0)
    }

    fn open_sized(&mut self, op: &Op) -> Result<F::File, Failure> {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        let fs = &mut self.fs;
        let truncate = if op.length & create::TRUNCATE != 0 {
            libc::O_TRUNC
        } else {
            0
        };
        let sync = if self.settings.sync_open { libc::O_SYNC } else { 0 };
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC | truncate | sync;
        let file = match fs.open(place, flags, 0o600) {
            Err(Errno::EISDIR) => return Ok(fs.open(place, DIRECTORY_FLAGS, 0)?),
            opened => opened?,
        };
        let size = fs.fstat(&file)?.size.unsigned_abs();
        if size > op.offset {
            fs.truncate(&file, op.offset)?;
        }
        let data = self.data.zeros();
        let mut end = size;
        while end < op.offset && !data.is_empty() {
            let length = (op.offset - end).min(data.len() as u64) as usize;
            end += fs.write(&file, &data[..length], end)?.max(1) as u64;
        }
        Ok(file)
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
        if op.flags & flag::SCAFFOLD == 0 {
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

    #[inline]
    fn read(&mut self, op: &Op) -> Outcome {
        let file = self.slots[op.a as usize].file().ok_or(Failure::Skipped)?;
        let buffer = &mut self.buffer[..op.length as usize];
        if self.settings.fake_io {
            return Ok(u64::from(op.returned));
        }
        let read = self.fs.read(file, buffer, op.offset)? as u64;
        Ok(counted(op, read))
    }

    #[inline]
    fn write(&mut self, op: &Op) -> Outcome {
        let file = self.slots[op.a as usize].file().ok_or(Failure::Skipped)?;
        let data = &self.data.pattern(self.pattern)[..op.length as usize];
        let settings = self.settings;
        if settings.fake_io {
            return Ok(u64::from(op.returned));
        }
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

    fn find(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        if op.flags & flag::STAT_FIRST != 0 {
            // Nothing there is what a pattern usually finds.
            let _ = lookup(&mut self.fs, self.settings, self.entries, place, op.flags);
        }
        let wild = |byte: &u8| matches!(byte, b'<' | b'>' | b'*' | b'?' | b'"');
        if op.flags & flag::FOLLOW_UP != 0 || place.last.to_bytes().iter().any(wild) {
            let limit = op.length;
            let mut seen = 0;
            let end = |_: &[u8]| {
                seen += 1;
                seen >= limit
            };
            scan(&mut self.fs, self.entries, place, end)?;
        }
        Ok(0)
    }

    /// `check` is `--stat-check`: what is no directory is left alone, and its parent is not synced (as in dbench 4.0).
    fn removal(
        &mut self,
        op: &Op,
        check: bool,
        call: impl FnOnce(&mut F, Place<'_>) -> nix::Result<()>,
    ) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        let _ = lookup(&mut self.fs, self.settings, self.entries, place, op.flags);
        if check && !self.fs.stat(place)?.is_directory {
            return Err(Errno::ENOTDIR.into());
        }
        let removed = call(&mut self.fs, place);
        if self.settings.sync_dir {
            sync_parent(&mut self.fs, place)?;
        }
        if self.program.opens_by_path
            && removed.is_ok()
            && let Some(file) = self.open_files.take(place)
        {
            self.fs.close(file)?;
        }
        Ok(removed.map(|()| 0)?)
    }

    fn remove_directory(&mut self, op: &Op) -> Outcome {
        let scaffold = op.flags & flag::SCAFFOLD != 0;
        let stat_check = self.settings.stat_check;
        if scaffold {
            return self.is_empty(op);
        }
        self.removal(op, stat_check, |fs, place| {
            if place.is_root() {
                return Err(Errno::EBUSY);
            }
            fs.remove_directory(place)
        })
    }

    /// Rmdir of a directory that stays: it must only be empty.
    fn is_empty(&mut self, op: &Op) -> Outcome {
        let place = self.names.place(self.program, op.a, Which::First);
        let _ = lookup(&mut self.fs, self.settings, self.entries, place, op.flags);
        let directory = self.fs.open(place, DIRECTORY_FLAGS, 0)?;
        let mut empty = true;
        loop {
            let filled = match self.fs.read_entries(&directory, self.entries) {
                Ok(0) | Err(_) => break,
                Ok(filled) => filled,
            };
            empty &= entries(self.entries, filled).next().is_none();
        }
        self.fs.close(directory)?;
        if empty {
            Ok(0)
        } else {
            Err(Errno::ENOTEMPTY.into())
        }
    }

    fn make_directory(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        let found = lookup(&mut self.fs, self.settings, self.entries, place, op.flags);
        let made = if op.flags & flag::SCAFFOLD != 0 || place.is_root() {
            if op.flags & flag::STAT_FIRST == 0 || self.settings.stat_check {
                self.fs.stat(place)?;
            }
            found.and(Err(Errno::EEXIST))
        } else if self.settings.stat_check && self.fs.stat(place).is_ok() {
            Err(Errno::EEXIST)
        } else {
            self.fs.make_directory(place, 0o777)
        };
        match made {
            Err(Errno::EEXIST) if op.expect == Status::Ok && self.program.mkdir_may_find() => Ok(0),
            Err(Errno::EEXIST) if op.flags & (flag::CHECKED | flag::SCAFFOLD) == flag::SCAFFOLD => Ok(0),
            made => Ok(made.map(|()| 0)?),
        }
    }

    fn rename(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        self.names.assemble(self.program, op.b, Which::Second)?;
        let old = self.names.place(self.program, op.a, Which::First);
        let new = self.names.place(self.program, op.b, Which::Second);
        let (fs, settings) = (&mut self.fs, self.settings);
        let _ = lookup(fs, settings, self.entries, old, op.flags);
        let _ = lookup(fs, settings, self.entries, new, op.flags);
        if settings.stat_check {
            let _ = fs.stat(old);
        }
        if old.is_root() || new.is_root() {
            return Err(Errno::EBUSY.into());
        }
        let renamed = fs.rename(old, new);
        if settings.sync_dir {
            sync_parent(fs, new)?;
        }
        if self.program.opens_by_path && renamed.is_ok() {
            for place in [old, new] {
                while let Some(file) = self.open_files.take_below(place) {
                    fs.close(file)?;
                }
            }
        }
        Ok(renamed.map(|()| 0)?)
    }

    fn remove_tree(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        if place.root == crate::program::Root::Clients {
            return Err(Errno::EBUSY.into());
        }
        while let Some(file) = self.open_files.take_below(place) {
            self.fs.close(file)?;
        }
        let keep = place.is_root() || op.flags & flag::SCAFFOLD != 0;
        match self.fs.remove_tree(place, keep, self.entries) {
            Err(Errno::ENOENT) if op.expect == Status::Ok => Ok(0),
            removed => Ok(removed.map(|()| 0)?),
        }
    }

    fn read_directory(&mut self, op: &Op, plus: bool) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        let directory = self.fs.open(place, DIRECTORY_FLAGS, 0)?;
        let read = loop {
            match self.fs.read_entries(&directory, self.entries) {
                Ok(0) => break Ok(()),
                Err(errno) => break Err(errno),
                Ok(filled) if plus => {
                    for entry in entries(self.entries, filled) {
                        // An entry may have gone since; a server tells the others all the same.
                        let _ = self.fs.stat_entry(&directory, entry.name);
                    }
                }
                Ok(_) => {}
            }
        };
        self.fs.close(directory)?;
        Ok(read.map(|()| 0)?)
    }

    fn link(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        self.names.assemble(self.program, op.b, Which::Second)?;
        let new = self.names.place(self.program, op.a, Which::First);
        let existing = self.names.place(self.program, op.b, Which::Second);
        if op.code == Code::Link {
            self.fs.link(existing, new)?;
        } else {
            let target = self.names.link_target(new, existing, &mut self.link_target)?;
            self.fs.symlink(target, new)?;
        }
        Ok(0)
    }
}

fn open_directory<F: Filesystem>(
    fs: &mut F,
    place: Place<'_>,
    stat_check: bool,
    scaffold: bool,
    exclusive: bool,
) -> Result<F::File, Failure> {
    let exists = stat_check && fs.stat(place).is_ok();
    let made = if exists || scaffold {
        Err(Errno::EEXIST)
    } else {
        fs.make_directory(place, 0o700)
    };
    if exclusive {
        made?;
    }
    // Why it could not be made tells more than that it is not there.
    fs.open(place, DIRECTORY_FLAGS, 0).map_err(|errno| match made {
        Err(Errno::EEXIST) | Ok(()) => errno.into(),
        Err(why) => why.into(),
    })
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

fn read_attribute<F: Filesystem>(fs: &mut F, file: &F::File) -> nix::Result<()> {
    let mut value = [0; ATTRIBUTE_BYTES];
    match fs.get_file_attribute(file, &mut value) {
        Ok(_) | Err(Errno::ENODATA) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn renew_attribute<F: Filesystem>(fs: &mut F, file: &F::File) -> nix::Result<()> {
    read_attribute(fs, file)?;
    fs.set_file_attribute(file, &[0; ATTRIBUTE_BYTES])
}

/// The entries in a buffer that are more than `.` and `..`.
fn entries(buffer: &[u64], filled: usize) -> impl Iterator<Item = dirents::Entry<'_>> {
    dirents::entries(buffer, filled)
        .flatten()
        .filter(|entry| !entry.is_dot())
}

/// Slots of a program, all closed.
pub(super) fn empty_slots<File>(count: u32) -> Box<[Slot<File>]> {
    (0..count).map(|_| Slot::default()).collect()
}
