//! An axis of a grid: what is varied, and the values that it takes.

use crate::result::AxisKind;

/// The most values of one axis.
const MOST: usize = 10_000;

/// What is varied, and its values in the order typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub kind: AxisKind,
    pub values: Vec<String>,
}

/// Why a text lists no values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AxisError {
    #[error("`{text}` has an empty value: give values with commas between them, such as 1,2,4 or 30..90:10")]
    Empty { text: String },
    #[error("`{text}`: the step of a range is a whole number above 0, such as 30..90:10")]
    Step { text: String },
    #[error("`{text}` is no range of whole numbers such as 30..90:10")]
    Range { text: String },
    #[error("`{text}` is more than {MOST} values: give fewer, or a larger step")]
    TooMany { text: String },
    #[error("`{value}` is listed twice in `{text}`: give it once")]
    Twice { text: String, value: String },
}

/// The values of a list: `a,b,c`, where each may be a range `first..last:step` of whole numbers, up or down, with both
/// ends; without a step it is 1.
///
/// # Errors
/// See [`AxisError`].
pub fn values(text: &str) -> Result<Vec<String>, AxisError> {
    let owned = || text.to_owned();
    let mut values = Vec::new();
    for part in text.split(',') {
        match range(part)? {
            Some(range) => values.extend(range),
            None if part.is_empty() => return Err(AxisError::Empty { text: owned() }),
            None => values.push(part.to_owned()),
        }
        if values.len() > MOST {
            return Err(AxisError::TooMany { text: owned() });
        }
    }
    let mut sorted: Vec<&String> = values.iter().collect();
    sorted.sort();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    if let Some(pair) = twice {
        let (text, value) = (owned(), pair[0].clone());
        return Err(AxisError::Twice { text, value });
    }
    Ok(values)
}

/// The values of a range; None for what has not the form of one, which is a value by itself (`../dir` is).
fn range(text: &str) -> Result<Option<Vec<String>>, AxisError> {
    let Some((first, rest)) = text.split_once("..") else {
        return Ok(None);
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (last, step) = rest
        .split_once(':')
        .map_or((rest, None), |(last, step)| (last, Some(step)));
    if !is_number(first) || !is_number(last) {
        return Ok(None);
    }
    let owned = || text.to_owned();
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| AxisError::Range { text: owned() })
    };
    let (first, last) = (number(first)?, number(last)?);
    let step = match step.map(str::parse::<u64>) {
        None => 1,
        Some(Ok(step)) if step > 0 => step,
        Some(_) => return Err(AxisError::Step { text: owned() }),
    };
    let steps = first.abs_diff(last) / step;
    if steps >= MOST as u64 {
        return Err(AxisError::TooMany { text: owned() });
    }
    let up = first <= last;
    let value = |index: u64| {
        if up {
            first + index * step
        } else {
            first - index * step
        }
    };
    Ok(Some((0..=steps).map(|index| value(index).to_string()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_list_has_values_and_ranges_in_the_order_typed() {
        assert_eq!(values("4K,16K").unwrap(), ["4K", "16K"]);
        assert_eq!(values("30..60:10").unwrap(), ["30", "40", "50", "60"]);
        assert_eq!(values("90..60:10").unwrap(), ["90", "80", "70", "60"]);
        assert_eq!(values("1..3,8").unwrap(), ["1", "2", "3", "8"]);
        assert_eq!(values("1..10:4").unwrap(), ["1", "5", "9"]);
        assert_eq!(values("5..5").unwrap(), ["5"]);
    }

    #[test]
    fn what_is_no_range_is_a_value() {
        assert_eq!(
            values("../a,..,a..b,1..x").unwrap(),
            ["../a", "..", "a..b", "1..x"]
        );
    }

    #[test]
    fn what_lists_nothing_or_too_much_is_refused() {
        let is = |text: &str, what: &str| {
            let error = values(text).unwrap_err().to_string();
            assert!(error.contains(what), "{text}: {error}");
        };
        is("", "empty");
        is("1,,2", "empty");
        is("1..9:0", "step");
        is("1..9:x", "step");
        is("1..99999999999999999999", "range");
        is("0..4294967296", "more than");
        is("1..3,2", "twice");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_list_has_an_empty_value(text in "[0-9.,:ax]{0,12}") {
            if let Ok(values) = values(&text) {
                prop_assert!(!values.is_empty() && values.iter().all(|value| !value.is_empty()));
            }
        }

        #[test]
        fn a_range_goes_from_its_first_value_towards_its_last(first in 0u64..500, last in 0u64..500, step in 1u64..50) {
            let values: Vec<u64> = values(&format!("{first}..{last}:{step}"))
                .unwrap()
                .iter()
                .map(|value| value.parse().unwrap())
                .collect();
            prop_assert_eq!(values[0], first);
            prop_assert!(values.windows(2).all(|pair| pair[0].abs_diff(pair[1]) == step));
            prop_assert!(values[values.len() - 1].abs_diff(last) < step);
        }
    }
}
