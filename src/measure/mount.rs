//! The mount that a directory is on: its file system and its options.

use super::system::{System, major_and_minor};
use std::os::fd::{AsRawFd, BorrowedFd};

/// One line of mountinfo (proc_pid_mountinfo(5)), of which nothing has been left out yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    id: u64,
    /// `major:minor` of the super block.
    pub(super) device: String,
    /// The directory of the file system that is seen at the mount point.
    pub(super) root: String,
    pub(super) point: String,
    options: String,
    /// `ext4`, `fuse.sshfs` …
    pub(crate) kind: String,
    pub(super) source: String,
    super_options: String,
}

impl Mount {
    /// The mount that a directory is on; bind mounts and mounts over mounts are told apart by the descriptor.
    pub(crate) fn of(directory: BorrowedFd<'_>) -> Option<Mount> {
        Mount::found(&System::here(), directory)
    }

    /// As [`Mount::of`], as a system tells it.
    pub(super) fn found(system: &System, directory: BorrowedFd<'_>) -> Option<Mount> {
        // The process's may be another thread's: a client can have a descriptor table of its own.
        let info = system.text(format!("/proc/thread-self/fdinfo/{}", directory.as_raw_fd()));
        let mounts = system.text("/proc/thread-self/mountinfo")?;
        if let Some(id) = info.as_deref().and_then(mount_id) {
            return by_id(&mounts, id);
        }
        // A sandbox that does not tell the mount's number.
        let device = nix::sys::stat::fstat(directory).ok()?.st_dev;
        by_device(&mounts, &major_and_minor(device))
    }

    /// Options of the mount itself.
    pub(super) fn options(&self) -> Vec<&str> {
        split(&self.options)
    }

    /// Options of the super block, which all its mounts share.
    pub(super) fn super_options(&self) -> Vec<&str> {
        split(&self.super_options)
    }

    /// Whether written data are compressed.
    pub(crate) fn compresses(&self) -> bool {
        self.super_options()
            .iter()
            .any(|option| option.starts_with("compress") && !option.ends_with("=no"))
    }

    pub(super) fn has_super_option(&self, option: &str) -> bool {
        self.super_options().contains(&option)
    }

    /// The value of an option of the super block.
    pub(super) fn super_option(&self, name: &str) -> Option<String> {
        let options = self.super_options();
        let value = options
            .iter()
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='));
        value.map(unescaped)
    }
}

/// The `mnt_id` of /proc/PID/fdinfo/FD.
fn mount_id(info: &str) -> Option<u64> {
    let mut lines = info.lines();
    lines.find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok())
}

fn by_id(mounts: &str, id: u64) -> Option<Mount> {
    all(mounts).find(|mount| mount.id == id)
}

/// The last one: it hides those mounted before it.
fn by_device(mounts: &str, device: &str) -> Option<Mount> {
    all(mounts).filter(|mount| mount.device == device).last()
}

/// The mounts of a text of mountinfo; lines of another form are passed over.
pub(super) fn all(mounts: &str) -> impl Iterator<Item = Mount> {
    mounts.lines().filter_map(parse)
}

fn parse(line: &str) -> Option<Mount> {
    // Between them stand optional fields, any number of them.
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ');
    let mut after = after.split(' ');
    let id = before.next()?.parse().ok()?;
    let _parent = before.next()?;
    Some(Mount {
        id,
        device: before.next()?.to_owned(),
        root: unescaped(before.next()?),
        point: unescaped(before.next()?),
        options: before.next()?.to_owned(),
        kind: after.next()?.to_owned(),
        source: unescaped(after.next()?),
        super_options: after.next().unwrap_or_default().to_owned(),
    })
}

/// The kernel writes white space, commas and backslashes as `\` and three octal digits.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let octal = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match (first, code) {
            (b'\\', Some(code)) => {
                bytes.push(code);
                rest = &after[3..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Options between commas; a comma in quotes (`context="…:c1,c2"`) or after a backslash is none between them.
fn split(options: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, byte) in options.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted && !escaped => {
                list.push(&options[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    list.push(&options[start..]);
    list
}

#[cfg(test)]
pub(super) mod tests;
