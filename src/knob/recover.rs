//! What a start of rbench does about settings that a killed rbench, and its killed guardian, have left changed.

use super::error::KnobError;

use super::journal::{Journal, NAME};
use super::lock::{DIRECTORY, Lock, is_alive};
use super::restore::{Saved, put_back};
use nix::unistd::geteuid;
use std::fmt;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;

/// What was done about settings that a killed rbench has left changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// They have their old values again.
    PutBack { pid: u32, settings: Vec<Saved> },
    /// Only root can put them back. The settings are those that are still changed, and their old values; none where
    /// that cannot be read.
    StillChanged { settings: Vec<Saved> },
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |settings: &[Saved]| {
            let texts: Vec<String> = settings.iter().map(Saved::to_string).collect();
            texts.join(", ")
        };
        match self {
            Recovered::PutBack { pid, settings } => write!(
                f,
                "put back kernel settings that a killed rbench (pid {pid}) had changed: {}",
                list(settings)
            ),
            Recovered::StillChanged { settings } if settings.is_empty() => write!(
                f,
                "kernel settings that a killed rbench has changed may not be back yet: any `sudo rbench …` puts them back"
            ),
            Recovered::StillChanged { settings } => write!(
                f,
                "kernel settings that a killed rbench has changed are not back yet; they had {}: any `sudo rbench …` puts them back",
                list(settings)
            ),
        }
    }
}

/// Puts back what a killed rbench has left changed, if nobody else does. Where there is nothing to do, this is one
/// failed open.
///
/// # Errors
/// Something cannot be put back, or what lies in `/run/rbench` is not to be trusted; then nothing was changed.
pub fn recover() -> Result<Option<Recovered>, KnobError> {
    let mut look = OpenOptions::new();
    look.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW);
    let denied = match look.open(format!("{DIRECTORY}/{NAME}")) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => error.kind() == ErrorKind::PermissionDenied,
        Ok(_) => false,
    };
    if !geteuid().is_root() {
        let settings = Vec::new();
        return match denied {
            true => Ok(Some(Recovered::StillChanged { settings })),
            false => Ok(Journal::read()?.as_ref().and_then(still_changed)),
        };
    }
    // First, so that what is not to be trusted is not locked either.
    if Journal::read()?.is_none() {
        return Ok(None);
    }
    // Whoever holds it does it.
    let Some(lock) = Lock::try_take()? else {
        return Ok(None);
    };
    let recovered = match Journal::read()? {
        Some(journal) => put_back_journal(&lock, &journal)?,
        None => None,
    };
    lock.remove();
    Ok(recovered)
}

fn still_changed(journal: &Journal) -> Option<Recovered> {
    if is_alive(journal.pid) || !journal.is_of_this_boot() {
        return None;
    }
    let away = journal.saved.iter().filter(|saved| !saved.is_back());
    let settings: Vec<Saved> = away.cloned().collect();
    (!settings.is_empty()).then_some(Recovered::StillChanged { settings })
}

/// Puts back what a journal holds, and removes it when all has read back. None: all was as before.
pub(super) fn put_back_journal(lock: &Lock, journal: &Journal) -> Result<Option<Recovered>, KnobError> {
    let mut settings = Vec::new();
    if journal.is_of_this_boot() {
        let done = put_back(&journal.saved);
        if !done.failed.is_empty() {
            return Err(KnobError::NotBack(done.failed));
        }
        settings = done.changed;
    }
    Journal::remove(lock)?;
    let pid = journal.pid;
    Ok((!settings.is_empty()).then_some(Recovered::PutBack { pid, settings }))
}
