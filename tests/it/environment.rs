//! What is stored of the machine, and that it gives nobody away.

use crate::scratch::{LOAD, Scratch, program};
use nix::sys::statfs::{self, FsType, fstatfs};
use nix::unistd::geteuid;
use rbench::result::{Environment, RunResult};
use rbench::run::Backend;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

const SHORT: &str = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";

fn run(scratch: &Scratch) -> RunResult {
    scratch.execute(SHORT, |plan| plan.measurement.environment = true)
}

fn environment(scratch: &Scratch) -> Environment {
    run(scratch).environment.unwrap()
}

/// The names that mountinfo may have for what statfs tells by a number.
fn kinds(directory: &Path) -> Option<&'static [&'static str]> {
    const BTRFS: FsType = statfs::BTRFS_SUPER_MAGIC;
    const EXT: FsType = statfs::EXT4_SUPER_MAGIC;
    const NFS: FsType = statfs::NFS_SUPER_MAGIC;
    const OVERLAY: FsType = statfs::OVERLAYFS_SUPER_MAGIC;
    const TMPFS: FsType = statfs::TMPFS_MAGIC;
    const XFS: FsType = statfs::XFS_SUPER_MAGIC;
    match fstatfs(File::open(directory).unwrap()).unwrap().filesystem_type() {
        BTRFS => Some(&["btrfs"]),
        EXT => Some(&["ext2", "ext3", "ext4"]),
        NFS => Some(&["nfs", "nfs4"]),
        OVERLAY => Some(&["overlay"]),
        TMPFS => Some(&["tmpfs", "devtmpfs"]),
        XFS => Some(&["xfs"]),
        _ => None,
    }
}

#[test]
fn the_kind_of_file_system_is_what_statfs_tells() {
    for scratch in [Scratch::new(), Scratch::in_memory()] {
        let file_system = environment(&scratch).identity.file_system.unwrap();
        match kinds(scratch.path()) {
            Some(kinds) => assert!(kinds.contains(&file_system.kind.as_str()), "{file_system:?}"),
            None => eprintln!("skipped, no name is known for the kind of {:?}", scratch.path()),
        }
        assert!(
            file_system.mount_options.contains(&"rw".to_owned()),
            "{file_system:?}"
        );
        assert!(file_system.mount_options.is_sorted() && file_system.super_options.is_sorted());
        let told = nix::sys::statvfs::statvfs(scratch.path()).unwrap();
        assert_eq!(file_system.block_size_bytes, Some(told.fragment_size()));
        let size = told.blocks() * told.fragment_size() as u64;
        assert_eq!(file_system.size_bytes, Some(size).filter(|&size| size > 0));
    }
}

#[test]
fn what_every_linux_tells_is_there_and_plausible() {
    let Environment {
        identity,
        axis,
        nuisance,
    } = environment(&Scratch::new());
    assert!(
        axis.kernel_release
            .unwrap()
            .starts_with(|c: char| c.is_ascii_digit())
    );
    assert!(axis.kernel_version.unwrap().starts_with('#'));
    let processors = std::thread::available_parallelism().unwrap().get() as u64;
    assert!(nuisance.processors_online.unwrap() >= processors);
    assert!(nuisance.memory_bytes.unwrap() > 16 << 20);
    let load = [nuisance.load_average_before, nuisance.load_average_after];
    assert!(load.iter().all(|load| load.unwrap() >= 0.0), "{load:?}");
    assert_eq!(
        nuisance.pressure_before.keys().collect::<Vec<_>>(),
        nuisance.pressure_after.keys().collect::<Vec<_>>()
    );
    assert!(
        nuisance.sysctls.contains_key("vm.dirty_ratio"),
        "{:?}",
        nuisance.sysctls
    );
    assert!(
        nuisance
            .fill_level
            .is_none_or(|level| (0.0..=1.0).contains(&level))
    );
    for device in &identity.devices {
        assert!(
            Path::new("/sys/class/block").join(&device.name).exists(),
            "{device:?}"
        );
    }
    if let Some(last) = identity.devices.last() {
        assert_ne!(last.kind, "partition", "its disk comes after it");
    }
}

