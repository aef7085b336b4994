//! Settings below /sys: the scheduler of a device that nobody uses, and what the kernel changes along with it.

use super::machine::Machine;
use crate::scratch::program;
use rbench::knob::{Guarded, Setting};
use std::fs;

/// A loop device without a file, that has a choice of schedulers.
fn unused_device() -> Option<(String, String)> {
    let entries = fs::read_dir("/sys/block").ok()?.flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("loop"))
        .collect();
    names.sort();
    // From the last: those who need one take the first.
    names.into_iter().rev().find_map(|name| {
        let read = |file: &str| fs::read_to_string(format!("/sys/block/{name}/{file}")).ok();
        let schedulers = read("queue/scheduler")?;
        let other = schedulers
            .split_whitespace()
            .find(|word| *word == "mq-deadline")?;
        let unused = read("size")?.trim() == "0" && schedulers.contains("[none]");
        unused.then(|| (name.clone(), other.to_owned()))
    })
}

/// Puts the device's own settings back, whatever has failed.
struct Device {
    queue: String,
    requests: String,
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = fs::write(format!("{}/scheduler", self.queue), "none");
        let _ = fs::write(format!("{}/nr_requests", self.queue), &self.requests);
    }
}

/// A device with a number of requests that no scheduler has by itself, and a scheduler that it does not have. None, with
/// a message, where there is none.
fn device() -> Option<(Device, String, Setting, String)> {
    let Some((name, other)) = unused_device() else {
        eprintln!("skipped, there is no unused loop device with another scheduler");
        return None;
    };
    let requests = format!("/sys/block/{name}/queue/nr_requests");
    let device = Device {
        queue: format!("/sys/block/{name}/queue"),
        requests: fs::read_to_string(&requests).unwrap(),
    };
    if fs::write(&requests, "61").is_err() {
        eprintln!("skipped, {requests} cannot be changed");
        return None;
    }
    let scheduler = Setting::sysfs(&format!("block/{name}/queue/scheduler")).unwrap();
    Some((device, requests, scheduler, other))
}

#[test]
fn what_another_setting_changes_has_its_value_all_the_same_in_any_order() {
    let Some(_machine) = Machine::take() else { return };
    let Some((_device, requests, scheduler, other)) = device() else {
        return;
    };
    let number = Setting::sysfs(&requests).unwrap();
    let all = [
        (number.clone(), vec!["37".to_owned()]),
        (scheduler.clone(), vec![other.clone(), "none".to_owned()]),
    ];
    let mut guarded = Guarded::start_by(&program(), &all).unwrap();
    for value in [other.as_str(), "none"] {
        let set = guarded.set_all(&[(number.clone(), "37"), (scheduler.clone(), value)]);
        let now = (number.read().unwrap(), scheduler.read().unwrap());
        set.unwrap();
        assert_eq!(now, ("37".to_owned(), value.to_owned()));
    }
    guarded.restore().unwrap();
    assert_eq!(number.read().unwrap(), "61");
}

#[test]
fn a_scheduler_is_back_with_what_the_kernel_changes_along_with_it() {
    let Some(_machine) = Machine::take() else { return };
    let Some((_device, requests, scheduler, other)) = device() else {
        return;
    };
    let wanted = [(scheduler.clone(), vec![other.clone(), "none".to_owned()])];
    let mut guarded = Guarded::start_by(&program(), &wanted).unwrap();
    let now = || fs::read_to_string(&requests).unwrap().trim().to_owned();
    let started = (scheduler.read().unwrap(), now());
    guarded.set(&scheduler, &other).unwrap();
    let changed = (scheduler.read().unwrap(), now());
    let restored = guarded.restore();
    let after = (scheduler.read().unwrap(), now());
    restored.unwrap();
    let old = ("none".to_owned(), "61".to_owned());
    assert_eq!((&started, &after), (&old, &old));
    assert!(changed.0 == other && changed.1 != "61", "{changed:?}");
}

#[test]
fn what_a_number_of_requests_changes_of_the_scheduler_is_back_too() {
    let Some(_machine) = Machine::take() else { return };
    let Some((device, requests, _, other)) = device() else {
        return;
    };
    fs::write(format!("{}/scheduler", device.queue), &other).unwrap();
    let depth = format!("{}/iosched/async_depth", device.queue);
    if fs::write(&depth, "7").is_err() {
        eprintln!("skipped, the scheduler has no async_depth");
        return;
    }
    let now = || fs::read_to_string(&depth).unwrap().trim().to_owned();
    let number = Setting::sysfs(&requests).unwrap();
    let mut guarded = Guarded::start_by(&program(), &[(number.clone(), vec!["64".to_owned()])]).unwrap();
    guarded.set(&number, "64").unwrap();
    guarded.restore().unwrap();
    assert_eq!(now(), "7");
}

#[test]
fn settings_without_a_way_back_are_refused() {
    let Some(machine) = Machine::take() else { return };
    for name in ["kernel.modules_disabled", "kernel.unprivileged_bpf_disabled"] {
        let Ok(setting) = Setting::sysctl(name) else {
            continue;
        };
        let Ok(now) = setting.read() else { continue };
        // Even its present value: nothing is written.
        let error = Guarded::start_by(&program(), &[(setting, vec![now])]).unwrap_err();
        assert!(error.to_string().contains("no way back"), "{error}");
    }
    machine.assert_as_before();
}
