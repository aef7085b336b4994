//! Files that are kept open by their path: nfs's cache, as a server keeps one, and smb5's opens.

use crate::program::space::is_below;
use crate::program::{Place, Root};

/// How many files an NFS server's cache holds here.
pub const NFS_CACHE: usize = 64;

struct Entry<File> {
    root: Root,
    path: Vec<u8>,
    file: Option<File>,
    used: u64,
}

/// Open files found by their path.
pub struct OpenFiles<File> {
    entries: Vec<Entry<File>>,
    /// Above this the least recently used is given back.
    capacity: usize,
    clock: u64,
}

impl<File> OpenFiles<File> {
    pub fn new(capacity: usize) -> OpenFiles<File> {
        OpenFiles {
            entries: Vec::new(),
            capacity,
            clock: 0,
        }
    }

    fn position(&self, place: Place<'_>) -> Option<usize> {
        let path = place.path.to_bytes();
        let found =
            |entry: &Entry<File>| entry.file.is_some() && entry.root == place.root && entry.path == path;
        self.entries.iter().position(found)
    }

    /// The open file of a path.
    pub fn get(&mut self, place: Place<'_>) -> Option<&File> {
        let position = self.position(place)?;
        self.clock += 1;
        let entry = &mut self.entries[position];
        entry.used = self.clock;
        entry.file.as_ref()
    }

    /// Takes a path's file out.
    pub fn take(&mut self, place: Place<'_>) -> Option<File> {
        let position = self.position(place)?;
        self.entries[position].file.take()
    }

    /// Keeps a file; answers one that has to be closed for it.
    #[must_use]
    pub fn put(&mut self, place: Place<'_>, file: File) -> Option<File> {
        self.clock += 1;
        let free = self.entries.iter().position(|entry| entry.file.is_none());
        let position = match free {
            Some(position) => position,
            None if self.entries.len() < self.capacity => {
                self.entries.push(Entry {
                    root: place.root,
                    path: Vec::new(),
                    file: None,
                    used: 0,
                });
                self.entries.len() - 1
            }
            None => {
                let oldest = self
                    .entries
                    .iter()
                    .enumerate()
                    .min_by_key(|(_, entry)| entry.used);
                oldest.map_or(0, |(position, _)| position)
            }
        };
        let entry = &mut self.entries[position];
        entry.root = place.root;
        entry.path.clear();
        entry.path.extend_from_slice(place.path.to_bytes());
        entry.used = self.clock;
        entry.file.replace(file)
    }

    /// Takes out one file at or below a path; call until there is none.
    pub fn take_below(&mut self, top: Place<'_>) -> Option<File> {
        let top_path = top.path.to_bytes();
        let below = |entry: &&mut Entry<File>| {
            entry.file.is_some() && entry.root == top.root && is_below(&entry.path, top_path)
        };
        self.entries
            .iter_mut()
            .find(below)
            .and_then(|entry| entry.file.take())
    }

    /// Takes out any file; call until there is none.
    pub fn take_any(&mut self) -> Option<File> {
        self.entries.iter_mut().find_map(|entry| entry.file.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::PlaceBuf;

    fn at(path: &str) -> PlaceBuf {
        PlaceBuf::of(path.as_bytes(), 0).expect("a path")
    }

    #[test]
    fn the_least_recently_used_is_given_back_when_it_is_full() {
        let mut files = OpenFiles::new(2);
        assert_eq!(files.put(at("/a").place(), 1), None);
        assert_eq!(files.put(at("/b").place(), 2), None);
        assert_eq!(files.get(at("/a").place()), Some(&1));
        assert_eq!(files.put(at("/c").place(), 3), Some(2));
        assert_eq!(files.get(at("/b").place()), None);
    }

    #[test]
    fn a_removed_directory_takes_the_files_below_it_and_no_others() {
        let mut files = OpenFiles::new(9);
        for (number, path) in ["/d/a", "/d/x/b", "/dd", "/clients/client1/d/a"]
            .iter()
            .enumerate()
        {
            assert_eq!(files.put(at(path).place(), number), None);
        }
        let mut taken = Vec::new();
        while let Some(file) = files.take_below(at("/d").place()) {
            taken.push(file);
        }
        assert_eq!(taken, [0, 1]);
    }
}