/// Words that would give this machine, its disks, its network or its user away.
fn identifying() -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |word: &str| words.push(word.trim().to_owned());
    for path in [
        "/etc/machine-id",
        "/var/lib/dbus/machine-id",
        "/proc/sys/kernel/hostname",
    ] {
        add(&fs::read_to_string(path).unwrap_or_default());
    }
    for name in ["by-uuid", "by-partuuid", "by-label"] {
        for entry in fs::read_dir(Path::new("/dev/disk").join(name))
            .into_iter()
            .flatten()
        {
            add(&entry.unwrap().file_name().to_string_lossy());
        }
    }
    for entry in fs::read_dir("/sys/class/net").into_iter().flatten() {
        let address = entry.unwrap().path().join("address");
        add(&fs::read_to_string(address).unwrap_or_default());
    }
    // Routes and sources name this machine's addresses and its neighbours'.
    let addresses = fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    for word in addresses
        .split_whitespace()
        .filter(|word| word.matches('.').count() == 3)
    {
        add(word.split('/').next().unwrap());
    }
    for device in fs::read_dir("/sys/class/block").into_iter().flatten() {
        let device = device.unwrap().path();
        for name in [
            "serial",
            "device/serial",
            "wwid",
            "device/wwid",
            "uuid",
            "dm/name",
            "dm/uuid",
        ] {
            add(&fs::read_to_string(device.join(name)).unwrap_or_default());
        }
    }
    if let Ok(Some(user)) = nix::unistd::User::from_uid(geteuid()) {
        add(&user.name);
    }
    // Short names (`vm`, `data`) are words of the kernel's too; a MAC address of zeros is nobody's.
    let is_nobodys = |word: &str| word.len() < 5 || word.starts_with("00:00:00");
    words.retain(|word| !is_nobodys(word));
    words
}

/// The texts in a value, without the keys.
fn texts(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => into.push(text.clone()),
        serde_json::Value::Array(list) => list.iter().for_each(|value| texts(value, into)),
        serde_json::Value::Object(map) => map.values().for_each(|value| texts(value, into)),
        _ => {}
    }
}

/// Whether a word stands in a text by itself.
fn names(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(joins) && !after.is_some_and(joins)
    })
}

#[test]
fn nothing_stored_names_the_machine_its_disks_its_network_or_its_user() {
    let words = identifying();
    if words.is_empty() {
        eprintln!("skipped, nothing is known that would give this machine away");
    }
    for scratch in [Scratch::new(), Scratch::in_memory()] {
        let stored = serde_json::to_value(environment(&scratch)).unwrap();
        let mut found = Vec::new();
        texts(&stored, &mut found);
        assert!(found.len() > 5, "{stored}");
        for text in &found {
            for word in &words {
                assert!(!names(text, word), "{word:?} is in {text:?}");
            }
            for place in ["/dev/", "/home/", "/tmp", "UUID=", "vmlinuz"] {
                assert!(!text.contains(place), "{place:?} is in {text:?}");
            }
        }
    }
}

#[test]
fn the_machine_is_the_same_in_every_run_and_hashed() {
    let hash = |scratch: &Scratch| environment(scratch).identity.machine_id_sha256;
    let first = hash(&Scratch::new());
    assert_eq!(first, hash(&Scratch::in_memory()));
    match first {
        Some(hash) => assert!(
            hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()),
            "{hash}"
        ),
        None => assert!(
            !Path::new("/etc/machine-id").exists() || fs::read("/etc/machine-id").unwrap().len() != 33
        ),
    }
}

#[test]
fn without_a_wish_nothing_is_stored() {
    assert!(Scratch::in_memory().execute(SHORT, |_| ()).environment.is_none());
}

#[test]
fn a_run_that_executes_nothing_tells_the_machine_and_no_file_system() {
    let result = Scratch::in_memory().execute(SHORT, |plan| {
        plan.measurement.environment = true;
        plan.backend = Backend::Null;
    });
    let Environment {
        identity, nuisance, ..
    } = result.environment.unwrap();
    assert_eq!((identity.file_system, identity.devices.len()), (None, 0));
    assert_eq!((nuisance.fill_level, nuisance.queue.len()), (None, 0));
    assert!(nuisance.memory_bytes.is_some() && nuisance.load_average_after.is_some());
}

