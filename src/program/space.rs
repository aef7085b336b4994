//! An estimate of the disk space that one pass needs, made while the program is compiled.
//!
//! Files grow to the end of the furthest write, but never to more than what is written to them, so that
//! sparse files are not overrated. What is not known (random offsets and names) counts at its bound.

use super::place::{PlaceBuf, Root};

/// What a run needs on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpaceNeed {
    /// Peak bytes of one client's files, each rounded up to 4096.
    pub bytes_per_client: u64,
    /// Peak files and directories of one client.
    pub inodes_per_client: u64,
    /// The same for what all clients share.
    pub shared_bytes: u64,
    pub shared_inodes: u64,
}

impl SpaceNeed {
    /// Bytes that `clients` clients need together.
    pub fn bytes(&self, clients: u64) -> u64 {
        let own = self.bytes_per_client.saturating_mul(clients);
        own.saturating_add(self.shared_bytes)
    }

    /// Inodes that `clients` clients need together, their own directories included.
    pub fn inodes(&self, clients: u64) -> u64 {
        let own = self.inodes_per_client.saturating_add(1).saturating_mul(clients);
        own.saturating_add(self.shared_inodes)
    }
}

const BLOCK: u64 = 4096;
/// How many entries Deltrees below a client's root may look at in all before the estimate stops taking them off.
const DELTREE_BUDGET: u64 = 2_000_000;

fn blocks(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK).saturating_mul(BLOCK)
}

#[derive(Debug, Clone, Copy, Default)]
struct File {
    size: u64,
    written: u64,
    directory: bool,
    /// How many names a random path can have given.
    names: u64,
}

impl File {
    fn bytes(&self) -> u64 {
        let one = if self.directory {
            BLOCK
        } else {
            blocks(self.size.min(self.written))
        };
        one.saturating_mul(self.names)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    bytes: u64,
    inodes: u64,
    peak_bytes: u64,
    peak_inodes: u64,
}

/// What an operation does to the space; paths by their index in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A file is made if it is not there, and cut if `cuts`.
    Create {
        path: u32,
        cuts: bool,
    },
    Directory {
        path: u32,
    },
    /// `times` writes that end at most at `end` and write at most `length` bytes each.
    Write {
        path: u32,
        end: u64,
        length: u64,
        times: u64,
    },
    /// The file gets exactly this size.
    Resize {
        path: u32,
        size: u64,
    },
    /// `all`: if the path stands for several names, all of them go.
    Remove {
        path: u32,
        all: bool,
    },
    Rename {
        old: u32,
        new: u32,
        all: bool,
    },
    /// Everything below a path goes, and the path itself unless it is a root.
    RemoveTree {
        top: u32,
    },
}

/// The estimate in the course of the operations. Paths are named by their index in the program.
#[derive(Debug, Default)]
pub struct Space {
    files: Vec<Option<File>>,
    alive: Vec<u32>,
    /// Path that each slot is open on.
    slots: Vec<u32>,
    client: Tally,
    shared: Tally,
    looked_at: u64,
}

/// One path as the estimate sees it.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    pub path: u32,
    /// Absent where the path is put together at run time.
    pub place: Option<&'a PlaceBuf>,
    /// How many different names it can stand for.
    pub names: u64,
}

impl Named<'_> {
    fn is_shared(&self) -> bool {
        self.place
            .is_some_and(|place| place.place().root != Root::Client && !place.names_client())
    }
}

