//! Where output goes, and how a file gets new content: whole or not at all.
//!
//! New content is written to a temporary file beside the target, brought to the disk, and takes the target's name. So
//! whoever reads the file, and whatever ends this process, finds the old content or the new. What is no file (a
//! device, a pipe, what standard output is) stays what it is and is written in place.

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::{AccessFlags, access};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// As many links as the kernel follows in a path.
const MOST_LINKS: usize = 40;
/// Of the 255 bytes that a name may have, what a temporary file's takes from its target's.
const LONGEST_PREFIX: usize = 240;
/// How long another run's lock is waited for, and how often it is looked at.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const LOCK_LOOK: Duration = Duration::from_millis(5);
/// Ends the names of temporary files.
const TEMPORARY: &str = ".part";

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{}: is a directory: name a file in it", path.display())]
    Directory { path: PathBuf },
    #[error("{}: is not the name of a file", path.display())]
    NoName { path: PathBuf },
    #[error("{}: {what}: {error}", path.display())]
    System {
        path: PathBuf,
        what: &'static str,
        error: io::Error,
    },
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file that is there, or that can be made: symbolic links are followed to it.
    File {
        named: PathBuf,
        path: PathBuf,
    },
    /// A device or a pipe.
    InPlace {
        path: PathBuf,
    },
    StandardOutput,
    StandardError,
}

impl Destination {
    /// Finds out what a name stands for. Nothing is touched.
    ///
    /// # Errors
    /// It is a directory or no name at all, or what it names cannot be found out.
    pub fn find(named: &Path) -> Result<Destination, FileError> {
        let system = |error| FileError::System {
            path: named.to_owned(),
            what: "cannot be written",
            error,
        };
        let mut path = named.to_owned();
        for _ in 0..=MOST_LINKS {
            let name = path.file_name().ok_or_else(|| FileError::NoName {
                path: named.to_owned(),
            })?;
            let parent = match path.parent() {
                Some(parent) if parent != Path::new("") => parent,
                _ => Path::new("."),
            };
            let directory = fs::canonicalize(parent).map_err(system)?;
            if let Some(stream) = descriptor(&directory, name) {
                return Ok(stream);
            }
            let resolved = directory.join(name);
            // A name that ends in a slash stands for a directory.
            let is_directory = named.as_os_str().as_bytes().ends_with(b"/");
            match fs::symlink_metadata(&resolved) {
                Ok(found) if found.is_symlink() => {
                    path = directory.join(fs::read_link(&resolved).map_err(system)?);
                }
                Ok(found) if found.is_dir() || is_directory => {
                    return Err(FileError::Directory {
                        path: named.to_owned(),
                    });
                }
                Ok(found) if !found.is_file() => return Ok(Destination::InPlace { path: resolved }),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(system(error)),
                Err(_) if is_directory => {
                    return Err(FileError::NoName {
                        path: named.to_owned(),
                    });
                }
                Ok(_) | Err(_) => {
                    return Ok(Destination::File {
                        named: named.to_owned(),
                        path: resolved,
                    });
                }
            }
        }
        Err(system(Errno::ELOOP.into()))
    }

    /// The name by which it is told.
    pub fn shown(&self) -> &Path {
        match self {
            Destination::File { named, .. } => named,
            Destination::InPlace { path } => path,
            Destination::StandardOutput => Path::new("standard output"),
            Destination::StandardError => Path::new("standard error"),
        }
    }

    /// An error about it.
    pub fn error(&self, what: &'static str, error: io::Error) -> FileError {
        FileError::System {
            path: self.shown().to_owned(),
            what,
            error,
        }
    }

