//! Why a run's directory cannot be used.

use nix::errno::Errno;
use std::path::PathBuf;

/// Why a run's directory cannot be prepared or removed. Nothing was changed, unless the variant says so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    #[error("{}: cannot be used: {}{}", path.display(), errno.desc(), remedy(*errno))]
    Directory { path: PathBuf, errno: Errno },
    #[error("{}: cannot {doing}: {}{}", path.display(), errno.desc(), remedy(*errno))]
    Call {
        path: PathBuf,
        doing: &'static str,
        errno: Errno,
    },
    #[error("{} is {what}, not a directory: remove it, or give another directory with -D", path.display())]
    NotADirectory { path: PathBuf, what: &'static str },
    #[error("{} belongs to user {uid}, not to {ours}: give another directory with -D", path.display())]
    ForeignOwner { path: PathBuf, uid: u32, ours: u32 },
    #[error(
        "{} can be written by others (mode {mode:04o}): give another directory with -D, or `chmod go-w` it if it is yours",
        path.display()
    )]
    WritableByOthers { path: PathBuf, mode: u32 },
    #[error(
        "{} was not made by rbench (it has no marker .rbench, but holds {found}): move it away, or give another directory with -D",
        path.display()
    )]
    NoMarker { path: PathBuf, found: String },
    #[error("{} {why}: if the tree is no longer needed, remove it by hand", path.display())]
    BadMarker { path: PathBuf, why: &'static str },
    #[error(
        "{} is in use by {}: wait for its end, or give another directory with -D",
        path.display(),
        match pid { Some(pid) => format!("another run (pid {pid})"), None => "another run".to_owned() }
    )]
    Locked { path: PathBuf, pid: Option<u32> },
    #[error("what an earlier run left cannot be removed: {}: remove it by hand", names.join(", "))]
    Leftovers { names: Vec<String> },
    #[error("{} keeps changing: see who else uses it, or give another directory with -D", path.display())]
    Unsettled { path: PathBuf },
    #[error("{name:?} is no name of a directory below clients/shared")]
    BadName { name: String },
    #[error("{}: stopped while it was prepared; `rbench clean` removes what may be left", path.display())]
    Interrupted { path: PathBuf },
}

/// What to do about an error number; starts with a colon, or is empty.
fn remedy(errno: Errno) -> &'static str {
    match errno {
        Errno::ENOENT => ": make it first, or give another directory with -D",
        Errno::ENOTDIR | Errno::ELOOP => ": give a directory with -D",
        Errno::EACCES | Errno::EPERM => ": give a directory with -D that you may write to",
        Errno::EROFS => ": give a directory with -D on a file system that is mounted read-write",
        Errno::ENOSPC | Errno::EDQUOT => ": free some space or inodes, or use fewer clients",
        Errno::EMLINK => ": use fewer clients",
        Errno::EMFILE | Errno::ENFILE => ": raise the limit of open files (ulimit -n)",
        _ => "",
    }
}
