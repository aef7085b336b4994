//! What the block devices under a directory have read and written.

use super::source::Source;
use crate::measure::counters::Device;
use crate::measure::devices::{self, Device as BlockDevice};
use crate::measure::mount::Mount;
use crate::measure::system::System;
use procfs::DiskStat;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// The unit of the kernel's block counters, whatever the device's own is.
const SECTOR_BYTES: u64 = 512;

/// Major and minor number of a block device.
type Number = (i32, i32);

/// A device whose counters are read again and again.
#[derive(Debug)]
pub enum DeviceSource {
    /// Its `stat` in /sys.
    Own { name: String, stat: Source },
    /// Its line in /proc/diskstats, of all devices: where there is no /sys, which would also tell what it is made of.
    Listed { number: Number, diskstats: Source },
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
        let number = (stat.major, stat.minor);
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
    fn of(system: &System, device: &BlockDevice) -> DeviceSource {
        DeviceSource::Own {
            name: device.name(),
            stat: Source::open(device.path(system, "stat")),
        }
    }

    /// The one that a file system is on, without /sys; none for those whose numbers the kernel has made up.
    fn listed(number: &str) -> Option<DeviceSource> {
        let (major, minor) = number.split_once(':')?;
        let number = (major.parse().ok()?, minor.parse().ok()?);
        (number.0 != 0).then(|| DeviceSource::Listed {
            number,
            diskstats: Source::open("/proc/diskstats"),
        })
    }

    /// Its counters now; absent where they cannot be read.
    pub fn read(&self, buffer: &mut Vec<u8>) -> Option<DeviceCounts> {
        match self {
            DeviceSource::Own { name, stat } => {
                let text = stat.read(buffer)?;
                // A line of /proc/diskstats without what comes first there.
                DeviceCounts::parse(&format!("0 0 {name} {text}")).map(|(_, counts)| counts)
            }
            DeviceSource::Listed { number, diskstats } => {
                let text = diskstats.read(buffer)?;
                let mut all = text.lines().filter_map(DeviceCounts::parse);
                all.find(|(listed, _)| listed == number).map(|(_, counts)| counts)
            }
        }
    }
}

/// The block devices under a directory, in the order of [`devices::under`].
pub fn under(directory: BorrowedFd<'_>) -> Vec<DeviceSource> {
    let system = System::here();
    if !system.path("/sys/dev/block").exists() {
        let number = devices::number_of(directory);
        let listed = number.and_then(|number| DeviceSource::listed(&number));
        return listed.into_iter().collect();
    }
    let mount = Mount::found(&system, directory);
    devices::under(&system, directory, mount.as_ref())
        .iter()
        .map(|device| DeviceSource::of(&system, device))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::system::made_up::Machine;
    use std::fs::File;
    use std::os::fd::AsFd;

    const LINE: &str = " 254 0 vda 61719 9847 9100730 86906 96338 54558 35962144 178765 0 24436 273518 32237 39 5687048 6576 25967 1270";

    #[test]
    fn each_counter_of_a_device_is_where_the_kernel_says() {
        let (number, counts) = DeviceCounts::parse(LINE).unwrap();
        assert_eq!(number, (254, 0));
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

    #[test]
    fn without_sys_a_device_is_found_by_its_number_among_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("diskstats");
        let other = LINE.replace("254 0 vda", "254 1 vda1").replace("61719", "7");
        std::fs::write(&path, format!("{LINE}\n{other}\n")).unwrap();
        let read = |number| {
            let diskstats = Source::open(&path);
            DeviceSource::Listed { number, diskstats }.read(&mut Vec::new())
        };
        let found = read((254, 1)).unwrap();
        assert_eq!((found.name.as_str(), found.reads), ("vda1", 7));
        assert_eq!(read((254, 2)), None);
        for number in ["0:31", "8", "x:1", ""] {
            assert!(DeviceSource::listed(number).is_none(), "{number}");
        }
    }

    #[test]
    fn a_device_of_sys_is_read_under_its_own_name() {
        let machine = Machine::new(&[(
            "sys/devices/pci/block/cciss!c0d0/stat",
            " 1 2 3 4 5 6 7 8 9 10 11\n",
        )]);
        machine.device("sys/devices/pci/block/cciss!c0d0", "104:0");
        let device = BlockDevice::by_number(&machine.system, "104:0").unwrap();
        let counts = DeviceSource::of(&machine.system, &device).read(&mut Vec::new());
        let counts = counts.unwrap();
        assert_eq!(
            (counts.name.as_str(), counts.reads, counts.sectors_written),
            ("cciss/c0d0", 1, 7)
        );
    }

    #[test]
    fn a_file_system_in_memory_has_no_device() {
        // /proc has none anywhere.
        let proc = File::open("/proc").unwrap();
        assert!(under(proc.as_fd()).is_empty());
    }
}
