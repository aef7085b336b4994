//! The machine's settings of writeback, for one test at a time, and sweeps that change them.

use crate::safety::process::{Ended, Running};
use crate::scratch::{LOAD, Scratch, program};
use nix::fcntl::FlockArg;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Where rbench keeps what it has saved.
const JOURNAL: &str = "/run/rbench/journal.json";
/// Runs a command with a directory of the test's as /run: other tests see nothing of what is left there. The process is
/// the command's own in the end.
const PRIVATE: &str = "mount --bind \"$0\" /run || exit 99; exec \"$@\"";
/// Two settings of two values each.
pub const GRID: [&str; 4] = [
    "--sysctl",
    "vm.dirty_background_ratio=30,40",
    "--sysctl",
    "vm.dirty_ratio=60,70",
];

/// Makes `started`, and then nothing for an hour.
const LONG: &str = "NTCreateX \"\\clients\\client1\\started\" 0x0 0x5 1 NT_STATUS_OK\nSLEEP 3600000000\n";
const SHORT: &str = "NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";
const PATIENCE: Duration = Duration::from_secs(60);

/// Every file of /proc/sys/vm/dirty_*, byte for byte.
type Settings = BTreeMap<PathBuf, Vec<u8>>;

/// The machine, for one test at a time, in this process and in others. Settings are put back when it is dropped, whatever
/// has failed.
pub struct Machine {
    _lock: File,
    /// /run of the sweeps.
    run: TempDir,
    found: Settings,
    before: Settings,
}

pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn settings() -> Settings {
    let entries = fs::read_dir("/proc/sys/vm")
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let dirty = entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("dirty"));
    dirty
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

pub fn read(name: &str) -> String {
    let text = fs::read_to_string(Path::new("/proc/sys/vm").join(name)).unwrap();
    text.trim().to_owned()
}

/// Changes a setting behind rbench's back.
pub fn write(name: &str, value: &str) {
    fs::write(Path::new("/proc/sys/vm").join(name), value).unwrap();
}

impl Machine {
    /// None, with a message, where settings cannot be changed.
    pub fn take() -> Option<Machine> {
        if !geteuid().is_root() {
            eprintln!("skipped, only root can change kernel settings");
            return None;
        }
        let file = "/proc/sys/vm/dirty_ratio";
        let lock = match fs::OpenOptions::new().write(true).open(file) {
            Ok(lock) => lock,
            Err(error) => {
                eprintln!("skipped, kernel settings cannot be changed here: {error}");
                return None;
            }
        };
        // Other processes that run these tests wait for one another on the setting's own file: it is everybody's.
        #[expect(deprecated, reason = "it is held until the file is closed")]
        nix::fcntl::flock(lock.as_raw_fd(), FlockArg::LockExclusive).unwrap();
        wait_until("another rbench changes settings", || !Path::new(JOURNAL).exists());
        let run = tempfile::tempdir().unwrap();
        fs::set_permissions(run.path(), Permissions::from_mode(0o755)).unwrap();
        let tried = in_private(run.path(), Path::new("true")).status();
        if !tried.is_ok_and(|status| status.success()) {
            eprintln!("skipped, nothing can be mounted");
            return None;
        }
        let found = settings();
        assert!(found.len() >= 6, "{found:?}");
        Some(Machine {
            _lock: lock,
            run,
            before: found.clone(),
            found,
        })
    }

    /// A fresh directory, and sweeps in it.
    pub fn sweep(&self) -> Sweep {
        Sweep {
            scratch: Scratch::new(),
            run: self.run.path().to_owned(),
        }
    }

    /// Where the sweeps keep what they have saved.
    pub fn saved(&self) -> PathBuf {
        self.run.path().join("rbench")
    }

    pub fn journal(&self) -> PathBuf {
        self.saved().join("journal.json")
    }

    /// What is to be found again is how it is now.
    pub fn changed_by_us(&mut self) {
        self.before = settings();
    }

    /// All is as it was.
    #[track_caller]
    pub fn assert_as_before(&self) {
        assert_eq!(settings(), self.before);
        assert!(!Path::new(JOURNAL).exists(), "{JOURNAL} is left");
        assert!(!self.saved().exists(), "the sweeps' /run/rbench is left");
    }

