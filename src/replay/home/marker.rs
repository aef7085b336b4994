//! The marker file `.rbench` that says whose a tree is, and whether its run still goes on.
//!
//! It is written under a temporary name, locked, synced and only then given its name: whoever sees a marker sees a
//! whole one, and one that is locked from its first moment.

use nix::errno::Errno;
use nix::fcntl::{AtFlags, FlockArg, OFlag, RenameFlags, openat, renameat, renameat2};
use nix::sys::stat::{Mode, fstat, fstatat};
use nix::unistd::{UnlinkatFlags, linkat, unlinkat};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

/// The marker's name below `DIR/clients`.
pub(super) const NAME: &CStr = c".rbench";
const TEMPORARY: &str = ".rbench.new.";
const FIRST_LINE: &str = "rbench marker 1";
const LONGEST: u64 = 8192;
const LONGEST_COMMAND: usize = 2000;

/// What becomes of a tree whose marker nobody holds locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Its run was killed.
    Running,
    /// Its run ended well and left it for another.
    Kept,
}

/// What a marker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub state: State,
    pub pid: u32,
    /// Start of the process in clock ticks after boot, which tells it from a later one with the same pid.
    pub process: Option<u64>,
    /// Seconds since 1970.
    pub started: u64,
    pub command: String,
}

impl Marker {
    /// A marker for the run that this process does.
    pub(super) fn of_this_process(command: &str) -> Marker {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Marker {
            state: State::Running,
            pid: std::process::id(),
            process: process_start(std::process::id()),
            started: now.map_or(0, |now| now.as_secs()),
            command: command
                .chars()
                .map(|c| if c.is_control() { '\u{fffd}' } else { c })
                .take(LONGEST_COMMAND)
                .collect(),
        }
    }

    fn render(&self) -> String {
        let state = match self.state {
            State::Running => "running",
            State::Kept => "kept",
        };
        let process = self.process.map_or("-".to_owned(), |ticks| ticks.to_string());
        format!(
            "{FIRST_LINE}\nstate {state}\npid {}\nprocess {process}\nstarted {}\ncommand {}\n",
            self.pid, self.started, self.command
        )
    }

    /// None if it is not a whole marker.
    pub(super) fn parse(text: &[u8]) -> Option<Marker> {
        let text = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
        let mut lines = text.split('\n');
        let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
        (value("rbench")? == "marker 1").then_some(())?;
        let state = match value("state")? {
            "running" => State::Running,
            "kept" => State::Kept,
            _ => return None,
        };
        let marker = Marker {
            state,
            pid: value("pid")?.parse().ok()?,
            process: match value("process")? {
                "-" => None,
                ticks => Some(ticks.parse().ok()?),
            },
            started: value("started")?.parse().ok()?,
            command: value("command")?.to_owned(),
        };
        lines.next().is_none().then_some(marker)
    }

    /// Whether the process that wrote it runs on this machine; for file systems without locks.
    pub(super) fn writer_lives(&self) -> bool {
        self.process.is_some() && process_start(self.pid) == self.process
    }
}

/// When a process started, in clock ticks after boot (proc_pid_stat(5), field 22).
fn process_start(pid: u32) -> Option<u64> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The second field is a name in parentheses that may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// How locking went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    Held,
    /// The file system has no locks.
    Unsupported(Errno),
    /// Another process holds it.
    Taken,
}

/// Locks a marker without waiting. The lock ends with the last descriptor of this open file.
pub(super) fn lock(file: &File) -> nix::Result<Lock> {
    loop {
        #[expect(deprecated, reason = "dropping nix's Flock panics where unlocking fails")]
        let result = nix::fcntl::flock(file.as_raw_fd(), FlockArg::LockExclusiveNonblock);
        return match result {
            Ok(()) => Ok(Lock::Held),
            Err(Errno::EINTR) => continue,
            Err(Errno::EWOULDBLOCK | Errno::EACCES) => Ok(Lock::Taken),
            Err(errno @ (Errno::ENOLCK | Errno::EOPNOTSUPP | Errno::ENOSYS)) => Ok(Lock::Unsupported(errno)),
            Err(errno) => Err(errno),
        };
    }
}

