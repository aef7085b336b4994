//! What `rbench loads` says of a bundled load.

use crate::loadfile::Param;
use serde::Serialize;

/// How wide lines are that are broken between words, columns.
const WIDTH: usize = 96;

/// A bundled load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedLoad {
    pub name: String,
    /// What it models, in a line.
    pub summary: String,
    pub params: Vec<ListedParam>,
}

/// One of its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedParam {
    pub name: String,
    pub default: String,
    pub help: String,
    /// The values that it can have; absent: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

impl From<&Param> for ListedParam {
    fn from(param: &Param) -> ListedParam {
        ListedParam {
            name: param.name.clone(),
            default: param.default.clone(),
            help: param.help.clone(),
            choices: param.choices.clone(),
        }
    }
}

impl ListedLoad {
    /// As JSON, on several lines.
    ///
    /// # Errors
    /// As serde_json's; none is known for these fields.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// For people: the name, and below it what it models and its parameters.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        text += &broken(&self.summary, "    ", "    ");
        let settings = self
            .params
            .iter()
            .map(|param| format!("{}={}", param.name, param.default));
        let settings: Vec<String> = settings.collect();
        let width = settings.iter().map(String::len).max().unwrap_or(0);
        for (param, setting) in self.params.iter().zip(&settings) {
            let mut help = param.help.clone();
            if !param.choices.is_empty() {
                help += &format!(" ({})", param.choices.join(", "));
            }
            text += &broken(
                &help,
                &format!("      {setting:width$}  "),
                &" ".repeat(8 + width),
            );
        }
        text
    }
}

/// A text broken between words; its first line starts with `first`, the others with `rest`.
fn broken(text: &str, first: &str, rest: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut starts = true;
    for word in text.split_whitespace() {
        if !starts && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &line;
            lines.push('\n');
            line = rest.to_owned();
            starts = true;
        }
        if !starts {
            line.push(' ');
        }
        line += word;
        starts = false;
    }
    lines + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_between_words_and_stay_within_the_width() {
        let text = broken(&"word ".repeat(60), "  a  ", "     ");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(
            text.starts_with("  a  word") && text.contains("\n     word"),
            "{text}"
        );
        assert_eq!(broken("", "  x=1  ", "  "), "  x=1\n");
    }
}
