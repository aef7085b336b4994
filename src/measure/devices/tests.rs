use super::*;
use crate::measure::mount::all;
use crate::measure::system::made_up::Machine;

const NVME: &str = "sys/devices/pci0000:00/nvme/nvme0/nvme0n1";

/// LUKS on a partition of an NVMe disk, and LVM on top.
pub(in crate::measure) fn encrypted() -> Machine {
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

pub(in crate::measure) fn mount(line: &str) -> Mount {
    all(line).next().unwrap()
}

pub(in crate::measure) fn stack_of(machine: &Machine, line: &str) -> Vec<Device> {
    let opened = std::fs::File::open("/").unwrap();
    under(&machine.system, opened.as_fd(), Some(&mount(line)))
}

fn names(machine: &Machine, line: &str) -> Vec<String> {
    stack_of(machine, line).iter().map(Device::name).collect()
}

pub(in crate::measure) const ON_LVM: &str = "40 27 253:1 / /home rw - ext4 /dev/mapper/vg-home rw";

#[test]
fn encryption_and_volumes_are_followed_down_to_the_disk() {
    let found = names(&encrypted(), ON_LVM);
    assert_eq!(found, ["dm-1", "dm-0", "nvme0n1p2", "nvme0n1"]);
}

#[test]
fn a_volume_is_made_of_its_members_and_a_partition_of_its_disk_each_once() {
    let machine = Machine::new(&[
        ("sys/devices/pci/block/sda/sda1/partition", "1\n"),
        ("sys/devices/pci/block/sda/sda2/partition", "2\n"),
    ]);
    machine.device("sys/devices/pci/block/sda", "8:0");
    machine.device("sys/devices/virtual/block/dm-0", "253:0");
    for (name, number) in [("sda1", "8:1"), ("sda2", "8:2")] {
        let partition = format!("sys/devices/pci/block/sda/{name}");
        machine.device(&partition, number);
        machine.link(
            &format!("sys/devices/virtual/block/dm-0/slaves/{name}"),
            &partition,
        );
    }
    let on = |number: &str| names(&machine, &format!("40 27 {number} / /v rw - xfs /dev/x rw"));
    assert_eq!(on("253:0"), ["dm-0", "sda1", "sda", "sda2"]);
    assert_eq!(on("8:2"), ["sda2", "sda"]);
    assert_eq!(on("8:0"), ["sda"]);
    assert_eq!(on("8:3"), [""; 0]);
}

#[test]
fn a_source_is_found_by_its_node_where_the_super_block_has_a_number_of_its_own() {
    let found = names(
        &encrypted(),
        "40 27 0:45 / /w rw - fuseblk /dev/mapper/vg-home rw",
    );
    assert_eq!(found, ["dm-1", "dm-0", "nvme0n1p2", "nvme0n1"]);
    // No node of that name, as in a container.
    let found = names(&encrypted(), "40 27 0:45 / /w rw - fuseblk /dev/nvme0n1p2 rw");
    assert_eq!(found, ["nvme0n1p2", "nvme0n1"]);
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
    let found = names(&machine, "36 27 0:31 /@home /home rw - btrfs /dev/sdb rw");
    assert_eq!(found, ["sdb", "sda"]);
}

/// The number of the device that a path of the machine really lies on.
fn real_number(machine: &Machine, path: &str) -> String {
    major_and_minor(std::fs::metadata(machine.system.path(path)).unwrap().dev())
}

const LOOP: &str = "sys/devices/virtual/block/loop0";
const BACKING_FILE: &str = "sys/devices/virtual/block/loop0/loop/backing_file";
const ON_LOOP: &str = "90 27 7:0 / /l rw - ext4 /dev/loop0 rw";

#[test]
fn a_loop_device_lies_on_the_device_of_its_file_even_if_it_is_itself() {
    let machine = Machine::new(&[("images/disk", ""), (BACKING_FILE, "/images/disk\n")]);
    machine.device(
        "sys/devices/pci/block/vda",
        &real_number(&machine, "/images/disk"),
    );
    machine.device(LOOP, "7:0");
    assert_eq!(names(&machine, ON_LOOP), ["loop0", "vda"]);
    machine.write(BACKING_FILE, b"/gone (deleted)\n");
    assert_eq!(names(&machine, ON_LOOP), ["loop0"]);

    let machine = Machine::new(&[("images/disk", ""), (BACKING_FILE, "/images/disk\n")]);
    let number = real_number(&machine, "/images/disk");
    machine.device(LOOP, &number);
    assert_eq!(names(&machine, &ON_LOOP.replace("7:0", &number)), ["loop0"]);
}

/// The file's file system has a number that no device has.
#[test]
fn a_loop_device_lies_on_all_devices_of_the_btrfs_of_its_file() {
    let machine = Machine::new(&[("images/disk", ""), (BACKING_FILE, "/images/disk\n")]);
    machine.device(LOOP, "7:0");
    for (name, number) in [("sda", "8:0"), ("sdb", "8:16")] {
        let directory = format!("sys/devices/pci/block/{name}");
        machine.device(&directory, number);
        machine.link(&format!("sys/fs/btrfs/0dd2/devices/{name}"), &directory);
    }
    let number = real_number(&machine, "/images/disk");
    let line = format!("36 27 {number} / / rw - btrfs /dev/sdb rw\n");
    machine.write("proc/thread-self/mountinfo", line.as_bytes());
    assert_eq!(names(&machine, ON_LOOP), ["loop0", "sdb", "sda"]);
}

#[test]
fn an_overlay_lies_on_the_device_of_its_upper_directory() {
    let machine = Machine::new(&[("upper/file", "")]);
    machine.device("sys/devices/pci/block/vda", &real_number(&machine, "/upper"));
    let line = "60 27 0:70 / /m rw - overlay overlay rw,lowerdir=/l,upperdir=/upper,workdir=/w";
    assert_eq!(names(&machine, line), ["vda"]);
    for unknown in ["/hidden", "upper"] {
        assert_eq!(
            names(&machine, &line.replace("/upper", unknown)),
            [""; 0],
            "{unknown}"
        );
    }
}

#[test]
fn an_overlay_that_lies_on_itself_has_no_device() {
    let machine = Machine::new(&[("upper/file", "")]);
    let number = real_number(&machine, "/upper");
    let line = format!("60 27 {number} / / rw - overlay overlay rw,upperdir=/upper");
    machine.write("proc/thread-self/mountinfo", line.as_bytes());
    assert_eq!(names(&machine, &line), [""; 0]);
}

#[test]
fn without_a_mount_the_number_of_the_directory_is_its_devices() {
    let machine = Machine::new(&[("file", "")]);
    let opened = std::fs::File::open(machine.system.path("/file")).unwrap();
    let found = |machine: &Machine| under(&machine.system, opened.as_fd(), None);
    assert_eq!(found(&machine), []);
    machine.device("sys/devices/pci/block/vda", &real_number(&machine, "/file"));
    assert_eq!(found(&machine)[0].name(), "vda");
}

#[test]
fn a_slash_in_a_name_is_another_sign_in_sys() {
    let machine = Machine::new(&[]);
    machine.device("sys/devices/pci/block/cciss!c0d0", "104:0");
    let device = Device::by_number(&machine.system, "104:0").unwrap();
    assert_eq!(
        (device.name().as_str(), device.folder().as_str()),
        ("cciss/c0d0", "cciss!c0d0")
    );
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
        assert_eq!(names(&machine, line), [""; 0], "{line}");
    }
}

