//! What the system must allow for a run to make sense: descriptors, and space on the file system.

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::statvfs::{Statvfs, fstatvfs};
use nix::unistd::geteuid;
use std::os::fd::BorrowedFd;

/// What a run will need on the file system at its peak, all clients together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunSpace {
    pub bytes: u64,
    pub inodes: u64,
}

/// Why a run cannot start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    #[error(
        "the run needs {needed} open files but {allowed} are allowed: raise the limit (`ulimit -n {needed}`, as root or in limits.conf where the hard limit is lower), or use fewer clients"
    )]
    Descriptors { needed: u64, allowed: u64 },
    #[error("the limit of open files cannot be read: {errno}")]
    ReadLimit { errno: Errno },
    #[error(
        "the run needs about {} on the file system but {} are free: use fewer clients or another directory, or --no-space-check to try all the same",
        megabytes(*needed),
        megabytes(*free)
    )]
    Bytes { needed: u64, free: u64 },
    #[error(
        "the run needs about {needed} inodes on the file system but {free} are free: use fewer clients or another directory, or --no-space-check to try all the same"
    )]
    Inodes { needed: u64, free: u64 },
    #[error(
        "the clients' buffers need {} but the machine has {} of memory: use fewer clients, or cut the transfers with --trunc-io",
        megabytes(*needed),
        megabytes(*total)
    )]
    Memory { needed: u64, total: u64 },
    #[error("the free space cannot be read: {errno}; use --no-space-check to start all the same")]
    ReadSpace { errno: Errno },
}

/// MB as everywhere: 1,000,000 bytes.
fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}

/// Raises this process's soft limit of open files to `needed`, if it is lower, and the hard limit where that is allowed.
///
/// # Errors
/// The hard limit is lower than `needed` and cannot be raised (only root can, up to fs.nr_open).
pub fn raise_descriptor_limit(needed: u64) -> Result<(), LimitError> {
    let limit = Resource::RLIMIT_NOFILE;
    let (soft, hard) = getrlimit(limit).map_err(|errno| LimitError::ReadLimit { errno })?;
    if soft >= needed {
        return Ok(());
    }
    setrlimit(limit, needed, hard.max(needed)).map_err(|_| LimitError::Descriptors {
        needed,
        allowed: hard,
    })
}

/// Compares what the clients' buffers take with the memory of the machine, so that taking them cannot end the process.
///
/// # Errors
/// The machine has less.
pub fn check_memory(needed: u64) -> Result<(), LimitError> {
    let total = match nix::sys::sysinfo::sysinfo() {
        Ok(info) => info.ram_total(),
        // Where it cannot be read, nothing is known against it.
        Err(_) => return Ok(()),
    };
    if needed > total {
        return Err(LimitError::Memory { needed, total });
    }
    Ok(())
}

/// Compares what a run needs with what is free on a directory's file system.
///
/// Root's reserve counts for root only. File systems that do not say how many blocks or inodes they have are not checked.
///
/// # Errors
/// Too little is free; fstatvfs fails.
pub fn check_space(directory: BorrowedFd<'_>, need: RunSpace) -> Result<(), LimitError> {
    let space = fstatvfs(directory).map_err(|errno| LimitError::ReadSpace { errno })?;
    let free = Free::of(&space, geteuid().is_root());
    free.check(need)
}

/// What a file system has left; None where it does not say (btrfs: inodes; some FUSE: all).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Free {
    bytes: Option<u64>,
    inodes: Option<u64>,
}

impl Free {
    fn of(space: &Statvfs, root: bool) -> Free {
        let unit = match space.fragment_size() {
            0 => space.block_size(),
            size => size,
        };
        let (blocks, inodes) = if root {
            (space.blocks_free(), space.files_free())
        } else {
            (space.blocks_available(), space.files_available())
        };
        Free {
            bytes: (space.blocks() > 0).then(|| blocks.saturating_mul(unit)),
            inodes: (space.files() > 0).then_some(inodes),
        }
    }

    fn check(self, need: RunSpace) -> Result<(), LimitError> {
        match (self.bytes, self.inodes) {
            (Some(free), _) if free < need.bytes => Err(LimitError::Bytes {
                needed: need.bytes,
                free,
            }),
            (_, Some(free)) if free < need.inodes => Err(LimitError::Inodes {
                needed: need.inodes,
                free,
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    fn need(bytes: u64, inodes: u64) -> RunSpace {
        RunSpace { bytes, inodes }
    }

    #[test]
    fn buffers_that_fit_pass_and_others_say_both_figures() {
        assert_eq!(check_memory(1 << 20), Ok(()));
        let refused = check_memory(1 << 60).unwrap_err().to_string();
        assert!(refused.contains("1152921504606.8 MB"), "{refused}");
    }

    #[test]
    fn what_fits_passes_and_what_does_not_says_both_figures() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap();
        assert_eq!(check_space(directory.as_fd(), need(4096, 1)), Ok(()));
        let error = check_space(directory.as_fd(), need(u64::MAX, 1)).unwrap_err();
        assert!(matches!(error, LimitError::Bytes { needed: u64::MAX, free } if free > 0));
        let text = LimitError::Bytes {
            needed: 2_500_000,
            free: 1_049_999,
        }
        .to_string();
        assert!(
            text.contains("2.5 MB") && text.contains("1.0 MB") && text.contains("--no-space-check"),
            "{text}"
        );
    }

    #[test]
    fn inodes_are_checked_only_where_the_file_system_counts_them() {
        let counted = Free {
            bytes: Some(100),
            inodes: Some(5),
        };
        assert_eq!(
            counted.check(need(100, 6)),
            Err(LimitError::Inodes { needed: 6, free: 5 })
        );
        let uncounted = Free {
            inodes: None,
            ..counted
        };
        assert_eq!(uncounted.check(need(100, 6)), Ok(()));
        let silent = Free {
            bytes: None,
            inodes: None,
        };
        assert_eq!(silent.check(need(u64::MAX, u64::MAX)), Ok(()));
    }

    #[test]
    fn a_path_only_descriptor_is_enough() {
        let flags = nix::fcntl::OFlag::O_PATH | nix::fcntl::OFlag::O_DIRECTORY;
        let directory = nix::fcntl::open("/tmp", flags, nix::sys::stat::Mode::empty()).unwrap();
        assert_eq!(check_space(directory.as_fd(), need(1, 1)), Ok(()));
    }

    #[test]
    fn the_descriptor_limit_is_left_alone_where_it_suffices_and_refused_beyond_what_is_allowed() {
        let before = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert_eq!(raise_descriptor_limit(1), Ok(()));
        // More than fs.nr_open can be: not even root gets that.
        let error = raise_descriptor_limit(1 << 40).unwrap_err();
        assert_eq!(
            error,
            LimitError::Descriptors {
                needed: 1 << 40,
                allowed: before.1
            }
        );
        assert!(error.to_string().contains("ulimit -n"), "{error}");
        assert_eq!(getrlimit(Resource::RLIMIT_NOFILE).unwrap(), before);
    }
}
