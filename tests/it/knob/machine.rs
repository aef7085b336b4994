//! The machine's settings of writeback, for one test at a time, and sweeps that change them.

use crate::safety::process::Running;
use crate::scratch::{LOAD, Scratch, program};
use nix::fcntl::FlockArg;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Where rbench keeps what it has saved.
pub const RUN: &str = "/run/rbench";
pub const JOURNAL: &str = "/run/rbench/journal.json";
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
        wait_until("another rbench changes settings", || !Path::new(RUN).exists());
        let found = settings();
        assert!(found.len() >= 6, "{found:?}");
        Some(Machine {
            _lock: lock,
            before: found.clone(),
            found,
        })
    }

    /// What is to be found again is how it is now.
    pub fn changed_by_us(&mut self) {
        self.before = settings();
    }

    /// All is as it was.
    #[track_caller]
    pub fn assert_as_before(&self) {
        assert_eq!(settings(), self.before);
        assert!(!Path::new(RUN).exists(), "{RUN} is left");
    }

    /// Waits until it is, and nobody is at work any more.
    #[track_caller]
    pub fn wait_as_before(&self) {
        wait_until("settings are put back", || !Path::new(RUN).exists());
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
        let _ = fs::remove_dir_all(RUN);
    }
}

/// A directory, and sweeps in it.
pub struct Sweep {
    pub scratch: Scratch,
}

impl Sweep {
    pub fn new() -> Sweep {
        Sweep {
            scratch: Scratch::new(),
        }
    }

    fn command(&self, load: &str, arguments: &[&str]) -> Command {
        self.scratch.write(LOAD, load);
        let mut command = Command::new(program());
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
        command
            .current_dir(self.scratch.path())
            .args(common)
            .args(arguments);
        command
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
