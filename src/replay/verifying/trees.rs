//! Forgetting what a removed tree held.

use super::Verifying;
use super::ledger::Identity;
use crate::program::{Place, Root};
use crate::replay::dirents::{self, EntryType};
use crate::replay::fs::Filesystem;
use std::ffi::{CStr, CString};

impl<F: Filesystem> Verifying<'_, F> {
    /// Forgets the files at and below a place that is about to be removed. What cannot be read stays known, which costs
    /// memory and nothing else.
    pub(super) fn forget_below(&mut self, place: Place<'_>, buffer: &mut [u64]) {
        let mut directories = vec![place.path.to_owned()];
        let mut files = Vec::new();
        while let Some(path) = directories.pop() {
            self.list(place.root, &path, buffer, &mut directories, &mut files);
            for file in files.drain(..) {
                self.forget_file(place.root, &file, &mut directories);
            }
        }
    }

    /// Adds a directory's entries to one list or the other.
    fn list(
        &mut self,
        root: Root,
        path: &CStr,
        buffer: &mut [u64],
        directories: &mut Vec<CString>,
        files: &mut Vec<CString>,
    ) {
        let flags =
            libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
        let Ok(directory) = self.inner.open(bare(root, path), flags, 0) else {
            return;
        };
        while let Ok(filled @ 1..) = self.inner.read_entries(&directory, buffer) {
            let entries = dirents::entries(buffer, filled).filter_map(Result::ok);
            for entry in entries.filter(|entry| !entry.is_dot()) {
                let Ok(path) = CString::new([path.to_bytes(), b"/", entry.name.to_bytes()].concat()) else {
                    continue;
                };
                match entry.entry_type {
                    EntryType::Directory => directories.push(path),
                    EntryType::File | EntryType::Unknown => files.push(path),
                    EntryType::SymbolicLink | EntryType::Other => {}
                }
            }
        }
        let _ = self.inner.close(directory);
    }

    /// Forgets a file whose last name this is; what is a directory after all is put with those.
    fn forget_file(&mut self, root: Root, path: &CStr, directories: &mut Vec<CString>) {
        let Ok(info) = self.inner.stat(bare(root, path)) else {
            return;
        };
        if info.is_directory {
            directories.push(path.to_owned());
        } else if info.links == 1 {
            self.ledger.take(Identity::from(&info));
        }
    }
}

/// A place for calls that look at the whole path only.
fn bare(root: Root, path: &CStr) -> Place<'_> {
    Place {
        root,
        path,
        parent: c".",
        last: path,
    }
}
