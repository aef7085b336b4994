//! dbench and rbench under strace.

use super::events::{self, Event};
use super::load::Load;
use super::strace;
use memchr::memmem;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const DEBIAN_LOAD: &str = "/usr/share/dbench/client.txt";
/// Longer than any of the loads takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Says why a comparison is left out; false if it can be made.
pub fn is_missing() -> bool {
    let reason = match run("dbench", &["--help"]) {
        None => Some("dbench is not installed".to_owned()),
        Some(help) if !help.starts_with("dbench version 4.00") => {
            Some("dbench is not version 4.0".to_owned())
        }
        Some(_) => match Command::new("strace")
            .args(["-f", "-y", "-o", "/dev/null", "true"])
            .output()
        {
            Err(_) => Some("strace is not installed".to_owned()),
            Ok(output) if !output.status.success() => Some(format!(
                "strace does not work: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            )),
            Ok(_) => None,
        },
    };
    if let Some(reason) = &reason {
        eprintln!("skipped, nothing was compared with dbench 4.0: {reason}");
    }
    reason.is_some()
}

fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The load that comes with Debian's dbench.
pub fn debian_load() -> Option<String> {
    let text = fs::read_to_string(DEBIAN_LOAD).ok();
    if text.is_none() {
        eprintln!("skipped, nothing was compared with dbench 4.0: {DEBIAN_LOAD} is not there");
    }
    text
}

/// A directory to work in: in memory where possible, so that -s, -S and -F take no time.
pub fn directory() -> TempDir {
    let in_memory = tempfile::Builder::new()
        .prefix("conformance")
        .tempdir_in("/dev/shm");
    in_memory
        .or_else(|_| tempfile::tempdir())
        .expect("a temporary directory")
}

/// One whose file system has extended attributes of users.
pub fn directory_with_attributes() -> Option<TempDir> {
    let found = [directory(), tempfile::tempdir().expect("a temporary directory")]
        .into_iter()
        .find(has_attributes);
    if found.is_none() {
        eprintln!("skipped, -x was not compared: no temporary directory has extended attributes of users");
    }
    found
}

fn has_attributes(directory: &TempDir) -> bool {
    let Ok(path) = std::ffi::CString::new(directory.path().as_os_str().as_encoded_bytes()) else {
        return false;
    };
    // SAFETY: the pointers are valid for the call, and the kernel only reads what they point to.
    let set = unsafe { libc::setxattr(path.as_ptr(), c"user.probe".as_ptr(), c"1".as_ptr().cast(), 1, 0) };
    set == 0
}

/// What dbench does in its first pass.
pub fn dbench(load: &Load, options: &[&str], within: &Path) -> Vec<Event> {
    let mut traced = Traced::start("dbench", &load.then_a_pause(), options, &["-t", "3600"], within);
    traced.wait_for_the_pause();
    traced.first_pass()
}

/// What rbench does in its only pass.
pub fn rbench(load: &Load, options: &[&str], within: &Path) -> Vec<Event> {
    let mut traced = Traced::start(env!("CARGO_BIN_EXE_rbench"), load.once(), options, &[], within);
    let status = traced.wait_for_the_end();
    assert!(
        status.success(),
        "rbench {options:?} ended with {status}:\n{}",
        traced.output()
    );
    traced.first_pass()
}

/// A tool that runs one client under strace, in a process group of its own that ends with this.
struct Traced {
    name: String,
    child: Child,
    began: Instant,
    home: PathBuf,
}

impl Traced {
    fn start(program: &str, load: &str, options: &[&str], limit: &[&str], within: &Path) -> Traced {
        let name = Path::new(program)
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        // strace shows where descriptors lead by their canonical names.
        let home = fs::canonicalize(within).expect("the directory").join(&name);
        fs::create_dir_all(home.join("run")).expect("a directory for the run");
        fs::write(home.join("load"), load).expect("a loadfile");
        let output = File::create(home.join("output")).expect("a file for its output");
        let errors = output.try_clone().expect("a file for its errors");
        let child = Command::new("strace")
            .args(["-f", "-y", "-s", "32", "-o"])
            .arg(home.join("trace"))
            .arg(program)
            .args(limit)
            .args(options)
            .arg("-c")
            .arg(home.join("load"))
            .arg("-D")
            .arg(home.join("run"))
            .arg("1")
            .current_dir(&home)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .spawn()
            .expect("strace starts");
        Traced {
            name,
            child,
            began: Instant::now(),
            home,
        }
    }

    fn wait_for_the_end(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                return status;
            }
            self.be_patient();
        }
    }

    /// Until it sleeps after the mark at the end of the pass; then ends it.
    fn wait_for_the_pause(&mut self) {
        let (trace, mark) = (self.home.join("trace"), super::marks::PASS_ENDS.as_bytes());
        let mut read = 0;
        let mut seen = Vec::new();
        loop {
            let ended = self.child.try_wait().expect("the child is ours");
            if let Ok(mut file) = File::open(&trace) {
                file.seek(SeekFrom::Start(read)).expect("a file can be sought in");
                read += file.read_to_end(&mut seen).expect("the trace can be read") as u64;
            }
            match memmem::find(&seen, mark) {
                Some(at) if memmem::find(&seen[at..], b"nanosleep(").is_some() => {
                    self.end();
                    return;
                }
                Some(_) => {}
                // What was looked through stays only where a mark may have begun.
                None => drop(seen.drain(..seen.len().saturating_sub(mark.len()))),
            }
            if let Some(status) = ended {
                panic!(
                    "{} ended before its pass did, with {status}:\n{}",
                    self.name,
                    self.output()
                );
            }
            self.be_patient();
        }
    }

    fn be_patient(&self) {
        assert!(
            self.began.elapsed() < PATIENCE,
            "{} has not ended its pass after {PATIENCE:?}:\n{}",
            self.name,
            self.output()
        );
        std::thread::sleep(Duration::from_millis(10));
    }

    /// Its last words.
    fn output(&self) -> String {
        let output = fs::read(self.home.join("output")).unwrap_or_default();
        let output = String::from_utf8_lossy(&output).into_owned();
        let lines: Vec<&str> = output.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    fn first_pass(&self) -> Vec<Event> {
        let trace = fs::read(self.home.join("trace")).expect("a trace");
        let calls = strace::calls(String::from_utf8_lossy(&trace).lines().map(str::to_owned));
        let path = |name: &str| self.home.join(name).to_string_lossy().into_owned();
        let events = events::first_pass(&calls, &path("run/clients"), &path("load"));
        events.unwrap_or_else(|| panic!("{} has made no whole pass:\n{}", self.name, self.output()))
    }

    fn end(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let group = Pid::from_raw(self.child.id().cast_signed());
            let _ = killpg(group, Signal::SIGKILL);
            let _ = self.child.wait();
        }
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        self.end();
    }
}
