//! Opening files by handle: nb2's and nb3's NTCreateX, and SMB 1's open and create.

use super::attributes::renew_attribute;
use super::execute::{DIRECTORY_FLAGS, Failure, Outcome};
use super::fs::Filesystem;
use super::lookup::lookup;
use super::names::Which;
use super::replayer::Replayer;
use crate::measure::clock::Nanos;
use crate::op::Status;
use crate::program::{NO_SLOT, Op, Place, create, flag};
use nix::errno::Errno;

impl<F: Filesystem> Replayer<'_, F> {
    #[inline]
    pub(super) fn create(&mut self, op: &Op) -> Outcome {
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
            flags |= settings.open_flags();
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
    pub(super) fn smb_open(&mut self, op: &Op) -> Outcome {
        if op.b != NO_SLOT {
            self.close_slot(op.b);
            self.slots[op.b as usize].fail();
        }
        let file = self.open_sized(op)?;
        self.keep(op, file)
    }

    pub(super) fn smb_create(&mut self, op: &Op) -> Outcome {
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
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC | truncate | self.settings.open_flags();
        let file = match fs.open(place, flags, 0o600) {
            Err(Errno::EISDIR) => return Ok(fs.open(place, DIRECTORY_FLAGS, 0)?),
            opened => opened?,
        };
        let size = fs.fstat(&file)?.size.unsigned_abs();
        if size > op.offset {
            fs.truncate(&file, op.offset)?;
        }
        let longest = self.data.longest();
        let mut end = size;
        while end < op.offset && longest > 0 {
            // The size is the loadfile's word: filling the file could go on for ever.
            if self.gate.is_stopped() || Nanos::now() >= self.deadline {
                fs.close(file)?;
                return Err(Errno::EINTR.into());
            }
            let length = (op.offset - end).min(longest as u64) as usize;
            let data = self.data.next(&mut self.cursor, length);
            end += fs.write(&file, data, end)?.max(1) as u64;
        }
        Ok(file)
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
