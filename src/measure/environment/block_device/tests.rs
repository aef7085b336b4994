use super::*;
use crate::measure::devices::tests::{ON_LVM, encrypted, mount, stack_of};
use crate::measure::system::made_up::Machine;

fn described_of(machine: &Machine, line: &str) -> Vec<BlockDevice> {
    let devices = stack_of(machine, line);
    devices
        .iter()
        .map(|device| described(&machine.system, device))
        .collect()
}

fn names_and_kinds(devices: &[BlockDevice]) -> Vec<(&str, &str)> {
    devices
        .iter()
        .map(|device| (device.name.as_str(), device.kind.as_str()))
        .collect()
}

#[test]
fn each_device_of_a_stack_is_described() {
    let devices = described_of(&encrypted(), ON_LVM);
    let expected = [
        ("dm-1", "dm-lvm"),
        ("dm-0", "dm-crypt"),
        ("nvme0n1p2", "partition"),
        ("nvme0n1", "nvme"),
    ];
    assert_eq!(names_and_kinds(&devices), expected);
    assert_eq!(devices[3].model.as_deref(), Some("Samsung SSD 980 PRO 1TB"));
    assert_eq!(devices[3].size_bytes, Some(1953525168 * 512));
    assert_eq!(devices[2].size_bytes, Some(1951424512 * 512));
    assert_eq!(devices[0].size_bytes, None);
    let models: Vec<_> = devices.iter().map(|device| device.model.is_some()).collect();
    assert_eq!(models, [false, false, false, true]);
    let rotational: Vec<_> = devices.iter().map(|device| device.rotational).collect();
    assert_eq!(rotational, [None, Some(false), Some(false), Some(false)]);
}

#[test]
fn the_queue_is_the_disks_but_reading_ahead_the_mounted_devices() {
    let machine = encrypted();
    let system = &machine.system;
    let devices = stack_of(&machine, ON_LVM);
    let found = queue(system, &devices);
    let found: Vec<_> = found
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let expected = [
        ("nr_requests", "1023"),
        ("read_ahead_kb", "4096"),
        ("scheduler", "none"),
        ("write_cache", "write back"),
    ];
    assert_eq!(found, expected);
    assert!(queue(system, &[]).is_empty());
    assert_eq!(chosen("mq-deadline"), "mq-deadline");
    assert_eq!(chosen("a [b"), "a [b");
}

#[test]
fn kinds_are_told_by_what_sys_has_of_a_device_then_by_its_name() {
    let machine = Machine::new(&[
        ("sys/devices/virtual/block/md0/md/level", "raid1\n"),
        ("sys/devices/virtual/block/md1/md/level", "raid 1/x\n"),
        ("sys/devices/virtual/block/dm-0/dm/uuid", "other-1\n"),
    ]);
    for (directory, number, kind) in [
        ("virtual/block/md0", "9:0", "md-raid1"),
        ("virtual/block/md1", "9:1", "md"),
        ("virtual/block/dm-0", "253:0", "dm"),
        ("virtual/block/loop0", "7:0", "loop"),
        ("pci/block/vda", "254:0", "virtio"),
        ("pci/block/sda", "8:0", "disk"),
    ] {
        machine.device(&format!("sys/devices/{directory}"), number);
        let line = format!("40 27 {number} / /r rw - xfs /dev/x rw");
        assert_eq!(described_of(&machine, &line)[0].kind, kind, "{directory}");
    }
}

#[test]
fn that_there_are_no_devices_is_known_of_memory_and_network_only() {
    let machine = encrypted();
    let known = |line: &str| are_known(&mount(line), &stack_of(&machine, line));
    assert!(known(ON_LVM));
    assert!(known("41 40 0:50 / /t rw - tmpfs tmpfs rw"));
    assert!(known("50 27 0:60 / /net rw - nfs4 filer:/x rw"));
    assert!(!known("60 27 0:70 / /m rw - overlay overlay rw,upperdir=/hidden"));
    assert!(!known("51 27 0:61 / /p rw - zfs pool/home rw"));
}
