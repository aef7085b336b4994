use super::super::mount::all;
use super::super::system::made_up::Machine;
use super::*;

const NVME: &str = "sys/devices/pci0000:00/nvme/nvme0/nvme0n1";

/// LUKS on a partition of an NVMe disk, and LVM on top.
fn encrypted() -> Machine {
    let machine = Machine::new(&[
        (&format!("{NVME}/size"), "1953525168\n"),
        (&format!("{NVME}/queue/rotational"), "0\n"),
        (&format!("{NVME}/queue/scheduler"), "[none] mq-deadline kyber\n"),
        (&format!("{NVME}/queue/nr_requests"), "1023\n"),
        (&format!("{NVME}/queue/read_ahead_kb"), "128\n"),
        (&format!("{NVME}/queue/write_cache"), "write back\n"),
        (
            &format!("{NVME}/device/model"),
            "Samsung SSD 980 PRO 1TB                 \n",
        ),
        (&format!("{NVME}/nvme0n1p2/partition"), "2\n"),
        (&format!("{NVME}/nvme0n1p2/size"), "1951424512\n"),
        (
            "sys/devices/virtual/block/dm-0/dm/uuid",
            "CRYPT-LUKS2-0dd2c1ab21b04d2f8a1f08a66a4a3f5e-luks\n",
        ),
        ("sys/devices/virtual/block/dm-0/dm/name", "luks-of-alice\n"),
        ("sys/devices/virtual/block/dm-0/size", "1951391744\n"),
        ("sys/devices/virtual/block/dm-0/queue/rotational", "0\n"),
        ("sys/devices/virtual/block/dm-1/dm/uuid", "LVM-abcdef\n"),
        ("sys/devices/virtual/block/dm-1/queue/nr_requests", "128\n"),
        ("sys/devices/virtual/block/dm-1/queue/read_ahead_kb", "4096\n"),
        ("dev/dm-1", ""),
    ]);
    for (directory, number) in [
        (NVME, "259:0"),
        (&format!("{NVME}/nvme0n1p2"), "259:2"),
        ("sys/devices/virtual/block/dm-0", "253:0"),
        ("sys/devices/virtual/block/dm-1", "253:1"),
    ] {
        machine.device(directory, number);
    }
    machine.link(
        "sys/devices/virtual/block/dm-0/slaves/nvme0n1p2",
        &format!("{NVME}/nvme0n1p2"),
    );
    machine.link(
        "sys/devices/virtual/block/dm-1/slaves/dm-0",
        "sys/devices/virtual/block/dm-0",
    );
    machine.link("dev/mapper/vg-home", "dev/dm-1");
    machine
}

fn mount(line: &str) -> Mount {
    all(line).next().unwrap()
}

fn stack_of(machine: &Machine, line: &str) -> Vec<BlockDevice> {
    let system = &machine.system;
    let devices = stack(system, &mounted(system, &mount(line)));
    devices.iter().map(|device| device.described(system)).collect()
}

fn names_and_kinds(devices: &[BlockDevice]) -> Vec<(&str, &str)> {
    devices
        .iter()
        .map(|device| (device.name.as_str(), device.kind.as_str()))
        .collect()
}

const ON_LVM: &str = "40 27 253:1 / /home rw - ext4 /dev/mapper/vg-home rw";

