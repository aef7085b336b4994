//! Features of ext2, ext3 and ext4, from the super block on the device: only root can read that.
//!
//! Layout and bits: Documentation/filesystems/ext4/super.rst. Names: e2fsprogs, as `dumpe2fs -h` prints them.

use super::named;
use crate::measure::devices::Device;
use crate::measure::system::{System, major_and_minor};
use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};

/// Where the super block is on the device.
const SUPER_BLOCK: u64 = 1024;
const SUPER_BLOCK_BYTES: usize = 1024;
const MAGIC: (usize, u16) = (0x38, 0xef53);
const COMPATIBLE: usize = 0x5c;
const INCOMPATIBLE: usize = 0x60;
const READ_ONLY_COMPATIBLE: usize = 0x64;

/// Set while it is mounted: no features but states.
const NEEDS_RECOVERY: u32 = 1 << 2;
const ORPHAN_PRESENT: u32 = 1 << 16;

pub(super) fn features(system: &System, device: &Device) -> Vec<String> {
    read(system, device).map_or_else(Vec::new, |block| of_super_block(&block))
}

fn read(system: &System, device: &Device) -> Option<[u8; SUPER_BLOCK_BYTES]> {
    let node = system.path(device.node(system)?);
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOFOLLOW)
        .open(node)
        .ok()?;
    // The node of that name may be another device's.
    let number = file.metadata().ok()?.rdev();
    if device.number(system)? != major_and_minor(number) {
        return None;
    }
    let mut block = [0; SUPER_BLOCK_BYTES];
    file.read_exact_at(&mut block, SUPER_BLOCK).ok()?;
    Some(block)
}

/// Empty where it is no super block.
fn of_super_block(block: &[u8; SUPER_BLOCK_BYTES]) -> Vec<String> {
    let word = |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
    if u16::from_le_bytes([block[MAGIC.0], block[MAGIC.0 + 1]]) != MAGIC.1 {
        return Vec::new();
    }
    let mut names = named(word(COMPATIBLE), COMPATIBLE_NAMES, "FEATURE_C");
    names.extend(named(
        word(INCOMPATIBLE) & !NEEDS_RECOVERY,
        INCOMPATIBLE_NAMES,
        "FEATURE_I",
    ));
    let read_only = word(READ_ONLY_COMPATIBLE) & !ORPHAN_PRESENT;
    names.extend(named(read_only, READ_ONLY_COMPATIBLE_NAMES, "FEATURE_R"));
    names
}

const COMPATIBLE_NAMES: &[(u32, &str)] = &[
    (0, "dir_prealloc"),
    (1, "imagic_inodes"),
    (2, "has_journal"),
    (3, "ext_attr"),
    (4, "resize_inode"),
    (5, "dir_index"),
    (6, "lazy_bg"),
    (8, "snapshot_bitmap"),
    (9, "sparse_super2"),
    (10, "fast_commit"),
    (11, "stable_inodes"),
    (12, "orphan_file"),
];

const INCOMPATIBLE_NAMES: &[(u32, &str)] = &[
    (0, "compression"),
    (1, "filetype"),
    (3, "journal_dev"),
    (4, "meta_bg"),
    (6, "extent"),
    (7, "64bit"),
    (8, "mmp"),
    (9, "flex_bg"),
    (10, "ea_inode"),
    (12, "dirdata"),
    (13, "metadata_csum_seed"),
    (14, "large_dir"),
    (15, "inline_data"),
    (16, "encrypt"),
    (17, "casefold"),
];

const READ_ONLY_COMPATIBLE_NAMES: &[(u32, &str)] = &[
    (0, "sparse_super"),
    (1, "large_file"),
    (3, "huge_file"),
    (4, "uninit_bg"),
    (5, "dir_nlink"),
    (6, "extra_isize"),
    (7, "snapshot"),
    (8, "quota"),
    (9, "bigalloc"),
    (10, "metadata_csum"),
    (11, "replica"),
    (12, "read-only"),
    (13, "project"),
    (14, "shared_blocks"),
    (15, "verity"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn block(compatible: u32, incompatible: u32, read_only: u32) -> [u8; SUPER_BLOCK_BYTES] {
        let mut block = [0; SUPER_BLOCK_BYTES];
        block[0x38..0x3a].copy_from_slice(&[0x53, 0xef]);
        block[0x5c..0x60].copy_from_slice(&compatible.to_le_bytes());
        block[0x60..0x64].copy_from_slice(&incompatible.to_le_bytes());
        block[0x64..0x68].copy_from_slice(&read_only.to_le_bytes());
        block
    }

    #[test]
    fn the_features_of_a_usual_ext4_are_named_and_its_state_is_not() {
        // mkfs.ext4 of e2fsprogs 1.47, mounted.
        let names = of_super_block(&block(0x103c, 0x22c6, 0x1046b));
        let expected = [
            "has_journal",
            "ext_attr",
            "resize_inode",
            "dir_index",
            "orphan_file",
            "filetype",
            "extent",
            "64bit",
            "flex_bg",
            "metadata_csum_seed",
            "sparse_super",
            "large_file",
            "huge_file",
            "dir_nlink",
            "extra_isize",
            "metadata_csum",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_bit_without_a_name_is_told_by_its_number() {
        assert_eq!(
            of_super_block(&block(1 << 31, 1 << 5, 1 << 30)),
            ["FEATURE_C31", "FEATURE_I5", "FEATURE_R30"]
        );
    }

    #[test]
    fn another_block_is_none() {
        let mut other = block(0x3c, 0, 0);
        other[0x38] = 0;
        assert!(of_super_block(&other).is_empty());
    }
}
