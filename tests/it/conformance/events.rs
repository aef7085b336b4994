//! Calls of one client, as events that do not depend on how a tool names a file or which twin of a call it uses.
//!
//! What is made equal, and nothing else: paths are below the client's directory whatever they were relative to; a
//! call and its `…at` or `f…` twin have one name; the opening, reading and closing of a directory by a scan is one
//! event; a Deltree, between its marks, is one; making the directories that hold the run is none, and what else the
//! topmost holds does not count for its size; asking whether the parent process lives, memory, time and waiting are
//! none.

use super::marks;
use super::strace::{Call, Descriptor, Returned, descriptor, quoted};
use std::collections::HashMap;
use std::fmt;

/// Something that a client did to the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub call: String,
    /// Below the client's own directory.
    pub path: String,
    /// Offsets, lengths, flags: what matters of the other arguments.
    pub details: String,
    pub result: String,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event {
            call,
            path,
            details,
            result,
        } = self;
        let space = if details.is_empty() { "" } else { " " };
        write!(f, "{call} {path}{space}{details} -> {result}")
    }
}

/// Calls that have nothing to do with files: time, memory, waiting, signals, and dbench's look at its parent.
const NOT_OF_FILES: [&str; 20] = [
    "kill",
    "futex",
    "clock_nanosleep",
    "nanosleep",
    "restart_syscall",
    "clock_gettime",
    "gettimeofday",
    "brk",
    "mmap",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sigaltstack",
    "sched_yield",
    "getrandom",
    "rseq",
];

/// The directory of all clients as seen from that of one.
const CLIENTS: &str = "..";

/// Flags of open that change nothing of what is compared.
const IDLE_FLAGS: [&str; 3] = ["O_CLOEXEC", "O_LARGEFILE", "O_NONBLOCK"];

/// What the client did between the marks at the beginning and the end of the pass; None if there is no such pass.
///
/// `clients` is the directory that holds the clients' directories, `loadfile` what the tool may go on reading.
pub fn first_pass(calls: &[Call], clients: &str, loadfile: &str) -> Option<Vec<Event>> {
    let begins = |event: &Event| event.call == "stat" && event.path == marks::PASS_BEGINS;
    let mut of_threads: HashMap<u32, Normaliser<'_>> = HashMap::new();
    let mut thread = None;
    for call in calls {
        let normaliser = of_threads
            .entry(call.thread)
            .or_insert_with(|| Normaliser::new(clients, loadfile));
        normaliser.take(call);
        match normaliser.events.last() {
            Some(event) if thread.is_none() && begins(event) => thread = Some(call.thread),
            Some(event) if thread == Some(call.thread) && is_end(event) => break,
            _ => {}
        }
    }
    let mut events = of_threads.remove(&thread?)?.events;
    let first = events.iter().position(begins)?;
    events.drain(..first);
    is_end(events.last()?).then_some(events)
}

fn is_end(event: &Event) -> bool {
    event.call == "stat" && event.path == marks::PASS_ENDS
}

struct Normaliser<'t> {
    clients: &'t str,
    loadfile: &'t str,
    /// What the thread's descriptors were last seen open on, for paths through /proc/self/fd.
    open_on: HashMap<i32, String>,
    /// Directories that are being scanned, by descriptor.
    scans: HashMap<i32, Scan>,
    in_deltree: bool,
    events: Vec<Event>,
}

/// A scan whose directory is open: the event that stands for it, and what has been done.
struct Scan {
    event: usize,
    looked_at: bool,
    read: bool,
}

impl<'t> Normaliser<'t> {
    fn new(clients: &'t str, loadfile: &'t str) -> Self {
        Normaliser {
            clients,
            loadfile,
            open_on: HashMap::new(),
            scans: HashMap::new(),
            in_deltree: false,
            events: Vec::new(),
        }
    }

    fn take(&mut self, call: &Call) {
        for directory in call.arguments.iter().filter_map(|argument| descriptor(argument)) {
            if let Some(number) = directory.number {
                self.open_on.insert(number, directory.path);
            }
        }
        if NOT_OF_FILES.contains(&call.name.as_str()) || self.is_part_of_a_scan(call) {
            return;
        }
        let Some(event) = self.event(call) else { return };
        if self.in_deltree {
            self.in_deltree = !(event.call == "stat" && event.path == marks::DELTREE_ENDS);
            return;
        }
        if event.call == "stat" && event.path == marks::DELTREE_BEGINS {
            self.in_deltree = true;
        }
        if event.call == "scan"
            && let Returned::Value(number) = call.result
            && let Ok(number) = i32::try_from(number)
        {
            let event = self.events.len();
            let (looked_at, read) = (false, false);
            self.scans.insert(
                number,
                Scan {
                    event,
                    looked_at,
                    read,
                },
            );
        }
        self.events.push(event);
    }

