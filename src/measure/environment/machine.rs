//! The machine: its kernel, processors, memory and settings, and how busy it is.

use super::block_device::chosen;
use super::cpuinfo::cpuinfo_value;
use super::types::{Axis, Nuisance};
use super::{command_line::told_command_line, virtual_machine::virtual_machine};
use crate::measure::system::System;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// Makes the hash this program's own: machine-id(5) asks applications not to give the identifier itself away, nor
/// anything that another application would compute.
const MACHINE: &str = "rbench, the machine of a result: ";

/// SHA-256 of the machine's id, 64 hexadecimal digits; absent where it has none.
pub(super) fn machine_id_sha256(system: &System) -> Option<String> {
    let places = ["/etc/machine-id", "/var/lib/dbus/machine-id"];
    let is_id = |text: &String| text.len() == 32 && text.chars().all(|c| c.is_ascii_hexdigit());
    let id = places.iter().find_map(|place| system.text(place).filter(is_id))?;
    let hash = Sha256::new()
        .chain_update(MACHINE)
        .chain_update(id.to_ascii_lowercase());
    Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The kernel.
pub(super) fn axis(system: &System) -> Axis {
    let told = |name: &str| system.text(Path::new("/proc/sys/kernel").join(name));
    Axis {
        kernel_release: told("osrelease"),
        kernel_version: told("version"),
        kernel_command_line: system.text("/proc/cmdline").map(|text| told_command_line(&text)),
    }
}

/// All that does not depend on the directory. The load after the run is added later.
pub(super) fn nuisance(system: &System) -> Nuisance {
    let cpuinfo = system.text("/proc/cpuinfo").unwrap_or_default();
    Nuisance {
        cpu_model: cpu_model(&cpuinfo),
        processors_online: processors_online(),
        cpu_governor: governors(system).into_iter().next(),
        smt: system.text("/sys/devices/system/cpu/smt/control"),
        mitigations: texts(system, "/sys/devices/system/cpu/vulnerabilities"),
        numa_nodes: numa_nodes(system),
        memory_bytes: memory(system, "MemTotal"),
        swap_bytes: memory(system, "SwapTotal"),
        transparent_hugepages: system
            .text("/sys/kernel/mm/transparent_hugepage/enabled")
            .map(|text| chosen(&text).to_owned()),
        sysctls: sysctls(system),
        load_average_before: load_average(system),
        pressure_before: pressure(system),
        virtual_machine: virtual_machine(system, &cpuinfo),
        taint: system.number("/proc/sys/kernel/tainted"),
        ..Nuisance::default()
    }
}

/// Every architecture has its own words for it.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let names = ["model name", "cpu model", "cpu", "uarch"];
    if let Some(name) = names.iter().find_map(|name| cpuinfo_value(cpuinfo, name)) {
        return Some(name.to_owned());
    }
    // Arm: numbers of the maker and the part.
    let maker = cpuinfo_value(cpuinfo, "CPU implementer")?;
    let part = cpuinfo_value(cpuinfo, "CPU part")?;
    Some(format!("implementer {maker} part {part}"))
}

/// Of the whole machine, whatever this process may use.
pub(super) fn processors_online() -> Option<u64> {
    let count = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_ONLN).ok()??;
    u64::try_from(count).ok().filter(|&count| count > 0)
}

/// Of all groups of processors that change frequency together, in the order of their first processors.
pub(super) fn governors(system: &System) -> Vec<String> {
    let directory = Path::new("/sys/devices/system/cpu/cpufreq");
    let number = |name: &String| name.strip_prefix("policy")?.parse::<u32>().ok();
    let mut policies: Vec<_> = system
        .names(directory)
        .into_iter()
        .filter_map(|name| Some((number(&name)?, name)))
        .collect();
    policies.sort();
    let governor = |(_, name)| system.text(directory.join(name).join("scaling_governor"));
    policies.into_iter().filter_map(governor).collect()
}

