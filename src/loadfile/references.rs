//! `${…}`: a parameter's value, a calculation with parameters, or a comparison, put into a number or text.

use super::Param;
use super::fault::{Fault, shown};
use super::params::{declared, name_byte};
use super::tokens;
use crate::units::Bytes;
use std::cmp::Ordering;

/// The longest text after the values have been put in: as long as a line.
const LONGEST_TEXT: usize = 64 << 10;
const FORMS: &str =
    "${name}, ${name/number…} with any of + - * / %, or ${name==value} with one of == != < <= > >=";
/// The longer ones first, so that `<=` is not taken for `<`.
const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

/// What a value is put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Into {
    /// A number or expression: the value is a size and is put in as a decimal number.
    Number,
    /// A path or other text: the value is put in as it is.
    Text,
}

/// Whether parameters have to be put into a text.
pub(super) fn has_reference(text: &[u8], params: &[Param]) -> bool {
    !params.is_empty() && memchr::memmem::find(text, b"${").is_some()
}

/// Puts the parameters' values into a text, in one pass: values are not looked through again.
///
/// # Errors
/// `${` without `}`, a parameter that is not declared, a value that is no number where one is needed, a calculation
/// whose result is none. Positions are in the text.
pub(super) fn substitute(text: &[u8], params: &[Param], into: Into) -> Result<Vec<u8>, Fault> {
    let mut built = Vec::with_capacity(text.len());
    let mut from = 0;
    while let Some(start) = memchr::memmem::find(&text[from..], b"${") {
        let start = from + start;
        built.extend_from_slice(&text[from..start]);
        let Some(length) = memchr::memchr(b'}', &text[start..]) else {
            return Err(Fault::new(
                start,
                "`${` without a closing `}`",
                "a parameter's value is written ${name}",
            ));
        };
        let reference = Reference {
            params,
            at: start + 2,
        };
        let inside = &text[start + 2..start + length];
        match (reference.find(inside), into) {
            (Some(param), Into::Text) => built.extend_from_slice(param.value.as_bytes()),
            (Some(param), Into::Number) => {
                let value = reference.number_of(param, start)?;
                built.extend_from_slice(value.to_string().as_bytes());
            }
            (None, _) => {
                let value = reference.value(inside).map_err(|fault| match fault.at {
                    // A single name that is not declared is shown where the reference starts.
                    at if at == start + 2 && inside.iter().copied().all(name_byte) => {
                        Fault { at: start, ..fault }
                    }
                    _ => fault,
                })?;
                built.extend_from_slice(value.to_string().as_bytes());
            }
        }
        if built.len() > LONGEST_TEXT {
            return Err(Fault::new(
                start,
                "too long with the parameters' values put in",
                "at most 64 KiB",
            ));
        }
        from = start + length + 1;
    }
    built.extend_from_slice(&text[from..]);
    Ok(built)
}

/// A decimal or `0x` number, or a size with a suffix.
fn size(value: &[u8]) -> Option<u64> {
    match tokens::number(value) {
        Ok(number) => Some(number),
        Err(_) => {
            let text = std::str::from_utf8(value).ok()?;
            text.parse::<Bytes>().ok().map(|size| size.0)
        }
    }
}

/// What stands between `${` and `}`.
struct Reference<'p> {
    params: &'p [Param],
    /// Where it starts in the text.
    at: usize,
}

