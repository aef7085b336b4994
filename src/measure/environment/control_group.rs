//! Limits of the control groups that this process is in (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/).

use super::machine::count_listed;
use super::types::ContainerLimits;
use crate::measure::mount::{Mount, all};
use crate::measure::system::System;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The first version writes the largest number of pages for no limit.
const NO_LIMIT: u64 = 1 << 60;

/// Device (`8:0`), then limit (`rbps`), then its number.
type IoLimits = BTreeMap<String, BTreeMap<String, u64>>;

/// The tightest of all that the own group and those above it set.
#[derive(Debug, Default)]
struct Tightest {
    memory_bytes: Option<u64>,
    processors: Option<f64>,
    io: IoLimits,
}

/// What limits this process; absent where nothing does. `processors_online` are the machine's.
pub(super) fn limits(system: &System, processors_online: Option<u64>) -> Option<ContainerLimits> {
    let groups = system.text("/proc/thread-self/cgroup")?;
    let mounts = system.text("/proc/thread-self/mountinfo")?;
    let mounts: Vec<_> = all(&mounts)
        .filter(|mount| mount.kind.starts_with("cgroup"))
        .collect();
    let mut tightest = Tightest::default();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        if controllers.is_empty() {
            let mount = mounts.iter().find(|mount| mount.kind == "cgroup2");
            for group in mount.map(|mount| chain(mount, path)).unwrap_or_default() {
                tightest.take_second_version(system, &group);
            }
        }
        for controller in controllers.split(',') {
            let of_controller = |mount: &&Mount| mount.kind == "cgroup" && mount.has_super_option(controller);
            let mount = mounts.iter().find(of_controller);
            for group in mount.map(|mount| chain(mount, path)).unwrap_or_default() {
                tightest.take_first_version(system, controller, &group);
            }
        }
    }
    tightest.forget_all_processors(processors_online);
    tightest.told()
}

/// Leaves out limits of devices that have nothing to do with the directory.
pub(super) fn only_of(limits: Option<ContainerLimits>, devices: &[String]) -> Option<ContainerLimits> {
    let mut limits = limits?;
    let is_of = |line: &str| {
        devices
            .iter()
            .any(|number| line.split(' ').next() == Some(number))
    };
    limits.io.retain(|line| is_of(line));
    (limits != ContainerLimits::default()).then_some(limits)
}

/// The directories of a group and of those above it, as far as they can be seen, the own one first.
fn chain(mount: &Mount, path: &str) -> Vec<PathBuf> {
    let below = Path::new(path).strip_prefix(&mount.root).unwrap_or(Path::new(""));
    let names: Vec<_> = below
        .components()
        .filter(|part| *part != Component::RootDir)
        .collect();
    // A group outside of what this process's namespace shows.
    let hidden = names.iter().any(|part| !matches!(part, Component::Normal(_)));
    let depth = if hidden { 0 } else { names.len() };
    let directory = |depth: usize| {
        names[..depth]
            .iter()
            .fold(PathBuf::from(&mount.point), |path, name| path.join(name))
    };
    (0..=depth).rev().map(directory).collect()
}

impl Tightest {
    fn take_second_version(&mut self, system: &System, group: &Path) {
        self.take_memory(system.number(group.join("memory.max")));
        let quota = system.text(group.join("cpu.max"));
        self.take_processors(quota.as_deref().and_then(share));
        self.take_set(system.text(group.join("cpuset.cpus.effective")));
        for line in system.text(group.join("io.max")).unwrap_or_default().lines() {
            let mut words = line.split_whitespace();
            let device = words.next().unwrap_or_default();
            for (name, limit) in words.filter_map(|word| word.split_once('=')) {
                self.take_io(device, name, limit);
            }
        }
    }