#[test]
fn encryption_and_volumes_are_followed_down_to_the_disk() {
    let devices = stack_of(&encrypted(), ON_LVM);
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
    let devices = stack(system, &mounted(system, &mount(ON_LVM)));
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
fn a_source_is_found_by_its_node_where_the_super_block_has_a_number_of_its_own() {
    let devices = stack_of(
        &encrypted(),
        "40 27 0:45 / /w rw - fuseblk /dev/mapper/vg-home rw",
    );
    assert_eq!(devices.first().map(|device| device.name.as_str()), Some("dm-1"));
    assert_eq!(devices.len(), 4);
    // No node of that name, as in a container.
    let devices = stack_of(&encrypted(), "40 27 0:45 / /w rw - fuseblk /dev/nvme0n1p2 rw");
    assert_eq!(
        names_and_kinds(&devices),
        [("nvme0n1p2", "partition"), ("nvme0n1", "nvme")]
    );
}

#[test]
fn all_devices_of_a_btrfs_are_told_the_mounted_one_first() {
    let machine = Machine::new(&[]);
    for (name, number) in [("sda", "8:0"), ("sdb", "8:16")] {
        machine.device(&format!("sys/devices/pci/block/{name}"), number);
        machine.link(
            &format!("sys/fs/btrfs/0dd2c1ab-21b0-4d2f-8a1f-08a66a4a3f5e/devices/{name}"),
            &format!("sys/devices/pci/block/{name}"),
        );
    }
    machine.write("sys/fs/btrfs/features/acl", b"0\n");
    let devices = stack_of(&machine, "36 27 0:31 /@home /home rw - btrfs /dev/sdb rw");
    assert_eq!(names_and_kinds(&devices), [("sdb", "disk"), ("sda", "disk")]);
}

#[test]
fn a_loop_device_lies_on_the_device_of_its_file() {
    let machine = Machine::new(&[("images/disk", ""), ("sys/devices/pci/block/vda/size", "8\n")]);
    let number = text_of(
        std::fs::metadata(machine.system.path("/images/disk"))
            .unwrap()
            .dev(),
    );
    machine.device("sys/devices/pci/block/vda", &number);
    machine.device("sys/devices/virtual/block/loop0", "7:0");
    machine.write(
        "sys/devices/virtual/block/loop0/loop/backing_file",
        b"/images/disk\n",
    );
    let devices = stack_of(&machine, "90 27 7:0 / /l rw - ext4 /dev/loop0 rw");
    assert_eq!(names_and_kinds(&devices), [("loop0", "loop"), ("vda", "virtio")]);
    machine.write(
        "sys/devices/virtual/block/loop0/loop/backing_file",
        b"/gone (deleted)\n",
    );
    let devices = stack_of(&machine, "90 27 7:0 / /l rw - ext4 /dev/loop0 rw");
    assert_eq!(names_and_kinds(&devices), [("loop0", "loop")]);
}

#[test]
fn an_overlay_lies_on_the_device_of_its_upper_directory() {
    let machine = Machine::new(&[("upper/file", "")]);
    let number = text_of(std::fs::metadata(machine.system.path("/upper")).unwrap().dev());
    machine.device("sys/devices/pci/block/vda", &number);
    let line = "60 27 0:70 / /m rw - overlay overlay rw,lowerdir=/l,upperdir=/upper,workdir=/w";
    assert_eq!(names_and_kinds(&stack_of(&machine, line)), [("vda", "virtio")]);
    assert!(stack_of(&machine, &line.replace("/upper", "/hidden")).is_empty());
}

#[test]
fn memory_and_network_have_no_devices() {
    let machine = encrypted();
    for line in [
        "41 40 0:50 / /t rw - tmpfs tmpfs rw",
        "50 27 0:60 / /net rw - nfs4 filer:/dev/x rw",
        "51 27 0:61 / /p rw - zfs pool/home rw",
        "52 27 0:62 / /p rw - fuseblk /dev/../../etc rw",
        "53 27 0:63 / /p rw - btrfs /dev/missing rw",
    ] {
        assert!(stack_of(&machine, line).is_empty(), "{line}");
    }
}

#[test]
fn arrays_say_their_level_and_devices_that_contain_each_other_end() {
    let machine = Machine::new(&[
        ("sys/devices/virtual/block/md0/md/level", "raid1\n"),
        ("sys/devices/virtual/block/md1/md/level", "raid 1/x\n"),
    ]);
    machine.device("sys/devices/virtual/block/md0", "9:0");
    machine.device("sys/devices/virtual/block/md1", "9:1");
    machine.link(
        "sys/devices/virtual/block/md0/slaves/md1",
        "sys/devices/virtual/block/md1",
    );
    machine.link(
        "sys/devices/virtual/block/md1/slaves/md0",
        "sys/devices/virtual/block/md0",
    );
    machine.link(
        "sys/devices/virtual/block/md1/slaves/gone",
        "sys/devices/virtual/block/gone",
    );
    let devices = stack_of(&machine, "40 27 9:0 / /r rw - xfs /dev/md0 rw");
    assert_eq!(names_and_kinds(&devices), [("md0", "md-raid1"), ("md1", "md")]);
}

#[test]
fn that_there_are_no_devices_is_known_of_memory_and_network_only() {
    let machine = encrypted();
    let known = |line: &str| {
        let mount = mount(line);
        are_known(&mount, &mounted(&machine.system, &mount))
    };
    assert!(known(ON_LVM));
    assert!(known("41 40 0:50 / /t rw - tmpfs tmpfs rw"));
    assert!(known("50 27 0:60 / /net rw - nfs4 filer:/x rw"));
    assert!(!known("60 27 0:70 / /m rw - overlay overlay rw,upperdir=/hidden"));
    assert!(!known("51 27 0:61 / /p rw - zfs pool/home rw"));
}
