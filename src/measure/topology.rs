//! Which processors share a package or a core, as /sys tells.

use super::system::System;
use std::path::PathBuf;

/// A processor: what the kernel schedules a thread on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Processor {
    /// Of the socket.
    pub package: u64,
    /// Of the part of the package, and of the core in it: cores of two dies may have the same number.
    pub core: (u64, u64),
    /// The kernel's.
    pub number: u32,
}

/// Where these processors are. Of a processor that /sys tells nothing of, each is a core of its own in one package.
pub fn processors(numbers: &[u32]) -> Vec<Processor> {
    of(&System::here(), numbers)
}

/// The processors that are switched on; empty where /sys does not tell.
pub fn online() -> Vec<u32> {
    let text = System::here().text("/sys/devices/system/cpu/online");
    text.and_then(|text| numbers(&text)).unwrap_or_default()
}

/// A list as the kernel writes it: `0,2-3`.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(first.parse::<u32>().ok()?..=last.parse().ok()?);
    }
    Some(numbers)
}

fn of(system: &System, numbers: &[u32]) -> Vec<Processor> {
    let place = |&number: &u32| {
        let directory = PathBuf::from(format!("/sys/devices/system/cpu/cpu{number}/topology"));
        // A package that is not known has the number -1 there.
        let told = |file: &str| system.number(directory.join(file));
        let core = told("core_id");
        Processor {
            package: told("physical_package_id").unwrap_or(0),
            core: (
                core.and(told("die_id")).unwrap_or(0),
                core.unwrap_or(u64::from(number)),
            ),
            number,
        }
    };
    numbers.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::system::made_up::Machine;
    use super::*;

    #[test]
    fn a_list_of_processors_is_read_as_the_kernel_writes_it() {
        assert_eq!(numbers("0,2-4"), Some(vec![0, 2, 3, 4]));
        assert_eq!(numbers("x"), None);
    }

    #[test]
    fn packages_and_cores_are_those_of_sys() {
        let file = |name: &str| format!("sys/devices/system/cpu/cpu3/topology/{name}");
        let machine = Machine::new(&[
            (&file("physical_package_id"), "1\n"),
            (&file("core_id"), "5\n"),
            (&file("die_id"), "2\n"),
        ]);
        let found = of(&machine.system, &[3]);
        let expected = Processor {
            package: 1,
            core: (2, 5),
            number: 3,
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn processors_that_sys_tells_nothing_of_are_cores_in_the_order_of_their_numbers() {
        let machine = Machine::new(&[("sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1\n")]);
        let mut found = of(&machine.system, &[2, 0, 1]);
        found.sort();
        assert!(found.iter().all(|one| one.package == 0));
        let numbers: Vec<u32> = found.iter().map(|one| one.number).collect();
        assert_eq!(numbers, [0, 1, 2]);
    }
}
