//! Sizes in bytes.

use std::fmt;
use std::str::FromStr;

/// A size in bytes.
///
/// Parses a whole number, bare or with a suffix in any case: `K`, `M`, `G`, `T` are powers of 1024, `KB`, `MB`,
/// `GB`, `TB` powers of 1000. Prints with the largest suffix that loses nothing, so that what it prints parses to
/// the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// Why a text is no size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    #[error(
        "a size is a whole number of bytes, or one with K, M, G, T (powers of 1024) or KB, MB, GB, TB (powers of 1000), such as 64K"
    )]
    Form,
    #[error("the size is too large: at most {} bytes", u64::MAX)]
    TooLarge,
}

/// Suffixes, the largest first.
const SUFFIXES: [(&str, u64); 8] = [
    ("T", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("G", 1 << 30),
    ("GB", 1_000_000_000),
    ("M", 1 << 20),
    ("MB", 1_000_000),
    ("K", 1 << 10),
    ("KB", 1_000),
];

impl FromStr for Bytes {
    type Err = BytesError;

    fn from_str(text: &str) -> Result<Bytes, BytesError> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, suffix) = text.split_at(end);
        if digits.is_empty() {
            return Err(BytesError::Form);
        }
        let factor = if suffix.is_empty() {
            1
        } else {
            let known = SUFFIXES
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(suffix));
            known.ok_or(BytesError::Form)?.1
        };
        // Only digits are left, so that the one way to fail is to be too large.
        let number: u64 = digits.parse().map_err(|_| BytesError::TooLarge)?;
        number.checked_mul(factor).map(Bytes).ok_or(BytesError::TooLarge)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let divides = |&&(_, factor): &&(&str, u64)| self.0 >= factor && self.0.is_multiple_of(factor);
        match SUFFIXES.iter().find(divides) {
            Some((suffix, factor)) => f.pad(&format!("{}{suffix}", self.0 / factor)),
            None => f.pad(&self.0.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bare_number_is_bytes_and_suffixes_are_powers_of_1024_or_1000() {
        let sizes = [
            ("0", 0),
            ("4096", 4096),
            ("64K", 65_536),
            ("64k", 65_536),
            ("1M", 1_048_576),
            ("2G", 2_147_483_648),
            ("1T", 1_099_511_627_776),
            ("64KB", 64_000),
            ("1mb", 1_000_000),
            ("3GB", 3_000_000_000),
            ("1TB", 1_000_000_000_000),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in sizes {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_told_what_a_size_is() {
        for text in [
            "", "K", "-1", "+1", "1.5M", "1 K", " 1", "1KiB", "1B", "0x10", "1µ", "１",
        ] {
            assert_eq!(text.parse::<Bytes>(), Err(BytesError::Form), "{text}");
        }
        assert_eq!(
            BytesError::Form.to_string(),
            "a size is a whole number of bytes, or one with K, M, G, T (powers of 1024) or KB, MB, GB, TB \
             (powers of 1000), such as 64K"
        );
    }

    #[test]
    fn a_size_beyond_64_bits_is_an_error_and_not_another_size() {
        for text in [
            "18446744073709551616",
            "16777216T",
            "99999999999999999999999",
            "18446744073710TB",
        ] {
            assert_eq!(text.parse::<Bytes>(), Err(BytesError::TooLarge), "{text}");
        }
        assert_eq!("16777215T".parse(), Ok(Bytes(u64::MAX - (1 << 40) + 1)));
    }

    #[test]
    fn a_size_prints_with_the_largest_suffix_that_loses_nothing() {
        let prints = [
            (0, "0"),
            (999, "999"),
            (1000, "1KB"),
            (1024, "1K"),
            (1_000_000, "1MB"),
            (1 << 20, "1M"),
            (1_048_577, "1048577"),
        ];
        for (bytes, text) in prints {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
        assert_eq!(format!("{:>6}", Bytes(1024)), "    1K");
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_to_the_same_size(number: u32, factor in prop::sample::select(&SUFFIXES[2..])) {
            let size = Bytes(u64::from(number) * factor.1);
            prop_assert_eq!(size.to_string().parse(), Ok(size));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,40}", digits in "[0-9]{0,30}[KMGTBkmgtb]{0,3}") {
            let _ = text.parse::<Bytes>();
            let _ = digits.parse::<Bytes>();
        }
    }
}
