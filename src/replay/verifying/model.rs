//! A file system in memory, for tests: files without directories, whose inode numbers are used again at once.

use crate::program::{Place, Root};
use crate::replay::fs::{FileInfo, Filesystem, LockAction};
use nix::Result;
use nix::errno::Errno;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, MutexGuard};

/// What all clients see.
#[derive(Debug, Default)]
pub struct Disk {
    pub names: BTreeMap<String, u64>,
    pub files: BTreeMap<u64, Node>,
    free: Vec<u64>,
    /// Writes move at most so many bytes, if set.
    pub limit: Option<usize>,
}

#[derive(Debug, Default)]
pub struct Node {
    pub bytes: Vec<u8>,
    /// Which of them a write has put there.
    pub written: Vec<bool>,
    links: u64,
    handles: u64,
}

/// One client's view.
#[derive(Debug, Clone)]
pub struct Model {
    pub client: u32,
    pub disk: Arc<Mutex<Disk>>,
}

/// An open file, or (without a number) the only directory.
#[derive(Debug)]
pub struct Handle {
    inode: Option<u64>,
    appends: bool,
}

impl Node {
    fn resize(&mut self, size: usize) {
        self.bytes.resize(size, 0);
        self.written.resize(size, false);
    }

    fn info(&self, inode: u64) -> FileInfo {
        FileInfo {
            size: self.bytes.len() as i64,
            inode,
            links: self.links,
            ..FileInfo::default()
        }
    }
}

impl Disk {
    fn add_name(&mut self, name: String, inode: u64) {
        self.drop_name(&name);
        self.names.insert(name, inode);
        self.files.get_mut(&inode).unwrap().links += 1;
    }

    fn drop_name(&mut self, name: &str) -> bool {
        let Some(inode) = self.names.remove(name) else {
            return false;
        };
        self.files.get_mut(&inode).unwrap().links -= 1;
        self.forget_unused(inode);
        true
    }

    fn forget_unused(&mut self, inode: u64) {
        if matches!(
            self.files[&inode],
            Node {
                links: 0,
                handles: 0,
                ..
            }
        ) {
            self.files.remove(&inode);
            self.free.push(inode);
        }
    }
}

impl Model {
    pub fn new(client: u32) -> Model {
        Model {
            client,
            disk: Arc::default(),
        }
    }

    pub fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap()
    }

    /// After calls that another client's may follow before their outcome is known.
    fn give_others_a_turn(&self) {
        if Arc::strong_count(&self.disk) > 4 {
            std::thread::sleep(std::time::Duration::from_micros(1));
        }
    }

    pub fn name(&self, place: Place<'_>) -> String {
        let path = place.path.to_str().unwrap();
        match place.root {
            Root::Client => format!("client{}/{path}", self.client),
            _ => path.to_owned(),
        }
    }

    /// Changes a file behind the back of all clients.
    pub fn change(&self, inode: u64, offset: u64, bits: u8) {
        self.disk().files.get_mut(&inode).unwrap().bytes[offset as usize] ^= bits;
    }
}

impl Filesystem for Model {
    type File = Handle;

