//! What `rbench check` says of a loadfile.

use super::printable::printable;
use crate::loadfile::{Dialect, Param, Problem};
use crate::op::Kind;
use crate::units::Grouped;
use serde::{Serialize, Serializer};

/// What a loadfile holds and what a client needs to replay it; all figures are of one pass of one client.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckReport {
    /// The path as it was given, or the bundled load's name.
    pub name: String,
    #[serde(serialize_with = "dialect_name")]
    pub dialect: Dialect,
    /// All lines of the text.
    pub lines: u64,
    /// Kinds that occur, in the order of [`Kind`].
    pub operations: Vec<OperationCount>,
    /// Counted as a run counts them.
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Operations that must fail.
    pub expected_failures: u64,
    pub distinct_paths: u64,
    /// Most handles that are open at once.
    pub peak_handles: u64,
    /// Most bytes on disk at once; absent when the loadfile does not fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_bytes_per_client: Option<u64>,
    /// Most files and directories at once; absent when the loadfile does not fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inodes_per_client: Option<u64>,
    /// When its last operation is due; absent without timestamps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    pub params: Vec<CheckParam>,
    pub warnings: Vec<CheckWarning>,
}

/// How often a kind of operation occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OperationCount {
    #[serde(serialize_with = "kind_name")]
    pub kind: Kind,
    pub count: u64,
}

/// A parameter that the loadfile declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckParam {
    pub name: String,
    pub default: String,
    /// The value in force.
    pub value: String,
    pub help: String,
    /// The values that it can have; absent: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// Something worth saying that is no error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckWarning {
    /// From 1; absent when it is about the file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// From 1; absent when it is about the whole line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    pub what: String,
}

impl From<&Param> for CheckParam {
    fn from(param: &Param) -> CheckParam {
        let Param {
            name,
            default,
            help,
            value,
            choices,
        } = param.clone();
        CheckParam {
            name,
            default,
            value,
            help,
            choices,
        }
    }
}

impl From<&Problem> for CheckWarning {
    fn from(problem: &Problem) -> CheckWarning {
        CheckWarning {
            line: (problem.line > 0).then_some(problem.line),
            column: (problem.line > 0 && problem.column > 0).then_some(problem.column),
            what: problem.what.clone(),
        }
    }
}

impl CheckReport {
    /// The report as JSON, on several lines.
    ///
    /// # Errors
    /// As serde_json's; none is known for these fields.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let (name, dialect) = (printable(&self.name), self.dialect);
        let mut text = format!("{name}: {dialect}, {} lines\n", Grouped(self.lines));
        text.push_str(&aligned(&self.figures()));
        text.push_str(&self.operations_text());
        text.push_str(&self.params_text());
        text.push_str(&self.warnings_text());
        text
    }

    /// Labels, values and units of the single figures.
    fn figures(&self) -> Vec<(&str, String, &str)> {
        let grouped = |count: u64| Grouped(count).to_string();
        let optional = [
            (
                "disk space per client",
                self.disk_bytes_per_client.map(grouped),
                "bytes",
            ),
            (
                "files and directories per client",
                self.inodes_per_client.map(grouped),
                "",
            ),
            (
                "duration by its timestamps",
                self.duration_seconds.map(|s| format!("{s:.3}")),
                "s",
            ),
        ];
        let mut figures = vec![
            ("read", grouped(self.bytes_read), "bytes"),
            ("written", grouped(self.bytes_written), "bytes"),
            ("expected failures", grouped(self.expected_failures), ""),
            ("distinct paths", grouped(self.distinct_paths), ""),
            ("open handles at most", grouped(self.peak_handles), ""),
        ];
        let known = |(label, value, unit): (_, Option<String>, _)| value.map(|value| (label, value, unit));
        figures.extend(optional.into_iter().filter_map(known));
        figures
    }

    fn operations_text(&self) -> String {
        let total = self
            .operations
            .iter()
            .fold(0u64, |sum, operation| sum.saturating_add(operation.count));
        let counts = self.operations.iter();
        let rows: Vec<_> = counts
            .map(|operation| (operation.kind.name(), Grouped(operation.count).to_string(), ""))
            .collect();
        format!("operations: {}\n{}", Grouped(total), aligned(&rows))
    }

    fn params_text(&self) -> String {
        let mut text = String::new();
        for param in &self.params {
            let lead = if text.is_empty() { "parameters:\n" } else { "" };
            let (name, value) = (printable(&param.name), printable(&param.value));
            let (default, help) = (printable(&param.default), printable(&param.help));
            text.push_str(&format!("{lead}  {name} = {value} (default {default})"));
            text.push_str(&if help.is_empty() {
                "\n".to_owned()
            } else {
                format!(": {help}\n")
            });
        }
        text
    }

    fn warnings_text(&self) -> String {
        let mut text = String::new();
        for warning in &self.warnings {
            text.push_str(&format!("warning: {}:", printable(&self.name)));
            for position in [warning.line, warning.column].into_iter().flatten() {
                text.push_str(&format!("{position}:"));
            }
            text.push_str(&format!(" {}\n", printable(&warning.what)));
        }
        text
    }
}

/// Lines of a label, a value flush right and a unit.
fn aligned(rows: &[(&str, String, &str)]) -> String {
    let label_width = rows.iter().map(|(label, ..)| label.len()).max().unwrap_or(0);
    let value_width = rows.iter().map(|(_, value, _)| value.len()).max().unwrap_or(0);
    let line = |(label, value, unit): &(&str, String, &str)| {
        let line = format!("  {label:<label_width$}  {value:>value_width$} {unit}");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn dialect_name<S: Serializer>(dialect: &Dialect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(dialect.name())
}

fn kind_name<S: Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}
