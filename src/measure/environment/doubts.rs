//! What of the environment makes a result doubtful.

use super::types::ContainerLimits;
use crate::warning::Warning;

/// Above this share in use, free space is scattered and file systems search longer for it.
const NEARLY_FULL: f64 = 0.85;

/// The governor that leaves the frequency alone.
const STEADY_GOVERNOR: &str = "performance";

/// The share in use of what an unprivileged user may use, as df(1) counts; none where the file system says nothing.
/// Blocks in all, free ones, and those free for all users.
pub(super) fn fill_level(blocks: u64, free: u64, available: u64) -> Option<f64> {
    let used = blocks.checked_sub(free)?;
    let usable = used
        .checked_add(available)
        .filter(|&usable| blocks > 0 && usable > 0)?;
    Some(used as f64 / usable as f64)
}

pub(super) fn nearly_full(fill_level: Option<f64>) -> Option<Warning> {
    let fill_level = fill_level.filter(|&level| level > NEARLY_FULL)?;
    Some(Warning::NearlyFull { fill_level })
}

/// Of all processors; one that may change its frequency is enough.
pub(super) fn governor(governors: &[String]) -> Option<Warning> {
    let governor = governors.iter().find(|governor| *governor != STEADY_GOVERNOR)?;
    Some(Warning::Governor {
        governor: governor.clone(),
    })
}

/// Only limits that are less than what the machine has.
pub(super) fn container_limit(
    limits: Option<&ContainerLimits>,
    machine_memory_bytes: Option<u64>,
    processors_online: Option<u64>,
) -> Option<Warning> {
    let ContainerLimits {
        memory_bytes,
        processors,
        io,
    } = limits?;
    let mut what = Vec::new();
    if let Some(bytes) = memory_bytes
        && machine_memory_bytes.is_none_or(|machine| *bytes < machine)
    {
        what.push(format!("memory to {:.1} MB", *bytes as f64 / 1e6));
    }
    if let Some(share) = processors
        && processors_online.is_none_or(|online| *share < online as f64)
    {
        let noun = if *share == 1.0 { "processor" } else { "processors" };
        what.push(format!("processor time to {share} {noun}"));
    }
    if !io.is_empty() {
        what.push(format!("I/O ({})", io.join("; ")));
    }
    let last = what.pop()?;
    let what = if what.is_empty() {
        last
    } else {
        format!("{} and {last}", what.join(", "))
    };
    Some(Warning::ContainerLimit { what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_counts_what_users_may_use() {
        assert_eq!(fill_level(100, 50, 50), Some(0.5));
        assert_eq!(fill_level(100, 55, 50), Some(45.0 / 95.0), "5 are kept for root");
        assert_eq!(fill_level(100, 5, 0), Some(1.0));
        assert_eq!(fill_level(100, 100, 100), Some(0.0));
        for nothing in [
            (0, 0, 0),
            (0, 0, 5),
            (100, 100, 0),
            (100, 200, 1),
            (u64::MAX, 0, 1),
        ] {
            assert_eq!(fill_level(nothing.0, nothing.1, nothing.2), None);
        }
    }

    #[test]
    fn only_above_85_percent_is_nearly_full() {
        assert_eq!(
            nearly_full(Some(0.86)),
            Some(Warning::NearlyFull { fill_level: 0.86 })
        );
        assert_eq!(nearly_full(Some(0.85)), None);
        assert_eq!(nearly_full(None), None);
    }

    #[test]
    fn one_processor_whose_frequency_may_change_is_enough() {
        let warned = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
            governor(&names)
        };
        assert_eq!(warned(&[]), None);
        assert_eq!(warned(&["performance", "performance"]), None);
        let powersave = Some(Warning::Governor {
            governor: "powersave".into(),
        });
        assert_eq!(warned(&["performance", "powersave"]), powersave);
    }

    fn limited(memory_bytes: Option<u64>, processors: Option<f64>, io: &[&str]) -> Option<String> {
        let limits = ContainerLimits {
            memory_bytes,
            processors,
            io: io.iter().map(|&line| line.to_owned()).collect(),
        };
        match container_limit(Some(&limits), Some(8_000_000_000), Some(4)) {
            Some(Warning::ContainerLimit { what }) => Some(what),
            other => other.map(|warning| warning.to_string()),
        }
    }

    #[test]
    fn limits_that_are_less_than_the_machine_are_told_together() {
        assert_eq!(
            limited(Some(512_000_000), None, &[]).as_deref(),
            Some("memory to 512.0 MB")
        );
        assert_eq!(
            limited(Some(512_000_000), Some(1.5), &["8:0 wbps=1"]).as_deref(),
            Some("memory to 512.0 MB, processor time to 1.5 processors and I/O (8:0 wbps=1)")
        );
        assert_eq!(
            limited(None, Some(1.0), &[]).as_deref(),
            Some("processor time to 1 processor")
        );
    }

    #[test]
    fn limits_that_the_machine_does_not_reach_are_none() {
        assert_eq!(limited(Some(8_000_000_000), Some(4.0), &[]), None);
        assert_eq!(container_limit(None, Some(1), Some(1)), None);
    }
}
