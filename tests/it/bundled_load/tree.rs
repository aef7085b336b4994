//! A client's tree in memory: what a pass does to files, handles and space, and what it counts.

use super::flat::{Execution, flatten};
use rbench::loadfile::Loadfile;
use rbench::op::{Action, Kind, PathId, Status};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Files take whole blocks of this many bytes.
pub const BLOCK: u64 = 4096;
/// Upper bounds of the size histograms, in bytes.
pub const BOUNDS: [u64; 8] = [64, 512, 1024, 2048, 4096, 8192, 16384, 65536];
const ROOT: &str = r"\clients\client1";

/// A file's content that names and handles lead to; it lives as long as one of them does.
#[derive(Default)]
struct Inode {
    size: u64,
    named: bool,
    opens: u32,
}

struct Handle {
    inode: usize,
    last_write_end: Option<u64>,
}

/// What was executed outside PREPARE.
#[derive(Default)]
pub struct Totals {
    pub counts: BTreeMap<Kind, u64>,
    pub failed_stats: u64,
    pub write_sizes: [u64; 8],
    pub read_sizes: [u64; 8],
    pub bytes_written: u64,
    pub bytes_read: u64,
    pub sequential_writes: u64,
    pub sizes_at_open: Vec<u64>,
}

/// A client's tree and what happened to it.
#[derive(Default)]
pub struct Tree {
    directories: BTreeSet<String>,
    files: HashMap<String, usize>,
    inodes: Vec<Inode>,
    handles: HashMap<u32, Handle>,
    blocks: u64,
    pub peak_blocks: u64,
    pub peak_handles: usize,
    pub names: BTreeSet<String>,
    pub totals: Totals,
    /// Outcomes that are not as the load says: `line: what`.
    pub differed: Vec<String>,
}

pub fn parent(path: &str) -> &str {
    path.rsplit_once('\\').map_or("", |(parent, _)| parent)
}

fn bucket(size: u64) -> usize {
    BOUNDS
        .iter()
        .position(|&bound| size <= bound)
        .expect("at most 64 KiB")
}

impl Tree {
    fn new() -> Tree {
        let mut tree = Tree::default();
        tree.directories.extend([r"\clients".to_owned(), ROOT.to_owned()]);
        tree
    }

    /// Replays passes one after another on the same tree.
    pub fn replay(load: &Loadfile, passes: usize) -> Tree {
        let steps = flatten(load);
        let mut tree = Tree::new();
        for _ in 0..passes {
            tree.totals = Totals::default();
            for step in &steps {
                tree.execute(load, step);
            }
            let open = tree.handles.len();
            assert_eq!(open, 0, "handles open at the end of a pass");
        }
        tree
    }

    fn execute(&mut self, load: &Loadfile, step: &Execution) {
        let path = |id: PathId| -> String {
            let text = &load.paths[id.0 as usize].text;
            let path = std::str::from_utf8(text).expect("paths are ASCII").to_owned();
            assert!(
                path.starts_with(ROOT) || path == r"\clients",
                "{path} is elsewhere"
            );
            path
        };
        let (kind, done) = match step.line.action {
            Action::Create {
                path: id,
                options,
                disposition,
                handle,
            } => {
                assert_eq!(options & 1, 0, "directories are made with Mkdir");
                (
                    Kind::NtCreateX,
                    self.open(path(id), disposition, handle, step.measured),
                )
            }
            Action::Handle {
                kind: Kind::Close,
                handle,
                ..
            } => (Kind::Close, self.close(handle)),
            Action::Transfer { kind, handle, .. } => (kind, self.transfer(kind, handle, step)),
            Action::Path { kind, path: id, .. } => (kind, self.on_path(kind, &path(id))),
            Action::TwoPaths { kind, first, second } => (
                kind,
                kind == Kind::Rename && self.rename(&path(first), path(second)),
            ),
            ref other => panic!(
                "line {}: {other:?} is nothing that dbench 1.x executed",
                step.line.number
            ),
        };
        if done != (step.line.status == Status::Ok) {
            self.differed
                .push(format!("{}: {kind} gave {done}", step.line.number));
        }
        if step.measured {
            *self.totals.counts.entry(kind).or_default() += 1;
            self.totals.failed_stats += u64::from(kind == Kind::QueryPathInformation && !done);
        }
        self.peak_blocks = self.peak_blocks.max(self.blocks);
        self.peak_handles = self.peak_handles.max(self.handles.len());
    }

