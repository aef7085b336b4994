//! Bytes written, against /proc/diskstats and the load itself: on an ext4 of its own, on a loop device, in a mount
//! namespace that ends with the test (and with it the mount and the loop device).

use crate::mounted::{as_root, ext4};
use crate::scratch::{LOAD, Scratch};
use regex::Regex;

const MEGABYTE: f64 = 1e6;
const WRITES: u64 = 128;

/// What the load writes, of which each write is synced.
const LOAD_BYTES: f64 = (WRITES << 20) as f64;

fn load() -> String {
    let mut load = String::from("NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\n");
    for write in 0..WRITES {
        let offset = write << 20;
        load.push_str(&format!("WriteX 1 {offset} 1048576 1048576 NT_STATUS_OK\n"));
    }
    load + "Close 1 NT_STATUS_OK\n"
}

/// Bytes written, by who says so.
#[derive(Debug)]
struct Written {
    /// The first of the run's devices.
    device: f64,
    /// The process's blocks out.
    process: f64,
    /// /proc/diskstats before and after.
    diskstats: f64,
}

/// Runs the load on a fresh ext4. None, with a message, where there can be none.
fn written(features: &str) -> Option<Written> {
    let scratch = Scratch::new();
    scratch.write(LOAD, &load());
    let script = format!(
        "sync -f mounted; cat /proc/diskstats >before; \
         \"$0\" -D mounted -c {LOAD} -F --skip-cleanup --counters 1; code=$?; cat /proc/diskstats >after; exit $code"
    );
    let ran = as_root(&scratch, &ext4(400, features), &script)?;
    ran.assert_code(0);
    let stdout = ran.stdout;
    let device = Regex::new(r"(?m)^(loop\d+)  .* writes ([0-9.]+) MB").unwrap();
    let device = device.captures(&stdout).unwrap_or_else(|| panic!("{stdout}"));
    let outputs = Regex::new(r"\+(\d+)outputs").unwrap();
    let outputs = outputs.captures(&stdout).unwrap_or_else(|| panic!("{stdout}"));
    let sectors = |file: &str| {
        let text = std::fs::read_to_string(scratch.path().join(file)).unwrap();
        let mut lines = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let line = lines.find(|fields| fields[2] == &device[1]).unwrap();
        line[9].parse::<f64>().unwrap()
    };
    Some(Written {
        device: device[2].parse::<f64>().unwrap() * MEGABYTE,
        process: outputs[1].parse::<f64>().unwrap() * 512.0,
        diskstats: (sectors("after") - sectors("before")) * 512.0,
    })
}

/// Within a tenth.
fn assert_close(one: f64, other: f64, written: &Written) {
    assert!((one / other - 1.0).abs() <= 0.1, "{one} and {other}: {written:?}");
}

fn assert_all_agree(features: &str) {
    let Some(written) = written(features) else {
        return;
    };
    eprintln!("{features}: {written:?} of {LOAD_BYTES}");
    assert_close(written.device, written.diskstats, &written);
    assert_close(written.device, LOAD_BYTES, &written);
    assert_close(written.process, written.diskstats, &written);
}

#[test]
fn written_bytes_agree_with_diskstats_and_the_load_on_ext4() {
    assert_all_agree("has_journal");
}

#[test]
fn written_bytes_agree_with_diskstats_and_the_load_on_ext4_without_a_journal() {
    assert_all_agree("^has_journal");
}
