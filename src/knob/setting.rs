//! A kernel setting: a file below /proc/sys or /sys, by name; and nothing else.

use super::error::KnobError;
use super::value::{chosen, normalised};
use nix::errno::Errno;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2};
use nix::sys::stat::{Mode, SFlag, fstat};
use nix::sys::statfs::{
    CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, FsType, PROC_SUPER_MAGIC, SYSFS_MAGIC,
    TRACEFS_MAGIC, fstatfs,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;

/// Longer texts are no settings.
const LONGEST: u64 = 4096;
/// No kernel setting has a longer name.
const LONGEST_NAME: usize = 1024;

/// Under which directory a setting lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Root {
    /// /proc/sys
    Sysctl,
    /// /sys
    Sysfs,
}

impl Root {
    fn path(self) -> &'static str {
        match self {
            Root::Sysctl => "/proc/sys",
            Root::Sysfs => "/sys",
        }
    }

    /// The file systems that the kernel shows its settings in. Whatever else is mounted there is not written to.
    fn shows(self, kind: FsType) -> bool {
        match self {
            Root::Sysctl => kind == PROC_SUPER_MAGIC,
            Root::Sysfs => [
                SYSFS_MAGIC,
                DEBUGFS_MAGIC,
                TRACEFS_MAGIC,
                CGROUP_SUPER_MAGIC,
                CGROUP2_SUPER_MAGIC,
            ]
            .contains(&kind),
        }
    }
}

/// A kernel setting: a file below /proc/sys or /sys, by name. Displayed as tables show it: `vm.dirty_ratio`,
/// `block/vda/queue/rq_affinity`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setting {
    root: Root,
    /// The path from there, with slashes; no component is empty, `.` or `..`.
    relative: String,
}

impl Setting {
    /// A setting below /proc/sys, named as sysctl(8) names it: `vm.dirty_ratio`, `vm/dirty_ratio`,
    /// `/proc/sys/vm/dirty_ratio`. The separator that comes first separates; where it is the dot, a slash stands for a
    /// dot within a name: `net.ipv4.conf.eth0/100.rp_filter` is `net/ipv4/conf/eth0.100/rp_filter`.
    ///
    /// # Errors
    /// The name would lead elsewhere, or names nothing.
    pub fn sysctl(name: &str) -> Result<Setting, KnobError> {
        let relative = match name.strip_prefix("/proc/sys/") {
            Some(relative) => relative.to_owned(),
            None if name.starts_with('/') => {
                return bad(name, "give it as vm.dirty_ratio or /proc/sys/vm/dirty_ratio");
            }
            None => match name.find(['.', '/']) {
                Some(first) if name[first..].starts_with('.') => swapped(name),
                _ => name.to_owned(),
            },
        };
        Setting::below(Root::Sysctl, relative, name)
    }

    /// A setting below /sys: `block/vda/queue/rq_affinity`, with or without `/sys/` in front.
    ///
    /// # Errors
    /// As [`sysctl`](Setting::sysctl).
    pub fn sysfs(name: &str) -> Result<Setting, KnobError> {
        let relative = name.strip_prefix("/sys/").unwrap_or(name);
        if relative.starts_with('/') {
            return bad(
                name,
                "give it as block/vda/queue/rq_affinity or /sys/block/vda/queue/rq_affinity",
            );
        }
        Setting::below(Root::Sysfs, relative.to_owned(), name)
    }

