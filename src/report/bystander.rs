//! What a bystander waited for: a row an activity, before the table of operations.

use super::table::fitted;
use crate::result::{ProbeActivity, ProbeResult};

/// The columns: a heading, and the quantile.
const COLUMNS: [(&str, f64); 4] = [
    ("P50 ms", 0.5),
    ("P95 ms", 0.95),
    ("P99 ms", 0.99),
    ("max ms", 1.0),
];

/// Times under load, and behind each how many times as long as on the idle machine it is.
pub(super) fn lines(probe: &ProbeResult) -> String {
    let mut text = format!("{:<9} {:>6}", "bystander", "count");
    for (heading, _) in COLUMNS {
        text.push_str(&format!(" {heading:>9} {:<9}", "x idle"));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text.extend(probe.activities.iter().map(row));
    text.extend(probe.activities.iter().filter_map(errors));
    text
}

fn row(one: &ProbeActivity) -> String {
    let name = one.activity.to_string();
    let mut text = format!("{name:<9} {:6}", one.loaded.len());
    for (_, quantile) in COLUMNS {
        let loaded = one.loaded_quantile(quantile).map(fitted);
        let factor = one.factor(quantile).map(times);
        let absent = || "-".to_owned();
        let (loaded, factor) = (loaded.unwrap_or_else(absent), factor.unwrap_or_else(absent));
        text.push_str(&format!(" {loaded:>9} {factor:<9}"));
    }
    format!("{}\n", text.trim_end())
}

/// `x3.14`, `x31.4`, `x314`.
fn times(factor: f64) -> String {
    let digits = match factor {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("x{factor:.digits$}")
}

fn errors(one: &ProbeActivity) -> Option<String> {
    let (activity, errors) = (one.activity, one.errors);
    let verb = if errors == 1 { "time" } else { "times" };
    (errors > 0)
        .then(|| format!("{activity} failed {errors} {verb}, on the idle machine and under load together\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_about_three_digits() {
        let shown = [0.5, 1.0, 9.994, 9.996, 31.42, 99.94, 99.96, 12_345.6].map(times);
        assert_eq!(
            shown,
            [
                "x0.50", "x1.00", "x9.99", "x10.0", "x31.4", "x99.9", "x100", "x12346"
            ]
        );
    }
}
