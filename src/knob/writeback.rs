//! How the kernel reads the limits of writeback.

use super::setting::Setting;
use crate::warning::Warning;

/// A limit of what may be dirty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirtyLimit {
    /// Percent of the memory that may be dirty.
    Percent(u64),
    Bytes(u64),
}

/// Whether writeback in the background would start only where writers have to wait already: then the kernel starts it
/// at half of that (domain_dirty_limits in mm/page-writeback.c). None where one is in percent and the other in bytes:
/// that depends on how much memory is free.
fn background_not_below(background: DirtyLimit, limit: DirtyLimit) -> Option<bool> {
    match (background, limit) {
        (DirtyLimit::Percent(background), DirtyLimit::Percent(limit))
        | (DirtyLimit::Bytes(background), DirtyLimit::Bytes(limit)) => Some(background >= limit),
        _ => None,
    }
}

/// A doubt about what is measured with the present limits of writeback.
pub fn writeback_doubt() -> Option<Warning> {
    let background = limit("vm.dirty_background_ratio", "vm.dirty_background_bytes")?;
    doubt(background, limit("vm.dirty_ratio", "vm.dirty_bytes")?)
}

fn doubt(background: DirtyLimit, limit: DirtyLimit) -> Option<Warning> {
    if background_not_below(background, limit) != Some(true) {
        return None;
    }
    let parts = |limit| match limit {
        DirtyLimit::Percent(percent) => (percent, "percent"),
        DirtyLimit::Bytes(bytes) => (bytes, "bytes"),
    };
    let ((background, unit), (limit, _)) = (parts(background), parts(limit));
    let unit = unit.into();
    Some(Warning::BackgroundNotBelow {
        background,
        limit,
        unit,
    })
}

/// The limit that holds: the one in bytes where it is not 0.
fn limit(percent: &str, bytes: &str) -> Option<DirtyLimit> {
    let number = |name| Setting::sysctl(name).ok()?.read().ok()?.parse::<u64>().ok();
    match number(bytes) {
        Some(bytes) if bytes > 0 => Some(DirtyLimit::Bytes(bytes)),
        _ => number(percent).map(DirtyLimit::Percent),
    }
}

#[cfg(test)]
mod tests {
    use super::DirtyLimit::{Bytes, Percent};
    use super::*;

    #[test]
    fn background_must_be_below_the_limit_of_the_same_unit() {
        assert_eq!(background_not_below(Percent(60), Percent(60)), Some(true));
        assert_eq!(background_not_below(Percent(90), Percent(60)), Some(true));
        assert_eq!(background_not_below(Percent(59), Percent(60)), Some(false));
        assert_eq!(background_not_below(Bytes(1 << 30), Bytes(1 << 20)), Some(true));
        assert_eq!(background_not_below(Percent(90), Bytes(1)), None);
        assert_eq!(background_not_below(Bytes(u64::MAX), Percent(1)), None);
    }

    #[test]
    fn the_doubt_says_what_the_kernel_does_and_what_to_do() {
        assert_eq!(doubt(Percent(59), Percent(60)), None);
        assert_eq!(doubt(Percent(90), Bytes(1)), None);
        let text = doubt(Percent(90), Percent(60)).unwrap().to_string();
        assert!(
            text.contains("start at 90 percent, which is not below the 60 percent"),
            "{text}"
        );
        assert!(
            text.contains("at half of that; set vm.dirty_background_* below"),
            "{text}"
        );
    }

    #[test]
    fn the_present_limits_can_be_read() {
        assert!(limit("vm.dirty_ratio", "vm.dirty_bytes").is_some());
        assert!(limit("vm.no_such_ratio", "vm.no_such_bytes").is_none());
    }
}