    /// Stricter than a run: 2 wants that the file is absent, and no handle is opened twice.
    fn open(&mut self, path: String, disposition: u32, handle: u32, measured: bool) -> bool {
        let existing = self.files.get(&path).copied();
        let inode = match (disposition, existing) {
            (1 | 5, Some(inode)) => inode,
            (2 | 5, None) if self.directories.contains(parent(&path)) => {
                self.inodes.push(Inode {
                    named: true,
                    ..Inode::default()
                });
                self.files.insert(path.clone(), self.inodes.len() - 1);
                self.inodes.len() - 1
            }
            _ => return false,
        };
        if disposition == 5 {
            self.resize(inode, 0);
        }
        if measured {
            self.totals.sizes_at_open.push(self.inodes[inode].size);
        }
        self.names.insert(path);
        self.inodes[inode].opens += 1;
        let opened = Handle {
            inode,
            last_write_end: None,
        };
        self.handles.insert(handle, opened).is_none()
    }

    fn close(&mut self, handle: u32) -> bool {
        let Some(handle) = self.handles.remove(&handle) else {
            return false;
        };
        self.inodes[handle.inode].opens -= 1;
        self.free_if_unused(handle.inode);
        true
    }

    fn transfer(&mut self, kind: Kind, handle: u32, step: &Execution) -> bool {
        let end = step.offset + step.size;
        let Some(open) = self.handles.get_mut(&handle) else {
            return false;
        };
        let inode = open.inode;
        let totals = &mut self.totals;
        if kind == Kind::ReadX {
            if step.measured {
                totals.read_sizes[bucket(step.size)] += 1;
                totals.bytes_read += step.size;
            }
            return end <= self.inodes[inode].size;
        }
        if step.measured {
            totals.write_sizes[bucket(step.size)] += 1;
            totals.bytes_written += step.size;
            totals.sequential_writes += u64::from(open.last_write_end == Some(step.offset));
        }
        open.last_write_end = Some(end);
        self.resize(inode, self.inodes[inode].size.max(end));
        true
    }

    fn on_path(&mut self, kind: Kind, path: &str) -> bool {
        match kind {
            Kind::QueryPathInformation => self.files.contains_key(path) || self.directories.contains(path),
            Kind::Unlink => self.remove_name(path),
            Kind::Mkdir if path == ROOT || path == r"\clients" => true,
            Kind::Mkdir => {
                self.directories.contains(parent(path)) && self.directories.insert(path.to_owned())
            }
            Kind::Rmdir => {
                let empty = !self.files.keys().any(|file| parent(file) == path);
                empty && self.directories.remove(path)
            }
            Kind::Deltree => {
                assert_eq!(path, ROOT);
                let names: Vec<String> = self.files.keys().cloned().collect();
                names.iter().all(|name| self.remove_name(name)) && {
                    self.directories
                        .retain(|directory| ROOT.starts_with(directory.as_str()));
                    true
                }
            }
            _ => panic!("{kind} is nothing that dbench 1.x executed"),
        }
    }

    fn rename(&mut self, old: &str, new: String) -> bool {
        if !self.directories.contains(parent(&new)) {
            return false;
        }
        let Some(inode) = self.files.remove(old) else {
            return false;
        };
        self.remove_name(&new);
        self.names.insert(new.clone());
        self.files.insert(new, inode);
        true
    }

    fn remove_name(&mut self, path: &str) -> bool {
        let Some(inode) = self.files.remove(path) else {
            return false;
        };
        self.inodes[inode].named = false;
        self.free_if_unused(inode);
        true
    }

    fn free_if_unused(&mut self, inode: usize) {
        if !self.inodes[inode].named && self.inodes[inode].opens == 0 {
            self.resize(inode, 0);
        }
    }

    fn resize(&mut self, inode: usize, size: u64) {
        let old = std::mem::replace(&mut self.inodes[inode].size, size);
        self.blocks = self.blocks - old.div_ceil(BLOCK) + size.div_ceil(BLOCK);
    }
}
