//! What a run ran on, found out from /proc, /sys and system calls, without privileges and without other programs.
//!
//! Results are passed on: whatever would name a person, a place, a machine or a disk is left out, replaced by `…`, or
//! (the machine's id) hashed.

mod block_device;
mod command_line;
mod control_group;
mod cpuinfo;
mod doubts;
mod features;
mod machine;
mod mount_options;
mod setting;
mod types;
mod virtual_machine;

pub use types::{Axis, BlockDevice, ContainerLimits, Environment, FileSystem, Identity, Nuisance};

use super::devices::{self, Device};
use super::mount::Mount;
use super::system::System;
use crate::warning::Warning;
use block_device::READ_AHEAD;
use mount_options::told_options;
use nix::sys::statvfs::{Statvfs, fstatvfs};
use std::os::fd::BorrowedFd;

/// Finds out what a run is about to run on: takes some milliseconds. `directory` is on the file system under test;
/// without it nothing is said of any. What the load did to the machine is added by [`completed`].
pub fn collect(directory: Option<BorrowedFd<'_>>) -> Environment {
    let system = System::here();
    let mut environment = Environment {
        identity: Identity {
            machine_id_sha256: machine::machine_id_sha256(&system),
            ..Identity::default()
        },
        axis: machine::axis(&system),
        nuisance: machine::nuisance(&system),
    };
    let online = environment.nuisance.processors_online;
    environment.nuisance.container = control_group::limits(&system, online);
    if let Some(directory) = directory {
        add_file_system(&system, directory, &mut environment);
    }
    environment
}

/// Adds how busy the machine is when the run has ended.
pub fn completed(mut environment: Environment) -> Environment {
    let system = System::here();
    environment.nuisance.load_average_after = machine::load_average(&system);
    environment.nuisance.pressure_after = machine::pressure(&system);
    environment
}

/// What makes a run in this directory doubtful before it starts; reads no more than that needs.
pub fn doubts(directory: BorrowedFd<'_>) -> Vec<Warning> {
    let system = System::here();
    let online = machine::processors_online();
    let mut limits = control_group::limits(&system, online);
    let limits_io = limits.as_ref().is_some_and(|limits| !limits.io.is_empty());
    if limits_io && let Some(mount) = Mount::of(directory) {
        limits = of_devices(
            &system,
            limits,
            &mount,
            &devices::under(&system, directory, Some(&mount)),
        );
    }
    let memory = limits.as_ref().and_then(|_| machine::memory(&system, "MemTotal"));
    let full = fstatvfs(directory).ok().and_then(|told| fill_level(&told));
    [
        doubts::nearly_full(full),
        doubts::governor(&machine::governors(&system)),
        doubts::container_limit(limits.as_ref(), memory, online),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn add_file_system(system: &System, directory: BorrowedFd<'_>, environment: &mut Environment) {
    let Environment {
        identity, nuisance, ..
    } = environment;
    let sizes = fstatvfs(directory).ok();
    nuisance.fill_level = sizes.as_ref().and_then(fill_level);
    let mount = Mount::of(directory);
    let devices = devices::under(system, directory, mount.as_ref());
    identity.devices = devices
        .iter()
        .map(|device| block_device::described(system, device))
        .collect();
    nuisance.queue = block_device::queue(system, &devices);
    let Some(mount) = mount else {
        return;
    };
    let block = sizes.as_ref().map(|told| told.fragment_size());
    let blocks = sizes.as_ref().map(|told| told.blocks());
    identity.file_system = Some(FileSystem {
        kind: mount.kind.clone(),
        mount_options: told_options(mount.options()),
        super_options: told_options(mount.super_options()),
        features: features::features(system, &mount, &devices, directory),
        block_size_bytes: block.filter(|&bytes| bytes > 0),
        size_bytes: block
            .zip(blocks)
            .and_then(|(bytes, count)| bytes.checked_mul(count))
            .filter(|&bytes| bytes > 0),
    });
    if devices.is_empty() {
        // File systems of the network read ahead by a setting of their own.
        let path = format!("/sys/class/bdi/{}/{}", mount.device, READ_AHEAD);
        let setting = system.text(path).map(|text| (READ_AHEAD.to_owned(), text));
        nuisance.queue.extend(setting);
    }
    nuisance.container = of_devices(system, nuisance.container.take(), &mount, &devices);
}

/// Where the devices cannot be seen, all limits may be theirs.
fn of_devices(
    system: &System,
    limits: Option<ContainerLimits>,
    mount: &Mount,
    devices: &[Device],
) -> Option<ContainerLimits> {
    if !block_device::are_known(mount, devices) {
        return limits;
    }
    let numbers: Vec<_> = devices
        .iter()
        .filter_map(|device| device.number(system))
        .collect();
    control_group::only_of(limits, &numbers)
}

fn fill_level(told: &Statvfs) -> Option<f64> {
    doubts::fill_level(told.blocks(), told.blocks_free(), told.blocks_available())
}