    fn below(root: Root, relative: String, typed: &str) -> Result<Setting, KnobError> {
        if relative.chars().any(char::is_control) {
            return bad(typed, "it holds control characters");
        }
        if relative.len() > LONGEST_NAME {
            return bad(typed, "it is too long");
        }
        if relative.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return bad(typed, "a part of it is empty, `.` or `..`");
        }
        Ok(Setting { root, relative })
    }

    /// The same, from where it lies and the name that it is displayed under.
    pub(super) fn of(root: Root, name: &str) -> Result<Setting, KnobError> {
        match root {
            Root::Sysctl => Setting::sysctl(name),
            Root::Sysfs => Setting::sysfs(name),
        }
    }

    /// Where it lies.
    pub fn root(&self) -> Root {
        self.root
    }

    /// The path from there, with slashes.
    pub(super) fn relative(&self) -> &str {
        &self.relative
    }

    /// Its file, for messages: opening it by this path would not check where links lead.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("{}/{}", self.root.path(), self.relative))
    }

    /// Opens its file, which is below the root even through symbolic links, and is the kernel's.
    fn open(&self, access: OFlag) -> nix::Result<File> {
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let root = open(self.root.path(), flags, Mode::empty())?;
        let how = OpenHow::new()
            .flags(access | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK | OFlag::O_NOCTTY)
            .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_MAGICLINKS);
        let file = loop {
            match openat2(&root, self.relative.as_str(), how) {
                Err(Errno::EINTR | Errno::EAGAIN) => {}
                result => break File::from(result?),
            }
        };
        if !self.root.shows(fstatfs(file.as_fd())?.filesystem_type()) {
            return Err(Errno::EXDEV);
        }
        match SFlag::from_bits_truncate(fstat(&file)?.st_mode) & SFlag::S_IFMT {
            SFlag::S_IFREG => Ok(file),
            SFlag::S_IFDIR => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    /// Its value now, as the kernel shows it, without the end of the line; of several words the chosen one.
    ///
    /// # Errors
    /// It is not there, cannot be read, or does not read as a value.
    pub fn read(&self) -> Result<String, KnobError> {
        let unreadable = |errno| KnobError::Unreadable {
            setting: self.clone(),
            errno,
        };
        let no_value = |why| KnobError::NoValue {
            setting: self.clone(),
            why,
        };
        let file = self.open(OFlag::O_RDONLY).map_err(|errno| match errno {
            Errno::EISDIR => no_value("is a directory"),
            errno => unreadable(errno),
        })?;
        let mut bytes = Vec::new();
        let read = file.take(LONGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO))))?;
        if bytes.len() as u64 > LONGEST {
            return Err(no_value("is too long for a value"));
        }
        let text = String::from_utf8(bytes).map_err(|_| no_value("is not text"))?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        if line.contains('\n') {
            return Err(no_value("has several lines"));
        }
        Ok(match self.root {
            Root::Sysctl => line,
            Root::Sysfs => chosen(line),
        }
        .to_owned())
    }

    /// Whether it may be written; nothing is.
    ///
    /// # Errors
    /// It may not.
    pub(super) fn check_writable(&self) -> Result<(), KnobError> {
        let opened = self.open(OFlag::O_WRONLY);
        opened.map(drop).map_err(|errno| self.denied(errno))
    }

    /// Writes a value, as one line.
    ///
    /// # Errors
    /// The kernel refuses it, or the file may not be written.
    pub(super) fn write(&self, value: &str) -> Result<(), KnobError> {
        let mut file = self.open(OFlag::O_WRONLY).map_err(|errno| self.denied(errno))?;
        file.write_all(format!("{value}\n").as_bytes())
            .map_err(|error| KnobError::Refused {
                setting: self.clone(),
                value: value.to_owned(),
                errno: Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO)),
            })
    }

    /// Whether it reads as this value, but for blanks.
    pub(super) fn reads(&self, value: &str) -> bool {
        self.read()
            .is_ok_and(|reads| normalised(&reads) == normalised(value))
    }

    fn denied(&self, errno: Errno) -> KnobError {
        let setting = self.clone();
        match errno {
            Errno::EROFS => KnobError::ReadOnly { setting },
            Errno::ENOENT => KnobError::Unreadable { setting, errno },
            errno => KnobError::Denied { setting, errno },
        }
    }

    /// Whether everybody may read it.
    pub(super) fn is_public(&self) -> bool {
        let stat = self.open(OFlag::O_RDONLY).and_then(|file| fstat(&file));
        stat.is_ok_and(|stat| stat.st_mode & 0o004 != 0)
    }

    /// Which file it is, whatever links lead to it.
    pub(super) fn identity(&self) -> Option<(u64, u64)> {
        let stat = self.open(OFlag::O_RDONLY).and_then(|file| fstat(&file)).ok()?;
        Some((stat.st_dev, stat.st_ino))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.root {
            // With a dot in its first part the name with dots would be read otherwise.
            Root::Sysctl
                if self
                    .relative
                    .split('/')
                    .next()
                    .is_some_and(|first| first.contains('.')) =>
            {
                write!(f, "{}/{}", Root::Sysctl.path(), self.relative)
            }
            Root::Sysctl => f.write_str(&swapped(&self.relative)),
            Root::Sysfs => f.write_str(&self.relative),
        }
    }
}

fn bad(name: &str, why: &'static str) -> Result<Setting, KnobError> {
    let name = name.to_owned();
    Err(KnobError::BadName { name, why })
}

/// Dots for slashes and slashes for dots.
fn swapped(name: &str) -> String {
    let swap = |c| match c {
        '.' => '/',
        '/' => '.',
        c => c,
    };
    name.chars().map(swap).collect()
}

#[cfg(test)]
mod tests;