/// A script with the scratch directory for its working directory and mounts of its own; none where that is not to be had.
fn with_own_mounts(scratch: &Scratch, script: &str) -> Option<String> {
    scratch.write(LOAD, SHORT);
    let unshared = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-ec", script]).arg(program());
        command.current_dir(scratch.path()).output().ok()
    };
    if !unshared("mount -t tmpfs -o size=1m none /mnt").is_some_and(|output| output.status.success()) {
        eprintln!("skipped, no mount namespace of our own");
        return None;
    }
    let output = unshared(script)?;
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    Some(stderr)
}

#[test]
fn a_run_on_a_nearly_full_file_system_is_warned_of_even_if_nothing_is_stored() {
    for (megabytes, option) in [(9, ""), (9, "--no-environment"), (5, "")] {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path().join("small")).unwrap();
        let script = format!(
            "mount -t tmpfs -o size=10m none small; head -c {megabytes}000000 /dev/zero > small/f; \"$0\" -c {LOAD} -D small {option} 1"
        );
        let Some(stderr) = with_own_mounts(&scratch, &script) else {
            return;
        };
        let warned = stderr.contains("% full before the run");
        assert_eq!(warned, megabytes == 9, "{option} {stderr}");
    }
}

/// A file system in a file, mounted; unmounted whatever happens.
struct Mounted {
    scratch: Scratch,
}

impl Mounted {
    /// None, with a message, where that cannot be made.
    fn new(make: &str, options: &[&str]) -> Option<Mounted> {
        if !geteuid().is_root() {
            eprintln!("skipped, only root can mount a file system in a file");
            return None;
        }
        let scratch = Scratch::new();
        File::create(scratch.path().join("image"))
            .unwrap()
            .set_len(400 << 20)
            .unwrap();
        fs::create_dir(scratch.path().join("mounted")).unwrap();
        for command in [
            &[&[make], options, &["image"]].concat()[..],
            &["mount", "-o", "loop", "image", "mounted"],
        ] {
            let output = Command::new(command[0])
                .args(&command[1..])
                .current_dir(scratch.path())
                .output();
            if !output.as_ref().is_ok_and(|output| output.status.success()) {
                eprintln!("skipped, {command:?} does not work here: {output:?}");
                return None;
            }
        }
        Some(Mounted { scratch })
    }

    fn environment(&self) -> Environment {
        let directory = self.scratch.path().join("mounted");
        let result = self.scratch.execute(SHORT, |plan| {
            plan.measurement.environment = true;
            plan.directory = directory;
        });
        result.environment.unwrap()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Unmounted already, or never mounted, is as good.
        let _ = Command::new("umount")
            .arg("-l")
            .arg(self.scratch.path().join("mounted"))
            .status();
    }
}

#[test]
fn features_of_ext4_in_a_file_are_told_to_root_and_its_loop_device_lies_on_the_disk() {
    let features = "^metadata_csum,bigalloc";
    let Some(mounted) = Mounted::new("mkfs.ext4", &["-q", "-O", features]) else {
        return;
    };
    let below = environment(&Scratch::new()).identity;
    let identity = mounted.environment().identity;
    let file_system = identity.file_system.unwrap();
    assert_eq!(file_system.kind, "ext4");
    let has = |name: &str| file_system.features.iter().any(|feature| feature == name);
    assert!(
        has("bigalloc") && has("extent") && !has("metadata_csum"),
        "{file_system:?}"
    );
    assert!(!has("needs_recovery"), "a state");
    assert_eq!(identity.devices[0].kind, "loop");
    assert_eq!(identity.devices[0].size_bytes, Some(400 << 20));
    assert_eq!(identity.devices[1..], below.devices);
}

#[test]
fn features_of_xfs_are_told_to_everyone() {
    let Some(mounted) = Mounted::new("mkfs.xfs", &["-q", "-m", "crc=1,finobt=1,reflink=0"]) else {
        return;
    };
    let file_system = mounted.environment().identity.file_system.unwrap();
    assert_eq!(file_system.kind, "xfs");
    let has = |name: &str| file_system.features.iter().any(|feature| feature == name);
    assert!(has("crc") && has("finobt") && !has("reflink"), "{file_system:?}");
    assert!(
        !file_system.features.iter().any(|name| name.starts_with("flag")),
        "{file_system:?}"
    );
}
