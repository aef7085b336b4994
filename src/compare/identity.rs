//! What must agree between runs that are compared.
//!
//! A device's name is not among it: the same disk may be found as another one after a boot. Its kind, model and size are.

use super::property::{Property, Tolerance};
use crate::result::{BlockDevice, Environment, FileSystem, RunOptions, RunResult};
use crate::units::Bytes;
use std::time::Duration;

/// What a file system or a part of memory holds is worked out a little otherwise by each kernel.
const ABOUT: Tolerance = Tolerance::Share(0.01);
/// Options of tmpfs whose values the kernel works out from the memory that there is, when they are given as a share.
const OF_MEMORY: [&str; 2] = ["size", "nr_inodes"];

/// Of a run. The version of the metrics' form is not among it: whatever could be read is of this one.
pub(super) fn identity(run: &RunResult) -> Vec<Property> {
    let mut all = loads(run);
    all.push(Property::text("clients", run.clients));
    all.extend(options(&run.info.options));
    if let Some(environment) = &run.environment {
        all.extend(of_environment(environment));
    }
    all
}

fn loads(run: &RunResult) -> Vec<Property> {
    let loads = &run.loadfiles;
    let parameters = loads.iter().flat_map(|load| {
        let named = |(name, value): (&String, &String)| format!("{}: {name}={value}", load.name);
        load.params.iter().map(named).collect::<Vec<_>>()
    });
    let texts = loads.iter().map(|load| {
        let start: String = load.sha256.chars().take(12).collect();
        format!("{} {start}", load.name)
    });
    vec![
        Property::items("loadfile (SHA-256)", texts),
        Property::items("parameters of the load", parameters),
    ]
}

/// The options that change what is measured, by their names on the command line where they have one. All fields stand
/// here by name, so that a new one cannot be forgotten.
fn options(options: &RunOptions) -> Vec<Property> {
    let RunOptions {
        backend,
        time_limit,
        warmup_auto,
        warmup,
        run_once,
        loops,
        target_bytes_per_second,
        time_scale,
        sync_open,
        sync_dir,
        fsync,
        xattr,
        resolve,
        stat_check,
        one_byte_write_fix,
        fake_io,
        trunc_io_bytes,
        flush_fsync,
        slice,
        skip_cleanup: _,
        on_mismatch,
        data,
        verify,
        final_sync,
        direct,
        pin,
        probe,
        probe_think,
        seed: _,
        set,
    } = options;
    let switch = |name: &str, on: bool| Property::text(name, if on { "on" } else { "off" });
    let given = |name: &str, value: Option<String>| Property::text(name, value.unwrap_or("none".into()));
    vec![
        Property::text("backend", backend),
        given("time limit", time_limit.map(seconds)),
        Property::text(
            "warm-up",
            match warmup_auto {
                true => format!("auto, at most {}", seconds(*warmup)),
                false => seconds(*warmup),
            },
        ),
        switch("run-once", *run_once),
        switch("repeated passes", *loops),
        given(
            "target rate",
            target_bytes_per_second.map(|rate| format!("{} MB/sec", rate / 1e6)),
        ),
        given("time scale", time_scale.map(|scale| scale.to_string())),
        switch("sync of opens", *sync_open),
        switch("sync of directories", *sync_dir),
        switch("fsync", *fsync),
        switch("xattr", *xattr),
        given("resolve", resolve.map(|on| if on { "on" } else { "off" }.into())),
        switch("stat-check", *stat_check),
        switch("one-byte-write-fix", *one_byte_write_fix),
        switch("fake-io", *fake_io),
        given("trunc-io", trunc_io_bytes.map(|bytes| format!("{bytes} bytes"))),
        switch("flush-fsync", *flush_fsync),
        switch("slice", *slice),
        Property::text("on-mismatch", on_mismatch),
        Property::text("data", data),
        switch("verify", *verify),
        switch("final-sync", *final_sync),
        switch("direct", *direct),
        given("pin", pin.clone()),
        switch("probe", *probe),
        given("probe-think", probe_think.map(seconds)),
        Property::items("set", set.iter().map(|(name, value)| format!("{name}={value}"))),
    ]
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn of_environment(environment: &Environment) -> Vec<Property> {
    let identity = &environment.identity;
    let mut all = Vec::new();
    if let Some(file_system) = &identity.file_system {
        all.extend(of_file_system(file_system));
    }
    // Where none is known, as below an overlay, nothing is known of them.
    if !identity.devices.is_empty() {
        all.push(Property::items("devices", identity.devices.iter().map(device)));
    }
    if let Some(machine) = &identity.machine_id_sha256 {
        let start: String = machine.chars().take(12).collect();
        all.push(Property::text("machine", start));
    }
    all
}

fn of_file_system(file_system: &FileSystem) -> Vec<Property> {
    let FileSystem {
        kind,
        mount_options,
        super_options,
        features,
        block_size_bytes,
        // Of some it changes with what others keep there: it only disturbs.
        size_bytes: _,
    } = file_system;
    let mut all = vec![
        Property::text("file system", kind),
        Property::items("mount options", mount_options.iter().cloned()),
    ];
    let is_size = |option: &&String| size(option).is_some();
    all.push(Property::items(
        "mount options of the super block",
        super_options.iter().filter(|option| !is_size(option)).cloned(),
    ));
    let sizes: Vec<(&str, f64)> = super_options.iter().filter_map(|option| size(option)).collect();
    for name in OF_MEMORY {
        let found = sizes.iter().find(|(of, _)| *of == name);
        let option = format!("mount option {name}");
        all.push(match found {
            Some((_, number)) => Property::amount(option, *number, ABOUT, number.to_string()),
            None => Property::text(option, "not given"),
        });
    }
    // Those of ext4 only root can read.
    if !features.is_empty() {
        all.push(Property::items(
            "features of the file system",
            features.iter().cloned(),
        ));
    }
    if let Some(bytes) = block_size_bytes {
        all.push(Property::text(
            "block size of the file system",
            format!("{bytes} bytes"),
        ));
    }
    all
}

/// A mount option that is a size of tmpfs, in its own unit: `size=8043096k`.
fn size(option: &str) -> Option<(&str, f64)> {
    let (name, value) = option.split_once('=')?;
    if !OF_MEMORY.contains(&name) {
        return None;
    }
    let number = value.trim_end_matches(['k', 'm', 'g']);
    let factor = match &value[number.len()..] {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1024.0 * 1024.0,
        "g" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((name, number.parse::<f64>().ok()? * factor))
}

fn device(device: &BlockDevice) -> String {
    let BlockDevice {
        name: _,
        model,
        size_bytes,
        kind,
        // How a kernel tells it of virtual disks has changed with its version.
        rotational: _,
    } = device;
    let mut text = kind.clone();
    if let Some(model) = model {
        text += &format!(" {model}");
    }
    if let Some(bytes) = size_bytes {
        text += &format!(" of {}", Bytes(*bytes));
    }
    text
}
