//! A place for one run: DIR with things beside `clients`, and a tree elsewhere that no run may touch.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::process::{Ended, Running};

/// DIR, a canary beside `DIR/clients`, and another in a tree of its own.
pub struct Site {
    root: TempDir,
    before: Snapshot,
}

/// What is known of each file outside `clients`.
type Snapshot = BTreeMap<PathBuf, Described>;

/// One file, byte for byte and with its metadata. (Access times are left out: taking the snapshot changes them.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    mode: u32,
    owner: (u32, u32),
    inode: u64,
    links: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    content: Vec<u8>,
}

/// What a file is like now.
pub fn describe(path: &Path) -> Described {
    let metadata = fs::symlink_metadata(path).unwrap();
    let content = if metadata.is_symlink() {
        fs::read_link(path).unwrap().into_os_string().into_encoded_bytes()
    } else if metadata.is_file() {
        fs::read(path).unwrap()
    } else {
        Vec::new()
    };
    Described {
        mode: metadata.mode(),
        owner: (metadata.uid(), metadata.gid()),
        inode: metadata.ino(),
        links: metadata.nlink(),
        size: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        content,
    }
}

/// Everything below a directory and the directory itself.
pub fn tree(top: &Path) -> BTreeMap<PathBuf, Described> {
    let entries = walkdir::WalkDir::new(top).follow_root_links(false).into_iter();
    entries
        .map(|entry| {
            let path = entry.unwrap().into_path();
            let described = describe(&path);
            (path, described)
        })
        .collect()
}

/// A tree with names such as loads use.
fn fill(top: &Path) {
    let directories = [
        "sub",
        "client0",
        "client1",
        "d",
        "shared/clients",
        "clients/client0",
        "new",
    ];
    for directory in directories {
        fs::create_dir_all(top.join(directory)).unwrap();
        for file in ["file", "f", "x"] {
            fs::write(
                top.join(directory).join(file),
                format!("{directory} keeps {file}"),
            )
            .unwrap();
        }
    }
    fs::write(top.join("file"), "precious").unwrap();
    fs::set_permissions(top.join("file"), Permissions::from_mode(0o666)).unwrap();
    fs::write(top.join("f"), vec![7; 5000]).unwrap();
    symlink("file", top.join("link")).unwrap();
    fs::hard_link(top.join("f"), top.join("hard")).unwrap();
}

impl Site {
    /// A site on the file system of temporary files.
    pub fn new() -> Site {
        Site::with(|_| ())
    }

