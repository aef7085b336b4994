//! What is done around each run of a campaign: commands, syncs, an empty page cache, a pause.

use super::signals::Interrupts;
use crate::result::signal_name;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The kernel's switch that empties the page cache (Documentation/admin-guide/sysctl/vm.rst).
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";
/// How often a wait looks for signals.
const LOOK: Duration = Duration::from_millis(10);

/// What is done around each run.
#[derive(Debug, Clone, Default)]
pub struct Between {
    /// Empty the page cache, and those of directories and inodes. What is dirty is written first.
    pub drop_caches: bool,
    /// sync(2).
    pub sync: bool,
    /// Wait so long, right before the run.
    pub settle: Duration,
    /// Shell command before all of that.
    pub before: Option<String>,
    /// Shell command after the run.
    pub after: Option<String>,
}

/// Which run of how many it is, from 1; the commands find it in RBENCH_RUN and RBENCH_RUNS.
#[derive(Debug, Clone, Copy)]
pub struct RunNumber {
    pub number: u32,
    pub runs: u32,
}

/// Why the next run cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BetweenError {
    #[error(
        "the page cache cannot be emptied ({DROP_CACHES}: {error}): run as root (sudo rbench …), or leave out --drop-caches"
    )]
    DropCaches { error: io::Error },
    #[error("{option} `{command}` cannot be started: {error}")]
    Start {
        option: &'static str,
        command: String,
        error: io::Error,
    },
    #[error("{option} `{command}` failed ({status}): see what it printed")]
    Failed {
        option: &'static str,
        command: String,
        status: ExitStatus,
    },
    #[error("stopped by {}: no further run is made", signal_name(*.0))]
    Interrupted(i32),
}

impl Between {
    /// Checks what can be checked before the first run.
    ///
    /// # Errors
    /// The page cache may not be emptied.
    pub fn check(&self) -> Result<(), BetweenError> {
        if self.drop_caches {
            let opened = OpenOptions::new().write(true).open(DROP_CACHES);
            opened.map_err(|error| BetweenError::DropCaches { error })?;
        }
        Ok(())
    }

    /// What comes before a run.
    ///
    /// # Errors
    /// The command fails, the page cache cannot be emptied, or a signal comes.
    pub fn before(&self, run: RunNumber, interrupts: &Interrupts) -> Result<(), BetweenError> {
        command("--before", self.before.as_deref(), run, interrupts)?;
        if self.drop_caches {
            drop_caches()?;
        } else if self.sync {
            nix::unistd::sync();
        }
        wait(self.settle, interrupts)
    }

    /// What comes after a run, however that ended: what `before` has set up is taken down.
    ///
    /// # Errors
    /// The command fails, or a signal comes meanwhile.
    pub fn after(&self, run: RunNumber, interrupts: &Interrupts) -> Result<(), BetweenError> {
        command("--after", self.after.as_deref(), run, interrupts)
    }
}

/// Runs a shell command of the user's, if there is one. Standard output is for results: what the command prints goes to
/// standard error.
///
/// # Errors
/// It cannot be started, or fails; or a signal came.
pub fn command(
    option: &'static str,
    command: Option<&str>,
    run: RunNumber,
    interrupts: &Interrupts,
) -> Result<(), BetweenError> {
    let Some(command) = command else { return Ok(()) };
    check(interrupts)?;
    let start = |error| BetweenError::Start {
        option,
        command: command.to_owned(),
        error,
    };
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .env("RBENCH_RUN", run.number.to_string())
        .env("RBENCH_RUNS", run.runs.to_string())
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .spawn()
        .map_err(start)?;
    let (status, signal) = watch(&mut child, interrupts).map_err(start)?;
    if let Some(signal) = signal {
        return Err(BetweenError::Interrupted(signal));
    }
    if !status.success() {
        return Err(BetweenError::Failed {
            option,
            command: command.to_owned(),
            status,
        });
    }
    Ok(())
}

/// Empties the page cache, and those of directories and inodes, after what is dirty is written.
///
/// # Errors
/// Only root can.
pub fn drop_caches() -> Result<(), BetweenError> {
    nix::unistd::sync();
    let opened = OpenOptions::new().write(true).open(DROP_CACHES);
    opened
        .and_then(|mut file| file.write_all(b"3"))
        .map_err(|error| BetweenError::DropCaches { error })
}

/// Fails if a signal came.
fn check(interrupts: &Interrupts) -> Result<(), BetweenError> {
    match interrupts.signal() {
        Some(signal) => Err(BetweenError::Interrupted(signal)),
        None => Ok(()),
    }
}

/// Waits for a command, and answers the first signal that came to us meanwhile too. Each is passed on, and the command's
/// end awaited all the same.
fn watch(child: &mut Child, interrupts: &Interrupts) -> io::Result<(ExitStatus, Option<i32>)> {
    let mut first = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, first.or_else(|| interrupts.take())));
        }
        if let Some(signal) = interrupts.take() {
            first.get_or_insert(signal);
            let pid = Pid::from_raw(child.id().cast_signed());
            // One that has just ended needs no telling.
            let _: Result<(), Errno> = Signal::try_from(signal).and_then(|signal| kill(pid, signal));
        }
        std::thread::sleep(LOOK);
    }
}

/// Waits, unless a signal comes.
fn wait(time: Duration, interrupts: &Interrupts) -> Result<(), BetweenError> {
    let start = Instant::now();
    loop {
        check(interrupts)?;
        let left = time.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(LOOK));
    }
}