#[test]
fn devices_that_contain_each_other_end() {
    let machine = Machine::new(&[]);
    for (name, number, other) in [("md0", "9:0", "md1"), ("md1", "9:1", "md0")] {
        machine.device(&format!("sys/devices/virtual/block/{name}"), number);
        machine.link(
            &format!("sys/devices/virtual/block/{name}/slaves/{other}"),
            &format!("sys/devices/virtual/block/{other}"),
        );
    }
    machine.link(
        "sys/devices/virtual/block/md1/slaves/gone",
        "sys/devices/virtual/block/gone",
    );
    let found = names(&machine, "40 27 9:0 / /r rw - xfs /dev/md0 rw");
    assert_eq!(found, ["md0", "md1"]);
}

#[test]
fn requests_are_those_of_the_topmost_devices_that_have_a_queue_of_them() {
    let machine = encrypted();
    machine.write(&format!("{NVME}/mq/0/nr_tags"), b"1023\n");
    let queues_of = |number: &str| {
        let mut found = Vec::new();
        let mounted = Device::by_number(&machine.system, number);
        queues(
            &machine.system,
            &mounted.into_iter().collect::<Vec<_>>(),
            &mut found,
            DEEPEST,
        );
        found.iter().map(Device::name).collect::<Vec<_>>()
    };
    assert_eq!(queues_of("253:1"), ["nvme0n1"]);
    machine.write("sys/devices/virtual/block/dm-0/mq/0/nr_tags", b"64\n");
    assert_eq!(queues_of("253:1"), ["dm-0"]);
    assert_eq!(kernel_number("259:2"), Some(259 << 20 | 2));
    assert_eq!(kernel_number("259"), None);
}