    fn take_first_version(&mut self, system: &System, controller: &str, group: &Path) {
        match controller {
            "memory" => self.take_memory(system.number(group.join("memory.limit_in_bytes"))),
            "cpu" => {
                let read = |name| system.text(group.join(name)).unwrap_or_default();
                let (quota, period) = (read("cpu.cfs_quota_us"), read("cpu.cfs_period_us"));
                self.take_processors(share(&format!("{quota} {period}")));
            }
            "cpuset" => self.take_set(system.text(group.join("cpuset.effective_cpus"))),
            "blkio" => {
                for (file, name) in THROTTLES {
                    let text = system.text(group.join(format!("blkio.throttle.{file}_device")));
                    for line in text.unwrap_or_default().lines() {
                        let (device, limit) = line.split_once(' ').unwrap_or_default();
                        self.take_io(device, name, limit);
                    }
                }
            }
            _ => {}
        }
    }

    fn take_memory(&mut self, limit: Option<u64>) {
        let limit = limit.filter(|&limit| limit < NO_LIMIT);
        self.memory_bytes = self.memory_bytes.into_iter().chain(limit).min();
    }

    fn take_processors(&mut self, limit: Option<f64>) {
        self.processors = self.processors.into_iter().chain(limit).reduce(f64::min);
    }

    fn take_set(&mut self, list: Option<String>) {
        let count = list.as_deref().and_then(count_listed).filter(|&count| count > 0);
        self.take_processors(count.map(|count| count as f64));
    }

    fn take_io(&mut self, device: &str, name: &str, limit: &str) {
        // `max` is none.
        let (Ok(limit), false) = (limit.trim().parse(), device.is_empty()) else {
            return;
        };
        let limits = self.io.entry(device.to_owned()).or_default();
        let tightest = limits.entry(name.to_owned()).or_insert(limit);
        *tightest = limit.min(*tightest);
    }

    /// A group that has all processors limits nothing.
    fn forget_all_processors(&mut self, online: Option<u64>) {
        let is_less = |share: &f64| online.is_none_or(|online| *share < online as f64);
        self.processors = self.processors.filter(is_less);
    }

    fn told(self) -> Option<ContainerLimits> {
        let Tightest {
            memory_bytes,
            processors,
            io,
        } = self;
        let io = io.into_iter().map(|(device, limits)| {
            let limits = limits.into_iter().map(|(name, limit)| format!(" {name}={limit}"));
            device + &limits.collect::<String>()
        });
        let limits = ContainerLimits {
            memory_bytes,
            processors,
            io: io.collect(),
        };
        (limits != ContainerLimits::default()).then_some(limits)
    }
}

/// Files of the first version, and what the second calls their limits.
const THROTTLES: [(&str, &str); 4] = [
    ("read_bps", "rbps"),
    ("read_iops", "riops"),
    ("write_bps", "wbps"),
    ("write_iops", "wiops"),
];

