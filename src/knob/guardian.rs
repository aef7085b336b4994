//! The guardian: a process that puts kernel settings back when rbench has ended, however it ended.
//!
//! It is the program itself, started anew as `rbench guardian`. Its standard input is one end of a pair of sockets, of
//! which rbench holds the other: over it come the old values, and back go `ready` and, in the end, what could not be
//! put back. When nothing can come any more, rbench has ended. Its standard output is the lock, which it so holds
//! together with rbench. It is the leader of a session of its own, and no signal but SIGKILL ends it.

use super::error::KnobError;
use super::journal::Journal;
use super::lock::Lock;
use super::restore::{NotBack, put_back};
use nix::sys::signal::SigSet;
use nix::sys::stat::{SFlag, fstat};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The subcommand that starts it.
pub const SUBCOMMAND: &str = "guardian";
const READY: &str = "ready\n";
/// How long it may take to start, on a busy machine.
const START: Duration = Duration::from_secs(30);
/// How long it may take to put all back: some settings wait for requests under way.
const FINISH: Duration = Duration::from_secs(120);
/// No message is longer.
const LONGEST: u64 = 1 << 20;

fn failed(why: impl Into<String>) -> KnobError {
    KnobError::Guardian { why: why.into() }
}

/// A guardian at work, as rbench sees it.
#[derive(Debug)]
pub(super) struct Guardian {
    process: Child,
    /// Closed for children by exec, so that no command of the user's keeps it open.
    stream: BufReader<UnixStream>,
}

impl Guardian {
    /// Starts one, and waits until it is ready.
    pub(super) fn start(program: &Path, journal: &Journal, lock: &Lock) -> Result<Guardian, KnobError> {
        let cannot = |error: io::Error| failed(format!("cannot be started ({error})"));
        let (ours, theirs) = UnixStream::pair().map_err(cannot)?;
        let lock = lock.share().map_err(cannot)?;
        let process = Command::new(program)
            .arg0("rbench")
            .arg(SUBCOMMAND)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(lock))
            .spawn()
            .map_err(cannot)?;
        let mut guardian = Guardian {
            process,
            stream: BufReader::new(ours),
        };
        match guardian.hand_over(journal) {
            Ok(()) => Ok(guardian),
            Err(error) => {
                guardian.end();
                Err(error)
            }
        }
    }

    fn hand_over(&mut self, journal: &Journal) -> Result<(), KnobError> {
        let text = journal.to_json()? + "\n";
        let lost = |error: io::Error| failed(format!("did not start ({error})"));
        self.stream.get_mut().write_all(text.as_bytes()).map_err(lost)?;
        match self.answer(START).map_err(lost)?.as_str() {
            READY => Ok(()),
            _ => Err(failed("did not start")),
        }
    }

    /// Its next line; empty if it has ended.
    fn answer(&mut self, patience: Duration) -> io::Result<String> {
        self.stream.get_ref().set_read_timeout(Some(patience))?;
        let mut line = String::new();
        self.stream.by_ref().take(LONGEST).read_line(&mut line)?;
        Ok(line)
    }

    /// Whether it is still there.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Lets it put everything back. None: it did not say how that went.
    pub(super) fn finish(mut self) -> Option<Vec<NotBack>> {
        // Not by closing: clients' threads may still have a copy of the descriptor.
        let _ = self.stream.get_ref().shutdown(Shutdown::Write);
        let answer = self.answer(FINISH).unwrap_or_default();
        self.end();
        serde_json::from_str(&answer).ok()
    }

    /// Waits for its end, which is near if it has answered.
    fn end(&mut self) {
        let _ = self.stream.get_ref().shutdown(Shutdown::Both);
        let end = std::time::Instant::now() + Duration::from_secs(1);
        while self.is_alive() && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Is the guardian: what `rbench guardian` does. Returns when all is back.
///
/// # Errors
/// It was not started by rbench, or something could not be put back.
pub fn guard() -> Result<(), KnobError> {
    // Held back for ever: the process ends when its work is done.
    let _ = SigSet::all().thread_block();
    let stranger = || failed("is started by `rbench sweep` alone");
    let stdin = io::stdin();
    let is_socket = fstat(&stdin)
        .is_ok_and(|stat| SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFSOCK);
    if !is_socket {
        return Err(stranger());
    }
    become_independent();
    let stream = stdin.as_fd().try_clone_to_owned().map_err(|_| stranger())?;
    let mut stream = BufReader::new(UnixStream::from(stream));
    let lock = io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|_| stranger())?;
    let lock = Lock::inherited(File::from(lock))?;

    let mut line = String::new();
    let read = stream.by_ref().take(LONGEST).read_line(&mut line);
    if read.map_err(|_| stranger())? == 0 {
        // rbench has ended before it had anything to hand over, and so has changed nothing.
        return Ok(());
    }
    let journal = Journal::from_json(line.as_bytes()).map_err(failed)?;
    // Where nobody reads it any more, the end is near, and waited for.
    let _ = stream.get_mut().write_all(READY.as_bytes());
    wait_for_end(&mut stream);

    let done = put_back(&journal.saved);
    if done.failed.is_empty() {
        Journal::remove(&lock)?;
        lock.remove();
    }
    let answer = serde_json::to_string(&done.failed).unwrap_or_default() + "\n";
    if stream.get_mut().write_all(answer.as_bytes()).is_ok() {
        return Ok(());
    }
    // Nobody else is left to tell it.
    if !done.failed.is_empty() {
        return Err(KnobError::NotBack(done.failed));
    }
    let names: Vec<String> = done.changed.iter().map(ToString::to_string).collect();
    if !names.is_empty() {
        let _ = writeln!(
            io::stderr(),
            "rbench has ended early, and its guardian has put back {}",
            names.join(", ")
        );
    }
    Ok(())
}

/// Keeps nothing of whoever started it: terminal, directory, descriptors.
fn become_independent() {
    let _ = nix::unistd::setsid();
    let _ = nix::unistd::chdir("/");
    // Where memory runs out, others go first.
    let _ = std::fs::write("/proc/self/oom_score_adj", "-1000");
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers: Vec<i32> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    for number in numbers.into_iter().filter(|&number| number > 2) {
        // One of them was the directory that listed them, and is closed already.
        let _ = nix::unistd::close(number);
    }
}

/// Reads until nothing can come any more.
fn wait_for_end(stream: &mut BufReader<UnixStream>) {
    let mut rest = [0; 64];
    loop {
        match stream.read(&mut rest) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
