//! The text of /proc/cpuinfo.

/// The first value of a name.
pub(super) fn cpuinfo_value<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let value = pairs.find_map(|(key, value)| (key.trim() == name).then(|| value.trim()))?;
    (!value.is_empty()).then_some(value)
}
