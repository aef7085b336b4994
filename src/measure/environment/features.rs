//! What a file system was given when it was made, where it can be read without tools.

mod ext;
mod xfs;

use crate::measure::devices::{Device, btrfs};
use crate::measure::mount::Mount;
use crate::measure::system::System;
use std::os::fd::BorrowedFd;
use std::path::Path;

/// Features by the names that the file system's own tools print, sorted; empty where they cannot be read.
pub(super) fn features(
    system: &System,
    mount: &Mount,
    devices: &[Device],
    directory: BorrowedFd<'_>,
) -> Vec<String> {
    let device = devices.first();
    let mut found = match (mount.kind.as_str(), device) {
        ("ext2" | "ext3" | "ext4", Some(device)) => ext::features(system, device),
        ("xfs", _) => xfs::features(directory),
        ("btrfs", Some(device)) => of_btrfs(system, device),
        ("f2fs", Some(device)) => of_f2fs(system, device),
        _ => Vec::new(),
    };
    found.sort();
    found.dedup();
    found
}

/// A file for each feature, and the checksum's name (Documentation of btrfs, "SYSFS INTERFACE").
fn of_btrfs(system: &System, device: &Device) -> Vec<String> {
    let Some(directory) = btrfs(system, device) else {
        return Vec::new();
    };
    let mut names = system.names(directory.join("features"));
    // `crc32c (crc32c-intel)`: who computes it is no feature.
    let checksum = system.text(directory.join("checksum"));
    let checksum = checksum
        .as_deref()
        .and_then(|text| text.split_whitespace().next());
    names.extend(checksum.map(|name| format!("checksum={name}")));
    names
}

/// `encryption, extra_attr, pin_file` (Documentation/ABI/testing/sysfs-fs-f2fs).
fn of_f2fs(system: &System, device: &Device) -> Vec<String> {
    let text = system.text(Path::new("/sys/fs/f2fs").join(device.folder()).join("features"));
    let text = text.unwrap_or_default();
    let names = text.split(',').map(str::trim);
    names
        // Whether this kernel would let files be pinned is the kernel's.
        .filter(|name| !name.is_empty() && *name != "pin_file")
        .map(str::to_owned)
        .collect()
}

/// The names of the bits that are set; a bit without a name is told by its number.
fn named(bits: u32, names: &[(u32, &str)], unnamed: &str) -> Vec<String> {
    let set = (0..u32::BITS).filter(|bit| bits & (1 << bit) != 0);
    set.map(|bit| {
        let known = names.iter().find(|(number, _)| *number == bit);
        known.map_or_else(|| format!("{unnamed}{bit}"), |(_, name)| (*name).to_owned())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::mount::all;
    use crate::measure::system::made_up::Machine;
    use std::os::fd::AsFd;

    fn found(machine: &Machine, line: &str) -> Vec<String> {
        let directory = std::fs::File::open("/").unwrap();
        let mount = all(line).next().unwrap();
        let devices = crate::measure::devices::mounted(&machine.system, &mount);
        features(&machine.system, &mount, &devices, directory.as_fd())
    }

    #[test]
    fn those_of_btrfs_are_the_files_of_its_directory() {
        let machine = Machine::new(&[
            ("sys/fs/btrfs/0dd2/features/skinny_metadata", "1\n"),
            ("sys/fs/btrfs/0dd2/features/no_holes", "1\n"),
            ("sys/fs/btrfs/0dd2/checksum", "crc32c (crc32c-intel)\n"),
            ("sys/fs/btrfs/features/raid56", "0\n"),
        ]);
        machine.device("sys/devices/pci/block/sdb", "8:16");
        let line = "36 27 0:31 /@ / rw - btrfs /dev/sdb rw";
        assert!(
            found(&machine, line).is_empty(),
            "of the kernel's, not of this one's"
        );
        machine.link("sys/fs/btrfs/0dd2/devices/sdb", "sys/devices/pci/block/sdb");
        assert_eq!(
            found(&machine, line),
            ["checksum=crc32c", "no_holes", "skinny_metadata"]
        );
    }

    #[test]
    fn those_of_f2fs_are_listed_in_a_file() {
        let machine = Machine::new(&[(
            "sys/fs/f2fs/sdb/features",
            "extra_attr, inode_checksum, pin_file\n",
        )]);
        machine.device("sys/devices/pci/block/sdb", "8:16");
        let line = "36 27 8:16 / / rw - f2fs /dev/sdb rw";
        assert_eq!(found(&machine, line), ["extra_attr", "inode_checksum"]);
        let other = line.replace("8:16", "8:17").replace("sdb", "sdc");
        assert!(found(&machine, &other).is_empty());
    }

    #[test]
    fn other_file_systems_and_those_that_are_not_what_they_say_tell_none() {
        let machine = Machine::new(&[]);
        machine.device("sys/devices/pci/block/sdb", "8:16");
        for kind in ["ext4", "btrfs", "f2fs", "vfat"] {
            let line = format!("36 27 8:16 / / rw - {kind} /dev/sdb rw");
            assert!(found(&machine, &line).is_empty(), "{kind}");
        }
        assert!(xfs::features(std::fs::File::open("/proc").unwrap().as_fd()).is_empty());
    }
}
