//! The block devices under a directory, and what they have read and written.

use super::source::Source;
use crate::measure::counters::Device;
use nix::sys::stat::{SFlag, fstat, major, minor, stat};
use procfs::DiskStat;
use procfs::process::MountInfo;
use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, File};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The unit of the kernel's block counters, whatever the device's own is.
const SECTOR_BYTES: u64 = 512;

/// More devices than one file system is made of.
const MOST: usize = 64;

/// Major and minor number of a block device, written as in /sys/dev/block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    major: u64,
    minor: u64,
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

impl Number {
    fn of(device: u64) -> Number {
        Number {
            major: major(device),
            minor: minor(device),
        }
    }

    fn parse(text: &str) -> Option<Number> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(Number {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        })
    }
}

/// A device whose counters are read again and again.
#[derive(Debug)]
pub struct DeviceSource {
    number: Number,
    /// The kernel's name; absent where there is no /sys to tell.
    name: Option<String>,
    source: Source,
}

/// A device's counters since boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceCounts {
    name: String,
    reads: u64,
    sectors_read: u64,
    writes: u64,
    sectors_written: u64,
    flushes: Option<u64>,
    busy_millis: u64,
}

impl DeviceCounts {
    /// A device that has read and written so many sectors.
    #[cfg(test)]
    pub fn new(name: &str, sectors: u64) -> DeviceCounts {
        DeviceCounts {
            name: name.to_owned(),
            reads: sectors,
            sectors_read: sectors,
            writes: sectors,
            sectors_written: sectors,
            flushes: None,
            busy_millis: sectors,
        }
    }

    /// What was counted from an earlier reading to this one.
    pub fn since(&self, earlier: &DeviceCounts) -> Device {
        let flushes = self.flushes.zip(earlier.flushes);
        Device {
            name: self.name.clone(),
            reads: self.reads.saturating_sub(earlier.reads),
            read_bytes: bytes(self.sectors_read, earlier.sectors_read),
            writes: self.writes.saturating_sub(earlier.writes),
            written_bytes: bytes(self.sectors_written, earlier.sectors_written),
            flushes: flushes.map(|(now, earlier)| now.saturating_sub(earlier)),
            busy: Duration::from_millis(self.busy_millis.saturating_sub(earlier.busy_millis)),
        }
    }

    /// Bytes read and written from an earlier reading to this one.
    pub fn bytes_since(&self, earlier: &DeviceCounts) -> (u64, u64) {
        (
            bytes(self.sectors_read, earlier.sectors_read),
            bytes(self.sectors_written, earlier.sectors_written),
        )
    }

    /// Reads a line of /proc/diskstats (Documentation/admin-guide/iostats.rst).
    fn parse(line: &str) -> Option<(Number, DeviceCounts)> {
        let stat = DiskStat::from_line(line).ok()?;
        let number = Number {
            major: u64::try_from(stat.major).ok()?,
            minor: u64::try_from(stat.minor).ok()?,
        };
        let counts = DeviceCounts {
            name: stat.name,
            reads: stat.reads,
            sectors_read: stat.sectors_read,
            writes: stat.writes,
            sectors_written: stat.sectors_written,
            flushes: stat.flushes,
            busy_millis: stat.time_in_progress,
        };
        Some((number, counts))
    }
}

fn bytes(sectors: u64, earlier: u64) -> u64 {
    sectors.saturating_sub(earlier).saturating_mul(SECTOR_BYTES)
}

impl DeviceSource {
    /// Its counters now; absent where they cannot be read.
    pub fn read(&self, buffer: &mut Vec<u8>) -> Option<DeviceCounts> {
        let text = self.source.read(buffer)?;
        let Some(name) = &self.name else {
            let counts = text.lines().filter_map(DeviceCounts::parse);
            let mut ours = counts.filter(|(number, _)| *number == self.number);
            return ours.next().map(|(_, counts)| counts);
        };
        let Number { major, minor } = self.number;
        DeviceCounts::parse(&format!("{major} {minor} {name} {text}")).map(|(_, counts)| counts)
    }
}

