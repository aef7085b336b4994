//! Which files and directories exist while a trace is gone through, and how large the files are.

use std::collections::BTreeMap;
use std::ops::Bound;

/// A file, whatever its names are; `usize::MAX` for one whose size is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FileId(usize);

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    Directory,
    File(FileId),
}

/// Names ignore case; both separators are one.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: BTreeMap<Vec<u8>, Node>,
    /// Bytes of each file; a file lives on without a name.
    sizes: Vec<u64>,
}

/// The root, the directory of all clients and the client's own exist from the start to the end.
const SCAFFOLDING: [&[u8]; 3] = [b"", b"\\CLIENTS", b"\\CLIENTS\\CLIENT1"];

/// A path with one spelling: upper case, one `\` before each component.
fn key(path: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(path.len() + 1);
    for component in path.split(|byte| matches!(byte, b'/' | b'\\')) {
        if !component.is_empty() && component != b"." {
            key.push(b'\\');
            key.extend(component.iter().map(u8::to_ascii_uppercase));
        }
    }
    key
}

fn parent(key: &[u8]) -> &[u8] {
    let end = memchr::memrchr(b'\\', key).unwrap_or(0);
    &key[..end]
}

impl Tree {
    pub fn new() -> Tree {
        let scaffolding = SCAFFOLDING.map(|path| (path.to_vec(), Node::Directory));
        Tree {
            nodes: BTreeMap::from(scaffolding),
            sizes: Vec::new(),
        }
    }

    pub fn get(&self, path: &[u8]) -> Option<Node> {
        self.nodes.get(&key(path)).copied()
    }

    pub fn size(&self, file: FileId) -> u64 {
        self.sizes.get(file.0).copied().unwrap_or(0)
    }

    pub fn set_size(&mut self, file: FileId, size: u64) {
        if let Some(old) = self.sizes.get_mut(file.0) {
            *old = size;
        }
    }

    /// The directories above a path that do not exist yet, outermost first; none when a file stands in the way.
    pub fn missing_parents(&self, path: &[u8]) -> Option<Vec<Vec<u8>>> {
        let key = key(path);
        let mut missing = Vec::new();
        let mut above = parent(&key);
        loop {
            match self.nodes.get(above) {
                Some(Node::Directory) => break,
                Some(Node::File(_)) => return None,
                None => missing.push(above.to_vec()),
            }
            above = parent(above);
        }
        missing.reverse();
        Some(missing)
    }

    /// Makes an empty file where nothing is yet.
    pub fn add_file(&mut self, path: &[u8]) {
        let next = FileId(self.sizes.len());
        if let std::collections::btree_map::Entry::Vacant(entry) = self.nodes.entry(key(path)) {
            entry.insert(Node::File(next));
            self.sizes.push(0);
        }
    }

    /// Makes a file whose size does not matter where nothing is yet.
    pub fn add_name(&mut self, path: &[u8]) {
        self.nodes
            .entry(key(path))
            .or_insert(Node::File(FileId(usize::MAX)));
    }

    /// Makes a directory where nothing is yet.
    pub fn add_directory(&mut self, path: &[u8]) {
        self.nodes.entry(key(path)).or_insert(Node::Directory);
    }

    /// The keys strictly below a directory's.
    fn below(&self, key: &[u8]) -> Vec<Vec<u8>> {
        let prefix = [key, b"\\"].concat();
        let range = self
            .nodes
            .range((Bound::Included(prefix.clone()), Bound::Unbounded));
        let inside = range.take_while(|(name, _)| name.starts_with(&prefix));
        inside.map(|(name, _)| name.clone()).collect()
    }

    fn is_empty_directory(&self, key: &[u8]) -> bool {
        let prefix = [key, b"\\"].concat();
        let mut range = self
            .nodes
            .range((Bound::Included(prefix.clone()), Bound::Unbounded));
        range.next().is_none_or(|(name, _)| !name.starts_with(&prefix))
    }

    /// Removes a name and everything below it, but never the scaffolding.
    pub fn remove_all(&mut self, path: &[u8]) {
        let key = key(path);
        for name in self.below(&key).into_iter().chain([key]) {
            if !SCAFFOLDING.contains(&&name[..]) {
                self.nodes.remove(&name);
            }
        }
    }

