//! What the bystander could not do.

use crate::replay::home::HomeError;
use crate::run::limits::LimitError;
use nix::errno::Errno;
use std::{fmt, io};

/// What one activity could not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    what: String,
}

impl Failure {
    /// Something else than an error of the system.
    pub fn of(what: String) -> Failure {
        Failure { what }
    }

    /// An error of a call, in the form `cannot DOING: No space left on device (ENOSPC)`.
    pub fn call(doing: &'static str) -> impl Fn(Errno) -> Failure {
        move |errno| Failure {
            what: format!("cannot {doing}: {} ({errno:?})", errno.desc()),
        }
    }

    /// The same for an error of the standard library's calls.
    pub fn io(doing: &'static str) -> impl Fn(io::Error) -> Failure {
        move |error| match error.raw_os_error() {
            Some(number) => Failure::call(doing)(Errno::from_raw(number)),
            None => Failure {
                what: format!("cannot {doing}: {error}"),
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Why the bystander could not be set up. What was made is removed again.
#[derive(Debug, thiserror::Error)]
pub enum BystanderError {
    #[error("--probe-dir: {0}")]
    Home(HomeError),
    #[error("--probe: {0}")]
    Space(LimitError),
    #[error(
        "--probe: {directory}: {failure}: run without --probe, or give another directory with --probe-dir"
    )]
    Setup { directory: String, failure: Failure },
    #[error(
        "--probe: a thread cannot be started: {0}; raise the limits on threads (ulimit -u, kernel.threads-max)"
    )]
    Thread(io::Error),
    /// The run was stopped meanwhile.
    #[error("stopped while the bystander was measured on the idle machine")]
    Interrupted,
}
