//! What was not on the disk yet when a run ended, and what it takes to bring it there.

use crate::measure::clock::Nanos;
use crate::measure::sampler::Memory;
use crate::result::{Durability, End, FinalSync, RunResult, Warning};
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::sys::statfs::{FsType, TMPFS_MAGIC, fstatfs};
use std::os::fd::BorrowedFd;

/// Of linux/magic.h; neither nix nor libc has it.
const RAMFS_MAGIC: FsType = FsType(0x8584_58f6);

/// Dirty and being written back on the whole machine when the measured window ended, bytes: as the counters have it,
/// since the kernel goes on writing. None where it does not tell.
fn unwritten(result: &RunResult) -> Option<u64> {
    let counted = result.counters.as_ref().and_then(|counters| {
        counters
            .dirty_end_bytes?
            .checked_add(counters.writeback_end_bytes?)
    });
    counted.or_else(|| Memory::now().unwritten_bytes())
}

/// Whether there is anything to bring to a disk: a file system in memory has none.
fn has_disk(directory: BorrowedFd<'_>) -> bool {
    let in_memory = |kind: FsType| kind == TMPFS_MAGIC || kind == RAMFS_MAGIC;
    !fstatfs(directory).is_ok_and(|about| in_memory(about.filesystem_type()))
}

/// Adds to a result what was dirty at its end, and brings it to the disk if `sync` says so. To be called right after the
/// clients have ended.
pub fn finish(result: &mut RunResult, directory: BorrowedFd<'_>, sync: bool) {
    let in_memory = !has_disk(directory);
    if in_memory && !sync {
        return;
    }
    let unwritten_bytes = unwritten(result).filter(|_| !in_memory);
    let sync = sync && result.end == End::Completed;
    let final_sync = sync.then(|| final_sync(result, directory));
    if let (Some(Err(errno)), End::Completed) = (&final_sync, &result.end) {
        result.end = End::Failed(format!(
            "the final sync failed: {} ({errno:?}): what was written is not safe on the disk",
            errno.desc()
        ));
    }
    let final_sync = final_sync.and_then(Result::ok);
    result
        .warnings
        .extend(warning(result, unwritten_bytes, final_sync));
    result.durability = Some(Durability {
        unwritten_bytes,
        final_sync,
    });
}

/// syncfs(2) of the file system, timed.
fn final_sync(result: &RunResult, directory: BorrowedFd<'_>) -> nix::Result<FinalSync> {
    // (The directory's own descriptor may be one that only names it.)
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let file = openat(directory, ".", flags, Mode::empty())?;
    let start = Nanos::now();
    nix::unistd::syncfs(&file)?;
    let took = Nanos::now().duration_since(start);
    let elapsed = result.elapsed.as_secs_f64();
    let share = if elapsed > 0.0 {
        elapsed / (elapsed + took.as_secs_f64())
    } else {
        0.0
    };
    Ok(FinalSync {
        took,
        bytes_per_second_with_sync: result.bytes_per_second * share,
    })
}

/// A warning when more than half of what was written had not reached the disk.
fn warning(
    result: &RunResult,
    unwritten_bytes: Option<u64>,
    final_sync: Option<FinalSync>,
) -> Option<Warning> {
    let unwritten_bytes = unwritten_bytes?;
    let much = unwritten_bytes > result.bytes_written / 2 && result.bytes_written > 0;
    (much && final_sync.is_none() && result.end == End::Completed).then_some(Warning::Unwritten {
        unwritten_bytes,
        written_bytes: result.bytes_written,
    })
}
