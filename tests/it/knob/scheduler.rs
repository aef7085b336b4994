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

#[test]
fn a_scheduler_is_back_with_what_the_kernel_changes_along_with_it() {
    let Some(_machine) = Machine::take() else { return };
    let Some((device, other)) = unused_device() else {
        eprintln!("skipped, there is no unused loop device with another scheduler");
        return;
    };
    let requests = format!("/sys/block/{device}/queue/nr_requests");
    let _device = Device {
        queue: format!("/sys/block/{device}/queue"),
        requests: fs::read_to_string(&requests).unwrap(),
    };
    if fs::write(&requests, "61").is_err() {
        eprintln!("skipped, {requests} cannot be changed");
        return;
    }
    let scheduler = Setting::sysfs(&format!("block/{device}/queue/scheduler")).unwrap();
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
