//! Processor time of the kernel's own threads, which do what others have begun: write back, encrypt, check.

use std::collections::BTreeMap;
use std::fs;

/// PF_KTHREAD of include/linux/sched.h, in the flags that /proc/PID/stat tells.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// Beyond so many threads, reading them would take longer than the answer is worth.
const MOST: usize = 10_000;

/// Ticks that each kernel thread has run, by its number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelThreads {
    ticks: BTreeMap<u32, u64>,
}

impl KernelThreads {
    /// Reads them. None where they cannot be seen: in a container, or with `hidepid`.
    pub fn read() -> Option<KernelThreads> {
        // The parent of all others.
        kernel_ticks(&stat(2)?)?;
        let numbers = match fs::read_to_string("/proc/2/task/2/children") {
            Ok(children) => children
                .split_ascii_whitespace()
                .filter_map(|number| number.parse().ok())
                .collect(),
            // Not every kernel tells a task's children.
            Err(_) => all_processes()?,
        };
        if numbers.len() > MOST {
            return None;
        }
        let ticks = |number: u32| Some((number, kernel_ticks(&stat(number)?)?));
        Some(KernelThreads {
            ticks: numbers.into_iter().filter_map(ticks).collect(),
        })
    }

    /// Ticks that they have run since an earlier reading. What a thread did before it ended between the two is lost:
    /// idle ones are kept for minutes.
    pub fn since(&self, earlier: &KernelThreads) -> u64 {
        let one = |(number, ticks): (&u32, &u64)| {
            ticks.saturating_sub(earlier.ticks.get(number).copied().unwrap_or(0))
        };
        self.ticks.iter().map(one).fold(0, u64::saturating_add)
    }
}

fn all_processes() -> Option<Vec<u32>> {
    let entries = fs::read_dir("/proc").ok()?;
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    Some(entries.flatten().filter_map(number).collect())
}

fn stat(number: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{number}/stat")).ok()
}

/// User and system ticks from the text of /proc/PID/stat (proc(5)), if it is a kernel thread's.
fn kernel_ticks(stat: &str) -> Option<u64> {
    // The name, in brackets, can hold anything.
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_ascii_whitespace().skip(6);
    let flags: u64 = fields.next()?.parse().ok()?;
    let mut times = fields.skip(4);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    (flags & KERNEL_THREAD != 0).then(|| user.saturating_add(system))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_kernel_thread_has_ticks_and_its_name_does_not_confuse() {
        let thread = "123 (kworker/u8:1) 2 (x) S 2 0 0 0 -1 69238880 1 2 3 4 7 35 0 0 20 0 1 0 50 0 0";
        assert_eq!(kernel_ticks(thread), Some(42));
        let process = "123 (cat) S 2 0 0 0 -1 4194560 1 2 3 4 7 35 0 0 20 0 1 0 50 0 0";
        assert_eq!(kernel_ticks(process), None);
        for odd in [
            "",
            "1",
            "1 (x)",
            "1 (x) S 2 0 0 0 -1",
            "1 (x) S 2 0 0 0 -1 69238880 1 2 3 4 7",
        ] {
            assert_eq!(kernel_ticks(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn threads_that_came_count_whole_and_those_that_went_do_not_count() {
        let threads = |list: &[(u32, u64)]| KernelThreads {
            ticks: list.iter().copied().collect(),
        };
        let earlier = threads(&[(3, 10), (4, 5), (5, 8)]);
        let now = threads(&[(3, 17), (5, 2), (9, 4)]);
        assert_eq!(now.since(&earlier), 11);
    }
}
