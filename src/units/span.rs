//! Durations.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A duration as it is typed: a bare number is seconds, fractions are allowed, suffixes are `us ms s m h`.
///
/// At most [`Span::MAX`], so that sums of a few spans fit in 64-bit nanoseconds. What it prints parses to the same
/// duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(pub Duration);

/// Why a text is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    #[error("a duration is a number of seconds, or one with us, ms, s, m or h, such as 90, 1.5s or 10m")]
    Form,
    #[error("the duration is too long: at most {} s", Span::MAX.as_secs())]
    TooLong,
}

/// Suffixes and what they are in nanoseconds.
const SUFFIXES: [(&str, u64); 6] = [
    ("", 1_000_000_000),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Digits after the point that are looked at; those behind are less than a nanosecond even in hours.
const FRACTION_DIGITS: usize = 15;

impl Span {
    /// The longest duration that is accepted, some 31 years.
    pub const MAX: Duration = Duration::from_secs(1_000_000_000);
}

impl FromStr for Span {
    type Err = SpanError;

    /// Works in whole nanoseconds, as a float cannot hold `0.1` s.
    fn from_str(text: &str) -> Result<Span, SpanError> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
        let known = SUFFIXES.iter().find(|(name, _)| *name == suffix);
        let unit = u128::from(known.ok_or(SpanError::Form)?.1);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return Err(SpanError::Form);
        }
        let fraction = &fraction[..fraction.len().min(FRACTION_DIGITS)];
        let scale = fraction.chars().fold(1, |scale, _| scale * 10);
        let nanoseconds = u128::from(digits(whole)?) * unit + u128::from(digits(fraction)?) * unit / scale;
        match u64::try_from(nanoseconds).map(Duration::from_nanos) {
            Ok(duration) if duration <= Span::MAX => Ok(Span(duration)),
            _ => Err(SpanError::TooLong),
        }
    }
}

/// The value of digits, 0 for none.
fn digits(text: &str) -> Result<u64, SpanError> {
    if text.is_empty() {
        return Ok(0);
    }
    // Only digits come here, so that the one way to fail is to be too large.
    text.parse().map_err(|_| SpanError::TooLong)
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.subsec_nanos();
        let text = if nanoseconds == 0 {
            format!("{}s", self.0.as_secs())
        } else if nanoseconds.is_multiple_of(1_000_000) {
            format!("{}ms", self.0.as_millis())
        } else if nanoseconds.is_multiple_of(1_000) {
            format!("{}us", self.0.as_micros())
        } else {
            format!("{}.{nanoseconds:09}s", self.0.as_secs())
        };
        f.pad(&text)
    }
}

/// A duration in milliseconds, as the tables print it.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bare_number_is_seconds_and_fractions_and_suffixes_are_exact() {
        let spans = [
            ("0", 0),
            ("60", 60_000_000_000),
            ("0.1", 100_000_000),
            (".5", 500_000_000),
            ("2.", 2_000_000_000),
            ("1.5s", 1_500_000_000),
            ("20ms", 20_000_000),
            ("2.5us", 2_500),
            ("10m", 600_000_000_000),
            ("1.5h", 5_400_000_000_000),
            ("0.000000001", 1),
            ("0.00000000099999999999999999999999999", 0),
            ("1000000000", 1_000_000_000_000_000_000),
        ];
        for (text, nanoseconds) in spans {
            assert_eq!(
                text.parse(),
                Ok(Span(Duration::from_nanos(nanoseconds))),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_duration_is_told_what_a_duration_is() {
        for text in [
            "", ".", "s", "-1", "+1", "1e3", "1.2.3", "1 s", "5min", "5S", "inf", "nan", "1µs", ".",
        ] {
            assert_eq!(text.parse::<Span>(), Err(SpanError::Form), "{text}");
        }
        let help =
            "a duration is a number of seconds, or one with us, ms, s, m or h, such as 90, 1.5s or 10m";
        assert_eq!(SpanError::Form.to_string(), help);
    }

    #[test]
    fn a_duration_that_would_overflow_a_deadline_is_an_error() {
        for text in [
            "1000000001",
            "277778h",
            "18446744073709551615h",
            "99999999999999999999999",
        ] {
            assert_eq!(text.parse::<Span>(), Err(SpanError::TooLong), "{text}");
        }
        assert_eq!(
            SpanError::TooLong.to_string(),
            "the duration is too long: at most 1000000000 s"
        );
    }

    #[test]
    fn a_duration_prints_in_the_unit_that_needs_no_fraction() {
        let prints = [
            (0, "0s"),
            (90_000_000_000, "90s"),
            (1_500_000_000, "1500ms"),
            (2_000, "2us"),
            (1_000_000_001, "1.000000001s"),
        ];
        for (nanoseconds, text) in prints {
            assert_eq!(Span(Duration::from_nanos(nanoseconds)).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_to_the_same_duration(
            seconds in 0u64..1_000_000_000,
            nanoseconds in 0u32..1_000_000_000,
            step in prop::sample::select(&[1u32, 1_000, 1_000_000, 1_000_000_000][..]),
        ) {
            let span = Span(Duration::new(seconds, nanoseconds / step * step));
            prop_assert_eq!(span.to_string().parse(), Ok(span));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,40}", number in "[0-9]{0,40}[.]?[0-9]{0,40}(us|ms|s|m|h)?") {
            let _ = text.parse::<Span>();
            let _ = number.parse::<Span>();
        }
    }
}