/// Time allowed in each period, as a share of a processor; none for `max` and -1.
fn share(quota_and_period: &str) -> Option<f64> {
    let (quota, period) = quota_and_period.split_once(' ')?;
    let (quota, period): (u64, u64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0).then(|| quota as f64 / period as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::system::made_up::Machine;

    const SECOND: &str =
        "35 23 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";

    fn second(files: &[(&str, &str)]) -> Machine {
        let machine = Machine::new(files);
        machine.write("proc/thread-self/mountinfo", SECOND.as_bytes());
        machine.write("proc/thread-self/cgroup", b"0::/user.slice/run.scope\n");
        machine
    }

    #[test]
    fn the_tightest_of_the_own_group_and_those_above_counts() {
        let machine = second(&[
            ("sys/fs/cgroup/user.slice/run.scope/memory.max", "max\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "536870912\n"),
            ("sys/fs/cgroup/user.slice/run.scope/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
            (
                "sys/fs/cgroup/user.slice/run.scope/io.max",
                "8:0 rbps=1048576 wbps=max riops=max wiops=100\n",
            ),
            (
                "sys/fs/cgroup/user.slice/io.max",
                "8:0 rbps=max wbps=max riops=max wiops=50\n8:16 rbps=max wbps=max riops=max wiops=max\n",
            ),
            ("sys/fs/cgroup/system.slice/memory.max", "1\n"),
        ]);
        let expected = ContainerLimits {
            memory_bytes: Some(512 << 20),
            processors: Some(1.5),
            io: vec!["8:0 rbps=1048576 wiops=50".into()],
        };
        let found = limits(&machine.system, Some(8));
        assert_eq!(found.as_ref(), Some(&expected));
        assert_eq!(only_of(found.clone(), &["8:0".into()]), found);
        assert!(only_of(found, &["8:1".into()]).unwrap().io.is_empty());
    }

    #[test]
    fn a_group_without_limits_is_none() {
        let machine = second(&[
            ("sys/fs/cgroup/user.slice/run.scope/memory.max", "max\n"),
            ("sys/fs/cgroup/user.slice/run.scope/cpu.max", "800000 100000\n"),
            ("sys/fs/cgroup/user.slice/cpuset.cpus.effective", "0-7\n"),
        ]);
        assert_eq!(limits(&machine.system, Some(8)), None);
        let set = second(&[("sys/fs/cgroup/cpuset.cpus.effective", "0-1,5\n")]);
        assert_eq!(limits(&set.system, Some(8)).unwrap().processors, Some(3.0));
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_top() {
        let machine = Machine::new(&[
            (
                "proc/thread-self/mountinfo",
                &SECOND.replace("0:30 / ", "0:30 /docker/ab12 "),
            ),
            ("proc/thread-self/cgroup", "0::/docker/ab12\n"),
            ("sys/fs/cgroup/memory.max", "1048576\n"),
        ]);
        assert_eq!(limits(&machine.system, None).unwrap().memory_bytes, Some(1 << 20));
        machine.write("proc/thread-self/cgroup", b"0::/../other\n");
        assert_eq!(limits(&machine.system, None).unwrap().memory_bytes, Some(1 << 20));
    }

    #[test]
    fn groups_of_the_first_version_have_a_mount_for_each_controller() {
        let machine = Machine::new(&[
            (
                "proc/thread-self/mountinfo",
                "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n38 31 0:35 / /cg/blkio rw - cgroup cgroup rw,blkio\n",
            ),
            (
                "proc/thread-self/cgroup",
                "9:name=systemd:/\n4:memory:/a/b\n3:cpu,cpuacct:/a\n2:blkio:/\n0::/\nodd\n:\n",
            ),
            ("cg/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
            ("cg/memory/a/memory.limit_in_bytes", "1073741824\n"),
            ("cg/cpu/a/cpu.cfs_quota_us", "50000\n"),
            ("cg/cpu/a/cpu.cfs_period_us", "100000\n"),
            ("cg/cpu/cpu.cfs_quota_us", "-1\n"),
            ("cg/cpu/cpu.cfs_period_us", "100000\n"),
            ("cg/blkio/blkio.throttle.read_bps_device", "8:0 1048576\n"),
        ]);
        let expected = ContainerLimits {
            memory_bytes: Some(1 << 30),
            processors: Some(0.5),
            io: vec!["8:0 rbps=1048576".into()],
        };
        assert_eq!(limits(&machine.system, Some(2)), Some(expected));
    }

    #[test]
    fn odd_and_missing_files_are_no_limits() {
        let odd = second(&[
            ("sys/fs/cgroup/user.slice/memory.max", "-5\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "100000 0\n"),
            (
                "sys/fs/cgroup/user.slice/io.max",
                "\n8:0\n=\n8:0 rbps\n8:0 rbps=-1\n",
            ),
            ("sys/fs/cgroup/user.slice/cpuset.cpus.effective", "0-\n"),
        ]);
        for machine in [Machine::new(&[]), second(&[]), odd] {
            assert_eq!(limits(&machine.system, Some(2)), None);
        }
    }
}
