//! Shares, as percentages.

use std::fmt;
use std::str::FromStr;

/// A share of something: 0.03 is 3 %.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = String;

    /// `3%`, `3 %` or `3`: percent.
    fn from_str(text: &str) -> Result<Share, String> {
        let number = text.strip_suffix('%').unwrap_or(text).trim();
        match number.parse::<f64>() {
            Ok(percent) if percent.is_finite() && (0.0..100.0).contains(&percent) => {
                Ok(Share(percent / 100.0))
            }
            _ => Err("expected percent from 0 to below 100, such as 3%".into()),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0 * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_are_read_with_and_without_their_sign() {
        for text in ["3%", "3", "3 %"] {
            assert_eq!(text.parse(), Ok(Share(0.03)));
        }
        assert_eq!("0.5%".parse(), Ok(Share(0.005)));
        assert_eq!(Share(0.03).to_string(), "3%");
        for text in ["", "%", "-1%", "100%", "inf", "nan", "3%%", "x"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }
}
