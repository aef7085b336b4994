//! Which processor each client is bound to.

use super::pin::Pin;
use crate::measure::topology::{Processor, processors};
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Why clients cannot be bound as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    #[error(
        "--pin: this process may not run on processor {processor}, or there is none: it may run on {allowed} (see taskset(1), and the control group's cpuset)"
    )]
    NotAllowed { processor: u32, allowed: String },
    #[error(
        "--pin: the processors that this process may use cannot be read (sched_getaffinity: {}): leave --pin out",
        errno.desc()
    )]
    Unknown { errno: Errno },
}

impl Pin {
    /// The processor of each client; empty where clients are not bound.
    ///
    /// With P processors, client i of n:
    /// - `compact`: processors in the order of package, core, number, so that the siblings of a core follow one another.
    ///   Client i is on number i of these; where n > P on number i*P/n (rounded down), so that consecutive clients share.
    /// - `spread`: the first sibling of the first core of each package, of the second core of each package, and so on, then
    ///   the second siblings in the same order. Client i is on number i modulo P of these.
    /// - a list: client i is on number i modulo the list's length of it.
    ///
    /// # Errors
    /// A list names a processor that this process may not use.
    pub fn assigned(&self, clients: u32) -> Result<Vec<u32>, PinError> {
        if *self == Pin::None {
            return Ok(Vec::new());
        }
        assign(self, clients, &processors(&allowed()?))
    }

    /// On how many processors clients run, where the process may use so many.
    pub(super) fn width(&self, processors: usize) -> usize {
        match self {
            Pin::List(list) => {
                let mut list = list.clone();
                list.sort_unstable();
                list.dedup();
                list.len().max(1)
            }
            _ => processors,
        }
    }
}

/// The processors that the calling thread may use, in order.
fn allowed() -> Result<Vec<u32>, PinError> {
    let set = sched_getaffinity(Pid::from_raw(0)).map_err(|errno| PinError::Unknown { errno })?;
    let numbers = 0..CpuSet::count();
    let allowed = numbers.filter(|&number| set.is_set(number).unwrap_or(false));
    Ok(allowed.filter_map(|number| u32::try_from(number).ok()).collect())
}

/// The processor of each of `clients` clients, of those that may be used.
fn assign(pin: &Pin, clients: u32, allowed: &[Processor]) -> Result<Vec<u32>, PinError> {
    let order = match pin {
        Pin::None => return Ok(Vec::new()),
        Pin::Spread => spread(allowed),
        Pin::Compact => compact(allowed),
        Pin::List(list) => {
            let is_allowed = |number: &u32| allowed.iter().any(|one| one.number == *number);
            match list.iter().find(|number| !is_allowed(number)) {
                None => list.clone(),
                Some(&processor) => {
                    let allowed = shown(allowed);
                    return Err(PinError::NotAllowed { processor, allowed });
                }
            }
        }
    };
    let count = order.len().max(1) as u64;
    let place = |client: u32| match pin {
        Pin::Compact if u64::from(clients) > count => u64::from(client) * count / u64::from(clients),
        _ => u64::from(client) % count,
    };
    let assigned = (0..clients).filter_map(|client| order.get(place(client) as usize).copied());
    Ok(assigned.collect())
}

fn compact(allowed: &[Processor]) -> Vec<u32> {
    let mut sorted = allowed.to_vec();
    sorted.sort();
    sorted.iter().map(|one| one.number).collect()
}

fn spread(allowed: &[Processor]) -> Vec<u32> {
    let mut sorted = allowed.to_vec();
    sorted.sort();
    // Of each the number among the siblings of its core, and of the core in its package.
    let mut placed: Vec<(usize, usize, u64, u32)> = Vec::with_capacity(sorted.len());
    let (mut sibling, mut core) = (0, 0);
    for (index, one) in sorted.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| sorted.get(before));
        (sibling, core) = match before {
            Some(before) if before.package != one.package => (0, 0),
            Some(before) if before.core != one.core => (0, core + 1),
            Some(_) => (sibling + 1, core),
            None => (0, 0),
        };
        placed.push((sibling, core, one.package, one.number));
    }
    placed.sort_unstable();
    placed.into_iter().map(|(.., number)| number).collect()
}

/// As the kernel writes lists of processors: `0,2-3`.
fn shown(allowed: &[Processor]) -> String {
    let mut numbers: Vec<u32> = allowed.iter().map(|one| one.number).collect();
    numbers.sort_unstable();
    let parts = numbers.chunk_by(|one, next| one + 1 == *next);
    let parts: Vec<String> = parts
        .filter_map(|part| match part {
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first}-{last}")),
            [] => None,
        })
        .collect();
    parts.join(",")
}

/// Binds the calling thread.
///
/// # Errors
/// The processor has gone, or is not this process's any more.
pub(super) fn bind(processor: u32) -> nix::Result<()> {
    let mut set = CpuSet::new();
    set.set(processor as usize)?;
    sched_setaffinity(Pid::from_raw(0), &set)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages of two cores of two threads, numbered as x86 firmware does: siblings are 4 apart.
    fn eight() -> Vec<Processor> {
        let place = |number: u32| Processor {
            package: u64::from(number % 4 / 2),
            core: (0, u64::from(number % 2)),
            number,
        };
        (0..8).map(place).collect()
    }

    fn assigned(pin: &Pin, clients: u32) -> Vec<u32> {
        assign(pin, clients, &eight()).unwrap()
    }

    #[test]
    fn compact_fills_the_siblings_of_a_core_then_the_next_core_then_the_next_package() {
        assert_eq!(assigned(&Pin::Compact, 8), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(assigned(&Pin::Compact, 3), [0, 4, 1]);
    }

    #[test]
    fn compact_lets_consecutive_clients_share_where_there_are_more_than_processors() {
        let sixteen = assigned(&Pin::Compact, 16);
        assert_eq!(sixteen, [0, 0, 4, 4, 1, 1, 5, 5, 2, 2, 6, 6, 3, 3, 7, 7]);
        assert_eq!(assigned(&Pin::Compact, 9), [0, 0, 4, 1, 5, 2, 6, 3, 7]);
    }

    #[test]
    fn spread_alternates_packages_then_cores_then_siblings_and_starts_again() {
        let expected = [0, 2, 1, 3, 4, 6, 5, 7];
        assert_eq!(assigned(&Pin::Spread, 8), expected);
        assert_eq!(assigned(&Pin::Spread, 10)[8..], expected[..2]);
    }

    #[test]
    fn packages_of_different_sizes_are_spread_over_as_far_as_they_go() {
        let mut three = eight();
        three.retain(|one| [0, 2, 6].contains(&one.number));
        assert_eq!(assign(&Pin::Spread, 4, &three).unwrap(), [0, 2, 6, 0]);
    }

    #[test]
    fn a_list_is_dealt_out_in_its_own_order() {
        assert_eq!(assigned(&Pin::List(vec![5, 2]), 3), [5, 2, 5]);
        assert!(assigned(&Pin::None, 3).is_empty());
    }

    #[test]
    fn a_processor_that_may_not_be_used_is_refused_with_those_that_may() {
        let mut five = eight();
        five.retain(|one| one.number != 3 && one.number < 6);
        let error = assign(&Pin::List(vec![0, 7]), 1, &five).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("processor 7") && text.contains("0-2,4-5"), "{text}");
    }
}