fn numa_nodes(system: &System) -> Option<u64> {
    count_listed(&system.text("/sys/devices/system/node/online")?)
}

/// How many numbers a list such as `0-3,8` has (cpuset(7), "List format").
pub(super) fn count_listed(list: &str) -> Option<u64> {
    let counts = list.split(',').map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    });
    counts
        .into_iter()
        .try_fold(0, |sum: u64, count| sum.checked_add(count?))
}

/// A line of /proc/meminfo, in bytes.
pub(super) fn memory(system: &System, name: &str) -> Option<u64> {
    let text = system.text("/proc/meminfo")?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Each file of a directory, by name.
fn texts(system: &System, directory: &str) -> BTreeMap<String, String> {
    let text = |name: String| Some((name.clone(), system.text(Path::new(directory).join(name))?));
    system.names(directory).into_iter().filter_map(text).collect()
}

fn sysctls(system: &System) -> BTreeMap<String, String> {
    let directory = Path::new("/proc/sys/vm");
    let is_wanted = |name: &String| {
        name.starts_with("dirty") || name == "swappiness" || name.starts_with("vfs_cache_pressure")
    };
    let names = system.names(directory).into_iter().filter(is_wanted);
    names
        .filter_map(|name| Some((format!("vm.{name}"), system.text(directory.join(name))?)))
        .collect()
}

/// Of the last minute.
pub(super) fn load_average(system: &System) -> Option<f64> {
    let text = system.text("/proc/loadavg")?;
    finite(text.split_whitespace().next()?)
}

/// `some avg10` of each resource.
pub(super) fn pressure(system: &System) -> BTreeMap<String, f64> {
    let directory = Path::new("/proc/pressure");
    let resources = ["cpu", "io", "memory"].into_iter();
    resources
        .filter_map(|name| Some((name.to_owned(), stalled(&system.text(directory.join(name))?)?)))
        .collect()
}

fn stalled(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    finite(line.split(' ').find_map(|field| field.strip_prefix("avg10="))?)
}

fn finite(text: &str) -> Option<f64> {
    text.parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::system::made_up::Machine;

    #[test]
    fn an_empty_or_odd_machine_tells_nothing_and_makes_no_panic() {
        let odd = Machine::new(&[
            (
                "proc/meminfo",
                "MemTotal: kB\nSwapTotal: 99999999999999999999 kB\n",
            ),
            ("proc/cpuinfo", ":\n: \nmodel name\nCPU part:\n"),
            ("proc/loadavg", "NaN inf\n"),
            ("proc/pressure/cpu", "some\n"),
            ("proc/pressure/io", "some avg10= avg60=1\n"),
            ("proc/sys/kernel/tainted", "-1\n"),
            (
                "sys/devices/system/cpu/cpufreq/policyx/scaling_governor",
                "performance\n",
            ),
            ("sys/devices/system/node/online", "3-1,x\n"),
            ("etc/machine-id", "uninitialized\n"),
        ]);
        for machine in [Machine::new(&[]), odd] {
            let expected = Nuisance {
                processors_online: processors_online(),
                ..Nuisance::default()
            };
            assert_eq!(nuisance(&machine.system), expected);
            assert_eq!(axis(&machine.system), Axis::default());
            assert_eq!(machine_id_sha256(&machine.system), None);
        }
    }

    #[test]
    fn the_settings_of_a_machine_are_found() {
        let machine = Machine::new(&[
            ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
            (
                "proc/sys/kernel/version",
                "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)\n",
            ),
            ("proc/sys/kernel/tainted", "4097\n"),
            ("proc/cmdline", "root=/dev/sda1 mitigations=off\n"),
            (
                "proc/meminfo",
                "MemTotal:       16318480 kB\nMemFree: 1 kB\nSwapTotal:       0 kB\n",
            ),
            ("proc/loadavg", "0.52 0.58 0.59 1/467 12345\n"),
            (
                "proc/pressure/cpu",
                "some avg10=1.25 avg60=0.5 avg300=0.1 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
            ),
            (
                "proc/pressure/io",
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
            ),
            ("proc/sys/vm/dirty_ratio", "20\n"),
            ("proc/sys/vm/dirty_bytes", "0\n"),
            ("proc/sys/vm/dirtytime_expire_seconds", "43200\n"),
            ("proc/sys/vm/swappiness", "60\n"),
            ("proc/sys/vm/overcommit_memory", "0\n"),
            ("proc/sys/vm/vfs_cache_pressure", "100\n"),
            ("sys/devices/system/cpu/smt/control", "on\n"),
            (
                "sys/devices/system/cpu/vulnerabilities/meltdown",
                "Mitigation: PTI\n",
            ),
            (
                "sys/devices/system/cpu/cpufreq/policy10/scaling_governor",
                "schedutil\n",
            ),
            (
                "sys/devices/system/cpu/cpufreq/policy2/scaling_governor",
                "performance\n",
            ),
            ("sys/devices/system/node/online", "0-1,4\n"),
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always [madvise] never\n",
            ),
        ]);
        let Axis {
            kernel_release,
            kernel_version,
            kernel_command_line,
        } = axis(&machine.system);
        assert_eq!(kernel_release.as_deref(), Some("6.1.0-18-amd64"));
        assert!(kernel_version.unwrap().starts_with("#1 SMP"));
        assert_eq!(kernel_command_line.as_deref(), Some("root=… mitigations=off"));
        let found = nuisance(&machine.system);
        assert_eq!(found.memory_bytes, Some(16_318_480 * 1024));
        assert_eq!(found.swap_bytes, Some(0), "none is told, not unknown");
        assert_eq!(found.load_average_before, Some(0.52));
        assert_eq!(
            found.pressure_before,
            BTreeMap::from([("cpu".into(), 1.25), ("io".into(), 0.0)])
        );
        let sysctls: Vec<_> = found.sysctls.keys().map(String::as_str).collect();
        let expected = [
            "vm.dirty_bytes",
            "vm.dirty_ratio",
            "vm.dirtytime_expire_seconds",
            "vm.swappiness",
            "vm.vfs_cache_pressure",
        ];
        assert_eq!(sysctls, expected);
        assert_eq!(
            found.cpu_governor.as_deref(),
            Some("performance"),
            "policy 2 is before 10"
        );
        assert_eq!(governors(&machine.system), ["performance", "schedutil"]);
        assert_eq!(found.smt.as_deref(), Some("on"));
        assert_eq!(found.mitigations["meltdown"], "Mitigation: PTI");
        assert_eq!(found.numa_nodes, Some(3));
        assert_eq!(found.transparent_hugepages.as_deref(), Some("madvise"));
        assert_eq!(found.taint, Some(4097));
    }

    #[test]
    fn the_processor_is_named_on_every_architecture() {
        for (text, expected) in [
            (
                "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\n",
                "Intel(R) Xeon(R) Processor",
            ),
            (
                "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n",
                "POWER9, altivec supported",
            ),
            (
                "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n",
                "implementer 0x41 part 0xd0c",
            ),
        ] {
            assert_eq!(cpu_model(text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn the_machines_id_is_told_as_a_hash_of_this_programs_own() {
        let id = "3d1219c7c4c5404aaa1f6d2a48adfda4\n";
        let machine = Machine::new(&[("etc/machine-id", id)]);
        let hash = machine_id_sha256(&machine.system).unwrap();
        assert_eq!(
            (hash.len(), &hash),
            (64, &machine_id_sha256(&machine.system).unwrap())
        );
        let plain = Sha256::digest(id.trim())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>();
        assert_ne!(hash, plain);
        let elsewhere = Machine::new(&[("var/lib/dbus/machine-id", id)]);
        assert_eq!(machine_id_sha256(&elsewhere.system), Some(hash.clone()));
        let other = Machine::new(&[("etc/machine-id", &id.replace('3', "4"))]);
        assert_ne!(machine_id_sha256(&other.system), Some(hash));
    }
}
