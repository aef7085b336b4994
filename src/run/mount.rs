//! What a mount says of itself.

use std::os::fd::BorrowedFd;

/// The type of the file system that a directory is on, if it compresses what is written.
pub fn compressing(directory: BorrowedFd<'_>) -> Option<String> {
    let device = nix::sys::stat::fstat(directory).ok()?.st_dev;
    let device = format!(
        "{}:{}",
        nix::sys::stat::major(device),
        nix::sys::stat::minor(device)
    );
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    compressing_mount(&mounts, &device)
}

/// Looks a device up in the text of mountinfo (proc(5)).
fn compressing_mount(mounts: &str, device: &str) -> Option<String> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut after = after.split(' ');
        let file_system = after.next()?;
        let options = after.nth(1)?;
        let compresses = options
            .split(',')
            .any(|option| option.starts_with("compress") && !option.ends_with("=no"));
        let here = before.split(' ').nth(2)? == device;
        (here && compresses).then(|| file_system.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
36 22 0:31 / /data rw,noatime - btrfs /dev/vdb rw,compress=zstd:3,space_cache=v2";

    #[test]
    fn only_the_mount_of_the_device_that_compresses_is_named() {
        assert_eq!(compressing_mount(MOUNTS, "0:31"), Some("btrfs".into()));
        assert_eq!(compressing_mount(MOUNTS, "254:0"), None);
        assert_eq!(compressing_mount("nonsense", "254:0"), None);
    }
}
