//! One file a subcommand; what they share is how a command fails, and how loadfiles are found.

pub mod ab;
pub mod check;
pub mod clean;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod guardian;
pub mod history;
mod live;
pub mod load;
pub mod loads;
pub mod man;
pub mod mix;
pub mod page;
pub mod plan;
mod repeated;
pub mod report;
mod results_file;
pub mod run;
pub mod sweep;

use crate::knob;
use crate::output::file::FileError;
use anyhow::Context;
use nix::sys::signal::{SigHandler, Signal, signal};
use std::fmt::Display;
use std::io::{self, Write};

/// The exit code when nobody reads the output any more: that of SIGPIPE.
pub const CLOSED_PIPE: u8 = 141;

/// Why a command ends without success.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    pub error: anyhow::Error,
}

impl Failure {
    /// Bad usage or a bad loadfile: nothing was touched.
    pub fn usage(error: impl Into<anyhow::Error>) -> Failure {
        Failure {
            code: 2,
            error: error.into(),
        }
    }

    /// The job failed.
    pub fn failed(error: impl Into<anyhow::Error>) -> Failure {
        Failure {
            code: 1,
            error: error.into(),
        }
    }

    /// Whether it failed because its output is a pipe that nobody reads.
    pub fn is_closed_pipe(&self) -> bool {
        let io = self.error.downcast_ref::<io::Error>();
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::failed(error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::failed(error)
    }
}

/// Makes the process ready for any command; and puts back kernel settings that a killed rbench has left changed.
///
/// # Errors
/// The threads that read loadfiles and remove files cannot be started.
pub fn start() -> Result<(), Failure> {
    match knob::recover() {
        Ok(None) => {}
        Ok(Some(recovered)) => tell(format_args!("rbench: {recovered}")),
        // The command may have nothing to do with settings; one that has will refuse.
        Err(error) => tell(format_args!("rbench: {error}")),
    }
    // A write beyond `ulimit -f` then fails with EFBIG, which is told, and the files are removed. Where the signal
    // cannot be ignored it only ends the process as before.
    // SAFETY: no handler is installed.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
    rayon::ThreadPoolBuilder::new()
        .build_global()
        .context("threads cannot be started: raise the limits on them (ulimit -u, kernel.threads-max) and on memory")
        .map_err(Failure::failed)
}

/// Writes a line to standard error. When that fails there is no place left to tell it.
pub fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes to standard output, at once.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
