//! `--final-sync`, and what is told of data that are not on the disk yet.

use crate::scratch::Scratch;
use rbench::result::Warning;
use std::time::Duration;

/// Writes 16 MiB and keeps them.
const WRITES: &str = "NTCreateX \"\\f\" 0x0 0x2 1 NT_STATUS_OK\nLOOP 16\n\
                      WriteX 1 +1048576 1048576 1048576 NT_STATUS_OK\nENDLOOP\nClose 1 NT_STATUS_OK\n";

/// A scratch directory on a disk; None, with words, where there is none.
fn on_disk() -> Option<Scratch> {
    let scratch = Scratch::new();
    let about = nix::sys::statfs::statfs(scratch.path()).unwrap();
    if about.filesystem_type() == nix::sys::statfs::TMPFS_MAGIC {
        eprintln!("skipped, the directory for temporary files is in memory");
        return None;
    }
    Some(scratch)
}

#[test]
fn a_final_sync_is_timed_and_lowers_the_throughput_by_its_time() {
    let Some(scratch) = on_disk() else { return };
    let result = scratch.execute(WRITES, |plan| plan.measurement.final_sync = true);
    let sync = result.durability.unwrap().final_sync.unwrap();
    assert!(sync.took > Duration::ZERO);
    let elapsed = result.elapsed.as_secs_f64();
    let with_sync = result.bytes_written as f64 / (elapsed + sync.took.as_secs_f64());
    assert!(
        (sync.bytes_per_second_with_sync / with_sync - 1.0).abs() < 1e-6,
        "{sync:?} {with_sync}"
    );
    assert!(sync.bytes_per_second_with_sync < result.bytes_per_second);
    assert!(
        !result
            .warnings
            .iter()
            .any(|warning| matches!(warning, Warning::Unwritten { .. }))
    );
}

#[test]
fn without_a_final_sync_what_is_not_on_the_disk_yet_is_told() {
    let Some(scratch) = on_disk() else { return };
    let durability = scratch.execute(WRITES, |_| {}).durability.unwrap();
    assert!(durability.unwritten_bytes.is_some());
    assert_eq!(durability.final_sync, None);
    let ran = scratch.run(WRITES, &["1"]);
    assert!(
        ran.stdout.contains(" MB not on the disk yet at the end\n"),
        "{ran}"
    );
    let ran = scratch.run(WRITES, &["1", "--final-sync"]);
    assert!(
        ran.stdout.contains(" MB/sec with the final sync, which took "),
        "{ran}"
    );
}

#[test]
fn a_file_system_in_memory_has_nothing_to_bring_to_a_disk() {
    let scratch = Scratch::in_memory();
    let about = nix::sys::statfs::statfs(scratch.path()).unwrap();
    if about.filesystem_type() != nix::sys::statfs::TMPFS_MAGIC {
        eprintln!("skipped, there is no tmpfs to write to");
        return;
    }
    assert_eq!(scratch.execute(WRITES, |_| {}).durability, None);
    // A sync that is asked for is made all the same.
    let result = scratch.execute(WRITES, |plan| plan.measurement.final_sync = true);
    let durability = result.durability.unwrap();
    assert_eq!(durability.unwritten_bytes, None);
    assert!(durability.final_sync.is_some());
}
