//! `--drop-caches` takes out of memory what clients have prepared, so that they read it from the disk.

use crate::mounted::{as_root, ext4};
use crate::scratch::{Ran, Scratch};
use rbench::output::document::results;
use std::fs;

const SIZE: u64 = 8 << 20;

/// Bytes that the device has read in a run of `seqrd`, and what the run said.
fn read_from_the_disk(option: &str) -> Option<(u64, Ran)> {
    let scratch = Scratch::new();
    let script = format!("\"$0\" -D mounted -c seqrd --set size={SIZE} {option} --output json=result.json 1");
    let ran = as_root(&scratch, &ext4(100, "has_journal"), &script)?;
    let text = fs::read_to_string(scratch.path().join("result.json")).unwrap();
    let result = results(&text).next().unwrap().unwrap();
    Some((result.counters?.devices.first()?.read_bytes, ran))
}

#[test]
fn what_was_prepared_is_read_from_the_disk_after_the_caches_were_dropped() {
    let Some((warm, ran)) = read_from_the_disk("") else {
        return;
    };
    ran.assert_well();
    assert!(
        warm < SIZE / 2,
        "{warm} bytes were read that had just been written"
    );
    let Some((cold, ran)) = read_from_the_disk("--drop-caches") else {
        return;
    };
    ran.assert_well();
    assert!(cold >= SIZE, "{cold} bytes of {SIZE} were read from the disk");
}