    fn stat(&mut self, place: Place<'_>) -> Result<FileInfo> {
        let disk = self.disk();
        let &inode = disk.names.get(&self.name(place)).ok_or(Errno::ENOENT)?;
        let info = disk.files[&inode].info(inode);
        drop(disk);
        self.give_others_a_turn();
        Ok(info)
    }
    fn fstat(&mut self, file: &Handle) -> Result<FileInfo> {
        let Some(inode) = file.inode else {
            return Ok(FileInfo {
                is_directory: true,
                ..FileInfo::default()
            });
        };
        let info = self.disk().files[&inode].info(inode);
        self.give_others_a_turn();
        Ok(info)
    }
    fn stat_link(&mut self, place: Place<'_>) -> Result<FileInfo> {
        self.stat(place)
    }
    fn open(&mut self, place: Place<'_>, flags: i32, _: u32) -> Result<Handle> {
        let appends = flags & libc::O_APPEND != 0;
        if place.is_root() {
            return Ok(Handle { inode: None, appends });
        }
        let name = self.name(place);
        let mut disk = self.disk();
        let inode = match disk.names.get(&name) {
            Some(_) if flags & libc::O_EXCL != 0 => return Err(Errno::EEXIST),
            Some(&inode) => inode,
            None if flags & libc::O_CREAT == 0 => return Err(Errno::ENOENT),
            None => {
                let inode = disk.free.pop().unwrap_or(disk.files.len() as u64 + 1);
                disk.files.insert(inode, Node::default());
                disk.add_name(name, inode);
                inode
            }
        };
        let node = disk.files.get_mut(&inode).unwrap();
        node.handles += 1;
        if flags & libc::O_TRUNC != 0 {
            node.resize(0);
        }
        drop(disk);
        self.give_others_a_turn();
        let inode = Some(inode);
        Ok(Handle { inode, appends })
    }
    fn close(&mut self, file: Handle) -> Result<()> {
        let Some(inode) = file.inode else { return Ok(()) };
        let mut disk = self.disk();
        disk.files.get_mut(&inode).unwrap().handles -= 1;
        disk.forget_unused(inode);
        Ok(())
    }
    fn read(&mut self, file: &Handle, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let disk = self.disk();
        let bytes = &disk.files[&file.inode.ok_or(Errno::EISDIR)?].bytes;
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
    fn write(&mut self, file: &Handle, data: &[u8], offset: u64) -> Result<usize> {
        let mut disk = self.disk();
        let data = &data[..data.len().min(disk.limit.unwrap_or(usize::MAX))];
        let node = disk.files.get_mut(&file.inode.ok_or(Errno::EBADF)?).unwrap();
        let start = if file.appends {
            node.bytes.len()
        } else {
            offset as usize
        };
        let range = start..start + data.len();
        if data.is_empty() {
            return Ok(0);
        }
        if node.bytes.len() < range.end {
            node.resize(range.end);
        }
        node.bytes[range.clone()].copy_from_slice(data);
        node.written[range].fill(true);
        Ok(data.len())
    }
    fn truncate(&mut self, file: &Handle, size: u64) -> Result<()> {
        let inode = file.inode.ok_or(Errno::EINVAL)?;
        self.disk().files.get_mut(&inode).unwrap().resize(size as usize);
        Ok(())
    }
    fn unlink(&mut self, place: Place<'_>) -> Result<()> {
        let name = self.name(place);
        self.disk().drop_name(&name).then_some(()).ok_or(Errno::ENOENT)
    }
    fn rename(&mut self, old: Place<'_>, new: Place<'_>) -> Result<()> {
        let (old, new) = (self.name(old), self.name(new));
        let mut disk = self.disk();
        let &inode = disk.names.get(&old).ok_or(Errno::ENOENT)?;
        // Two names of one file stay both (rename(2)).
        if disk.names.get(&new) != Some(&inode) {
            disk.add_name(new, inode);
            disk.drop_name(&old);
        }
        Ok(())
    }
    fn link(&mut self, existing: Place<'_>, new: Place<'_>) -> Result<()> {
        let (existing, new) = (self.name(existing), self.name(new));
        let mut disk = self.disk();
        let &inode = disk.names.get(&existing).ok_or(Errno::ENOENT)?;
        if disk.names.contains_key(&new) {
            return Err(Errno::EEXIST);
        }
        disk.add_name(new, inode);
        Ok(())
    }
    /// Removes the client's own files.
    fn remove_tree(&mut self, _: Place<'_>, _: bool, _: &mut [u64]) -> Result<()> {
        let mut disk = self.disk();
        let own = format!("client{}/", self.client);
        let names: Vec<_> = disk
            .names
            .keys()
            .filter(|name| name.starts_with(&own))
            .cloned()
            .collect();
        for name in names {
            disk.drop_name(&name);
        }
        Ok(())
    }
    /// None, so that what a removed tree held is not forgotten, and only the sizes of new files tell.
    fn read_entries(&mut self, _: &Handle, _: &mut [u64]) -> Result<usize> {
        Ok(0)
    }

    fn fsync(&mut self, _: &Handle) -> Result<()> {
        Ok(())
    }
    fn fdatasync(&mut self, _: &Handle) -> Result<()> {
        Ok(())
    }
    fn lock(&mut self, _: &Handle, _: LockAction, _: u64, _: u64) -> Result<()> {
        Ok(())
    }
    fn statfs(&mut self) -> Result<()> {
        Ok(())
    }
    fn set_times(&mut self, _: Place<'_>, _: Option<(i64, i64)>) -> Result<()> {
        Ok(())
    }
    fn make_directory(&mut self, _: Place<'_>, _: u32) -> Result<()> {
        Err(Errno::ENOSYS)
    }
    fn remove_directory(&mut self, _: Place<'_>) -> Result<()> {
        Err(Errno::ENOSYS)
    }
    fn symlink(&mut self, _: &CStr, _: Place<'_>) -> Result<()> {
        Err(Errno::ENOSYS)
    }
    fn read_link(&mut self, _: Place<'_>, _: &mut [u8]) -> Result<usize> {
        Err(Errno::ENOSYS)
    }
    fn access(&mut self, _: Place<'_>) -> Result<()> {
        Ok(())
    }
    fn path_limit(&mut self, _: Place<'_>) -> Result<()> {
        Ok(())
    }
    fn stat_entry(&mut self, _: &Handle, _: &CStr) -> Result<()> {
        Ok(())
    }
    fn get_attribute(&mut self, _: Place<'_>, _: &mut [u8]) -> Result<usize> {
        Err(Errno::ENODATA)
    }
    fn get_file_attribute(&mut self, _: &Handle, _: &mut [u8]) -> Result<usize> {
        Err(Errno::ENODATA)
    }
    fn set_file_attribute(&mut self, _: &Handle, _: &[u8]) -> Result<()> {
        Ok(())
    }
}
