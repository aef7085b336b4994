//! Which stored runs are meant.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// Which stored runs are meant. Its text is what is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// `12`: the number of a run.
    Number(i64),
    /// `before the patch`, or `label:12` for a label that looks like something else.
    Label(String),
    /// `pin:NAME`.
    Pin(String),
    /// `night:2026-03-01`: what tonight is judged by, so neither fresh runs nor those of campaigns.
    Night(String),
    /// `fresh:2026-03-01`: those that confirm what others of that night have flagged.
    Fresh(String),
    /// `tag:NAME=VALUE`.
    Tag { name: String, value: String },
}

impl FromStr for Selector {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Selector, Infallible> {
        let label = || Selector::Label(text.to_owned());
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(text.parse().map_or_else(|_| label(), Selector::Number));
        }
        Ok(match text.split_once(':') {
            Some(("label", label)) => Selector::Label(label.to_owned()),
            Some(("pin", name)) => Selector::Pin(name.to_owned()),
            Some(("night", night)) => Selector::Night(night.to_owned()),
            Some(("fresh", night)) => Selector::Fresh(night.to_owned()),
            Some(("tag", tag)) => match tag.split_once('=') {
                Some((name, value)) => Selector::Tag {
                    name: name.to_owned(),
                    value: value.to_owned(),
                },
                None => label(),
            },
            _ => label(),
        })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Number(number) => write!(f, "{number}"),
            Selector::Pin(name) => write!(f, "pin:{name}"),
            Selector::Night(night) => write!(f, "night:{night}"),
            Selector::Fresh(night) => write!(f, "fresh:{night}"),
            Selector::Tag { name, value } => write!(f, "tag:{name}={value}"),
            Selector::Label(label) => {
                let is_plain = label.parse::<Selector>().is_ok_and(|read| read == *self);
                write!(f, "{}{label}", if is_plain { "" } else { "label:" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Selector {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_typed_tells_what_is_meant() {
        assert_eq!(read("12"), Selector::Number(12));
        assert_eq!(read("label:12"), Selector::Label("12".into()));
        assert_eq!(read("v6.9: patched"), Selector::Label("v6.9: patched".into()));
        assert_eq!(read("pin:base"), Selector::Pin("base".into()));
        assert_eq!(read("night:2026-03-01"), Selector::Night("2026-03-01".into()));
        assert_eq!(read("fresh:2026-03-01"), Selector::Fresh("2026-03-01".into()));
        let tag = Selector::Tag {
            name: "a".into(),
            value: "b=c".into(),
        };
        assert_eq!(read("tag:a=b=c"), tag);
    }

    proptest! {
        #[test]
        fn a_selector_is_read_back_from_its_text(text in "(label:|pin:|night:|fresh:|tag:|tag:a=|[0-9]{1,25})?.{0,8}") {
            let selector = read(&text);
            prop_assert_eq!(read(&selector.to_string()), selector.clone());
            let label = Selector::Label(text);
            prop_assert_eq!(read(&label.to_string()), label);
        }
    }
}
