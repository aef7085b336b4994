//! Features of XFS, which tells its geometry to anyone who has a descriptor on it.
//!
//! Layout and bits: fs/xfs/libxfs/xfs_fs.h, `struct xfs_fsop_geom_v4`; names: as xfs_info(8) prints them.

use super::named;
use std::os::fd::{AsRawFd, BorrowedFd};

/// The kernel fills it in; kernels since 2.6 know this form.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Geometry {
    block_size: u32,
    realtime_extent_size: u32,
    group_blocks: u32,
    group_count: u32,
    log_blocks: u32,
    sector_size: u32,
    inode_size: u32,
    inodes_percent: u32,
    data_blocks: u64,
    realtime_blocks: u64,
    realtime_extents: u64,
    log_start: u64,
    uuid: [u8; 16],
    stripe_unit: u32,
    stripe_width: u32,
    version: i32,
    flags: u32,
    log_sector_size: u32,
    realtime_sector_size: u32,
    directory_block_size: u32,
    log_stripe_unit: u32,
}

nix::ioctl_read!(
    /// XFS_IOC_FSGEOMETRY_V4.
    geometry, b'X', 124, Geometry
);

pub(super) fn features(directory: BorrowedFd<'_>) -> Vec<String> {
    let mut answer = Geometry::default();
    // SAFETY: the request's number holds the structure's size, the structure has the kernel's layout and outlives the
    // call. Only asked of descriptors on an XFS, and read-only; elsewhere it is refused.
    match unsafe { geometry(directory.as_raw_fd(), &mut answer) } {
        Ok(_) => named(answer.flags & !STATES, NAMES, "flag"),
        Err(_) => Vec::new(),
    }
}

/// Attributes, link counts, quotas and alignments in use, and versions that all have.
const STATES: u32 = 0b1_1111_1111;

const NAMES: &[(u32, &str)] = &[
    (9, "sectsz"),
    (10, "attr2"),
    (11, "projid32bit"),
    (12, "ascii-ci"),
    (14, "lazy-count"),
    (15, "crc"),
    (16, "ftype"),
    (17, "finobt"),
    (18, "sparse"),
    (19, "rmapbt"),
    (20, "reflink"),
    (21, "bigtime"),
    (22, "inobtcount"),
    (23, "nrext64"),
    (24, "exchange"),
    (25, "parent"),
    (26, "metadir"),
    (27, "zoned"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_has_the_kernels_size() {
        assert_eq!(size_of::<Geometry>(), 112);
        assert_eq!(std::mem::offset_of!(Geometry, flags), 92);
    }

    #[test]
    fn flags_in_use_are_no_features() {
        // mkfs.xfs of xfsprogs 6.1, attributes and quotas in use.
        let flags: u32 = 0b0111_1111_1100_1100_1000_0111 | 0b1_1111_1111;
        let names = named(flags & !STATES, NAMES, "flag");
        assert!(
            names.contains(&"crc".to_owned()) && names.contains(&"reflink".to_owned()),
            "{names:?}"
        );
        assert!(!names.iter().any(|name| name.starts_with("flag")), "{names:?}");
    }
}