    /// Waits until it is, and nobody is at work any more.
    #[track_caller]
    pub fn wait_as_before(&self) {
        wait_until("settings are put back", || !self.saved().exists());
        self.assert_as_before();
    }

    pub fn is_as_before(&self) -> bool {
        settings() == self.before
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let text = |name: &str| {
            let value = &self.found[&Path::new("/proc/sys/vm").join(name)];
            String::from_utf8_lossy(value).trim().to_owned()
        };
        for (ratio, bytes) in [
            ("dirty_ratio", "dirty_bytes"),
            ("dirty_background_ratio", "dirty_background_bytes"),
        ] {
            let _ = match text(bytes).as_str() {
                "0" => fs::write(Path::new("/proc/sys/vm").join(ratio), text(ratio)),
                bytes_value => fs::write(Path::new("/proc/sys/vm").join(bytes), bytes_value),
            };
        }
        for name in ["dirty_expire_centisecs", "dirty_writeback_centisecs"] {
            let _ = fs::write(Path::new("/proc/sys/vm").join(name), text(name));
        }
    }
}

/// A program with a directory as /run, in a mount namespace of its own.
fn in_private(run: &Path, program: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", PRIVATE]);
    command.arg(run).arg(program);
    command
}

/// A directory, and sweeps in it.
pub struct Sweep {
    pub scratch: Scratch,
    run: PathBuf,
}

impl Sweep {
    fn command(&self, load: &str, arguments: &[&str]) -> Command {
        self.scratch.write(LOAD, load);
        let common = [
            "sweep",
            "-c",
            LOAD,
            "--clients",
            "1",
            "--order",
            "typed",
            "--results",
            "r.jsonl",
        ];
        let mut command = in_private(&self.run, &program());
        command
            .current_dir(self.scratch.path())
            .args(common)
            .args(arguments);
        command
    }

    /// Any command of rbench.
    pub fn rbench(&self, arguments: &[&str]) -> Ended {
        let mut command = in_private(&self.run, &program());
        Running::start(command.current_dir(self.scratch.path()).args(arguments)).wait()
    }

    /// The same as a user who may do nothing.
    pub fn as_nobody(&self, arguments: &[&str]) -> Ended {
        fs::set_permissions(self.scratch.path(), Permissions::from_mode(0o755)).unwrap();
        // The program may lie where others may not look. It is copied by another process: no child of ours can then hold
        // it open for writing when it is executed.
        let copy = self.scratch.path().join("rbench");
        let copied = Command::new("cp").arg(program()).arg(&copy).status();
        assert!(copied.unwrap().success());
        let mut command = in_private(&self.run, Path::new("setpriv"));
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(copy).args(arguments).current_dir(self.scratch.path());
        Running::start(&mut command).wait()
    }

    /// A sweep of runs that end at once.
    pub fn short(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.command(SHORT, arguments))
    }

    /// A sweep whose first run lasts an hour, when that run goes on.
    pub fn long(&self, arguments: &[&str]) -> Running {
        let running = Running::start(&mut self.command(LONG, arguments));
        let started = self.scratch.client0("started");
        wait_until("the first run goes on", || started.exists());
        running
    }
}

/// The guardian of an rbench.
pub fn guardian_of(pid: u32) -> Pid {
    let parent = format!("\nPPid:\t{pid}\n");
    let mut found = None;
    wait_until("there is a guardian", || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        found = processes.into_iter().find_map(|entry| {
            let id: i32 = entry.file_name().to_str()?.parse().ok()?;
            let words = fs::read(entry.path().join("cmdline")).ok()?;
            let status = fs::read_to_string(entry.path().join("status")).ok()?;
            (words == b"rbench\0guardian\0" && status.contains(&parent)).then(|| Pid::from_raw(id))
        });
        found.is_some()
    });
    found.unwrap()
}

/// Kills a process as `kill -9` does, and waits until it is gone, or a zombie.
pub fn kill_process(pid: Pid) {
    kill(pid, Signal::SIGKILL).unwrap();
    wait_until("it is dead", || {
        let status = fs::read_to_string(format!("/proc/{pid}/status"));
        status.is_ok_and(|status| status.contains("State:\tZ"))
            || !Path::new(&format!("/proc/{pid}")).exists()
    });
}
