//! The walk through a tree that is being removed.
//!
//! A directory is read one buffer at a time. What is no directory is unlinked at once; names of subdirectories are
//! collected, and entered before the next buffer is read. When all is read and nothing failed, the directory itself is
//! removed; if it is not empty then (entries were added, or skipped because removing moved them), it is read again.

use super::open::{give_access, retry};
use super::{LISTED, Leftover, MAX_PASSES, TreeRemover, gone, remove_empty_directory, remove_non_directory};
use crate::replay::dirents::{self, EntryType};
use nix::errno::Errno;
use nix::fcntl::openat;
use nix::sys::stat::{Mode, fstat};
use nix::unistd::{Whence, lseek};
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;

/// How many directories below the first are kept open, the deepest ones.
pub(super) const KEPT_OPEN: usize = 8;

/// Longest path that is recorded for something that could not be removed, bytes.
const LONGEST_PATH: usize = 1000;

/// A directory on the way down.
#[derive(Debug)]
pub(super) struct Frame {
    /// None while a deeper directory is worked on and descriptors are scarce.
    directory: Option<OwnedFd>,
    /// Device and inode, once the descriptor has been closed.
    identity: Option<(u64, u64)>,
    /// Where to read on, once the descriptor has been closed.
    position: libc::off_t,
    /// Start of this directory's names in `TreeRemover::names`; its own name ends here.
    names: usize,
    passes: u32,
    /// Something was removed in this pass.
    removed: bool,
    /// Something was seen in this pass that the next one must deal with.
    again: bool,
    /// Something below cannot be removed.
    failed: bool,
    /// Access was given to us already, or could not be.
    access_given: bool,
}

impl Frame {
    fn new(directory: OwnedFd, names: usize) -> Frame {
        Frame {
            directory: Some(directory),
            identity: None,
            position: 0,
            names,
            passes: 0,
            removed: false,
            again: false,
            failed: false,
            access_given: false,
        }
    }

    /// The descriptor. Frames that are worked on have it open; EBADF would say that the walk is wrong.
    fn fd(&self) -> nix::Result<BorrowedFd<'_>> {
        self.directory.as_ref().map(AsFd::as_fd).ok_or(Errno::EBADF)
    }

    /// Calls on this directory; if access is denied by its mode, gives it to us, once, and tries again.
    fn with_access(&mut self, mut call: impl FnMut(BorrowedFd<'_>) -> nix::Result<()>) -> nix::Result<()> {
        let result = call(self.fd()?);
        if result == Err(Errno::EACCES) && !self.access_given {
            self.access_given = true;
            if give_access(self.fd()?) {
                return call(self.fd()?);
            }
        }
        result
    }

    /// Starts reading from the beginning.
    fn rewind(&mut self) -> nix::Result<()> {
        lseek(self.fd()?, 0, Whence::SeekSet)?;
        self.passes += 1;
        self.removed = false;
        self.again = false;
        Ok(())
    }

    fn close(&mut self) -> nix::Result<()> {
        if let Some(directory) = &self.directory {
            let stat = fstat(directory)?;
            self.identity = Some((stat.st_dev, stat.st_ino));
            self.position = lseek(directory, 0, Whence::SeekCur)?;
            self.directory = None;
        }
        Ok(())
    }
}