    /// A site; `mount` may put another file system on DIR before anything is in it.
    pub fn with(mount: impl FnOnce(&Path)) -> Site {
        let root = tempfile::tempdir().unwrap();
        // Other users must get there, so that they could do harm.
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).unwrap();
        let dir = root.path().join("dir");
        fs::create_dir(&dir).unwrap();
        mount(&dir);
        fs::set_permissions(&dir, Permissions::from_mode(0o777)).unwrap();
        fill(&root.path().join("elsewhere"));
        for name in ["beside", "client0", "shared", "clients.bak", "elsewhere"] {
            fs::create_dir(dir.join(name)).unwrap();
            fs::write(dir.join(name).join("file"), name).unwrap();
        }
        fs::write(dir.join(".rbench"), "not a marker").unwrap();
        fs::write(dir.join("file"), "beside clients").unwrap();
        fs::create_dir(root.path().join("loads")).unwrap();
        let mut site = Site {
            root,
            before: Snapshot::new(),
        };
        site.before = site.outside();
        site
    }

    /// DIR.
    pub fn dir(&self) -> PathBuf {
        self.root.path().join("dir")
    }

    /// `DIR/clients`.
    pub fn clients(&self) -> PathBuf {
        self.dir().join("clients")
    }

    /// A canary outside DIR.
    pub fn elsewhere(&self) -> PathBuf {
        self.root.path().join("elsewhere")
    }

    /// Writes a loadfile.
    pub fn load(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.path().join("loads").join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// rbench in DIR, with a loadfile's text.
    pub fn command(&self, text: impl AsRef<[u8]>, arguments: &[&str]) -> Command {
        self.command_of(&self.load("test.load", text), arguments)
    }

    /// rbench in DIR, with a loadfile.
    pub fn command_of(&self, load: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rbench"));
        command
            .arg("-D")
            .arg(self.dir())
            .arg("-c")
            .arg(load)
            .args(arguments);
        command
    }

    /// Starts a run.
    pub fn start(&self, text: impl AsRef<[u8]>, arguments: &[&str]) -> Running {
        Running::start(&mut self.command(text, arguments))
    }

    /// A whole run; nothing outside may have changed after it.
    pub fn run(&self, text: impl AsRef<[u8]>, arguments: &[&str]) -> Ended {
        let ended = self.start(text, arguments).wait();
        self.assert_outside_intact();
        ended
    }

    /// `rbench clean DIR`.
    pub fn clean(&self) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rbench"));
        let ended = Running::start(command.arg("clean").arg(self.dir())).wait();
        self.assert_outside_intact();
        ended
    }

    /// Everything but `DIR/clients`; of DIR itself what making `clients` in it does not change.
    fn outside(&self) -> Snapshot {
        let mut all = tree(&self.elsewhere());
        let dir = self.dir();
        for entry in fs::read_dir(&dir).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() != "clients" {
                all.extend(tree(&entry.path()));
            }
        }
        let itself = describe(&dir);
        all.insert(
            dir,
            Described {
                links: 0,
                size: 0,
                modified: (0, 0),
                changed: (0, 0),
                ..itself
            },
        );
        // A file made beside the trees would be an escape too.
        for entry in fs::read_dir(self.root.path()).unwrap() {
            let path = entry.unwrap().path();
            let mode = fs::symlink_metadata(&path).unwrap().mode();
            all.entry(path).or_insert(Described {
                mode,
                owner: (0, 0),
                inode: 0,
                links: 0,
                size: 0,
                modified: (0, 0),
                changed: (0, 0),
                content: Vec::new(),
            });
        }
        all
    }

    /// Fails unless everything outside `DIR/clients` is as it was.
    pub fn assert_outside_intact(&self) {
        let now = self.outside();
        for (path, before) in &self.before {
            match now.get(path) {
                None => panic!("{} has been removed", path.display()),
                Some(now) => assert_eq!(now, before, "{} has been changed", path.display()),
            }
        }
        let new: Vec<_> = now
            .keys()
            .filter(|path| !self.before.contains_key(*path))
            .collect();
        assert!(new.is_empty(), "made outside: {new:?}");
    }

    /// Fails unless `DIR/clients` is gone and everything else as it was.
    pub fn assert_nothing_left(&self) {
        assert!(
            fs::symlink_metadata(self.clients()).is_err(),
            "clients is still there"
        );
        self.assert_outside_intact();
    }
}

/// Waits until something holds; fails after two minutes (a busy machine is no defect).
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "not within 120 s: {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// An nfs load that leaves many files and `started`, so that removing them takes a while.
pub fn many_files(end: &str) -> String {
    let letters = "abcdefghijklmnopqrstuvwxyz";
    format!(
        "LOOP 12000\nRANDOMSTRING 0 \"[{letters}][{letters}][{letters}][{letters}]\"\n\
         CREATE3 \"/clients/client1/$0\" 0x0\nENDLOOP\nCREATE3 \"/clients/client1/started\" 0x0\n{end}"
    )
}

/// Waits until the cleanup of [`many_files`] has begun, which the empty shared tree shows, as it goes first (and is made
/// last); false when the run had ended before that was seen.
pub fn sees_cleanup(site: &Site, run: &mut Running) -> bool {
    let shared = site.clients().join("shared");
    wait_until("clients work", || shared.exists() || run.has_ended());
    sees_cleanup_of_clients_at_work(site)
}

/// The same, where it is known that the clients are at work.
pub fn sees_cleanup_of_clients_at_work(site: &Site) -> bool {
    wait_until("cleanup begins", || !site.clients().join("shared").exists());
    site.clients().exists()
}

/// How often a test tries to catch a cleanup while it goes on.
pub const TRIES: usize = 20;
