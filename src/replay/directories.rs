//! Operations on directories: listing, making, removing, and whole trees.

use super::dirents;
use super::execute::{DIRECTORY_FLAGS, Outcome};
use super::fs::Filesystem;
use super::lookup::{lookup, scan};
use super::names::Which;
use super::replayer::Replayer;
use crate::op::Status;
use crate::program::{Op, Root, flag};
use nix::errno::Errno;

impl<F: Filesystem> Replayer<'_, F> {
    pub(super) fn find(&mut self, op: &Op) -> Outcome {
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

    pub(super) fn make_directory(&mut self, op: &Op) -> Outcome {
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

    pub(super) fn remove_directory(&mut self, op: &Op) -> Outcome {
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
        let empty = loop {
            match self.fs.read_entries(&directory, self.entries) {
                Ok(0) => break Ok(()),
                Err(errno) => break Err(errno),
                Ok(filled) if entries(self.entries, filled).next().is_some() => break Err(Errno::ENOTEMPTY),
                Ok(_) => {}
            }
        };
        self.fs.close(directory)?;
        Ok(empty.map(|()| 0)?)
    }

    pub(super) fn remove_tree(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        if place.root == Root::Clients {
            return Err(Errno::EBUSY.into());
        }
        while self.program.caches_files()
            && let Some(file) = self.open_files.take_below(place)
        {
            self.fs.close(file)?;
        }
        let keep = place.is_root() || op.flags & flag::SCAFFOLD != 0;
        match self.fs.remove_tree(place, keep, self.entries) {
            Err(Errno::ENOENT) if op.expect == Status::Ok => Ok(0),
            removed => Ok(removed.map(|()| 0)?),
        }
    }

    pub(super) fn read_directory(&mut self, op: &Op, plus: bool) -> Outcome {
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
}

/// The entries in a buffer that are more than `.` and `..`.
fn entries(buffer: &[u64], filled: usize) -> impl Iterator<Item = dirents::Entry<'_>> {
    dirents::entries(buffer, filled)
        .flatten()
        .filter(|entry| !entry.is_dot())
}
