//! Looking a path up as a case-insensitive server does, and syncing its directory.

use super::attributes::ATTRIBUTE_BYTES;
use super::dirents;
use super::fs::Filesystem;
use super::settings::Settings;
use crate::program::{Place, flag};
use nix::Result;
use nix::errno::Errno;

/// The `resolve` of the semantics tables: a stat, and if that fails and the flags say so, a search of the parent
/// directory for another spelling. Answers what the stat said.
#[inline]
pub fn lookup<F: Filesystem>(
    fs: &mut F,
    settings: &Settings,
    entries: &mut [u64],
    place: Place<'_>,
    flags: u8,
) -> Result<()> {
    if flags & flag::STAT_FIRST == 0 {
        return Ok(());
    }
    match fs.stat(place) {
        Ok(_) => {
            if settings.xattr {
                let mut value = [0; ATTRIBUTE_BYTES];
                match fs.get_attribute(place, &mut value) {
                    Ok(_) | Err(Errno::ENODATA) => {}
                    Err(errno) => return Err(errno),
                }
            }
            Ok(())
        }
        Err(errno) => {
            if flags & flag::SCAN != 0 {
                let last = place.last.to_bytes();
                // A directory that is not there ends the search; the stat has told so already.
                let _ = scan(fs, entries, place, |name| name.eq_ignore_ascii_case(last));
            }
            Err(errno)
        }
    }
}

/// Reads the directory that holds `place`, until `end` says so of a name or there is no other.
pub fn scan<F: Filesystem>(
    fs: &mut F,
    entries: &mut [u64],
    place: Place<'_>,
    mut end: impl FnMut(&[u8]) -> bool,
) -> Result<()> {
    let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_DIRECTORY;
    let parent = Place {
        path: place.parent,
        ..place
    };
    let directory = fs.open(parent, flags, 0)?;
    let read = loop {
        match fs.read_entries(&directory, entries) {
            Ok(0) => break Ok(()),
            Err(errno) => break Err(errno),
            Ok(filled) => {
                if dirents::entries(entries, filled)
                    .flatten()
                    .any(|entry| end(entry.name.to_bytes()))
                {
                    break Ok(());
                }
            }
        }
    };
    fs.close(directory)?;
    read
}

/// `-S`: makes a change of the directory that holds `place` durable.
pub fn sync_parent<F: Filesystem>(fs: &mut F, place: Place<'_>) -> Result<()> {
    let parent = Place {
        path: place.parent,
        ..place
    };
    let directory = fs.open(parent, libc::O_RDONLY | libc::O_CLOEXEC, 0)?;
    let synced = fs.fdatasync(&directory);
    fs.close(directory)?;
    synced
}