impl TreeRemover<'_> {
    /// Removes everything below an open directory whose position is at the beginning.
    pub(super) fn empty_opened(&mut self, root: OwnedFd, buffer: &mut [u64]) -> nix::Result<()> {
        let failed_before = self.failed;
        self.begin(root);
        let mut result = Ok(());
        while result.is_ok() && !self.frames.is_empty() {
            result = self.step(buffer);
        }
        // Descriptors are not kept for the next removal.
        self.frames.clear();
        result?;
        if self.failed > failed_before {
            return Err(self
                .leftovers
                .first()
                .map_or(Errno::ENOTEMPTY, |first| first.errno));
        }
        Ok(())
    }

    pub(super) fn begin(&mut self, root: OwnedFd) {
        self.frames.clear();
        self.names.clear();
        self.oldest_open = 1;
        self.frames.push(Frame::new(root, 0));
    }

    /// Does the next piece of work in the deepest directory. No frame is left when all is done.
    pub(super) fn step(&mut self, buffer: &mut [u64]) -> nix::Result<()> {
        self.check_stop()?;
        let names = self.frames.last().map_or(0, |top| top.names);
        if self.names.len() > names {
            self.enter_last_name()
        } else if self.read_batch(buffer)? {
            Ok(())
        } else {
            self.finish_directory()
        }
    }

    pub(super) fn check_stop(&self) -> nix::Result<()> {
        match self.stop {
            Some(stop) if stop.load(Relaxed) => Err(Errno::ECANCELED),
            _ => Ok(()),
        }
    }

    /// Reads one buffer of the deepest directory, unlinks what is no directory, collects the others; false at the end.
    fn read_batch(&mut self, buffer: &mut [u64]) -> nix::Result<bool> {
        let Some(top) = self.frames.last_mut() else {
            return Ok(false);
        };
        let filled = match dirents::read(top.fd()?, buffer) {
            // ENOENT: someone has removed the directory.
            Ok(0) | Err(Errno::ENOENT) => return Ok(false),
            Ok(filled) => filled,
            Err(errno) => {
                self.fail(errno, &[]);
                return Ok(false);
            }
        };
        for entry in dirents::entries(buffer, filled) {
            self.check_stop()?;
            let entry = match entry {
                Ok(entry) if entry.is_dot() => continue,
                Ok(entry) => entry,
                Err(errno) => {
                    self.fail(errno, &[]);
                    break;
                }
            };
            if entry.entry_type == EntryType::Directory {
                self.names.extend_from_slice(entry.name.to_bytes_with_nul());
                continue;
            }
            let Some(top) = self.frames.last_mut() else { break };
            match top.with_access(|directory| remove_non_directory(directory, entry.name)) {
                Ok(()) => top.removed = true,
                Err(Errno::ENOENT) => {}
                Err(Errno::EISDIR) => self.names.extend_from_slice(entry.name.to_bytes_with_nul()),
                Err(errno) => self.fail(errno, entry.name.to_bytes()),
            }
        }
        Ok(true)
    }

    /// Removes the last collected subdirectory if it is empty, else enters it; its name stays until it is finished.
    fn enter_last_name(&mut self) -> nix::Result<()> {
        let Some(top) = self.frames.last_mut() else {
            return Ok(());
        };
        let start = last_name(&self.names);
        let name = name_at(&self.names, start)?;
        // rmdir first: it also tells where something is mounted, on kernels without openat2 too.
        let mut outcome = top.with_access(|directory| remove_empty_directory(directory, name));
        if outcome == Err(Errno::ENOTEMPTY) {
            match self.opener.open(top.fd()?, name) {
                Ok(directory) => {
                    self.frames.push(Frame::new(directory, self.names.len()));
                    return self.spare_descriptors();
                }
                Err(Errno::EXDEV) => outcome = Err(Errno::EBUSY),
                Err(Errno::ELOOP) => outcome = Err(Errno::ENOTDIR),
                Err(errno) => outcome = Err(errno),
            }
        }
        if outcome == Err(Errno::ENOTDIR) {
            // Someone has put something else there.
            outcome = top.with_access(|directory| remove_non_directory(directory, name));
        }
        match outcome {
            Ok(()) => top.removed = true,
            Err(Errno::ENOENT) => {}
            Err(Errno::EISDIR) => top.again = true,
            // With one descriptor more to use, the same name is tried again.
            Err(Errno::EMFILE | Errno::ENFILE) if self.close_oldest()? => return Ok(()),
            Err(errno) => {
                let name = name_at(&self.names, start)?.to_bytes().to_vec();
                self.fail(errno, &name);
            }
        }
        self.names.truncate(start);
        Ok(())
    }

    /// The deepest directory has been read to its end: removes it, or reads it again, or leaves it.
    fn finish_directory(&mut self) -> nix::Result<()> {
        if self.frames.len() < 2 {
            return self.finish_root();
        }
        if !self.open_parent()? {
            return Ok(());
        }
        let start = last_name(&self.names);
        let [.., parent, top] = &mut self.frames[..] else {
            return Ok(());
        };
        if !top.failed {
            let name = name_at(&self.names, start)?;
            match gone(parent.with_access(|directory| remove_empty_directory(directory, name))) {
                Ok(()) => parent.removed = true,
                Err(Errno::ENOTDIR) => parent.again = true,
                Err(Errno::ENOTEMPTY) if top.passes < MAX_PASSES => return top.rewind(),
                Err(errno) => self.fail(errno, &[]),
            }
        }
        let failed = self.frames.pop().is_some_and(|top| top.failed);
        if let Some(parent) = self.frames.last_mut() {
            parent.failed |= failed;
        }
        self.names.truncate(start);
        Ok(())
    }

    fn finish_root(&mut self) -> nix::Result<()> {
        let Some(root) = self.frames.last_mut() else {
            return Ok(());
        };
        if !root.failed && (root.removed || root.again) {
            if root.passes < MAX_PASSES {
                return root.rewind();
            }
            self.fail(Errno::ENOTEMPTY, &[]);
        }
        self.frames.clear();
        Ok(())
    }

    /// Opens the parent of the deepest directory again, if it was closed. False: the deepest directory was moved
    /// elsewhere, and the walk has gone back to the first one.
    fn open_parent(&mut self) -> nix::Result<bool> {
        let [.., parent, top] = &mut self.frames[..] else {
            return Ok(false);
        };
        if parent.directory.is_some() {
            return Ok(true);
        }
        let opened = retry(|| openat(top.fd()?, c"..", super::open::READ, Mode::empty()));
        let opened = match opened {
            Ok(opened) => fstat(&opened).map(|stat| (opened, (stat.st_dev, stat.st_ino))),
            Err(errno) => Err(errno),
        };
        match opened {
            Ok((opened, identity)) if Some(identity) == parent.identity => {
                // Where it cannot be continued there, a later pass finds what was skipped.
                let _ = lseek(&opened, parent.position, Whence::SeekSet);
                parent.directory = Some(opened);
                self.oldest_open = self.frames.len() - 2;
                Ok(true)
            }
            Err(errno @ (Errno::EMFILE | Errno::ENFILE | Errno::ENOMEM)) => Err(errno),
            _ => {
                self.return_to_root();
                Ok(false)
            }
        }
    }

    /// Goes back to the first directory, the only one that is sure to be still open, and has it read again.
    fn return_to_root(&mut self) {
        if let Some(child) = self.frames.get(1) {
            self.names.truncate(child.names);
            self.names.truncate(last_name(&self.names));
        }
        self.frames.truncate(1);
        self.oldest_open = 1;
        if let Some(root) = self.frames.first_mut() {
            root.again = true;
        }
    }

    fn spare_descriptors(&mut self) -> nix::Result<()> {
        if self.frames.len() - self.oldest_open > KEPT_OPEN {
            self.close_oldest()?;
        }
        Ok(())
    }

    /// Closes the directory nearest to the first one; false if none but the deepest is open.
    fn close_oldest(&mut self) -> nix::Result<bool> {
        if self.oldest_open + 1 >= self.frames.len() {
            return Ok(false);
        }
        if let Some(oldest) = self.frames.get_mut(self.oldest_open) {
            oldest.close()?;
        }
        self.oldest_open += 1;
        Ok(true)
    }

    /// Records that `entry` of the deepest directory (or, if empty, that directory) cannot be removed.
    fn fail(&mut self, errno: Errno, entry: &[u8]) {
        self.failed += 1;
        if let Some(top) = self.frames.last_mut() {
            top.failed = true;
        }
        if self.leftovers.len() >= LISTED {
            return;
        }
        let mut path = Vec::new();
        let ancestors = self.frames.iter().skip(1).map(|frame| {
            let name = &self.names[..frame.names];
            let name = &name[last_name(name)..];
            name.strip_suffix(&[0]).unwrap_or(name)
        });
        for component in ancestors.chain(Some(entry)).filter(|name| !name.is_empty()) {
            if path.len() + component.len() > LONGEST_PATH {
                path.extend_from_slice("/…".as_bytes());
                break;
            }
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(component);
        }
        self.leftovers.push(Leftover { path, errno });
    }
}

/// The name that begins at `start` and is the last one.
fn name_at(names: &[u8], start: usize) -> nix::Result<&CStr> {
    CStr::from_bytes_with_nul(&names[start..]).map_err(|_| Errno::EIO)
}

/// Where the last name begins in a row of names that each end in NUL.
fn last_name(names: &[u8]) -> usize {
    let end = names.len().saturating_sub(1);
    memchr::memrchr(0, &names[..end]).map_or(0, |nul| nul + 1)
}
