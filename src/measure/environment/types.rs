//! What a run ran on: what must agree between two results, what may differ, and what only disturbs.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The environment of a run. What cannot be found out is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    pub identity: Identity,
    pub axis: Axis,
    pub nuisance: Nuisance,
}

/// Where it differs, results must not be compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Identity {
    pub file_system: Option<FileSystem>,
    /// The mounted device first, then what it is made of.
    pub devices: Vec<BlockDevice>,
    /// SHA-256 of a fixed text and the machine's id: the same for all runs on a machine, and tells nothing else.
    pub machine_id_sha256: Option<String>,
}

/// The file system under test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileSystem {
    /// `ext4`, `tmpfs`, `fuse.sshfs` …
    pub kind: String,
    /// Effective mount options, sorted; per mount, then of the super block. Values that are no settings, but name a
    /// person, a place or a disk, are `…`.
    pub mount_options: Vec<String>,
    pub super_options: Vec<String>,
    /// Features given at its making, by the names that its own tools print, sorted; empty where they cannot be read
    /// (those of ext4 only by root).
    pub features: Vec<String>,
    pub block_size_bytes: Option<u64>,
    pub size_bytes: Option<u64>,
}

/// A block device under the file system.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BlockDevice {
    /// The kernel's name.
    pub name: String,
    pub model: Option<String>,
    pub size_bytes: Option<u64>,
    /// `disk`, `partition`, `dm`, `dm-crypt`, `dm-lvm`, `md`, `md-raid1`, `loop`, `virtio`, `nvme` …
    pub kind: String,
    pub rotational: Option<bool>,
}

/// What comparisons vary.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Axis {
    pub kernel_release: Option<String>,
    pub kernel_version: Option<String>,
    /// Without what names a machine or disk (values of `root=`, `resume=`, UUIDs and the like).
    pub kernel_command_line: Option<String>,
}

/// Where it differs, a comparison warns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Nuisance {
    pub cpu_model: Option<String>,
    pub processors_online: Option<u64>,
    /// Of the first processor.
    pub cpu_governor: Option<String>,
    /// `on`, `off`, `notsupported` …
    pub smt: Option<String>,
    /// Vulnerability to mitigation, as the kernel says.
    pub mitigations: BTreeMap<String, String>,
    pub numa_nodes: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub swap_bytes: Option<u64>,
    pub transparent_hugepages: Option<String>,
    /// All `vm.dirty_*`, `vm.swappiness`, `vm.vfs_cache_pressure`, by their dotted names.
    pub sysctls: BTreeMap<String, String>,
    /// Settings of the queue of the disk that does the work, by their names below `queue/`; `read_ahead_kb` is that of
    /// the mounted device, or of the file system where it has none.
    pub queue: BTreeMap<String, String>,
    /// Share in use before the run of what an unprivileged user may use, 0 to 1.
    pub fill_level: Option<f64>,
    pub load_average_before: Option<f64>,
    pub load_average_after: Option<f64>,
    /// Percent of the last 10 s (`some avg10`), by resource: `cpu`, `memory`, `io`.
    pub pressure_before: BTreeMap<String, f64>,
    pub pressure_after: BTreeMap<String, f64>,
    /// The tightest limits of the control group and those above it, where there are any.
    pub container: Option<ContainerLimits>,
    /// `kvm`, `qemu`, `vmware` …; `unknown` where the kernel tells only that there is one.
    pub virtual_machine: Option<String>,
    /// The kernel's taint flags.
    pub taint: Option<u64>,
}

/// What the control group allows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ContainerLimits {
    pub memory_bytes: Option<u64>,
    /// Processors, as a share: 1.5 is one and a half. Absent where it is all that the machine has.
    pub processors: Option<f64>,
    /// Limits of I/O of the devices under the directory, as the kernel writes them in io.max, without those that are
    /// `max`.
    pub io: Vec<String>,
}
