//! A small language for tests of runs: a fresh directory, a loadfile in it, rbench, and what came of it.

use assert_cmd::Command;
use rbench::loadfile::{ReadOptions, Source, parse};
use rbench::program::{CompileOptions, compile};
use rbench::replay::Settings;
use rbench::result::{RunInfo, RunOptions, RunResult};
use rbench::run::{Backend, Measurement, Pin, Plan, Silent, execute};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// What the loadfile that [`Scratch::run`] writes is called.
pub(crate) const LOAD: &str = "x.load";

/// The program under test.
pub(crate) fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("rbench").to_owned()
}

/// A fresh directory, in which everything of a test happens.
pub(crate) struct Scratch {
    directory: TempDir,
}

/// What a run of rbench said.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Absent when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// In memory, where the machine has a place for that.
    pub(crate) fn in_memory() -> Scratch {
        match tempfile::tempdir_in("/dev/shm") {
            Ok(directory) => Scratch { directory },
            Err(_) => Scratch::new(),
        }
    }

    /// A directory in which one client has replayed a load well, and left its files.
    pub(crate) fn after(load: &str) -> Scratch {
        let scratch = Scratch::new();
        scratch.run(load, &["1", "--skip-cleanup"]).assert_well();
        scratch
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file beside the clients' directory.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Runs rbench in the directory.
    pub(crate) fn rbench(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(program());
        // The store of whoever runs the tests has nothing to do with them.
        command.env("XDG_DATA_HOME", self.path().join("data"));
        let output = command.current_dir(self.path()).args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Writes a loadfile and runs it.
    pub(crate) fn run(&self, load: &str, arguments: &[&str]) -> Ran {
        self.write(LOAD, load);
        self.rbench(&[&["-c", LOAD], arguments].concat())
    }

    /// Runs a load through the library.
    pub(crate) fn execute(&self, load: &str, change: impl FnOnce(&mut Plan)) -> RunResult {
        let mut plan = plan(load);
        plan.directory = self.path().to_owned();
        change(&mut plan);
        execute(&plan, &mut Silent).unwrap()
    }

    pub(crate) fn clients(&self) -> PathBuf {
        self.path().join("clients")
    }

    /// A path in the first client's own directory.
    pub(crate) fn client0(&self, path: &str) -> PathBuf {
        self.clients().join("client0").join(path)
    }

    pub(crate) fn shared(&self, path: &str) -> PathBuf {
        self.clients().join("shared").join(path)
    }

    /// What is below a directory, as sorted relative paths; directories end in a slash.
    pub(crate) fn tree(&self, directory: &str) -> Vec<String> {
        let top = self.path().join(directory);
        let entries = walkdir::WalkDir::new(&top).min_depth(1).sort_by_file_name();
        let name = |entry: walkdir::DirEntry| {
            let slash = if entry.file_type().is_dir() { "/" } else { "" };
            let path = entry.path().strip_prefix(&top).unwrap();
            format!("{}{slash}", path.display())
        };
        entries.into_iter().map(|entry| name(entry.unwrap())).collect()
    }

    /// What the first client's own directory holds.
    pub(crate) fn tree0(&self) -> Vec<String> {
        self.tree("clients/client0")
    }

    /// Size of a file of the first client.
    pub(crate) fn size0(&self, path: &str) -> u64 {
        self.metadata0(path).len()
    }

    pub(crate) fn metadata0(&self, path: &str) -> Metadata {
        fs::symlink_metadata(self.client0(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn content0(&self, path: &str) -> Vec<u8> {
        fs::read(self.client0(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Nothing of a run is left.
    pub(crate) fn assert_clean(&self) {
        assert!(!self.clients().exists(), "{:?}", self.tree("clients"));
    }
}

impl Ran {
    /// It ended with success and every outcome was as the trace says.
    pub(crate) fn assert_well(&self) -> &Ran {
        assert_eq!(self.code, Some(0), "{self}");
        assert!(!self.stderr.contains("differ"), "{self}");
        self
    }

    pub(crate) fn assert_code(&self, code: i32) -> &Ran {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Refused with exit code 2, the reason on stderr, and nothing on stdout.
    pub(crate) fn assert_refused(&self, reason: &str) -> &Ran {
        self.assert_code(2);
        assert_eq!(self.stdout, "", "{self}");
        self.assert_says(reason)
    }

    pub(crate) fn assert_says(&self, text: &str) -> &Ran {
        assert!(self.stderr.contains(text), "no {text:?} in\n{self}");
        self
    }

    /// The outcomes that are shown to differ from the trace.
    pub(crate) fn mismatches(&self) -> Vec<&str> {
        let lines = self.stderr.lines().filter_map(|line| line.strip_prefix("  "));
        lines.filter(|line| line.contains(": expected ")).collect()
    }

    pub(crate) fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    /// How often each kind was executed, from --machine-readable's rows.
    pub(crate) fn counts(&self) -> BTreeMap<&str, u64> {
        let rows = self.stdout.lines().filter_map(|line| line.strip_prefix(':'));
        rows.map(|row| {
            let mut fields = row.split(':');
            let (name, count) = (fields.next().unwrap(), fields.next().unwrap());
            (name, count.parse().unwrap())
        })
        .collect()
    }

    /// Bytes and passes of each client, from --per-client-results' lines.
    pub(crate) fn per_client(&self) -> Vec<(u64, u64)> {
        let pattern = r"(?m)^Client \d+ did \d+ lines and (\d+) bytes .* (\d+) passes ";
        let pattern = regex::Regex::new(pattern).unwrap();
        let found = pattern.captures_iter(&self.stdout);
        found
            .map(|groups| (groups[1].parse().unwrap(), groups[2].parse().unwrap()))
            .collect()
    }

    /// The throughput that the last line says, MB/s.
    pub(crate) fn throughput(&self) -> f64 {
        let mut tokens = self.last_line().split_whitespace();
        assert_eq!(tokens.next(), Some("Throughput"), "{self}");
        tokens.next().unwrap().parse().unwrap()
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ran { code, stdout, stderr } = self;
        write!(f, "exit code {code:?}\nstdout:\n{stdout}\nstderr:\n{stderr}")
    }
}

/// A plan for one client and one pass of a load.
pub(crate) fn plan(load: &str) -> Plan {
    let file = parse(Source::new(LOAD, load), &ReadOptions::default()).unwrap();
    let program = compile(&file, CompileOptions::default()).unwrap();
    Plan {
        programs: vec![Arc::new(program)],
        clients: 1,
        clients_per_process: 1,
        directory: PathBuf::new(),
        backend: Backend::FileIo,
        pin: Pin::None,
        settings: Settings::default(),
        space_check: true,
        skip_cleanup: false,
        per_client: true,
        measurement: Measurement::default(),
        info: RunInfo::now(RunOptions::default()),
    }
}
