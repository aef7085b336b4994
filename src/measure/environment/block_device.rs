//! What is told of the block devices under a file system.

use super::types::BlockDevice;
use crate::measure::devices::Device;
use crate::measure::mount::Mount;
use crate::measure::system::System;
use std::collections::BTreeMap;

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

/// The settings of the queue of the first disk of a stack. Reading ahead is done above it all: that setting is the
/// mounted device's.
pub(super) fn queue(system: &System, stack: &[Device]) -> BTreeMap<String, String> {
    let disk = stack.iter().find(|device| device.made_of(system).is_empty());
    // A partition has its disk's queue.
    let mounted = stack.iter().find(|device| !device.is_partition(system));
    let value = |name: &&str| {
        let device = if *name == READ_AHEAD { mounted } else { disk };
        let text = device?.text(system, &format!("queue/{name}"))?;
        Some(((*name).to_owned(), chosen(&text).to_owned()))
    };
    QUEUE.iter().filter_map(value).collect()
}

/// The one in brackets, of texts that list all there is: `none [mq-deadline] kyber`.
pub(super) fn chosen(text: &str) -> &str {
    let bracketed = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(text, |(chosen, _)| chosen)
}

/// What is stored of a device.
pub(super) fn described(system: &System, device: &Device) -> BlockDevice {
    let read = |file: &str| device.text(system, file);
    let partition = device.is_partition(system);
    let queue = if partition { "../queue" } else { "queue" };
    let rotational = read(&format!("{queue}/rotational"));
    let sectors = read("size").and_then(|text| text.parse::<u64>().ok());
    BlockDevice {
        name: device.name(),
        // A card of flash memory has a name instead.
        model: read("device/model")
            .or_else(|| read("device/name"))
            .filter(|_| !partition),
        size_bytes: sectors
            .and_then(|sectors| sectors.checked_mul(SECTOR))
            .filter(|&bytes| bytes > 0),
        kind: kind(system, device),
        rotational: rotational.and_then(|text| match text.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }),
    }
}

fn kind(system: &System, device: &Device) -> String {
    if device.is_partition(system) {
        return "partition".to_owned();
    }
    if device.path(system, "dm").exists() {
        let uuid = device.text(system, "dm/uuid").unwrap_or_default();
        return mapped(&uuid).to_owned();
    }
    if device.path(system, "md").exists() {
        return match device.text(system, "md/level") {
            Some(level) if level.chars().all(|c| c.is_ascii_alphanumeric()) => format!("md-{level}"),
            _ => "md".to_owned(),
        };
    }
    let name = device.name();
    let known = KINDS.iter().find(|(start, _)| name.starts_with(start));
    known.map_or("disk", |(_, kind)| kind).to_owned()
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

#[cfg(test)]
mod tests;
