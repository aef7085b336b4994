//! The kernel's command line, without what names a machine, a disk, a network or a person.

use super::setting::{HIDDEN, hidden, told};

/// Parameters whose values are words of the kernel's (Documentation/admin-guide/kernel-parameters.txt).
const WORDS: &[&str] = &[
    "amd_iommu",
    "amd_pstate",
    "apparmor",
    "cgroup_disable",
    "cgroup_no_v1",
    "clocksource",
    "console",
    "cpufreq.default_governor",
    "cpuidle.governor",
    "crashkernel",
    "debug_pagealloc",
    "default_hugepagesz",
    "earlycon",
    "earlyprintk",
    "elevator",
    "fsck.mode",
    "fsck.repair",
    "gather_data_sampling",
    "hugepagesz",
    "idle",
    "ima_appraise",
    "indirect_target_selection",
    "init_on_alloc",
    "init_on_free",
    "intel_iommu",
    "intel_pstate",
    "iommu",
    "irqaffinity",
    "isolcpus",
    "kvm-intel.vmentry_l1d_flush",
    "l1d_flush",
    "l1tf",
    "lsm",
    "mds",
    "mem",
    "memmap",
    "mem_sleep_default",
    "mitigations",
    "mmio_stale_data",
    "nohz_full",
    "numa",
    "numa_balancing",
    "nvme_core.multipath",
    "panic",
    "pci",
    "pcie_aspm",
    "pcie_ports",
    "preempt",
    "processor.max_cstate",
    "pti",
    "rcu_nocbs",
    "reg_file_data_sampling",
    "retbleed",
    "rootfstype",
    "security",
    "selinux",
    "slab_debug",
    "slub_debug",
    "spec_rstack_overflow",
    "spec_store_bypass",
    "spectre_bhi",
    "spectre_v2",
    "spectre_v2_user",
    "srbds",
    "swiotlb",
    "sysctl.vm.swappiness",
    "systemd.unified_cgroup_hierarchy",
    "thp_anon",
    "transparent_hugepage",
    "transparent_hugepage_shmem",
    "tsa",
    "tsc",
    "tsx",
    "tsx_async_abort",
    "vmscape",
    "workqueue.default_affinity_scope",
    "zswap.compressor",
    "zswap.zpool",
];

/// What starts so names disks, networks or machines, even where the value is a number.
const NAMING: &[&str] = &[
    "BOOTIF",
    "BOOT_IMAGE",
    "cryptdevice",
    "domain",
    "ds",
    "host",
    "hostname",
    "ifname",
    "initrd",
    "inst.",
    "ip",
    "luks",
    "netroot",
    "nfs",
    "rd.",
    "resume",
    "root",
    "systemd.hostname",
    "systemd.machine_id",
    "user",
];

/// Options in their order; values that may name something are `…`, words that are no options too. What stands after
/// `--` is for the first process, not for the kernel, and left out.
pub(super) fn told_command_line(text: &str) -> String {
    let mut told_words = Vec::new();
    for word in words(text) {
        if word == "--" {
            told_words.push(format!("-- {HIDDEN}"));
            break;
        }
        told_words.push(told_word(word));
    }
    told_words.join(" ")
}

fn told_word(word: &str) -> String {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let takes_words = WORDS.contains(&name);
    let names_something = !takes_words && NAMING.iter().any(|start| name.starts_with(start));
    let kept = if names_something {
        hidden(word)
    } else {
        told(word, |_| takes_words)
    };
    kept.unwrap_or_else(|| HIDDEN.to_owned())
}

/// Between white space; white space in double quotes does not separate.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let parts = text.split(move |c: char| {
        quoted ^= c == '"';
        c.is_ascii_whitespace() && !quoted
    });
    parts.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_and_disks_machines_and_networks_are_not() {
        for (text, expected) in [
            (
                "BOOT_IMAGE=/boot/vmlinuz-6.1.0-18-amd64 root=UUID=0dd2c1ab-21b0-4d2f-8a1f-08a66a4a3f5e ro quiet mitigations=off",
                "BOOT_IMAGE=… root=… ro quiet mitigations=off",
            ),
            (
                "BOOT_IMAGE=(hd0,gpt2)/vmlinuz root=/dev/mapper/fedora_alice-root rd.lvm.lv=fedora_alice/root rd.luks.uuid=luks-0dd2c1ab resume=/dev/sda2 rhgb",
                "BOOT_IMAGE=… root=… rd.lvm.lv=… rd.luks.uuid=… resume=… rhgb",
            ),
            (
                "cryptdevice=PARTUUID=0dd2:root:allow-discards ip=192.0.2.5::192.0.2.1:255.255.255.0:alice:eth0:off BOOTIF=01-52-54-00-12-34-56 nfsroot=192.0.2.9:/srv/alice",
                "cryptdevice=… ip=… BOOTIF=… nfsroot=…",
            ),
            (
                "console=ttyS0,115200n8 isolcpus=nohz,domain,1-3 nohz_full=1-3 crashkernel=1G-4G:192M transparent_hugepage=never nvme_core.default_ps_max_latency_us=0 psi=1 nosmt",
                "console=ttyS0,115200n8 isolcpus=nohz,domain,1-3 nohz_full=1-3 crashkernel=1G-4G:192M transparent_hugepage=never nvme_core.default_ps_max_latency_us=0 psi=1 nosmt",
            ),
            (
                "systemd.hostname=alice-laptop systemd.machine_id=3d1219c7c4c5404aaa1f6d2a48adfda4 ds=nocloud;h=alice rootwait rootfstype=ext4 rootflags=subvol=@alice user_debug=31",
                "systemd.hostname=… systemd.machine_id=… ds=… rootwait rootfstype=ext4 rootflags=… user_debug=…",
            ),
            (
                "quiet dyndbg=\"file alice.c +p; module x\" 52:54:00:12:34:56 192.0.2.3 alice.example.org netconsole=@/eth0,@192.0.2.3/ -- --addr 192.0.2.2 --user alice",
                "quiet dyndbg=… … … … netconsole=… -- …",
            ),
        ] {
            assert_eq!(told_command_line(text), expected);
        }
    }

    #[test]
    fn odd_text_gives_no_more_than_dots() {
        assert_eq!(told_command_line(""), "");
        assert_eq!(told_command_line(" = =x \" alice in quotes"), "… … …");
        assert_eq!(told_command_line("é"), "…");
    }
}