impl<'p> Reference<'p> {
    fn find(&self, name: &[u8]) -> Option<&'p Param> {
        self.params.iter().find(|param| param.name.as_bytes() == name)
    }

    fn number_of(&self, param: &Param, at: usize) -> Result<u64, Fault> {
        size(param.value.as_bytes()).ok_or_else(|| {
            let value = shown(param.value.as_bytes());
            let what = format!("the value `{value}` of parameter `{}` is no number", param.name);
            Fault::new(at, what, "a number, or a size such as 64K, 1M, 2GB")
        })
    }

    /// The value of a calculation or comparison.
    fn value(&self, inside: &[u8]) -> Result<u64, Fault> {
        let is_sign = |&byte: &u8| matches!(byte, b'=' | b'!' | b'<' | b'>');
        let Some(at) = inside.iter().position(is_sign) else {
            return self.calculate(inside, 0);
        };
        let sign = COMPARISONS
            .into_iter()
            .find(|sign| inside[at..].starts_with(sign.as_bytes()));
        let Some(sign) = sign else {
            return Err(Fault::new(self.at + at, "a sign that is no comparison", FORMS));
        };
        let (left, right) = (&inside[..at], &inside[at + sign.len()..]);
        let right_at = at + sign.len();
        if let ("==" | "!=", Some(param)) = (sign, self.find(left)) {
            return Ok(u64::from(self.is(param, right, right_at)? == (sign == "==")));
        }
        let order = self.calculate(left, 0)?.cmp(&self.calculate(right, right_at)?);
        Ok(u64::from(match sign {
            "==" => order == Ordering::Equal,
            "!=" => order != Ordering::Equal,
            "<=" => order != Ordering::Greater,
            ">=" => order != Ordering::Less,
            "<" => order == Ordering::Less,
            _ => order == Ordering::Greater,
        }))
    }

    /// Whether a parameter has a value, as text or, where both are numbers, as numbers.
    fn is(&self, param: &Param, value: &[u8], at: usize) -> Result<bool, Fault> {
        let at = self.at + at;
        if value.is_empty() {
            return Err(Fault::new(at, "a comparison with nothing", FORMS));
        }
        let possible = |choice: &String| choice.as_bytes() == value;
        if !param.choices.is_empty() && !param.choices.iter().any(possible) {
            let what = format!("`{}` is no value of parameter `{}`", shown(value), param.name);
            return Err(Fault::new(
                at,
                what,
                format!("one of: {}", param.choices.join(", ")),
            ));
        }
        let numbers = (size(param.value.as_bytes()), size(value));
        Ok(param.value.as_bytes() == value || matches!(numbers, (Some(one), Some(other)) if one == other))
    }

    /// Works out operands and steps, from left to right.
    fn calculate(&self, text: &[u8], at: usize) -> Result<u64, Fault> {
        let mut length = self.operand_length(text);
        let mut value = self.operand(&text[..length], at)?;
        while let Some(&operator) = text.get(length) {
            let from = length + 1;
            if !matches!(operator, b'+' | b'-' | b'*' | b'/' | b'%') {
                let what = format!("`{}` is no calculation", shown(text));
                return Err(Fault::new(self.at + at + length, what, FORMS));
            }
            let operand_length = self.operand_length(&text[from..]);
            let operand = self.operand(&text[from..from + operand_length], at + from)?;
            value = step(value, operator, operand)
                .map_err(|(what, help)| Fault::new(self.at + at + length, what, help))?;
            length = from + operand_length;
        }
        Ok(value)
    }

    /// How long the operand is that a text starts with. A `-` can belong to a name: it does if there is such a parameter.
    fn operand_length(&self, text: &[u8]) -> usize {
        let run = text.iter().take_while(|&&byte| name_byte(byte)).count();
        let ends = (1..run).rev().filter(|&end| text[end] == b'-');
        let mut ends = std::iter::once(run).chain(ends);
        let known = ends.find(|&end| self.find(&text[..end]).is_some() || size(&text[..end]).is_some());
        known.unwrap_or_else(|| text[..run].iter().position(|&byte| byte == b'-').unwrap_or(run))
    }

    fn operand(&self, text: &[u8], at: usize) -> Result<u64, Fault> {
        let at = self.at + at;
        if let Some(param) = self.find(text) {
            return self.number_of(param, at);
        }
        if text.is_empty() {
            return Err(Fault::new(at, "a parameter's name or a number is missing", FORMS));
        }
        size(text).ok_or_else(|| {
            Fault::new(
                at,
                format!("no parameter `{}`", shown(text)),
                declared(self.params),
            )
        })
    }
}

