//! The block devices under a directory, as /sys tells them: the mounted ones, and what they are made of.

use super::mount::Mount;
use super::system::{System, major_and_minor};
use nix::sys::stat::fstat;
use std::fs::OpenOptions;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// A stack has a few devices, an array some dozens.
const MOST: usize = 64;

/// File systems in files on file systems, and overlays on overlays, are no deeper (of overlays the kernel allows two).
const DEEPEST: usize = 8;

/// A block device in /sys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    /// Its directory below /sys/devices.
    directory: PathBuf,
}

/// The devices under an open directory or file and, after each, what it is made of, down to the disks. Empty for a
/// file system of memory or network. `mount` is the one that it is on, if that is known.
pub(super) fn under(system: &System, opened: BorrowedFd<'_>, mount: Option<&Mount>) -> Vec<Device> {
    let mounted = match mount {
        Some(mount) => mounted(system, mount),
        None => {
            let number = number_of(opened);
            let device = number.and_then(|number| Device::by_number(system, &number));
            device.into_iter().collect()
        }
    };
    stack(system, &mounted)
}

/// `major:minor` of the file system that an open directory or file is on.
pub(super) fn number_of(opened: BorrowedFd<'_>) -> Option<String> {
    Some(major_and_minor(fstat(opened).ok()?.st_dev))
}

/// The devices that a file system is mounted from: several with btrfs and bcachefs, none with a file system of memory
/// or network.
pub(super) fn mounted(system: &System, mount: &Mount) -> Vec<Device> {
    mounted_within(system, mount, DEEPEST)
}

fn mounted_within(system: &System, mount: &Mount, deepest: usize) -> Vec<Device> {
    if let Some(device) = Device::by_number(system, &mount.device) {
        return vec![device];
    }
    // The super block has a number of its own: the source, or what lies beneath, has the device's.
    if mount.kind == "overlay" {
        let upper = mount.super_option("upperdir");
        return upper.map_or_else(Vec::new, |path| of_file(system, &path, deepest));
    }
    let sources = mount
        .source
        .split(':')
        .filter(|source| source.starts_with("/dev/"));
    let mut devices: Vec<_> = sources
        .filter_map(|source| Device::by_node(system, source))
        .collect();
    if mount.kind == "btrfs"
        && let Some(directory) = devices.first().and_then(|device| btrfs(system, device))
    {
        for name in system.names(directory.join("devices")) {
            let member = Device::at(system, directory.join("devices").join(name));
            if let Some(member) = member.filter(|member| !devices.contains(member)) {
                devices.push(member);
            }
        }
    }
    devices
}

/// Those that a file lies on, or the one that it is the node of.
fn of_file(system: &System, path: &str, deepest: usize) -> Vec<Device> {
    // Of a path that is not whole nobody knows where it starts: mount options are told as they were given.
    if !path.starts_with('/') {
        return Vec::new();
    }
    let path = system.path(path);
    let Ok(about) = std::fs::metadata(&path) else {
        return Vec::new();
    };
    let number = if about.file_type().is_block_device() {
        about.rdev()
    } else {
        about.dev()
    };
    if let Some(device) = Device::by_number(system, &major_and_minor(number)) {
        return vec![device];
    }
    let Some(deepest) = deepest.checked_sub(1) else {
        return Vec::new();
    };
    // It is opened only as a place, which waits for nothing and needs no permission to read it.
    let mut place = OpenOptions::new();
    place.read(true).custom_flags(libc::O_PATH | libc::O_CLOEXEC);
    let Ok(place) = place.open(&path) else {
        return Vec::new();
    };
    let mount = Mount::found(system, place.as_fd());
    mount.map_or_else(Vec::new, |mount| mounted_within(system, &mount, deepest))
}

/// Where /sys tells of the btrfs that a device is part of.
pub(super) fn btrfs(system: &System, device: &Device) -> Option<PathBuf> {
    let all = Path::new("/sys/fs/btrfs");
    let directories = system.names(all).into_iter().map(|name| all.join(name));
    directories.into_iter().find(|directory| {
        let member = directory.join("devices").join(device.folder());
        system.path(member).exists()
    })
}

/// Devices and, after each, what it is made of, each once.
fn stack(system: &System, mounted: &[Device]) -> Vec<Device> {
    let mut found: Vec<Device> = Vec::new();
    for device in mounted {
        descend(system, device, &mut found);
    }
    found
}