    /// The C library's fstat, reads and the close of a directory whose opening stands as a scan.
    fn is_part_of_a_scan(&mut self, call: &Call) -> bool {
        let first = call.arguments.first().and_then(|argument| descriptor(argument));
        let Some(number) = first.and_then(|descriptor| descriptor.number) else {
            return false;
        };
        let Some(scan) = self.scans.get_mut(&number) else {
            return false;
        };
        match call.name.as_str() {
            "getdents64" => {
                scan.read |= matches!(call.result, Returned::Value(_));
                true
            }
            "fstat" | "newfstatat" if !scan.looked_at && is_of_descriptor(call) => {
                scan.looked_at = true;
                true
            }
            "close" => {
                if let Some(event) = self.events.get_mut(scan.event) {
                    event.result = if scan.read { "read" } else { "unread" }.to_owned();
                }
                self.scans.remove(&number);
                true
            }
            _ => false,
        }
    }

    /// None: none that counts.
    fn event(&self, call: &Call) -> Option<Event> {
        let argument = |index: usize| call.arguments.get(index).map_or("", String::as_str);
        let flags = |index: usize| argument(index).split('|').collect::<Vec<_>>();
        let on_file = |name: &str, details: String| self.of(call, name, self.file(argument(0)), details);
        let on_path = |name: &str, first: usize, details: String| {
            self.of(
                call,
                name,
                self.path_at(argument(first), argument(first + 1)),
                details,
            )
        };
        let by_name = |name: &str, details: String| self.of(call, name, self.path(argument(0)), details);
        Some(match call.name.as_str() {
            "newfstatat" | "fstatat64" if is_of_descriptor(call) => {
                Self::with_stat(on_file("fstat", "".into()), argument(2))
            }
            "fstat" => Self::with_stat(on_file("fstat", String::new()), argument(1)),
            "newfstatat" | "fstatat64" if argument(3) == "0" => {
                Self::with_stat(on_path("stat", 0, String::new()), argument(2))
            }
            "stat" => Self::with_stat(by_name("stat", String::new()), argument(1)),
            "openat" => self.open(
                call,
                self.path_at(argument(0), argument(1)),
                &flags(2),
                argument(3),
            ),
            "open" => self.open(call, self.path(argument(0)), &flags(1), argument(2)),
            "close" => on_file("close", String::new()),
            // Where it reads, how much was asked for, how much came.
            "pread64" => on_file("pread", format!("{}+{}", argument(3), argument(2))),
            "pwrite64" => on_file("pwrite", format!("{}+{}", argument(3), argument(2))),
            "fsync" | "fdatasync" => on_file(&call.name, String::new()),
            "ftruncate" => on_file("ftruncate", argument(1).to_owned()),
            "fcntl" => on_file("fcntl", format!("{} {}", argument(1), argument(2))),
            "mkdir" | "mkdirat" | "rmdir" if self.is_scaffolding(call) => return None,
            "mkdir" => by_name("mkdir", argument(1).to_owned()),
            "mkdirat" => on_path("mkdir", 0, argument(2).to_owned()),
            "unlink" => by_name("unlink", String::new()),
            "rmdir" => by_name("rmdir", String::new()),
            "unlinkat" if argument(2) == "0" => on_path("unlink", 0, String::new()),
            "unlinkat" if argument(2) == "AT_REMOVEDIR" => on_path("rmdir", 0, String::new()),
            "rename" => by_name("rename", format!("to {}", self.path(argument(1)))),
            "renameat" => on_path(
                "rename",
                0,
                format!("to {}", self.path_at(argument(2), argument(3))),
            ),
            "renameat2" if argument(4) == "0" => on_path(
                "rename",
                0,
                format!("to {}", self.path_at(argument(2), argument(3))),
            ),
            "statfs" | "fstatfs" => self.of(call, "statfs", self.file_system(argument(0)), String::new()),
            "utimensat" => on_path("utimensat", 0, String::new()),
            "getxattr" => by_name("getxattr", format!("{} {}", argument(1), argument(3))),
            "fgetxattr" => on_file("fgetxattr", format!("{} {}", argument(1), argument(3))),
            "fsetxattr" => on_file(
                "fsetxattr",
                format!("{} {} {}", argument(1), argument(3), argument(4)),
            ),
            "read" if descriptor(argument(0)).is_some_and(|file| file.path == self.loadfile) => return None,
            _ => self.of(call, &call.name, call.arguments.join(", "), String::new()),
        })
    }

