//! What is counted beside a run, on real systems.

use crate::scratch::{LOAD, Scratch, program};
use rbench::measure::clock::Nanos;
use rbench::measure::counters::{Pressure, VmstatMoment};
use rbench::measure::environment;
use rbench::measure::sampler::{Sampled, Sampler};
use regex::Regex;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Writes and reads one file, which costs almost nothing to prepare and to remove.
fn one_file() -> String {
    let mut load = String::from("NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\n");
    for block in 0..32 {
        let offset = block * 65_536;
        load.push_str(&format!("WriteX 1 {offset} 65536 65536 NT_STATUS_OK\n"));
        load.push_str(&format!("ReadX 1 {offset} 65536 65536 NT_STATUS_OK\n"));
    }
    load + "Close 1 NT_STATUS_OK\n"
}

/// Seconds of processor time that the replay used, and that the whole process did.
fn replay_and_whole(time_limit: &str) -> (f64, f64) {
    let scratch = Scratch::in_memory();
    scratch.write(LOAD, &one_file());
    let mut command = Command::new(program());
    command.args(["-c", LOAD, "-t", time_limit, "--warmup", "0", "--counters", "2"]);
    let mut child = command
        .current_dir(scratch.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let (status, whole) = wait(child);
    assert_eq!(status, 0, "{text}");
    let line = Regex::new(r"(?m)^([0-9.]+)user ([0-9.]+)system ").unwrap();
    let found = line.captures(&text).unwrap_or_else(|| panic!("{text}"));
    let seconds = |group: usize| found[group].parse::<f64>().unwrap();
    (seconds(1) + seconds(2), whole)
}

/// Waits as `time` does: the status, and the seconds of processor time that this one child used.
fn wait(child: Child) -> (i32, f64) {
    let mut status = 0;
    // SAFETY: an rusage of zeros is valid.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both are valid for writing; nobody else waits for this child.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut used) };
    assert_eq!(waited, child.id() as i32);
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (status, seconds(used.ru_utime) + seconds(used.ru_stime))
}

#[test]
fn the_replays_processor_time_is_most_of_the_whole_process_and_never_more() {
    let (replay, whole) = replay_and_whole("2");
    assert!(replay <= whole, "{replay} of {whole} s");
    assert!(replay >= 0.7 * whole, "{replay} of {whole} s");
}

/// The full length: `.ci/run` runs it with `--ignored`.
#[test]
#[ignore = "takes 20 s"]
fn over_20_s_the_replays_processor_time_is_at_least_85_percent_of_the_whole_process() {
    let (replay, whole) = replay_and_whole("20");
    assert!(replay <= whole, "{replay} of {whole} s");
    assert!(replay >= 0.85 * whole, "{replay} of {whole} s");
}

/// Writes so that the device and the processors have work.
fn work(directory: &Path, bytes: usize) {
    let mut file = File::create(directory.join("work")).unwrap();
    file.write_all(&vec![1; bytes]).unwrap();
    file.sync_all().unwrap();
}

/// A window with three samples and work before, in and after it.
fn window(directory: &Path, vmstat_every: Option<Duration>) -> Sampled {
    let opened = File::open(directory).unwrap();
    let mut sampler = Sampler::new(opened.as_fd(), vmstat_every);
    sampler.ready();
    let release = Nanos::now();
    sampler.release(release);
    work(directory, 1 << 20);
    sampler.sample(Nanos::now());
    let start = Nanos::now();
    sampler.begin(start);
    for _ in 0..3 {
        work(directory, 1 << 20);
        std::thread::sleep(Duration::from_millis(120));
        sampler.sample(Nanos::now());
    }
    work(directory, 1 << 20);
    sampler.end(Nanos::now());
    sampler.finish()
}

#[test]
fn the_devices_that_are_counted_are_those_that_the_environment_names() {
    let scratch = Scratch::new();
    let opened = File::open(scratch.path()).unwrap();
    let named = environment::collect(Some(opened.as_fd())).identity.devices;
    if named.is_empty() {
        eprintln!("skipped, temporary files are on no block device");
        return;
    }
    let named: Vec<_> = named.into_iter().map(|device| device.name).collect();
    let counted = window(scratch.path(), None).counters.unwrap().devices;
    let counted: Vec<_> = counted.into_iter().map(|device| device.name).collect();
    assert_eq!(counted, named);
}

#[test]
fn the_samples_of_a_real_window_add_up_to_its_totals_exactly() {
    let scratch = Scratch::new();
    let sampled = window(scratch.path(), None);
    let counters = sampled.counters.unwrap();
    // Three and the last; none of the warm-up.
    assert_eq!(sampled.samples.len(), 4);
    let last = sampled.samples.last().unwrap();
    assert_eq!(last.at, counters.usage.elapsed);
    match counters.devices.first() {
        Some(device) => {
            let written = sampled.samples.iter().map(|sample| sample.device_written_bytes);
            assert_eq!(written.sum::<Option<u64>>(), Some(device.written_bytes));
            let read = sampled.samples.iter().map(|sample| sample.device_read_bytes);
            assert_eq!(read.sum::<Option<u64>>(), Some(device.read_bytes));
            assert!(device.written_bytes >= 4 << 20, "{device:?}");
        }
        None => eprintln!("skipped: temporary files are on no block device"),
    }
    match counters.pressure {
        Some(total) => {
            let pressures = sampled.samples.iter().map(|sample| sample.pressure.unwrap());
            let sum = pressures.fold(Pressure::default(), |sum, one| Pressure {
                cpu_some: sum.cpu_some + one.cpu_some,
                memory_some: sum.memory_some + one.memory_some,
                memory_full: sum.memory_full + one.memory_full,
                io_some: sum.io_some + one.io_some,
                io_full: sum.io_full + one.io_full,
            });
            assert_eq!(sum, total);
        }
        None => eprintln!("skipped: the kernel tells no pressure"),
    }
}

#[test]
fn lines_of_vmstat_are_taken_in_the_warm_up_too_and_stand_in_order_of_time() {
    let scratch = Scratch::new();
    let sampled = window(scratch.path(), Some(Duration::from_millis(100)));
    let lines = sampled.counters.unwrap().vmstat;
    let first_and_last = (lines.first().unwrap().moment, lines.last().unwrap().moment);
    assert_eq!(first_and_last, (VmstatMoment::Before, VmstatMoment::After));
    let during = &lines[1..lines.len() - 1];
    assert!(during.len() >= 2, "{lines:?}");
    assert!(during.iter().all(|line| line.moment == VmstatMoment::During));
    assert!(lines.is_sorted_by(|one, next| one.at < next.at), "{lines:?}");
    for line in &lines {
        let percents = line.user_percent
            + line.system_percent
            + line.idle_percent
            + line.wait_percent
            + line.stolen_percent;
        // Each is rounded by itself.
        assert!((97..=103).contains(&percents), "{line:?}");
    }
}

#[test]
fn a_file_system_in_memory_has_no_devices_and_the_rest_is_counted() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        eprintln!("skipped: there is no /dev/shm");
        return;
    };
    let counters = window(directory.path(), None).counters.unwrap();
    assert_eq!(counters.devices, []);
    assert!(counters.dirty_end_bytes.is_some());
    assert!(!counters.processors_busy.is_empty());
    assert!(counters.sampling > Duration::ZERO);
}

