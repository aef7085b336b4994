//! The options of one side of `rbench ab`: a text with words as in a shell.

use super::BaseOptions;
use crate::run::Pin;
use clap::Parser;
use std::str::FromStr;

/// `--a`, `--b`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SideOptions {
    /// As typed.
    pub text: String,
    pub options: BaseOptions,
}

/// What is read of the words: what runs know, but for the number of clients.
#[derive(Debug, Parser)]
#[command(
    no_binary_name = true,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true
)]
struct Words {
    #[arg(long)]
    pin: Option<Pin>,
    #[command(flatten)]
    base: BaseOptions,
}

/// What holds for the whole campaign, and is no side's.
const OF_THE_CAMPAIGN: [&str; 2] = ["output", "store"];

impl FromStr for SideOptions {
    type Err = String;

    fn from_str(text: &str) -> Result<SideOptions, String> {
        let words = shlex::split(text).ok_or("a quote is not closed, or nothing follows the last \\")?;
        let read = Words::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        })?;
        let mut options = read.base;
        if let Some(pin) = read.pin {
            options.push("pin", format!("--pin={pin}").into());
        }
        if let Some(name) = OF_THE_CAMPAIGN.into_iter().find(|name| options.has(name)) {
            return Err(format!(
                "--{name} holds for both sides: give it as an option of its own"
            ));
        }
        Ok(SideOptions {
            text: text.trim().to_owned(),
            options,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn arguments(text: &str) -> Vec<OsString> {
        text.parse::<SideOptions>().unwrap().options.without(&[])
    }

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(
            arguments(r#" -R 400 --before 'sync; echo "x y"' -D /a\ b --pin 0,2 -s"#),
            [
                "--directory=/a b",
                "--target-rate=400",
                "--sync",
                "--before=sync; echo \"x y\"",
                "--pin=0+2"
            ]
        );
        assert!(arguments("").is_empty());
    }

    #[test]
    fn what_is_no_option_of_a_side_is_refused_in_few_words() {
        for (text, why) in [
            ("--before 'x", "a quote is not closed"),
            ("--nonsense", "unexpected argument '--nonsense'"),
            ("-R fast", "invalid value 'fast'"),
            ("4", "unexpected argument '4'"),
            ("--help", "unexpected argument '--help'"),
            ("--output json=x", "--output holds for both sides"),
            ("--store", "--store holds for both sides"),
        ] {
            let error = text.parse::<SideOptions>().unwrap_err();
            assert!(error.starts_with(why), "{text}: {error}");
            assert_eq!(error.lines().count(), 1, "{text}: {error}");
        }
    }
}