    /// Whether it can be written, as far as that can be told without doing it.
    ///
    /// # Errors
    /// The file, its directory, or the device may not be written.
    pub fn check(&self) -> Result<(), FileError> {
        let refused = |error| self.error("cannot be written", error);
        match self {
            Destination::File { path, .. } => {
                match OpenOptions::new().write(true).open(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(error)),
                    Ok(_) | Err(_) => {}
                }
                let in_directory = AccessFlags::W_OK | AccessFlags::X_OK;
                let checked = access(directory(path), in_directory);
                checked.map_err(|errno| self.error("its directory cannot be written", errno.into()))
            }
            Destination::InPlace { path } => {
                access(path, AccessFlags::W_OK).map_err(|errno| refused(errno.into()))
            }
            Destination::StandardOutput | Destination::StandardError => Ok(()),
        }
    }

    /// Opens what is written in place; None for a file.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open_in_place(&self) -> Result<Option<Box<dyn Write>>, FileError> {
        let opened = |path| {
            let out = OpenOptions::new().write(true).open(path);
            out.map_err(|error| self.error("cannot be written", error))
        };
        Ok(match self {
            Destination::File { .. } => None,
            Destination::InPlace { path } => Some(Box::new(opened(path)?)),
            Destination::StandardOutput => Some(Box::new(io::stdout())),
            Destination::StandardError => Some(Box::new(io::stderr())),
        })
    }

    /// Gives a file new content, or writes it in place to what is none.
    ///
    /// # Errors
    /// What `write` returns; the old content stays. The new content cannot be written.
    pub fn replace<T, E: From<FileError>>(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        let Destination::File { path, .. } = self else {
            let failed = |error| self.error("cannot be written", error);
            let mut out = self
                .open_in_place()?
                .unwrap_or_else(|| unreachable!("only a file is not written in place"));
            let done = write(&mut out)?;
            out.flush().map_err(failed)?;
            return Ok(done);
        };
        let old = fs::metadata(path).ok();
        self.put(path, old.as_ref(), write)
    }

    /// Gives a file the content that `change` makes of the old one (which is empty for a new file). Of several processes
    /// that do this at once, each finds what the one before has written.
    ///
    /// # Errors
    /// As [`replace`](Destination::replace); the old content cannot be read.
    pub fn change<T, E: From<FileError>>(
        &self,
        change: impl FnOnce(&mut File, &mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        let Destination::File { path, .. } = self else {
            return Err(self
                .error("cannot be appended to", io::ErrorKind::Unsupported.into())
                .into());
        };
        let (mut old, _lock) = self.locked(path)?;
        let found = old.metadata().ok();
        self.put(path, found.as_ref(), |out| change(&mut old, out))
    }

    /// The file, for reading, and its lock. A new file is made: there has to be something to lock.
    fn locked(&self, path: &Path) -> Result<(File, Option<Flock<File>>), FileError> {
        let failed = |error| self.error("cannot be read and written", error);
        loop {
            let mut open = OpenOptions::new();
            let file = open
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .custom_flags(libc::O_NONBLOCK)
                .open(path);
            let file = file.map_err(failed)?;
            if !file.metadata().map_err(failed)?.is_file() {
                return Err(failed(io::Error::other("it is no file any more")));
            }
            let reader = file.try_clone().map_err(failed)?;
            let lock = lock(file).map_err(|errno| failed(errno.into()))?;
            // Whoever held the lock may have put another file in its place.
            let ours = reader.metadata().map_err(failed)?;
            match fs::metadata(path) {
                Ok(now) if (now.dev(), now.ino()) == (ours.dev(), ours.ino()) => return Ok((reader, lock)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    fn put<T, E: From<FileError>>(
        &self,
        path: &Path,
        old: Option<&fs::Metadata>,
        write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<T, E> {
        let failed = |error| self.error("cannot be written", error);
        let temporary = temporary(path).map_err(failed)?;
        let mut out = BufWriter::new(temporary);
        let done = write(&mut out)?;
        let temporary = out.into_inner().map_err(|error| failed(error.into_error()))?;
        if let Some(old) = old {
            keep_permissions(temporary.as_file(), old).map_err(failed)?;
        }
        temporary.as_file().sync_all().map_err(failed)?;
        temporary.persist(path).map_err(|error| failed(error.error))?;
        sync_directory(directory(path)).map_err(failed)?;
        Ok(done)
    }
}

/// What a name in a process's directory of descriptors stands for: to open it again would not go on where it stands.
fn descriptor(directory: &Path, name: &OsStr) -> Option<Destination> {
    let own = fs::canonicalize("/proc/self/fd").ok()?;
    if directory != own {
        return None;
    }
    match name.as_bytes() {
        b"1" => Some(Destination::StandardOutput),
        b"2" => Some(Destination::StandardError),
        _ => Some(Destination::InPlace {
            path: directory.join(name),
        }),
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Waits for the lock, which another run holds while it writes; but not for ever, as that may be stopped. None where the
/// file system has no locks: then only one run at a time can append.
fn lock(file: File) -> nix::Result<Option<Flock<File>>> {
    let start = Instant::now();
    let mut file = file;
    loop {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => return Ok(Some(lock)),
            Err((again, Errno::EWOULDBLOCK | Errno::EINTR)) if start.elapsed() < LONGEST_WAIT => {
                file = again;
                std::thread::sleep(LOCK_LOOK);
            }
            Err((_, Errno::ENOLCK | Errno::EOPNOTSUPP | Errno::ENOSYS)) => return Ok(None),
            Err((_, errno)) => return Err(errno),
        }
    }
}

/// A file beside the target, named after it; it goes when it is dropped.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let mut prefix = name[..name.len().min(LONGEST_PREFIX)].to_vec();
    prefix.push(b'.');
    tempfile::Builder::new()
        .prefix(OsStr::from_bytes(&prefix))
        .suffix(TEMPORARY)
        // The umask takes its part of it, as of any new file's.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory(path))
}

/// Gives a file another's owner, as far as that is allowed, and its mode.
fn keep_permissions(file: &File, old: &fs::Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid())
        && fchown(file, Some(old.uid()), Some(old.gid())).is_err()
    {
        // Only root gives files away. A group of one's own can be kept.
        let _ = fchown(file, None, Some(old.gid()));
    }
    file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))
}

/// Brings a new name to the disk.
fn sync_directory(path: &Path) -> io::Result<()> {
    let mut open = OpenOptions::new();
    let directory = open.read(true).custom_flags(libc::O_DIRECTORY).open(path);
    // Where it may be written but not read, the name is left to the kernel's own time.
    let Ok(directory) = directory else { return Ok(()) };
    match nix::unistd::fsync(directory.as_fd()) {
        // Some file systems have no fsync of directories.
        Ok(()) | Err(Errno::EINVAL | Errno::EOPNOTSUPP) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}
