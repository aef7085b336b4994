//! The places in which the kernel tells of itself, below a root that tests can make up.

use nix::sys::stat::{major, minor};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More than any of these files has; what is longer is cut.
const LONGEST: u64 = 8 << 20;

/// Reads what is below a root: `/`, or a tree that a test has made.
#[derive(Debug, Clone)]
pub(super) struct System {
    root: PathBuf,
}

impl System {
    /// The machine that this runs on.
    pub(super) fn here() -> System {
        System { root: "/".into() }
    }

    /// Where a path of the system is found.
    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The text of a file without white space around it; none where it cannot be read or says nothing.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let mut bytes = Vec::new();
        let file = fs::File::open(self.path(path)).ok()?;
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The number that a file holds.
    pub(super) fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// The names in a directory, sorted; empty where there is none.
    pub(super) fn names(&self, directory: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Where a path leads when all links are followed, as a path of the system.
    pub(super) fn resolved(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let resolved = fs::canonicalize(self.path(path)).ok()?;
        let root = fs::canonicalize(&self.root).ok()?;
        Some(Path::new("/").join(resolved.strip_prefix(root).ok()?))
    }
}

/// The number of a device as the kernel writes it, `major:minor`.
pub(super) fn major_and_minor(device: libc::dev_t) -> String {
    format!("{}:{}", major(device), minor(device))
}

/// A machine made of files, for tests.
#[cfg(test)]
pub(super) mod made_up {
    use super::System;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    pub(in crate::measure) struct Machine {
        root: tempfile::TempDir,
        pub(in crate::measure) system: System,
    }

    impl Machine {
        /// Files and what they hold.
        pub(in crate::measure) fn new(files: &[(&str, &str)]) -> Machine {
            let root = tempfile::tempdir().unwrap();
            let system = System {
                root: root.path().to_owned(),
            };
            let machine = Machine { root, system };
            for (path, text) in files {
                machine.write(path, text.as_bytes());
            }
            machine
        }

        pub(in crate::measure) fn write(&self, path: &str, bytes: &[u8]) {
            let path = self.root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }

        /// A link to another path of the machine.
        pub(in crate::measure) fn link(&self, path: &str, target: &str) {
            let path = self.root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(self.root.path().join(target), path).unwrap();
        }

        /// A block device, with the links that lead to it.
        pub(in crate::measure) fn device(&self, directory: &str, number: &str) {
            self.write(&format!("{directory}/dev"), format!("{number}\n").as_bytes());
            let name = Path::new(directory).file_name().unwrap().to_str().unwrap();
            self.link(&format!("sys/dev/block/{number}"), directory);
            self.link(&format!("sys/class/block/{name}"), directory);
        }
    }

    #[test]
    fn what_is_not_there_or_says_nothing_is_absent() {
        let machine = Machine::new(&[("a", " 12\n"), ("empty", "\n"), ("word", "x\n")]);
        let system = &machine.system;
        assert_eq!(system.text("/a").as_deref(), Some("12"));
        assert_eq!(system.number("/a"), Some(12));
        assert_eq!(system.text("/empty"), None);
        assert_eq!(system.number("/word"), None);
        assert_eq!(system.text("/missing"), None);
        assert_eq!(system.names("/"), ["a", "empty", "word"]);
        assert!(system.names("/missing").is_empty());
    }

    #[test]
    fn bytes_that_are_no_text_are_read_all_the_same() {
        let machine = Machine::new(&[]);
        machine.write("odd", b"\xff\xfe 1\0\n");
        assert!(machine.system.text("/odd").is_some());
        assert_eq!(machine.system.number("/odd"), None);
    }
}
