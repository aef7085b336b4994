//! C's `%g`.

use std::fmt;

/// A number as C's `printf("%g")` prints it: six significant digits, no trailing zeros, with an exponent when that
/// is below -4 or above 5 (C11, 7.21.6.1).
///
/// dbench prints throughput so, and its consumers read that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct General(pub f64);

/// Significant digits of `%g` without a precision.
const SIGNIFICANT: i32 = 6;

impl General {
    fn text(self) -> String {
        let number = self.0;
        if number.is_nan() {
            return if number.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
        }
        // The exponent that decides the form is the one after rounding: 999999.5 is 1e+06.
        let rounded = format!("{number:.*e}", SIGNIFICANT as usize - 1);
        let Some((mantissa, exponent)) = rounded.split_once('e') else {
            return rounded; // inf, -inf
        };
        let Ok(exponent) = exponent.parse::<i32>() else {
            return rounded;
        };
        if (-4..SIGNIFICANT).contains(&exponent) {
            let decimals = (SIGNIFICANT - 1 - exponent) as usize;
            return without_trailing_zeros(&format!("{number:.decimals$}")).to_owned();
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        format!(
            "{}e{sign}{:02}",
            without_trailing_zeros(mantissa),
            exponent.unsigned_abs()
        )
    }
}

/// Drops zeros at the end of a fraction, and the point if nothing is left behind it.
fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    #[test]
    fn six_significant_digits_are_printed_without_trailing_zeros() {
        let shown = [
            (5.88569, "5.88569"),
            (5.8547, "5.8547"),
            (102.184, "102.184"),
            (58.547, "58.547"),
            (874.0821, "874.082"),
            (0.0, "0"),
            (-0.0, "-0"),
            (100.0, "100"),
            (100000.0, "100000"),
            (999999.4, "999999"),
            (0.0001, "0.0001"),
            (0.00012345678, "0.000123457"),
            (-2.5, "-2.5"),
        ];
        for (number, text) in shown {
            assert_eq!(General(number).to_string(), text);
        }
    }

    #[test]
    fn an_exponent_is_printed_where_c_prints_one() {
        let shown = [
            (999999.5, "1e+06"),
            (1_000_005.0, "1e+06"),
            (1_000_015.0, "1.00002e+06"),
            (1234567.0, "1.23457e+06"),
            (0.00009999995, "0.0001"),
            (0.0000999999, "9.99999e-05"),
            (1e100, "1e+100"),
            (5e-324, "4.94066e-324"),
            (f64::MAX, "1.79769e+308"),
        ];
        for (number, text) in shown {
            assert_eq!(General(number).to_string(), text);
        }
        assert_eq!(General(f64::INFINITY).to_string(), "inf");
        assert_eq!(General(f64::NEG_INFINITY).to_string(), "-inf");
        assert_eq!(General(f64::NAN.copysign(1.0)).to_string(), "nan");
        assert_eq!(General(f64::NAN.copysign(-1.0)).to_string(), "-nan");
    }

    #[test]
    fn a_width_pads() {
        assert_eq!(
            format!("{:>8}|{:<8}|", General(1.5), General(1.5)),
            "     1.5|1.5     |"
        );
    }

    /// `%g` of a whole number by integer arithmetic alone: rounds half to even at the sixth digit.
    fn of_integer(number: u64) -> String {
        let digits = number.to_string().len() as u32;
        if digits <= 6 {
            return number.to_string();
        }
        let unit = 10u64.pow(digits - 6);
        let (mut kept, rest) = (number / unit, number % unit);
        if rest * 2 > unit || (rest * 2 == unit && kept % 2 == 1) {
            kept += 1;
        }
        let exponent = if kept == 1_000_000 { digits } else { digits - 1 };
        let kept = kept.to_string();
        let fraction = kept[1..].trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{}{point}{fraction}e+{exponent:02}", &kept[..1])
    }

    /// A float as C's hexadecimal notation, which loses nothing.
    fn hexadecimal(number: f64) -> String {
        let bits = number.to_bits();
        let sign = if number.is_sign_negative() { "-" } else { "" };
        let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32 & 0x7ff);
        let (lead, power) = if exponent == 0 {
            (0, -1022)
        } else {
            (1, exponent - 1023)
        };
        format!("{sign}0x{lead}.{fraction:013x}p{power}")
    }

    proptest! {
        #[test]
        fn whole_numbers_round_half_to_even(number in prop_oneof![
            0u64..10_000_000,
            0u64..(1 << 53),
            (100_000u64..1_000_000).prop_map(|kept| kept * 10 + 5),
            (100_000u64..1_000_000).prop_map(|kept| kept * 1000 + 500),
        ]) {
            prop_assert_eq!(General(number as f64).to_string(), of_integer(number));
        }

        #[test]
        fn what_is_printed_is_within_half_a_unit_of_the_sixth_digit(
            number in prop::num::f64::NORMAL | prop::num::f64::POSITIVE
        ) {
            prop_assume!(number.is_finite() && number.abs() > 1e-290 && number.abs() < 1e290);
            let text = General(number).to_string();
            let read: f64 = text.parse().unwrap();
            let unit = 10f64.powi(number.abs().log10().floor() as i32 - 5);
            prop_assert!((read - number).abs() <= unit * 0.5000001, "{} for {:e}", text, number);
            let mantissa = text.split('e').next().unwrap_or_default();
            let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
            prop_assert!(digits.trim_start_matches('0').len() <= 6);
            prop_assert!(!mantissa.contains('.') || !mantissa.ends_with(['0', '.']));
            let plain = (1e-4..1e6).contains(&read.abs());
            prop_assert_eq!(!text.contains('e'), plain, "{}", text);
        }

        #[test]
        fn printf_prints_the_same(numbers in prop::collection::vec(
            prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO
                | prop::num::f64::POSITIVE | prop::num::f64::NEGATIVE,
            1..50,
        ), ordinary in prop::collection::vec(1e-6..1e7, 1..50)) {
            let printf = "/usr/bin/printf";
            if !std::path::Path::new(printf).exists() {
                return Ok(());
            }
            let numbers: Vec<f64> = numbers.into_iter().chain(ordinary).collect();
            let arguments = numbers.iter().map(|&number| hexadecimal(number));
            let output = Command::new(printf).env("LC_ALL", "C").arg("%g\n").args(arguments).output().unwrap();
            let expected = String::from_utf8(output.stdout).unwrap();
            let ours: String = numbers.iter().map(|&number| format!("{}\n", General(number))).collect();
            prop_assert_eq!(ours, expected);
        }
    }
}
