//! Whether two places are on one file system.

use super::devices::mounted;
use super::mount::Mount;
use super::system::System;
use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// File systems that several machines may have mounted, or that programs provide.
const SHARED: [&str; 14] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "gfs2",
    "ocfs2",
    "lustre",
    "glusterfs",
    "virtiofs",
    "vboxsf",
];

/// Whether two paths that are there lie on one file system: by its number; by that of its super block, which the
/// subvolumes of a btrfs share; or by the devices that it is mounted from, which an overlay shares with what lies beneath
/// it. Not where one of them is not there.
pub fn same_file_system(one: &Path, other: &Path) -> bool {
    let (Some(one), Some(other)) = (place(one), place(other)) else {
        return false;
    };
    let number = |place: &File| place.metadata().map(|about| about.dev()).ok();
    if number(&one).is_some() && number(&one) == number(&other) {
        return true;
    }
    let (Some(one), Some(other)) = (Mount::of(one.as_fd()), Mount::of(other.as_fd())) else {
        return false;
    };
    let system = System::here();
    let devices = mounted(&system, &one);
    one.device == other.device
        || mounted(&system, &other)
            .iter()
            .any(|device| devices.contains(device))
}

/// Whether a path lies on a file system that other machines may use at the same time.
pub fn is_shared(path: &Path) -> bool {
    let mount = place(path).and_then(|place| Mount::of(place.as_fd()));
    mount.is_some_and(|mount| SHARED.contains(&mount.kind.as_str()) || mount.kind.starts_with("fuse."))
}

/// Opened only as a place, which waits for nothing and needs no permission to read it.
fn place(path: &Path) -> Option<File> {
    let mut open = OpenOptions::new();
    open.read(true).custom_flags(libc::O_PATH | libc::O_CLOEXEC);
    open.open(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_and_what_is_in_it_are_on_one_file_system_and_proc_is_another() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(same_file_system(&file, directory.path()));
        assert!(!same_file_system(&file, Path::new("/proc")));
        assert!(!same_file_system(Path::new("/no such"), directory.path()));
        assert!(!is_shared(Path::new("/proc")));
    }
}
