//! Our own lines before the table. They hold none of the words that programs search dbench's output for.

use crate::result::RunResult;
use crate::units::{General, Grouped, megabytes, milliseconds};

/// Operations per second, of these the metadata ones, and with several clients the least and most that one did.
/// Absent when no client has measured time.
pub(super) fn line(result: &RunResult) -> Option<String> {
    let rate = result.operations_per_second()?;
    let metadata = result.metadata_operations_per_second()?;
    let spread = spread(result).unwrap_or_default();
    Some(format!(
        "{rate:.1} operations/sec  {metadata:.1} metadata operations/sec{spread}\n"
    ))
}

/// Least and most operations of any client: shows that none starved.
fn spread(result: &RunResult) -> Option<String> {
    if result.per_client.len() < 2 {
        return None;
    }
    let operations = || result.per_client.iter().map(|client| client.operations);
    let (least, most) = (operations().min()?, operations().max()?);
    Some(format!("  {least} to {most} operations by each client"))
}

/// How many outcomes were checked and differed: a figure counts for little where the file system did other work.
pub(super) fn outcomes(result: &RunResult) -> Option<String> {
    let (checked, differed) = (result.outcomes.checked, result.outcomes.differed);
    (checked > 0).then(|| format!("{differed} of {checked} checked outcomes differ from the trace\n"))
}

/// `--verify`: how many reads were checked and differed.
pub(super) fn verification(result: &RunResult) -> Option<String> {
    let verification = result.verification.as_ref()?;
    let corrupt = Grouped(verification.corrupt_reads);
    let (reads, bytes) = (
        Grouped(verification.reads_checked),
        Grouped(verification.bytes_checked),
    );
    Some(format!(
        "{corrupt} of {reads} verified reads differ from what was written ({bytes} bytes checked)\n"
    ))
}

/// How late operations with a due time started.
pub(super) fn lag(result: &RunResult) -> Option<String> {
    let lag = result.lag.as_ref()?;
    let late = |quantile| Some(milliseconds(lag.percentile(quantile)?));
    let (median, high, max) = (late(0.5)?, late(0.99)?, late(1.0)?);
    Some(format!(
        "lag behind due times  P50 {median:.3} ms  P99 {high:.3} ms  max {max:.3} ms\n"
    ))
}

/// What was on the disk at the end, or what it took to bring all there.
pub(super) fn durability(result: &RunResult) -> Option<String> {
    let durability = result.durability.filter(|_| result.bytes_written > 0)?;
    if let Some(sync) = durability.final_sync {
        let rate = General(megabytes(sync.bytes_per_second_with_sync));
        let seconds = sync.took.as_secs_f64();
        return Some(format!(
            "{rate} MB/sec with the final sync, which took {seconds:.3} s\n"
        ));
    }
    let unwritten = megabytes(durability.unwritten_bytes? as f64);
    Some(format!("{unwritten:.1} MB not on the disk yet at the end\n"))
}

/// `--completions`: where requests to the block device ended.
pub(super) fn completions(result: &RunResult) -> Option<String> {
    let completions = result.completions?;
    let (local, remote) = (completions.local_per_second()?, completions.remote_per_second()?);
    let lost = match completions.lost {
        0 => String::new(),
        lost => format!("  {} records lost", Grouped(lost)),
    };
    Some(format!(
        "completions  {local:.1}/s local  {remote:.1}/s remote{lost}\n"
    ))
}
