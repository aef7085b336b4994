//! Removing what is in `DIR/clients`.

use super::marker;
use crate::replay::dirents::{self, Dirents};
use crate::replay::tree::{Leftover, TreeRemover};
use nix::errno::Errno;
use nix::fcntl::openat;
use nix::sys::stat::Mode;
use rayon::prelude::*;
use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

const BUFFER_BYTES: usize = 32 << 10;
const ATTEMPTS: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// How many leftovers a message names.
const NAMED: usize = 10;

/// Removes all entries but the marker, in parallel. What is only busy (NFS keeps removed files that are still open as
/// `.nfs…`) is tried again for half a second. Returns what is left, with paths relative to `clients`.
pub(super) fn sweep(clients: BorrowedFd<'_>, stop: &AtomicBool) -> nix::Result<Vec<Leftover>> {
    let mut left = Vec::new();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        let names = entries(clients)?;
        left = names
            .par_iter()
            .map_init(
                || (TreeRemover::until(stop), dirents::buffer(BUFFER_BYTES)),
                |(remover, buffer), name| remove(remover, clients, name, buffer),
            )
            .flatten_iter()
            .collect();
        if stop.load(Relaxed) || !left.iter().any(is_busy) {
            break;
        }
    }
    if stop.load(Relaxed) && !entries(clients)?.is_empty() {
        return Err(Errno::ECANCELED);
    }
    Ok(left)
}

/// Names of all entries but the marker.
pub(super) fn entries(clients: BorrowedFd<'_>) -> nix::Result<Vec<CString>> {
    let directory = match openat(clients, c".", super::claim::DIRECTORY, Mode::empty()) {
        // Someone else has removed it.
        Err(Errno::ENOENT) => return Ok(Vec::new()),
        directory => directory?,
    };
    let mut buffer = dirents::buffer(BUFFER_BYTES);
    let mut dirents = Dirents::new(directory.as_fd(), &mut buffer);
    let mut names = Vec::new();
    loop {
        match dirents.next() {
            Ok(Some(entry)) if entry.is_dot() || entry.name == marker::NAME => {}
            Ok(Some(entry)) => names.push(entry.name.to_owned()),
            Ok(None) | Err(Errno::ENOENT) => return Ok(names),
            Err(errno) => return Err(errno),
        }
    }
}

fn remove(
    remover: &mut TreeRemover<'_>,
    clients: BorrowedFd<'_>,
    name: &CString,
    buffer: &mut [u64],
) -> Vec<Leftover> {
    let errno = match remover.remove(clients, name, buffer) {
        Ok(()) | Err(Errno::ENOENT) => return Vec::new(),
        Err(errno) => errno,
    };
    let below = |leftover: &Leftover| {
        let mut path = name.to_bytes().to_vec();
        if !leftover.path.is_empty() {
            path.push(b'/');
            path.extend_from_slice(&leftover.path);
        }
        Leftover {
            path,
            errno: leftover.errno,
        }
    };
    match remover.leftovers() {
        [] => vec![Leftover {
            path: name.to_bytes().to_vec(),
            errno,
        }],
        leftovers => leftovers.iter().map(below).collect(),
    }
}

fn is_busy(leftover: &Leftover) -> bool {
    let name = leftover
        .path
        .rsplit(|&byte| byte == b'/')
        .next()
        .unwrap_or_default();
    name.starts_with(b".nfs") || matches!(leftover.errno, Errno::EBUSY | Errno::ENOTEMPTY)
}

/// Leftovers as messages name them: `DIR/clients/client0/x (reason)`, the first few and how many more.
pub(super) fn names(clients: &std::path::Path, leftovers: &[Leftover]) -> Vec<String> {
    let mut names: Vec<String> = leftovers
        .iter()
        .take(NAMED)
        .map(|leftover| {
            let path = String::from_utf8_lossy(&leftover.path);
            let path: String = path
                .chars()
                .map(|c| if c.is_control() { '\u{fffd}' } else { c })
                .collect();
            format!("{} ({})", clients.join(path).display(), leftover.errno.desc())
        })
        .collect();
    if leftovers.len() > NAMED {
        names.push(format!("{} more", leftovers.len() - NAMED));
    }
    names
}
