//! What a run used, as `time` prints it, and the machine around it, as `vmstat` does; then our own lines. They hold
//! none of the words that programs search dbench's output for.

use super::printable;
use crate::result::{Counters, Device, RunResult, Usage, Vmstat};
use std::time::Duration;

/// Up to so many processors each has its own figure.
const MOST_PROCESSORS: usize = 16;

/// The lines of `--counters`.
pub(super) fn lines(result: &RunResult) -> String {
    let Some(counters) = &result.counters else {
        return "no counters of the system were read\n".to_owned();
    };
    let elapsed = counters.usage.elapsed;
    let mut text = vmstat(&counters.vmstat);
    text.push_str(&time(&counters.usage));
    text.push_str(&context_switches(&counters.usage));
    text.extend(counters.devices.iter().map(|one| device(one, elapsed)));
    text.push_str(&unwritten(counters).unwrap_or_default());
    text.push_str(&pressure(counters).unwrap_or_default());
    text.push_str(&processors(&counters.processors_busy).unwrap_or_default());
    let sampling = counters.sampling.as_secs_f64() * 1000.0;
    text.push_str(&format!(
        "reading counters took {sampling:.3} ms of processor time\n"
    ));
    text
}

/// The default form of GNU time. As there on Linux, which counts none of them, the sizes of text and data and the swaps
/// are 0; figures are cut off, not rounded.
fn time(usage: &Usage) -> String {
    let seconds = |time: Duration| format!("{}.{:02}", time.as_secs(), time.subsec_millis() / 10);
    let (hundredths, whole) = (usage.elapsed.subsec_millis() / 10, usage.elapsed.as_secs());
    let elapsed = if whole >= 3600 {
        format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
    } else {
        format!("{}:{:02}.{hundredths:02}", whole / 60, whole % 60)
    };
    let busy = (usage.user + usage.system).as_millis() * 100;
    let share = busy.checked_div(usage.elapsed.as_millis());
    let share = share.map_or_else(|| "?".to_owned(), |share| share.to_string());
    let (user, system) = (seconds(usage.user), seconds(usage.system));
    format!(
        "{user}user {system}system {elapsed}elapsed {share}%CPU (0avgtext+0avgdata {}maxresident)k\n\
         {}inputs+{}outputs ({}major+{}minor)pagefaults 0swaps\n",
        usage.max_resident_kib, usage.blocks_in, usage.blocks_out, usage.major_faults, usage.minor_faults
    )
}

fn context_switches(usage: &Usage) -> String {
    format!(
        "{} voluntary and {} involuntary context switches\n",
        usage.voluntary_context_switches, usage.involuntary_context_switches
    )
}

/// The form of procps' vmstat.
fn vmstat(lines: &[Vmstat]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n\
         \x20r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n",
    );
    text.extend(lines.iter().map(vmstat_line));
    text
}

fn vmstat_line(line: &Vmstat) -> String {
    format!(
        "{:2} {:2} {:6} {:6} {:6} {:6} {:4} {:4} {:5} {:5} {:4} {:4} {:2} {:2} {:2} {:2} {:2}\n",
        line.running,
        line.blocked,
        line.swapped_kib,
        line.free_kib,
        line.buffers_kib,
        line.cache_kib,
        line.swap_in_kib_per_second,
        line.swap_out_kib_per_second,
        line.blocks_in_kib_per_second,
        line.blocks_out_kib_per_second,
        line.interrupts_per_second,
        line.context_switches_per_second,
        line.user_percent,
        line.system_percent,
        line.idle_percent,
        line.wait_percent,
        line.stolen_percent
    )
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// A share of the window; nothing where that has no length.
fn share(part: Duration, window: Duration) -> Option<String> {
    let window = window.as_secs_f64();
    (window > 0.0).then(|| percent(part.as_secs_f64() / window))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn device(device: &Device, elapsed: Duration) -> String {
    let (read, written) = (megabytes(device.read_bytes), megabytes(device.written_bytes));
    let flushes = device.flushes.map(|flushes| format!("  {flushes} flushes"));
    let busy = share(device.busy, elapsed).map(|busy| format!("  busy {busy}"));
    format!(
        "{}  {} reads {read}  {} writes {written}{}{}\n",
        printable(&device.name),
        device.reads,
        device.writes,
        flushes.unwrap_or_default(),
        busy.unwrap_or_default()
    )
}

/// What had been written and was not on the disk, at the start and end.
fn unwritten(counters: &Counters) -> Option<String> {
    let from_to = |name, start: Option<u64>, end: Option<u64>| {
        Some(format!("{name} {} to {}", megabytes(start?), megabytes(end?)))
    };
    let dirty = from_to("dirty", counters.dirty_start_bytes, counters.dirty_end_bytes);
    let writeback = from_to(
        "writeback",
        counters.writeback_start_bytes,
        counters.writeback_end_bytes,
    );
    let told: Vec<String> = dirty.into_iter().chain(writeback).collect();
    (!told.is_empty()).then(|| told.join("  ") + "\n")
}

/// Shares of the window in which tasks were stalled.
fn pressure(counters: &Counters) -> Option<String> {
    let pressure = counters.pressure.as_ref()?;
    let of = |stalled| share(stalled, counters.usage.elapsed);
    Some(format!(
        "pressure  cpu some {}  memory some {} full {}  io some {} full {}\n",
        of(pressure.cpu_some)?,
        of(pressure.memory_some)?,
        of(pressure.memory_full)?,
        of(pressure.io_some)?,
        of(pressure.io_full)?
    ))
}

fn processors(busy: &[f64]) -> Option<String> {
    let least = busy.iter().copied().reduce(f64::min)?;
    let most = busy.iter().copied().reduce(f64::max)?;
    let mean = busy.iter().sum::<f64>() / busy.len() as f64;
    if busy.len() > MOST_PROCESSORS {
        let (least, mean, most) = (percent(least), percent(mean), percent(most));
        return Some(format!(
            "processors busy  least {least}  mean {mean}  most {most}\n"
        ));
    }
    let each: Vec<String> = busy.iter().map(|&share| percent(share)).collect();
    Some(format!("processors busy  {}\n", each.join("  ")))
}
