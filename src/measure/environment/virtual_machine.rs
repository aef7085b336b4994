//! The hypervisor that a machine runs on.

use super::cpuinfo::cpuinfo_value;
use crate::measure::system::System;

/// Told where the kernel knows that there is one, but not which.
const UNKNOWN: &str = "unknown";

/// What the firmware says begins so (the list is systemd-detect-virt(1)'s), most telling first.
const FIRMWARE: &[(&str, &str)] = &[
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("Amazon EC2", "amazon"),
    ("Google Compute Engine", "google"),
    ("Alibaba Cloud", "kvm"),
    ("Firecracker", "firecracker"),
    ("QEMU", "qemu"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("innotek GmbH", "virtualbox"),
    ("VirtualBox", "virtualbox"),
    ("Xen", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "microsoft"),
    ("Virtual Machine", "microsoft"),
    ("Apple Virtualization", "apple"),
];

pub(super) fn virtual_machine(system: &System, cpuinfo: &str) -> Option<String> {
    if let Some(kind) = system.text("/sys/hypervisor/type") {
        return Some(kind);
    }
    // On x86 the processor says whether there is one.
    let flags = cpuinfo_value(cpuinfo, "flags");
    let flagged = flags.map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    if flagged == Some(false) {
        return None;
    }
    let product = system.text("/sys/class/dmi/id/product_name");
    // Amazon lends whole machines too, and says so in the product's name alone.
    if product.is_some_and(|name| name.ends_with(".metal")) {
        return None;
    }
    let firmware = ["product_name", "sys_vendor", "board_vendor", "bios_vendor"];
    let named = firmware.iter().find_map(|name| {
        let text = system.text(format!("/sys/class/dmi/id/{name}"))?;
        let known = FIRMWARE.iter().find(|(start, _)| text.starts_with(start))?;
        Some(known.1)
    });
    named
        .or_else(|| (flagged == Some(true)).then_some(UNKNOWN))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::system::made_up::Machine;

    const GUEST: &str = "flags\t\t: fpu vme hypervisor lahf_lm\n";
    const METAL: &str = "flags\t\t: fpu vme lahf_lm\n";
    const ARM: &str = "Features\t: fp asimd\n";

    fn named(files: &[(&str, &str)], cpuinfo: &str) -> Option<String> {
        virtual_machine(&Machine::new(files).system, cpuinfo)
    }

    #[test]
    fn the_firmware_names_the_hypervisor() {
        let qemu = [
            (
                "sys/class/dmi/id/product_name",
                "Standard PC (Q35 + ICH9, 2009)\n",
            ),
            ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
        ];
        assert_eq!(named(&qemu, GUEST).as_deref(), Some("qemu"));
        assert_eq!(named(&qemu, ARM).as_deref(), Some("qemu"));
        let azure = [
            ("sys/class/dmi/id/product_name", "Virtual Machine\n"),
            ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n"),
        ];
        assert_eq!(named(&azure, GUEST).as_deref(), Some("microsoft"));
        assert_eq!(
            named(&[("sys/hypervisor/type", "xen\n")], METAL).as_deref(),
            Some("xen")
        );
    }

    #[test]
    fn makers_of_hypervisors_make_machines_too() {
        let surface = [
            ("sys/class/dmi/id/product_name", "Surface Pro X\n"),
            ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n"),
        ];
        assert_eq!(named(&surface, ARM), None);
        let lent = [
            ("sys/class/dmi/id/product_name", "m6g.metal\n"),
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
        ];
        assert_eq!(named(&lent, ARM), None);
        assert_eq!(named(&[("sys/class/dmi/id/sys_vendor", "QEMU\n")], METAL), None);
        assert_eq!(named(&[("sys/class/dmi/id/sys_vendor", "LENOVO\n")], ARM), None);
    }

    #[test]
    fn a_hypervisor_that_nothing_names_is_unknown() {
        assert_eq!(named(&[], GUEST).as_deref(), Some("unknown"));
        assert_eq!(named(&[], METAL), None);
        assert_eq!(named(&[], ""), None);
    }
}
