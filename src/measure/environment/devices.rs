//! The block devices under a file system, as /sys tells them.

use super::mount::Mount;
use super::system::System;
use super::types::BlockDevice;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A stack has a few devices, a large array some dozens.
const MOST: usize = 256;

/// The unit of `size` in /sys, whatever the device's own block.
const SECTOR: u64 = 512;

/// What is told of the queue of the device that does the work.
const QUEUE: &[&str] = &[
    "discard_max_bytes",
    "fua",
    "io_poll",
    "io_timeout",
    "logical_block_size",
    "max_sectors_kb",
    "nomerges",
    "nr_requests",
    "physical_block_size",
    READ_AHEAD,
    "rq_affinity",
    "scheduler",
    "wbt_lat_usec",
    "write_cache",
    "zoned",
];

pub(super) const READ_AHEAD: &str = "read_ahead_kb";

/// A block device in /sys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    /// Its directory below /sys/devices.
    directory: PathBuf,
}

/// The devices that a file system is mounted from: several with btrfs and bcachefs, none with a file system of memory or network.
pub(super) fn mounted(system: &System, mount: &Mount) -> Vec<Device> {
    if let Some(device) = Device::by_number(system, &mount.device) {
        return vec![device];
    }
    // The super block has a number of its own: the source, or what lies beneath, has the device's.
    if mount.kind == "overlay" {
        let upper = mount.super_option("upperdir");
        return upper
            .and_then(|path| Device::of_file(system, &path))
            .into_iter()
            .collect();
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
            devices.extend(Device::at(system, directory.join("devices").join(name)));
        }
        let mut seen = Vec::new();
        devices.retain(|device| {
            !seen.contains(device) && {
                seen.push(device.clone());
                true
            }
        });
    }
    devices
}

/// File systems of memory, of the network and of a machine's host.
const WITHOUT_DEVICES: &[&str] = &[
    "9p",
    "afs",
    "ceph",
    "cifs",
    "devtmpfs",
    "hugetlbfs",
    "nfs",
    "nfs4",
    "ramfs",
    "smb3",
    "tmpfs",
    "virtiofs",
];

/// Whether the devices of a mount are all known; a container does not see those of its overlay.
pub(super) fn are_known(mount: &Mount, found: &[Device]) -> bool {
    !found.is_empty() || WITHOUT_DEVICES.contains(&mount.kind.as_str())
}

/// Where /sys tells of the btrfs that a device is part of.
pub(super) fn btrfs(system: &System, device: &Device) -> Option<PathBuf> {
    let all = Path::new("/sys/fs/btrfs");
    let directories = system.names(all).into_iter().map(|name| all.join(name));
    directories.into_iter().find(|directory| {
        system
            .path(directory.join("devices").join(device.name()))
            .exists()
    })
}