#[test]
fn vmstat_lines_come_as_often_as_asked_for() {
    let scratch = Scratch::in_memory();
    let ran = scratch.run(
        &one_file(),
        &["-t", "3", "--warmup", "0", "--vmstat", "500ms", "1"],
    );
    ran.assert_well();
    let form = Regex::new(r"(?m)^( *\d+){17}$").unwrap();
    let lines = form.find_iter(&ran.stdout).count();
    // One before, one after, five between, of which a busy machine can make one late and so miss it; the one at 3 s can
    // come just before the end or not at all. A line a second would make five at most.
    assert!((6..=8).contains(&lines), "{ran}");
    let header = ran.stdout.find("procs ---").unwrap();
    assert!(header < ran.stdout.find("elapsed").unwrap(), "{ran}");
    assert!(ran.last_line().starts_with("Throughput "), "{ran}");
}

#[test]
fn counters_are_not_shown_unless_asked_for_and_the_null_backend_has_none() {
    let scratch = Scratch::in_memory();
    let ran = scratch.run(&one_file(), &["1"]);
    assert!(!ran.assert_well().stdout.contains("elapsed"), "{ran}");
    let ran = scratch.run(&one_file(), &["--backend", "null", "--counters", "1"]);
    assert!(
        ran.assert_well()
            .stdout
            .contains("no counters of the system were read\n"),
        "{ran}"
    );
}

/// Processes that do nothing but compute, ended whatever happens.
struct Others(Vec<Child>);

impl Others {
    fn start() -> Others {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let start = |_| {
            let mut command = Command::new("sh");
            command.args(["-c", "while :; do :; done"]).spawn().unwrap()
        };
        Others((0..processors).map(start).collect())
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn other_processes_that_compute_are_told_of() {
    let scratch = Scratch::in_memory();
    let others = Others::start();
    let ran = scratch.run(&one_file(), &["-t", "1500ms", "--warmup", "0", "1"]);
    drop(others);
    ran.assert_well().assert_says("other processes used ");
}