/// Those whose requests tell what a directory's file system asks for: the mounted devices or, of one that has no queue of
/// requests of its own (a partition, dm, md), those that it is made of. As the kernel holds numbers: major << 20 | minor.
pub(super) fn with_queues(opened: BorrowedFd<'_>) -> Vec<u64> {
    let system = System::here();
    let mount = Mount::of(opened);
    let mounted = match &mount {
        Some(mount) => mounted(&system, mount),
        None => under(&system, opened, None).into_iter().take(1).collect(),
    };
    let mut found = Vec::new();
    queues(&system, &mounted, &mut found, DEEPEST);
    let numbers = found.iter().filter_map(|device| device.number(&system));
    numbers.filter_map(|number| kernel_number(&number)).collect()
}

fn queues(system: &System, devices: &[Device], found: &mut Vec<Device>, deepest: usize) {
    for device in devices {
        let has_queue = device.path(system, "mq").exists();
        if has_queue && !found.contains(device) && found.len() < MOST {
            found.push(device.clone());
        }
        if !has_queue && let Some(deepest) = deepest.checked_sub(1) {
            queues(system, &device.made_of(system), found, deepest);
        }
    }
}

fn kernel_number(number: &str) -> Option<u64> {
    let (major, minor) = number.split_once(':')?;
    Some(major.parse::<u64>().ok()? << 20 | minor.parse::<u64>().ok()?)
}

fn descend(system: &System, device: &Device, found: &mut Vec<Device>) {
    if found.contains(device) || found.len() == MOST {
        return;
    }
    found.push(device.clone());
    for part in device.made_of(system) {
        descend(system, &part, found);
    }
}

impl Device {
    /// By `major:minor`.
    pub(super) fn by_number(system: &System, number: &str) -> Option<Device> {
        Device::at(system, Path::new("/sys/dev/block").join(number))
    }

    /// By its node below /dev.
    fn by_node(system: &System, node: &str) -> Option<Device> {
        let about = std::fs::metadata(system.path(node)).ok();
        if let Some(about) = about.filter(|about| about.file_type().is_block_device()) {
            return Device::by_number(system, &major_and_minor(about.rdev()));
        }
        // In a container the node may be missing: the kernel's name remains.
        let node = system.resolved(node).unwrap_or_else(|| node.into());
        Device::at(system, Path::new("/sys/class/block").join(node.file_name()?))
    }

    fn at(system: &System, link: PathBuf) -> Option<Device> {
        let directory = system.resolved(link)?;
        directory.file_name()?;
        Some(Device { directory })
    }

    /// The name of its directories in /sys.
    pub(super) fn folder(&self) -> String {
        let name = self.directory.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The kernel's name. One with a slash (`cciss/c0d0`) has another sign in its place in /sys.
    pub(super) fn name(&self) -> String {
        self.folder().replace('!', "/")
    }

    /// `major:minor`.
    pub(super) fn number(&self, system: &System) -> Option<String> {
        self.text(system, "dev")
    }

    /// Its node below /dev, as the kernel would have it named.
    pub(super) fn node(&self, system: &System) -> Option<PathBuf> {
        let event = self.text(system, "uevent")?;
        let name = event.lines().find_map(|line| line.strip_prefix("DEVNAME="))?;
        let is_plain = Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        is_plain.then(|| Path::new("/dev").join(name))
    }

    /// Where its files are.
    pub(super) fn path(&self, system: &System, file: &str) -> PathBuf {
        system.path(self.directory.join(file))
    }

    /// What one of its files says.
    pub(super) fn text(&self, system: &System, file: &str) -> Option<String> {
        system.text(self.directory.join(file))
    }

    /// The devices right beneath it; none of a disk.
    pub(super) fn made_of(&self, system: &System) -> Vec<Device> {
        if self.is_partition(system) {
            let disk = self.directory.parent().map(Path::to_owned);
            return disk.map(|directory| Device { directory }).into_iter().collect();
        }
        if let Some(file) = self.text(system, "loop/backing_file") {
            return of_file(system, &file, DEEPEST);
        }
        let slaves = self.directory.join("slaves");
        let names = system.names(&slaves).into_iter();
        names
            .filter_map(|name| Device::at(system, slaves.join(name)))
            .collect()
    }

    pub(super) fn is_partition(&self, system: &System) -> bool {
        self.path(system, "partition").exists()
    }
}

#[cfg(test)]
pub(super) mod tests;
