//! What of an option may be told: results are passed on, and must name no place, person, machine or disk.
//!
//! Values are kept only where they are known to be settings; all others are replaced, so that an option nobody has
//! thought of gives nothing away.

/// Stands for a value that is not told.
pub(super) const HIDDEN: &str = "…";

/// Words that many options have for a value.
const SWITCHES: &[&str] = &[
    "always", "auto", "default", "disable", "disabled", "enable", "enabled", "false", "force", "full",
    "madvise", "never", "no", "none", "off", "on", "true", "y", "n", "yes",
];

/// Longer numbers are identifiers.
const LONGEST_NUMBER: usize = 20;

/// `name`, `name=value`, or `name=…` where the value is neither a number, nor a switch, nor a word of an option that
/// is known to take words (`takes_words`). None where even the name may name something.
pub(super) fn told(option: &str, takes_words: impl Fn(&str) -> bool) -> Option<String> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    if !is_name(name) {
        return None;
    }
    let Some(value) = value else {
        // With a dot and no value it may be a host.
        return (!name.contains('.')).then(|| name.to_owned());
    };
    let kept = is_plain(value) || takes_words(name) && is_words(value);
    Some(format!("{name}={}", if kept { value } else { HIDDEN }))
}

/// `name=…`, whatever the value is; without a value as [`told`].
pub(super) fn hidden(option: &str) -> Option<String> {
    match option.split_once('=') {
        Some((name, _)) => is_name(name).then(|| format!("{name}={HIDDEN}")),
        None => told(option, |_| false),
    }
}

/// A letter, then letters, digits and what joins them; not so many digits that it would be an identifier.
fn is_name(name: &str) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let digits = name.chars().filter(char::is_ascii_digit).count();
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= 64
        && digits <= 8
        && name.chars().all(joins)
}

/// Numbers or a switch.
fn is_plain(value: &str) -> bool {
    value.is_empty() || SWITCHES.contains(&value.to_ascii_lowercase().as_str()) || is_numbers(value)
}

/// `1`, `0x1f`, `12.5`, `64k`, `50%`, `0-3,8`: single numbers or ranges, joined by commas. Addresses (`10.0.0.1`,
/// `52:54:00:12:34:56`, `01-52-54-…`) and UUIDs are none.
fn is_numbers(value: &str) -> bool {
    value.split(',').all(|part| {
        let mut ends = part.split('-');
        let numbers = (ends.next(), ends.next(), ends.next());
        match numbers {
            (Some(first), None, _) => is_number(first),
            (Some(first), Some(last), None) => is_number(first) && is_number(last),
            _ => false,
        }
    })
}

fn is_number(text: &str) -> bool {
    if text.len() > LONGEST_NUMBER {
        return false;
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.len() <= 16 && digits.chars().all(|c| c.is_ascii_hexdigit());
    }
    let number = text.trim_end_matches(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T', 'b', 'B', '%', 's']);
    let mut halves = number.split('.');
    let is_digits = |half: &str| !half.is_empty() && half.chars().all(|c| c.is_ascii_digit());
    text.len() - number.len() <= 2
        && halves.next().is_some_and(is_digits)
        && halves.next().is_none_or(is_digits)
        && halves.next().is_none()
}

/// Words of a known option: no paths, no quotes.
fn is_words(value: &str) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric() || "_-.,:;@!+".contains(c);
    value.len() <= 128 && value.chars().all(joins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_known(option: &str) -> Option<String> {
        told(option, |name| name == "data")
    }

    #[test]
    fn flags_numbers_switches_and_words_of_known_options_are_told() {
        for option in [
            "rw",
            "commit=30",
            "size=24684084k",
            "mode=755",
            "vers=4.2",
            "huge=never",
            "cpus=0-3,8,10-11",
            "mask=0x3f",
            "ratio=50%",
            "data=ordered",
            "empty=",
        ] {
            assert_eq!(of_known(option).as_deref(), Some(option));
        }
    }

    #[test]
    fn values_that_may_name_something_are_hidden() {
        for value in [
            "10.0.0.1",
            "fe80::1",
            "52:54:00:12:34:56",
            "01-52-54-00-12-34-56",
            "0dd2c1ab-21b0-4d2f-8a1f-08a66a4a3f5e",
            "12345678-1234-1234-1234-123456789012",
            "/srv/alice",
            "alice",
            "UUID=1",
            "123456789012345678901",
            "0x",
            "1.",
            "12kkk",
            "1--2",
        ] {
            assert_eq!(
                of_known(&format!("name={value}")).as_deref(),
                Some("name=…"),
                "{value}"
            );
        }
        assert_eq!(of_known("data=/srv/alice").as_deref(), Some("data=…"));
    }

    #[test]
    fn names_that_are_none_are_left_out() {
        for option in [
            "",
            "=x",
            "/dev/sda1",
            "alice smith",
            "c5\"",
            "192.0.2.1",
            "192.0.2.1=on",
            "alice.example.org",
            "0dd2c1ab21b04d2f8a1f08a66a4a3f5e",
            "add2c1ab21b04d2f8a1f08a66a4a3f5e",
        ] {
            assert_eq!(of_known(option), None, "{option}");
        }
    }
}
