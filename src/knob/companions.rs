//! Settings that the kernel changes together with another.

use super::setting::{Root, Setting};

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
    let scheduler = setting.root() == Root::Sysfs && setting.relative().ends_with("/queue/scheduler");
    if !scheduler {
        return Vec::new();
    }
    // A change of the scheduler sets these to defaults (block/elevator.c).
    let mut names = vec!["nr_requests".to_owned(), "wbt_lat_usec".to_owned()];
    let own = std::fs::read_dir(setting.path().with_file_name("iosched"));
    let own = own.into_iter().flatten().flatten();
    names.extend(own.map(|entry| format!("iosched/{}", entry.file_name().to_string_lossy())));
    names.sort();
    let siblings = names.iter().filter_map(|name| setting.sibling(name));
    siblings
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