/// One step of a calculation; what is wrong with it, and what to do.
fn step(value: u64, operator: u8, operand: u64) -> Result<u64, (&'static str, &'static str)> {
    const LIMITS: &str = "results are 0 to 18446744073709551615";
    match operator {
        b'+' => value
            .checked_add(operand)
            .ok_or(("the sum does not fit in 64 bits", LIMITS)),
        b'-' => value
            .checked_sub(operand)
            .ok_or(("the difference is below 0", LIMITS)),
        b'*' => value
            .checked_mul(operand)
            .ok_or(("the product does not fit in 64 bits", LIMITS)),
        b'/' => value
            .checked_div(operand)
            .ok_or(("division by zero", "divide by something above 0")),
        _ => value
            .checked_rem(operand)
            .ok_or(("modulo by zero", "%y needs a y above 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadfile::fault::What;
    use proptest::prelude::*;

    fn param(name: &str, value: &str) -> Param {
        Param {
            name: name.into(),
            default: value.into(),
            help: String::new(),
            value: value.into(),
            choices: Vec::new(),
        }
    }

    fn params() -> Vec<Param> {
        let mut layout = param("layout", "grown");
        layout.choices = vec!["grown".into(), "contiguous".into()];
        vec![
            param("size", "1M"),
            param("block", "16K"),
            param("no-cache", "7"),
            param("name", "f"),
            layout,
        ]
    }

    fn number(text: &str) -> String {
        let built = substitute(text.as_bytes(), &params(), Into::Number);
        String::from_utf8(built.unwrap_or_else(|fault| panic!("{text}: {:?}", fault.what))).unwrap()
    }

    #[test]
    fn a_size_is_a_number_of_a_loadfile_or_one_as_options_take_it() {
        assert_eq!(size(b"64K"), Some(65_536));
        assert_eq!(size(b"2GB"), Some(2_000_000_000));
        assert_eq!(size(b"0x10"), Some(16));
        for bad in ["", "K", "-1K", "1 K", "99999999999G"] {
            assert_eq!(size(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn values_are_put_in_once_and_not_looked_through_again() {
        let params = [param("a", "${b}"), param("b", "64K")];
        assert_eq!(
            substitute(b"/x${a}y${b}z", &params, Into::Text).unwrap(),
            b"/x${b}y64Kz"
        );
        assert_eq!(
            substitute(b"*%${b}/4096", &params, Into::Number).unwrap(),
            b"*%65536/4096"
        );
        assert_eq!(substitute(b"ab${c}", &params, Into::Text).unwrap_err().at, 2);
        assert_eq!(substitute(b"ab${a", &params, Into::Text).unwrap_err().at, 2);
        assert!(substitute(b"${a}", &params, Into::Number).is_err());
    }

    #[test]
    fn without_a_param_line_a_reference_is_literal() {
        assert!(!has_reference(b"/${a}", &[]));
        assert!(has_reference(b"/${a}", &[param("a", "1")]));
    }

    #[test]
    fn steps_are_worked_out_from_left_to_right() {
        assert_eq!(number("${size/block}"), "64");
        assert_eq!(number("*%${size/block*block}/${block}"), "*%1048576/16384");
        assert_eq!(number("${1+2*3}"), "9");
        assert_eq!(number("${size%1000}"), "576");
        assert_eq!(number("${block-0x10}"), "16368");
        assert_eq!(
            substitute(b"/d${block/1K}", &params(), Into::Text).unwrap(),
            b"/d16"
        );
    }

    #[test]
    fn a_minus_belongs_to_a_name_where_there_is_such_a_parameter() {
        assert_eq!(number("${no-cache}"), "7");
        assert_eq!(number("${no-cache-2}"), "5");
        assert_eq!(number("${9-no-cache}"), "2");
    }

    #[test]
    fn a_comparison_is_1_or_0() {
        for (text, expected) in [
            ("layout==grown", "1"),
            ("layout!=grown", "0"),
            ("layout==contiguous", "0"),
            ("block==16384", "1"),
            ("name==f", "1"),
            ("size>=1M", "1"),
            ("size<block", "0"),
            ("size/block==64", "1"),
            ("block*64<=size", "1"),
            ("block>block", "0"),
        ] {
            assert_eq!(number(&format!("${{{text}}}")), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_refused_where_it_goes_wrong() {
        for (text, at, part) in [
            ("x${size/0}", 7, "division by zero"),
            ("${size%0}", 6, "modulo by zero"),
            ("${size/none}", 7, "no parameter `none`"),
            ("${none/size}", 2, "no parameter `none`"),
            ("${size*}", 7, "missing"),
            ("${/size}", 2, "missing"),
            ("${}", 0, "missing"),
            ("${size*size*size*size*size}", 16, "does not fit"),
            ("${block-1M}", 7, "below 0"),
            ("${name+1}", 2, "is no number"),
            ("${size=1M}", 6, "no comparison"),
            ("${size==}", 8, "with nothing"),
            ("${layout==contigous}", 10, "`contigous` is no value"),
            ("${size(2)}", 6, "is no calculation"),
        ] {
            let fault = substitute(text.as_bytes(), &params(), Into::Number).unwrap_err();
            let What::Text(what) = fault.what else {
                panic!("{text}")
            };
            assert!(what.contains(part), "{text}: {what}");
            assert_eq!(fault.at, at, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_value_or_is_refused_inside_it(inside in "[a-z0-9K+*/%=!<>-]{0,12}") {
            let text = format!("..${{{inside}}}..");
            match substitute(text.as_bytes(), &params(), Into::Number) {
                Ok(built) => prop_assert!(built.ends_with(b"..")),
                Err(fault) => prop_assert!((2..=text.len()).contains(&fault.at), "{}", fault.at),
            }
        }

        #[test]
        fn calculations_are_those_of_integers(a in 0u64..1 << 31, b in 1u64..1 << 16, c in 0u64..1 << 16) {
            prop_assert_eq!(number(&format!("${{{a}/{b}*{b}+{c}}}")), (a / b * b + c).to_string());
            prop_assert_eq!(number(&format!("${{{a}<{c}}}")), u64::from(a < c).to_string());
        }
    }
}