    fn of(&self, call: &Call, name: &str, path: String, details: String) -> Event {
        let result = match &call.result {
            Returned::Value(value) => value.to_string(),
            Returned::Errno(errno) => errno.clone(),
            Returned::Unknown => "interrupted".to_owned(),
        };
        Event {
            call: name.to_owned(),
            path,
            details,
            result,
        }
    }

    /// The type and size instead of the 0 of success.
    fn with_stat(mut event: Event, stat: &str) -> Event {
        if event.result == "0" {
            let fields = stat.trim_start_matches('{').split(", ");
            let field = |name: &str| {
                fields
                    .clone()
                    .find_map(|field| field.strip_prefix(name))
                    .unwrap_or("?")
            };
            let kind = field("st_mode=").split('|').next().unwrap_or("?");
            let size = if event.path == CLIENTS {
                "of any size"
            } else {
                field("st_size=")
            };
            event.result = format!("{kind} {size}");
        }
        event
    }

    fn open(&self, call: &Call, path: String, flags: &[&str], mode: &str) -> Event {
        let is_scan = flags.contains(&"O_DIRECTORY") && flags.contains(&"O_NONBLOCK");
        let mut kept: Vec<&str> = flags
            .iter()
            .copied()
            .filter(|flag| !IDLE_FLAGS.contains(flag))
            .collect();
        kept.sort_unstable();
        let mut details = kept.join("|");
        if !mode.is_empty() && kept.contains(&"O_CREAT") {
            details = format!("{details} {mode}");
        }
        let (name, opened) = if is_scan {
            ("scan", "left open")
        } else {
            ("open", "opened")
        };
        let mut event = self.of(call, name, path, details);
        if let Returned::Value(_) = call.result {
            event.result = opened.to_owned();
        }
        event
    }

    /// Whether it makes or removes the directory of all clients or this client's own.
    fn is_scaffolding(&self, call: &Call) -> bool {
        let argument = |index: usize| call.arguments.get(index).map_or("", String::as_str);
        let path = match call.name.as_str() {
            "mkdirat" => self.path_at(argument(0), argument(1)),
            _ => self.path(argument(0)),
        };
        path == "." || path == CLIENTS
    }

    /// What a descriptor is open on.
    fn file(&self, argument: &str) -> String {
        match descriptor(argument) {
            Some(Descriptor { path, .. }) => self.below_client(&path),
            None => argument.to_owned(),
        }
    }

    fn path_at(&self, directory: &str, path: &str) -> String {
        match (descriptor(directory), quoted(path)) {
            (Some(_), Some(path)) if path.starts_with('/') => self.below_client(&path),
            (Some(directory), Some(path)) => self.below_client(&format!("{}/{path}", directory.path)),
            _ => format!("{directory}, {path}"),
        }
    }

    /// An absolute path, possibly through one of the thread's descriptors.
    fn path(&self, argument: &str) -> String {
        let Some(path) = quoted(argument) else {
            return argument.to_owned();
        };
        let own = ["/proc/self/fd/", "/proc/thread-self/fd/"];
        let through = own
            .iter()
            .find_map(|own| path.strip_prefix(own))
            .and_then(|rest| {
                let (number, below) = rest.split_once('/').unwrap_or((rest, ""));
                let directory = self.open_on.get(&number.parse().ok()?)?;
                Some(format!("{directory}/{below}"))
            });
        self.below_client(through.as_deref().unwrap_or(&path))
    }

    /// A file system is asked about at any of the run's directories.
    fn file_system(&self, argument: &str) -> String {
        let path = descriptor(argument)
            .map(|file| file.path)
            .or_else(|| quoted(argument));
        let run = self.clients.rsplit_once('/').map_or("", |(run, _)| run);
        match path {
            Some(path) if path == run || path.starts_with(&format!("{run}/")) => "the run's".to_owned(),
            _ => argument.to_owned(),
        }
    }

    fn below_client(&self, path: &str) -> String {
        let path: Vec<&str> = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        let clients: Vec<&str> = self.clients.split('/').filter(|part| !part.is_empty()).collect();
        match path.strip_prefix(clients.as_slice()) {
            Some([]) => CLIENTS.to_owned(),
            Some(["client0"]) => ".".to_owned(),
            Some(["client0", below @ ..]) => below.join("/"),
            Some(other) => format!("../{}", other.join("/")),
            None => format!("/{}", path.join("/")),
        }
    }
}

/// Whether a newfstatat or fstat is of a descriptor itself.
fn is_of_descriptor(call: &Call) -> bool {
    call.name == "fstat"
        || (call.arguments.get(1).is_some_and(|path| path == "\"\"")
            && call
                .arguments
                .get(3)
                .is_some_and(|flags| flags == "AT_EMPTY_PATH"))
}