/// Reads a marker; None if it is not a whole one.
pub(super) fn read(file: &File) -> Option<Marker> {
    let mut text = vec![0; LONGEST as usize];
    let mut filled = 0;
    loop {
        match file.read_at(&mut text[filled..], filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Marker::parse(&text[..filled])
}

/// Whether a name is one of a marker that is being written, or was when its run was killed.
pub(super) fn is_temporary(name: &CStr) -> bool {
    name.to_bytes().starts_with(TEMPORARY.as_bytes())
}

/// A marker that is written and locked, but does not have its name yet.
#[derive(Debug)]
pub(super) struct Draft {
    name: CString,
    pub file: File,
    pub lock: Lock,
}

impl Draft {
    /// Writes a marker under a temporary name.
    ///
    /// # Errors
    /// As the calls; ENOENT if `clients` has been removed meanwhile. Nothing is left behind.
    pub(super) fn write(clients: BorrowedFd<'_>, marker: &Marker) -> nix::Result<Draft> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        for _ in 0..1000 {
            let count = COUNT.fetch_add(1, Relaxed);
            let name = format!("{TEMPORARY}{}.{count}", std::process::id());
            let name = CString::new(name).map_err(|_| Errno::EINVAL)?;
            let file = match create(clients, &name) {
                Ok(file) => file,
                Err(Errno::EEXIST) => continue,
                Err(errno) => return Err(errno),
            };
            let filled = match fill(&file, marker) {
                Ok(Lock::Taken) => Err(Errno::EBUSY),
                filled => filled,
            };
            return match filled {
                Ok(lock) => Ok(Draft { name, file, lock }),
                Err(errno) => {
                    let _ = unlinkat(clients, name.as_c_str(), UnlinkatFlags::NoRemoveDir);
                    Err(errno)
                }
            };
        }
        Err(Errno::EEXIST)
    }

    /// Gives it the marker's name, if there is no marker yet. Of several processes exactly one succeeds.
    ///
    /// # Errors
    /// EEXIST if another was first; else as the calls.
    pub(super) fn publish_first(self, clients: BorrowedFd<'_>, marker: &Marker) -> nix::Result<(File, Lock)> {
        let result = self.name_first(clients, marker);
        if result.is_err() {
            self.discard(clients);
        }
        result.map(|instead| instead.unwrap_or((self.file, self.lock)))
    }

    /// The file that became the marker, if it is not this one.
    fn name_first(&self, clients: BorrowedFd<'_>, marker: &Marker) -> nix::Result<Option<(File, Lock)>> {
        let name = self.name.as_c_str();
        match renameat2(clients, name, clients, NAME, RenameFlags::RENAME_NOREPLACE) {
            // Not on NFS and others.
            Err(Errno::EINVAL | Errno::ENOSYS | Errno::EOPNOTSUPP | Errno::EPERM) => {}
            result => return result.map(|()| None),
        }
        match linkat(clients, name, clients, NAME, AtFlags::empty()) {
            Err(Errno::EPERM | Errno::EOPNOTSUPP | Errno::ENOSYS | Errno::EMLINK) => {}
            result => {
                result?;
                self.discard(clients);
                return Ok(None);
            }
        }
        // Neither: then it is made under its own name, and for a moment there is a marker that is not whole.
        let file = create(clients, NAME)?;
        match fill(&file, marker) {
            Ok(Lock::Taken) => Err(Errno::EEXIST),
            Ok(lock) => {
                self.discard(clients);
                Ok(Some((file, lock)))
            }
            Err(errno) => {
                let _ = unlinkat(clients, NAME, UnlinkatFlags::NoRemoveDir);
                Err(errno)
            }
        }
    }

    /// Puts it in the place of the marker that this process holds.
    pub(super) fn replace(self, clients: BorrowedFd<'_>) -> nix::Result<(File, Lock)> {
        match renameat(clients, self.name.as_c_str(), clients, NAME) {
            Ok(()) => Ok((self.file, self.lock)),
            Err(errno) => {
                self.discard(clients);
                Err(errno)
            }
        }
    }

    pub(super) fn discard(&self, clients: BorrowedFd<'_>) {
        // Should it stay, it is removed with the tree.
        let _ = unlinkat(clients, self.name.as_c_str(), UnlinkatFlags::NoRemoveDir);
    }
}

fn create(clients: BorrowedFd<'_>, name: &CStr) -> nix::Result<File> {
    let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let file = openat(clients, name, flags, Mode::S_IRUSR | Mode::S_IWUSR)?;
    Ok(File::from(file))
}

fn fill(mut file: &File, marker: &Marker) -> nix::Result<Lock> {
    let lock = lock(file)?;
    let written = file
        .write_all(marker.render().as_bytes())
        .and_then(|()| file.sync_all());
    match written {
        Ok(()) => Ok(lock),
        Err(error) => Err(error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)),
    }
}

/// Whether an open file is the one that has the marker's name now.
pub(super) fn is_current(clients: BorrowedFd<'_>, file: &File) -> nix::Result<bool> {
    let open = fstat(file.as_fd())?;
    match fstatat(clients, NAME, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(named) => Ok((named.st_dev, named.st_ino) == (open.st_dev, open.st_ino)),
        Err(Errno::ENOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}