/// The block devices under a directory, the one that is mounted first, then what it is made of: the disk of a
/// partition, the members of a volume or array, the device that holds a loop device's file. Empty for a file system
/// without a device: tmpfs, overlay, NFS.
pub fn under(directory: BorrowedFd<'_>) -> Vec<DeviceSource> {
    let Some(mounted) = mounted(directory) else {
        return Vec::new();
    };
    let sys = Path::new("/sys");
    if !sys.join("dev/block").exists() {
        return vec![DeviceSource {
            number: mounted,
            name: None,
            source: Source::open("/proc/diskstats"),
        }];
    }
    let holder = |file: &Path| mounted_under_file(file);
    let source = |(number, name, path): (Number, String, PathBuf)| DeviceSource {
        number,
        name: Some(name),
        source: Source::open(path.join("stat")),
    };
    stack(sys, mounted, &holder).into_iter().map(source).collect()
}

/// The device of the file system that a directory or file is on.
fn mounted(on: BorrowedFd<'_>) -> Option<Number> {
    let device = Number::of(fstat(on).ok()?.st_dev);
    if device.major != 0 {
        return Some(device);
    }
    // Numbers with major 0 are made up by the file system: those of btrfs, whose source is a block device, and of
    // those without a device. btrfs's differ between stat and mountinfo, so that the mount is found by its own number.
    let information = fs::read_to_string(format!("/proc/self/fdinfo/{}", on.as_raw_fd())).ok()?;
    let mount = information
        .lines()
        .find_map(|line| line.strip_prefix("mnt_id:"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let source = source_of_mount(&mounts, mount.trim().parse().ok()?)?;
    let source = stat(Path::new(&source)).ok()?;
    let is_block = source.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFBLK.bits();
    is_block.then(|| Number::of(source.st_rdev))
}

fn mounted_under_file(path: &Path) -> Option<Number> {
    mounted(File::open(path).ok()?.as_fd())
}

/// The source of a mount, where it is a path.
fn source_of_mount(mounts: &str, mount: i32) -> Option<String> {
    let mut mounts = mounts.lines().filter_map(|line| MountInfo::from_line(line).ok());
    let source = mounts.find(|info| info.mnt_id == mount)?.mount_source?;
    source.starts_with('/').then_some(source)
}

/// A device and all that it is made of, from the tree of /sys: number, name and folder of each, each once.
fn stack(
    sys: &Path,
    mounted: Number,
    holder: &dyn Fn(&Path) -> Option<Number>,
) -> Vec<(Number, String, PathBuf)> {
    let mut found: Vec<(Number, String, PathBuf)> = Vec::new();
    let mut left = VecDeque::from([mounted]);
    while let Some(number) = left.pop_front() {
        if found.len() == MOST || found.iter().any(|(other, ..)| *other == number) {
            continue;
        }
        let Ok(path) = sys.join(format!("dev/block/{number}")).canonicalize() else {
            continue;
        };
        let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else {
            continue;
        };
        // A name with a slash (cciss/c0d0) has another sign in its place there.
        let name = name.replace('!', "/");
        left.extend(made_of(&path, holder));
        found.push((number, name, path));
    }
    found
}

/// What a device is made of, directly.
fn made_of(path: &Path, holder: &dyn Fn(&Path) -> Option<Number>) -> Vec<Number> {
    let device_number = |path: &Path| Number::parse(&fs::read_to_string(path.join("dev")).ok()?);
    let disk = path.join("partition").exists().then(|| path.parent()).flatten();
    let mut below: Vec<_> = disk.and_then(device_number).into_iter().collect();
    if let Ok(entries) = fs::read_dir(path.join("slaves")) {
        let mut members: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        members.sort();
        below.extend(members.iter().filter_map(|member| device_number(member)));
    }
    if let Ok(file) = fs::read_to_string(path.join("loop/backing_file")) {
        below.extend(holder(Path::new(file.trim_end_matches('\n'))));
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const LINE: &str = " 254 0 vda 61719 9847 9100730 86906 96338 54558 35962144 178765 0 24436 273518 32237 39 5687048 6576 25967 1270";

    #[test]
    fn each_counter_of_a_device_is_where_the_kernel_says() {
        let (number, counts) = DeviceCounts::parse(LINE).unwrap();
        assert_eq!(number.to_string(), "254:0");
        let mut earlier = counts.clone();
        earlier.reads -= 1;
        earlier.sectors_read -= 2;
        earlier.writes -= 3;
        earlier.sectors_written -= 4;
        earlier.flushes = earlier.flushes.map(|flushes| flushes - 5);
        earlier.busy_millis -= 6;
        let device = Device {
            name: "vda".into(),
            reads: 1,
            read_bytes: 1024,
            writes: 3,
            written_bytes: 2048,
            flushes: Some(5),
            busy: Duration::from_millis(6),
        };
        assert_eq!(counts.since(&earlier), device);
        assert_eq!(counts.bytes_since(&earlier), (1024, 2048));
        let absolute = DeviceCounts {
            name: "vda".into(),
            reads: 61_719,
            sectors_read: 9_100_730,
            writes: 96_338,
            sectors_written: 35_962_144,
            flushes: Some(25_967),
            busy_millis: 24_436,
        };
        assert_eq!(counts, absolute);
    }

    #[test]
    fn an_old_kernel_counts_no_flushes_and_odd_lines_are_absent() {
        let (_, counts) = DeviceCounts::parse("8 0 sda 1 2 3 4 5 6 7 8 9 10 11").unwrap();
        assert_eq!((counts.flushes, counts.since(&counts).flushes), (None, None));
        for line in [
            "",
            "8",
            "8 0 sda",
            "8 0 sda 1 2 3",
            "x 0 sda 1 2 3 4 5 6 7 8 9 10 11",
        ] {
            assert_eq!(DeviceCounts::parse(line), None, "{line:?}");
        }
    }

    /// A tree as /sys has it: a folder for each device, and a link by its number.
    fn device(sys: &Path, folder: &str, number: &str) -> PathBuf {
        let path = sys.join("devices").join(folder);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("dev"), format!("{number}\n")).unwrap();
        fs::create_dir_all(sys.join("dev/block")).unwrap();
        symlink(&path, sys.join("dev/block").join(number)).unwrap();
        path
    }

    fn names(sys: &Path, mounted: &str, holder: Option<&str>) -> Vec<String> {
        let holder = holder.and_then(Number::parse);
        let found = stack(sys, Number::parse(mounted).unwrap(), &|_| holder);
        found.into_iter().map(|(_, name, _)| name).collect()
    }

    #[test]
    fn a_volume_is_made_of_its_members_and_a_partition_of_its_disk_each_once() {
        let directory = tempfile::tempdir().unwrap();
        let sys = directory.path();
        device(sys, "sda", "8:0");
        let partitions = [device(sys, "sda/sda1", "8:1"), device(sys, "sda/sda2", "8:2")];
        let volume = device(sys, "dm-0", "253:0");
        fs::create_dir(volume.join("slaves")).unwrap();
        for partition in &partitions {
            fs::write(partition.join("partition"), "1\n").unwrap();
            let name = partition.file_name().unwrap();
            symlink(partition, volume.join("slaves").join(name)).unwrap();
        }
        assert_eq!(names(sys, "253:0", None), ["dm-0", "sda1", "sda2", "sda"]);
        assert_eq!(names(sys, "8:2", None), ["sda2", "sda"]);
        assert_eq!(names(sys, "8:0", None), ["sda"]);
    }

    #[test]
    fn a_loop_device_is_made_of_the_device_that_holds_its_file_even_if_it_is_itself() {
        let directory = tempfile::tempdir().unwrap();
        let sys = directory.path();
        let looped = device(sys, "loop0", "7:0");
        fs::create_dir(looped.join("loop")).unwrap();
        fs::write(looped.join("loop/backing_file"), "/images/a\n").unwrap();
        device(sys, "cciss!c0d0", "104:0");
        assert_eq!(names(sys, "7:0", Some("104:0")), ["loop0", "cciss/c0d0"]);
        assert_eq!(names(sys, "7:0", Some("7:0")), ["loop0"]);
        assert_eq!(names(sys, "7:0", None), ["loop0"]);
    }

    #[test]
    fn without_a_tree_of_devices_there_are_none() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(names(directory.path(), "8:0", None), [""; 0]);
    }

    #[test]
    fn a_mount_is_found_by_its_number_and_its_source_counts_where_it_is_a_path() {
        let mounts = "36 22 0:31 / /data rw,noatime shared:1 - btrfs /dev/vdb rw,compress=zstd:3\n\
                      nonsense\n\
                      37 22 0:32 / /o rw - overlay overlay rw\n\
                      38 22 0:33 / /n rw - tmpfs none rw\n\
                      39 22 0:34 / /m rw - nfs";
        assert_eq!(source_of_mount(mounts, 36).as_deref(), Some("/dev/vdb"));
        for mount in [37, 38, 39, 40] {
            assert_eq!(source_of_mount(mounts, mount), None, "{mount}");
        }
    }

    #[test]
    fn a_file_system_in_memory_has_no_device() {
        // /proc has none anywhere.
        let proc = File::open("/proc").unwrap();
        assert!(under(proc.as_fd()).is_empty());
    }
}
