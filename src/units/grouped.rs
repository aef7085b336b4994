//! Numbers for people.

use std::fmt;

/// A count with thousands separators: `1,472,088,767`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut text = String::with_capacity(digits.len() * 4 / 3);
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_third_digit_from_the_right_has_a_comma_before_it() {
        let shown = [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (458_344, "458,344"),
            (1_472_088_767, "1,472,088,767"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ];
        for (count, text) in shown {
            assert_eq!(Grouped(count).to_string(), text);
        }
        assert_eq!(format!("{:>7}", Grouped(1000)), "  1,000");
    }
}
