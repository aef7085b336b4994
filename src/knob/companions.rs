//! Settings that the kernel changes together with another.

use super::setting::{Root, Setting};
use std::path::Path;

/// Two forms of one limit, below /proc/sys: the kernel zeroes one when the other is set. The first may be set to 0, the
/// second mostly not (mm/page-writeback.c: dirty_ratio_handler and the like; mm/util.c: overcommit_ratio_handler).
const PAIRS: [(&str, &str); 3] = [
    ("vm/dirty_ratio", "vm/dirty_bytes"),
    ("vm/dirty_background_ratio", "vm/dirty_background_bytes"),
    ("vm/overcommit_ratio", "vm/overcommit_kbytes"),
];

/// The other form of the same limit.
pub(super) fn partner(setting: &Setting) -> Option<Setting> {
    if setting.root() != Root::Sysctl {
        return None;
    }
    let name = setting.relative();
    let found = PAIRS.iter().find_map(|&(ratio, bytes)| match name {
        _ if name == ratio => Some(bytes),
        _ if name == bytes => Some(ratio),
        _ => None,
    })?;
    Setting::of(Root::Sysctl, found).ok()
}

/// Whether it is a form of a limit that takes 0.
pub(super) fn is_ratio(setting: &Setting) -> bool {
    setting.root() == Root::Sysctl && PAIRS.iter().any(|(ratio, _)| setting.relative() == *ratio)
}

/// What else is to be saved where a setting is changed, as far as it is there.
pub(super) fn companions(setting: &Setting) -> Vec<Setting> {
    if let Some(partner) = partner(setting) {
        // Old kernels have no forms in bytes.
        return partner.read().is_ok().then_some(partner).into_iter().collect();
    }
    neighbours(setting)
}

/// Directories of a block device whose settings change one another: a change of the scheduler sets those of the queue to
/// defaults (block/elevator.c), one of nr_requests the scheduler's own, one of bfq's another of bfq's.
const OF_A_QUEUE: [&str; 2] = ["queue", "queue/iosched"];
/// Coarse and fine forms of a limit of a backing device (mm/backing-dev.c). Its form in bytes follows from memory, and
/// reads otherwise from one moment to the next: it is no setting that could be put back.
const FINE: [(&str, &str); 2] = [("max_ratio", "max_ratio_fine"), ("min_ratio", "min_ratio_fine")];

/// What else of the same block device a setting changes, as far as it can be read and written.
fn neighbours(setting: &Setting) -> Vec<Setting> {
    if setting.root() != Root::Sysfs {
        return Vec::new();
    }
    let relative = setting.relative();
    let mut names = Vec::new();
    if let Some((device, _)) = relative.split_once("/queue/") {
        for directory in OF_A_QUEUE {
            let directory = format!("{device}/{directory}");
            let entries = std::fs::read_dir(Path::new("/sys").join(&directory));
            let entries = entries.into_iter().flatten().flatten();
            names.extend(entries.map(|entry| format!("{directory}/{}", entry.file_name().to_string_lossy())));
        }
    }
    if let Some((directory, name)) = relative.rsplit_once('/') {
        let forms = FINE
            .iter()
            .filter(|(coarse, fine)| [coarse, fine].contains(&&name));
        names.extend(
            forms.flat_map(|(coarse, fine)| [coarse, fine].map(|form| format!("{directory}/{form}"))),
        );
    }
    names.sort();
    let settings = names
        .iter()
        .filter(|name| *name != relative)
        .filter_map(|name| Setting::of(Root::Sysfs, name).ok());
    settings
        .filter(|one| one.read().is_ok() && one.check_writable().is_ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_limit_in_percent_and_in_bytes_belong_together() {
        for (one, other) in [
            ("vm.dirty_ratio", "vm.dirty_bytes"),
            ("vm.dirty_background_ratio", "vm.dirty_background_bytes"),
        ] {
            let (one, other) = (Setting::sysctl(one).unwrap(), Setting::sysctl(other).unwrap());
            assert_eq!(partner(&one), Some(other.clone()));
            assert_eq!(partner(&other), Some(one.clone()));
            assert!(is_ratio(&one) && !is_ratio(&other));
        }
        for alone in [
            "vm.dirty_expire_centisecs",
            "vm.dirty_writeback_centisecs",
            "vm.swappiness",
        ] {
            let alone = Setting::sysctl(alone).unwrap();
            assert_eq!(partner(&alone), None);
            assert!(companions(&alone).is_empty());
        }
        assert_eq!(partner(&Setting::sysfs("vm/dirty_ratio").unwrap()), None);
    }
}