impl Space {
    /// Applies a change; `named` tells what it says of a path.
    pub fn apply<'p>(&mut self, change: Change, named: impl Fn(u32) -> Named<'p>) {
        match change {
            Change::Create { path, cuts } => self.create(named(path), cuts),
            Change::Directory { path } => self.make_directory(named(path)),
            Change::Write {
                path,
                end,
                length,
                times,
            } => self.write(named(path), end, length, times),
            Change::Resize { path, size } => self.resize(named(path), size),
            Change::Remove { path, all } => self.remove(named(path), all),
            Change::Rename { old, new, all } => self.rename(named(old), named(new), all),
            Change::RemoveTree { top } => self.remove_tree(named(top), named),
        }
    }

    fn change(&mut self, named: Named<'_>, change: impl FnOnce(&mut Option<File>)) {
        let index = named.path as usize;
        if self.files.len() <= index {
            self.files.resize(index + 1, None);
        }
        let before = self.files[index];
        change(&mut self.files[index]);
        let after = self.files[index];
        if before.is_none() && after.is_some() {
            self.alive.push(named.path);
        }
        let tally = if named.is_shared() {
            &mut self.shared
        } else {
            &mut self.client
        };
        let cost = |file: Option<File>| file.map_or((0, 0), |f| (f.bytes(), f.names));
        let (old, new) = (cost(before), cost(after));
        tally.bytes = tally.bytes.saturating_sub(old.0).saturating_add(new.0);
        tally.inodes = tally.inodes.saturating_sub(old.1).saturating_add(new.1);
        tally.peak_bytes = tally.peak_bytes.max(tally.bytes);
        tally.peak_inodes = tally.peak_inodes.max(tally.inodes);
    }

    fn create(&mut self, named: Named<'_>, truncate: bool) {
        self.change(named, |file| {
            let file = file.get_or_insert(File {
                names: named.names,
                ..File::default()
            });
            if truncate {
                (file.size, file.written) = (0, 0);
            }
        });
    }

    fn make_directory(&mut self, named: Named<'_>) {
        self.change(named, |file| {
            file.get_or_insert(File {
                names: named.names,
                directory: true,
                ..File::default()
            });
        });
    }

    /// A slot now stands for this path.
    pub fn open(&mut self, slot: u32, path: u32) {
        let index = slot as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, u32::MAX);
        }
        self.slots[index] = path;
    }

    /// The path that a slot stands for.
    pub fn path_of(&self, slot: u32) -> Option<u32> {
        let path = self.slots.get(slot as usize).copied();
        path.filter(|&path| path != u32::MAX)
    }

    fn file(&self, path: u32) -> Option<&File> {
        self.files.get(path as usize)?.as_ref()
    }

    /// Whether the pass has made something there by now.
    pub fn exists(&self, path: u32) -> bool {
        self.file(path).is_some()
    }

    /// How large the pass has made a file by now, bytes; none if it has made none.
    pub fn size_of(&self, path: u32) -> Option<u64> {
        self.file(path)
            .filter(|file| !file.directory)
            .map(|file| file.size)
    }

    fn write(&mut self, named: Named<'_>, end: u64, length: u64, times: u64) {
        self.change(named, |file| {
            if let Some(file) = file {
                file.size = file.size.max(end);
                // A write may touch one block more than its length fills.
                let touched = blocks(length).saturating_add(BLOCK).saturating_mul(times);
                file.written = file.written.saturating_add(touched);
            }
        });
    }

    fn resize(&mut self, named: Named<'_>, size: u64) {
        self.change(named, |file| {
            if let Some(file) = file {
                file.size = size;
                file.written = file.written.max(size);
            }
        });
    }

    fn remove(&mut self, named: Named<'_>, all: bool) {
        // Which of the random names goes is not known: they all count as still there.
        if named.names == 1 || all {
            self.change(named, |file| *file = None);
        }
    }

    fn rename(&mut self, old: Named<'_>, new: Named<'_>, all: bool) {
        let moved = self.files.get(old.path as usize).copied().flatten();
        if let Some(moved) = moved
            && old.path != new.path
        {
            self.remove(old, all);
            // Of several names that become one, one is left.
            let names = if all {
                moved.names.min(new.names)
            } else {
                moved.names
            };
            self.change(new, |file| *file = Some(File { names, ..moved }));
        }
    }

    fn remove_tree<'a>(&mut self, top: Named<'_>, place_of: impl Fn(u32) -> Named<'a>) {
        let Some(top) = top.place.map(PlaceBuf::place) else {
            return;
        };
        self.looked_at = self.looked_at.saturating_add(self.alive.len() as u64);
        if !top.is_root() && self.looked_at > DELTREE_BUDGET {
            return;
        }
        let alive = std::mem::take(&mut self.alive);
        for path in alive {
            let named = place_of(path);
            if self.files[path as usize].is_none() {
                continue;
            }
            let below = match named.place.map(PlaceBuf::place) {
                Some(place) => place.root == top.root && is_below(place.path.to_bytes(), top.path.to_bytes()),
                // A random name may lie anywhere: it goes only with the client's whole root.
                None => top.is_root() && top.root == Root::Client,
            };
            if below {
                self.change(named, |file| *file = None);
            } else {
                self.alive.push(path);
            }
        }
    }

    pub fn need(&self) -> SpaceNeed {
        SpaceNeed {
            bytes_per_client: self.client.peak_bytes,
            inodes_per_client: self.client.peak_inodes,
            shared_bytes: self.shared.peak_bytes,
            shared_inodes: self.shared.peak_inodes,
        }
    }
}

/// Whether a path below a root is `top` or lies below it.
pub fn is_below(path: &[u8], top: &[u8]) -> bool {
    top == b"."
        || path
            .strip_prefix(top)
            .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(act: impl FnOnce(&mut Space, &dyn Fn(u32) -> Named<'static>)) -> SpaceNeed {
        let places: &'static [PlaceBuf] = Box::leak(Box::new(
            [
                r"\clients\client1",
                r"\clients\client1\a",
                r"\clients\client1\d\b",
                "/shared",
            ]
            .map(|path| PlaceBuf::of(path.as_bytes(), 0).expect("a path")),
        ));
        let named = |path: u32| Named {
            path,
            place: Some(&places[path as usize]),
            names: 1,
        };
        let mut space = Space::default();
        act(&mut space, &named);
        space.need()
    }

    #[test]
    fn the_peak_is_kept_when_files_go() {
        let need = check(|space, named| {
            space.create(named(1), false);
            space.write(named(1), 10_000, 10_000, 1);
            space.remove(named(1), false);
            space.create(named(2), false);
            space.write(named(2), 100, 100, 1);
        });
        assert_eq!((need.bytes_per_client, need.inodes_per_client), (12_288, 1));
    }

    #[test]
    fn a_sparse_file_counts_what_is_written() {
        let need = check(|space, named| {
            space.create(named(1), false);
            space.write(named(1), 1 << 40, 4096, 10);
        });
        assert_eq!(need.bytes_per_client, 81_920);
    }

    #[test]
    fn deltree_of_the_clients_root_takes_everything_but_what_is_shared() {
        let need = check(|space, named| {
            for _ in 0..3 {
                space.create(named(1), false);
                space.write(named(1), 4096, 4096, 1);
                space.create(named(3), false);
                space.write(named(3), 4096, 4096, 1);
                space.remove_tree(named(0), named);
            }
        });
        assert_eq!((need.bytes_per_client, need.shared_bytes), (4096, 4096));
        assert_eq!((need.inodes_per_client, need.shared_inodes), (1, 1));
    }
}