    /// Removes a file's name; whether there was one.
    pub fn unlink(&mut self, path: &[u8]) -> bool {
        let key = key(path);
        let is_file = matches!(self.nodes.get(&key), Some(Node::File(_)));
        is_file && self.nodes.remove(&key).is_some()
    }

    /// Removes an empty directory; whether there was one. Scaffolding only has to be empty.
    pub fn rmdir(&mut self, path: &[u8]) -> bool {
        let key = key(path);
        let removable = self.nodes.get(&key) == Some(&Node::Directory) && self.is_empty_directory(&key);
        if removable && !SCAFFOLDING.contains(&&key[..]) {
            self.nodes.remove(&key);
        }
        removable
    }

    /// Renames as rename(2) does; whether it can be done.
    pub fn rename(&mut self, old: &[u8], new: &[u8]) -> bool {
        let (old, new) = (key(old), key(new));
        let Some(&node) = self.nodes.get(&old) else {
            return false;
        };
        if old == new {
            return true;
        }
        let target = self.nodes.get(&new).copied();
        let fits = match (node, target) {
            (_, None) | (Node::File(_), Some(Node::File(_))) => true,
            (Node::Directory, Some(Node::Directory)) => self.is_empty_directory(&new),
            _ => false,
        };
        let into_itself = new.starts_with(&[&old[..], b"\\"].concat());
        let has_parent = self.nodes.get(parent(&new)) == Some(&Node::Directory);
        let scaffolding = SCAFFOLDING.contains(&&old[..]) || SCAFFOLDING.contains(&&new[..]);
        if !fits || into_itself || !has_parent || scaffolding {
            return false;
        }
        for name in self.below(&old).into_iter().chain([old.clone()]) {
            if let Some(node) = self.nodes.remove(&name) {
                self.nodes.insert([&new[..], &name[old.len()..]].concat(), node);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_the_kind_of_separator() {
        let mut tree = Tree::new();
        tree.add_file(b"/clients/client1/File");
        assert!(matches!(
            tree.get(b"\\CLIENTS\\\\client1\\FILE"),
            Some(Node::File(_))
        ));
        assert_eq!(tree.get(b"\\"), Some(Node::Directory));
    }

    #[test]
    fn a_renamed_directory_takes_its_files_along() {
        let mut tree = Tree::new();
        tree.add_directory(b"\\a");
        tree.add_file(b"\\a\\f");
        tree.add_file(b"\\ab");
        assert!(!tree.rename(b"\\a", b"\\a\\b"));
        assert!(!tree.rename(b"\\a", b"\\ab"));
        assert!(!tree.rename(b"\\a", b"\\none\\b"));
        assert!(!tree.rmdir(b"\\a"));
        assert!(tree.rename(b"\\a", b"\\b"));
        assert_eq!(tree.get(b"\\a\\f"), None);
        assert!(tree.get(b"\\b\\f").is_some() && tree.get(b"\\ab").is_some());
        assert!(tree.unlink(b"\\b\\F") && !tree.unlink(b"\\b\\F") && tree.rmdir(b"\\b"));
    }

    #[test]
    fn a_file_without_a_name_keeps_its_size() {
        let mut tree = Tree::new();
        tree.add_file(b"\\f");
        let Some(Node::File(file)) = tree.get(b"\\f") else {
            panic!()
        };
        tree.set_size(file, 7);
        tree.unlink(b"\\f");
        tree.add_file(b"\\f");
        assert_eq!(tree.size(file), 7);
        assert_ne!(tree.get(b"\\f"), Some(Node::File(file)));
    }

    #[test]
    fn the_scaffolding_stays() {
        let mut tree = Tree::new();
        tree.add_file(b"\\clients\\client1\\f");
        tree.remove_all(b"\\clients");
        assert!(tree.get(b"\\clients\\client1").is_some() && tree.get(b"\\clients\\client1\\f").is_none());
        assert!(tree.rmdir(b"\\clients\\client1") && tree.get(b"\\clients\\client1").is_some());
        let missing = tree.missing_parents(b"\\x\\y\\z").unwrap();
        assert_eq!(missing, [b"\\X".to_vec(), b"\\X\\Y".to_vec()]);
    }
}
