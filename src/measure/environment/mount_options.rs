//! What is told of the options of a mount.

use super::setting::{hidden, told};

/// Options whose values are words of a fixed set: ext4, xfs, btrfs, f2fs, bcachefs, tmpfs, overlay, NFS, CIFS, 9p,
/// FAT, NTFS, FUSE (mount(8), and the file systems' own pages).
const WORDS: &[&str] = &[
    "access",
    "active_logs",
    "alloc_mode",
    "background_gc",
    "background_target",
    "cache",
    "casefold",
    "checkpoint",
    "codepage",
    "compress",
    "compress-force",
    "compress_algorithm",
    "compress_cache",
    "compress_mode",
    "compression",
    "csum",
    "data",
    "data_err",
    "dax",
    "degraded",
    "discard",
    "discard_unit",
    "errors",
    "fallback",
    "fragment",
    "fsync_mode",
    "gc_merge",
    "huge",
    "index",
    "iocharset",
    "jqfmt",
    "local_lock",
    "logbsize",
    "lookupcache",
    "memory",
    "metacopy",
    "mode",
    "mountproto",
    "mountvers",
    "mpol",
    "nfs_export",
    "proto",
    "reads",
    "redirect_dir",
    "rescue",
    "sec",
    "shortname",
    "space_cache",
    "trans",
    "utf8",
    "vers",
    "verity",
    "volatile",
    "whint_mode",
    "write_error",
    "xino",
    "xattr",
    "xprtsec",
];

/// Whose numbers tell of persons or places: users and groups, ports, subvolumes, descriptors.
const NUMBERS_OF_SOMEONE: &[&str] = &[
    "backupgid",
    "backupuid",
    "cruid",
    "dfltgid",
    "dfltuid",
    "domain",
    "fd",
    "fsgid",
    "fsid",
    "fsuid",
    "gid",
    "group_id",
    "mountport",
    "name",
    "pgrp",
    "pipe_ino",
    "port",
    "resgid",
    "resuid",
    "rfdno",
    "subvolid",
    "uid",
    "user",
    "user_id",
    "wfdno",
];

/// Options of a mount or of a super block, sorted, without what would name someone or something.
pub(super) fn told_options(options: Vec<&str>) -> Vec<String> {
    let mut list: Vec<_> = options.into_iter().filter_map(told_option).collect();
    list.sort();
    list
}

fn told_option(option: &str) -> Option<String> {
    let name = option.split_once('=').map_or(option, |(name, _)| name);
    if NUMBERS_OF_SOMEONE.contains(&name) {
        return hidden(option);
    }
    told(option, |name| WORDS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::mount::tests::numbered;

    fn options(id: u64) -> (String, String) {
        let mount = numbered(id);
        let told = |options| told_options(options).join(",");
        (told(mount.options()), told(mount.super_options()))
    }

    #[test]
    fn options_of_local_file_systems_are_told_sorted() {
        assert_eq!(options(27).1, "discard,resgid=…,resuid=…,resv_strict,rw");
        assert_eq!(options(40).1, "attr2,inode64,logbsize=32k,logbufs=8,noquota,rw");
        assert_eq!(options(41).1, "inode64,rw,size=2048k");
        assert_eq!(
            options(36).1,
            "compress=zstd:3,discard=async,rw,space_cache=v2,ssd,subvol=…,subvolid=…"
        );
    }

    #[test]
    fn servers_users_and_paths_are_not_told() {
        let expected = [
            (
                50,
                "addr=…,clientaddr=…,hard,local_lock=none,namlen=255,proto=tcp,retrans=2,rsize=1048576,rw,sec=sys,timeo=600,vers=4.2,wsize=1048576",
            ),
            (60, "lowerdir=…,metacopy=off,rw,upperdir=…,uuid=on,workdir=…"),
            (
                70,
                "addr=…,cache=strict,domain=…,file_mode=0755,gid=…,noforceuid,rsize=4194304,rw,sec=ntlmssp,uid=…,username=…,vers=3.1.1",
            ),
            (80, "group_id=…,max_read=65536,rw,user_id=…"),
        ];
        for (id, super_block) in expected {
            assert_eq!(options(id).1, super_block);
        }
    }

    #[test]
    fn a_comma_in_quotes_ends_no_option() {
        assert_eq!(
            options(90).1,
            "context=…,data=ordered,errors=remount-ro,rw,stripe=32"
        );
    }
}