/// The mounted devices and, after each, what it is made of, down to the disks.
pub(super) fn stack(system: &System, mounted: &[Device]) -> Vec<Device> {
    let mut found: Vec<Device> = Vec::new();
    for device in mounted {
        descend(system, device, &mut found);
    }
    found
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

/// The settings of the queue of the first disk of a stack. Reading ahead is done above it all: that setting is the
/// mounted device's.
pub(super) fn queue(system: &System, stack: &[Device]) -> BTreeMap<String, String> {
    let disk = stack.iter().find(|device| device.made_of(system).is_empty());
    // A partition has its disk's queue.
    let mounted = stack.iter().find(|device| !device.is_partition(system));
    let value = |name: &&str| {
        let device = if *name == READ_AHEAD { mounted } else { disk };
        let text = system.text(device?.directory.join("queue").join(name))?;
        Some(((*name).to_owned(), chosen(&text).to_owned()))
    };
    QUEUE.iter().filter_map(value).collect()
}

/// The one in brackets, of texts that list all there is: `none [mq-deadline] kyber`.
pub(super) fn chosen(text: &str) -> &str {
    let bracketed = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(text, |(chosen, _)| chosen)
}

impl Device {
    /// By `major:minor`.
    pub(super) fn by_number(system: &System, number: &str) -> Option<Device> {
        Device::at(system, Path::new("/sys/dev/block").join(number))
    }

    /// By its node below /dev.
    fn by_node(system: &System, node: &str) -> Option<Device> {
        let number = std::fs::metadata(system.path(node)).ok().map(|node| node.rdev());
        if let Some(number) = number.filter(|&number| number != 0) {
            return Device::by_number(system, &text_of(number));
        }
        // In a container the node may be missing: the kernel's name remains.
        let node = system.resolved(node).unwrap_or_else(|| node.into());
        Device::at(system, Path::new("/sys/class/block").join(node.file_name()?))
    }

    /// The one that a file lies on.
    fn of_file(system: &System, path: &str) -> Option<Device> {
        let number = std::fs::metadata(system.path(path)).ok()?.dev();
        Device::by_number(system, &text_of(number))
    }

    fn at(system: &System, link: PathBuf) -> Option<Device> {
        let directory = system.resolved(link)?;
        directory.file_name()?;
        Some(Device { directory })
    }

    /// The kernel's name.
    pub(super) fn name(&self) -> String {
        let name = self.directory.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// `major:minor`.
    pub(super) fn number(&self, system: &System) -> Option<String> {
        system.text(self.directory.join("dev"))
    }

    /// Its node below /dev, as the kernel would have it named.
    pub(super) fn node(&self, system: &System) -> Option<PathBuf> {
        let event = system.text(self.directory.join("uevent"))?;
        let name = event.lines().find_map(|line| line.strip_prefix("DEVNAME="))?;
        let is_plain = Path::new(name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        is_plain.then(|| Path::new("/dev").join(name))
    }

    /// The devices right beneath it; none of a disk.
    fn made_of(&self, system: &System) -> Vec<Device> {
        if self.is_partition(system) {
            let disk = self.directory.parent().map(Path::to_owned);
            return disk.map(|directory| Device { directory }).into_iter().collect();
        }
        if let Some(file) = system.text(self.directory.join("loop/backing_file")) {
            return Device::of_file(system, &file).into_iter().collect();
        }
        let slaves = self.directory.join("slaves");
        let names = system.names(&slaves).into_iter();
        names
            .filter_map(|name| Device::at(system, slaves.join(name)))
            .collect()
    }

    fn is_partition(&self, system: &System) -> bool {
        system.path(self.directory.join("partition")).exists()
    }

    /// What is stored of it.
    pub(super) fn described(&self, system: &System) -> BlockDevice {
        let read = |name: &str| system.text(self.directory.join(name));
        let partition = self.is_partition(system);
        let queue = if partition { "../queue" } else { "queue" };
        let rotational = read(&format!("{queue}/rotational"));
        BlockDevice {
            name: self.name(),
            // A card of flash memory has a name instead.
            model: read("device/model")
                .or_else(|| read("device/name"))
                .filter(|_| !partition),
            size_bytes: system
                .number(self.directory.join("size"))
                .and_then(|sectors| sectors.checked_mul(SECTOR))
                .filter(|&bytes| bytes > 0),
            kind: self.kind(system),
            rotational: rotational.and_then(|text| match text.as_str() {
                "0" => Some(false),
                "1" => Some(true),
                _ => None,
            }),
        }
    }

    fn kind(&self, system: &System) -> String {
        if self.is_partition(system) {
            return "partition".to_owned();
        }
        let name = self.name();
        let read = |name: &str| system.text(self.directory.join(name));
        if system.path(self.directory.join("dm")).exists() {
            return mapped(&read("dm/uuid").unwrap_or_default()).to_owned();
        }
        if system.path(self.directory.join("md")).exists() {
            return match read("md/level") {
                Some(level) if level.chars().all(|c| c.is_ascii_alphanumeric()) => format!("md-{level}"),
                _ => "md".to_owned(),
            };
        }
        let known = KINDS.iter().find(|(start, _)| name.starts_with(start));
        known.map_or("disk", |(_, kind)| kind).to_owned()
    }
}

/// Kernel names begin so (Documentation/admin-guide/devices.txt).
const KINDS: &[(&str, &str)] = &[
    ("bcache", "bcache"),
    ("drbd", "drbd"),
    ("loop", "loop"),
    ("mmcblk", "mmc"),
    ("nbd", "nbd"),
    ("nvme", "nvme"),
    ("pmem", "pmem"),
    ("ram", "ram"),
    ("rbd", "rbd"),
    ("vd", "virtio"),
    ("xvd", "xen"),
    ("zd", "zvol"),
    ("zram", "zram"),
];

/// What device-mapper makes of a device: who makes it writes that before its identifier (dmsetup(8), `UUID`).
fn mapped(uuid: &str) -> &'static str {
    let made_by = uuid.split('-').next().unwrap_or_default();
    match made_by {
        "CRYPT" => "dm-crypt",
        "LVM" => "dm-lvm",
        "mpath" => "dm-multipath",
        "stratis" => "dm-stratis",
        _ => "dm",
    }
}

fn text_of(number: u64) -> String {
    format!(
        "{}:{}",
        nix::sys::stat::major(number),
        nix::sys::stat::minor(number)
    )
}

#[cfg(test)]
mod tests;
