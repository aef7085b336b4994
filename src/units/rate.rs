//! Rates; MB = 1,000,000 bytes.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

const MB: f64 = 1e6;
/// One byte per second.
const LEAST: f64 = 1e-6;
/// Far above any memory, and still a number of bytes per second that a float holds exactly.
const MOST: f64 = 1e9;

/// A rate that was asked for (`-R`), in MB per second; from a byte per second to 1e9 MB per second, so that what is
/// divided by it stays a sane number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct MbPerSecond(f64);

/// Why a text is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RateError {
    #[error("a rate is a positive number of MB (1,000,000 bytes) per second, such as 10 or 0.5")]
    Form,
    #[error("the rate is out of range: from 0.000001 to 1000000000 MB per second")]
    Range,
}

impl MbPerSecond {
    /// The rate in bytes per second.
    pub fn bytes_per_second(self) -> f64 {
        self.0 * MB
    }
}

impl FromStr for MbPerSecond {
    type Err = RateError;

    fn from_str(text: &str) -> Result<MbPerSecond, RateError> {
        let rate: f64 = text.parse().map_err(|_| RateError::Form)?;
        if !rate.is_finite() || rate <= 0.0 {
            // `1e999` is a number that a float rounds to infinity; `inf` is none.
            let digits = text.starts_with(|c: char| c.is_ascii_digit());
            return Err(if digits && rate > 0.0 {
                RateError::Range
            } else {
                RateError::Form
            });
        }
        if (LEAST..=MOST).contains(&rate) {
            Ok(MbPerSecond(rate))
        } else {
            Err(RateError::Range)
        }
    }
}

impl fmt::Display for MbPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_string())
    }
}

/// Bytes (or bytes per second) as MB (or MB per second).
pub fn megabytes(bytes: f64) -> f64 {
    bytes / MB
}

/// How many per second; absent when the window has no length.
pub fn per_second(count: u64, window: Duration) -> Option<f64> {
    (!window.is_zero()).then(|| count as f64 / window.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_positive_number_of_millions_of_bytes_per_second() {
        for (text, bytes) in [
            ("10", 1e7),
            ("0.5", 5e5),
            ("1e3", 1e9),
            ("0.000001", 1.0),
            ("1000000000", 1e15),
        ] {
            let rate: MbPerSecond = text.parse().unwrap();
            assert_eq!(rate.bytes_per_second(), bytes, "{text}");
        }
        assert_eq!("12.5".parse::<MbPerSecond>().unwrap().to_string(), "12.5");
    }

    #[test]
    fn what_is_no_rate_is_told_what_a_rate_is() {
        for text in [
            "", "0", "-1", "-0.0", "inf", "-inf", "nan", "ten", "10M", " 1", "0x10",
        ] {
            assert_eq!(text.parse::<MbPerSecond>(), Err(RateError::Form), "{text}");
        }
        let help = "a rate is a positive number of MB (1,000,000 bytes) per second, such as 10 or 0.5";
        assert_eq!(RateError::Form.to_string(), help);
    }

    #[test]
    fn a_rate_that_no_machine_has_is_out_of_range() {
        for text in ["1e-7", "1e10", "1e300", "1e999"] {
            assert_eq!(text.parse::<MbPerSecond>(), Err(RateError::Range), "{text}");
        }
    }

    #[test]
    fn nothing_per_second_is_known_of_a_window_without_length() {
        assert_eq!(per_second(10, Duration::ZERO), None);
        assert_eq!(per_second(10, Duration::from_millis(2500)), Some(4.0));
        assert_eq!(megabytes(5_885_690.0), 5.88569);
    }
}
