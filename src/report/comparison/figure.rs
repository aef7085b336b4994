//! Figures of a comparison, for people.

use crate::compare::{Metric, Row, Sample};
use crate::stats::{Judgement, Scale};

/// In what unit people read a metric.
struct Unit {
    /// By so much a figure in the base unit is multiplied.
    factor: f64,
    name: &'static str,
}

fn unit(metric: Metric) -> Unit {
    let (factor, name) = match metric {
        Metric::Throughput | Metric::ThroughputWithSync => (1e-6, " MB/sec"),
        Metric::Operations | Metric::MetadataOperations => (1.0, " ops/sec"),
        Metric::Latency { .. } | Metric::Bystander { .. } => (1e3, " ms"),
        Metric::Processor => (1e6, " us/op"),
        Metric::Differed => (100.0, " %"),
    };
    Unit { factor, name }
}

/// A figure with its unit: `5.886 MB/sec`.
pub(in crate::report) fn amount(metric: Metric, figure: f64) -> String {
    let Unit { factor, name } = unit(metric);
    format!("{}{name}", significant(figure * factor))
}

/// By how much a figure lies elsewhere, as [`Metric::scale`] says: a share, or an amount.
pub(in crate::report) fn shift(metric: Metric, shift: f64) -> String {
    match metric.scale() {
        Scale::Ratio => percent(shift),
        Scale::Difference => {
            let sign = if shift < 0.0 { "-" } else { "+" };
            format!("{sign}{}", amount(metric, shift.abs()))
        }
    }
}

/// The median with its unit and half the width of its interval: `5.886 MB/sec ±1%`.
pub(in crate::report) fn sample(metric: Metric, sample: &Sample) -> String {
    let Some(median) = sample.median else {
        return "-".to_owned();
    };
    let Unit { factor, name } = unit(metric);
    let spread = match sample.spread {
        // As much as the figure itself or more says nothing.
        Some(spread) if spread >= 9.995 => " ±>999%".to_owned(),
        Some(spread) => format!(" ±{:.0}%", spread * 100.0),
        None => String::new(),
    };
    format!("{}{name}{spread}", significant(median * factor))
}

/// How the candidate lies to the baseline, with the interval where there is one: `-10.2% [-11.0%, -9.1%]`, as a ratio
/// `0.898 [0.890, 0.909]`. Of what is never tested, by the medians.
pub(in crate::report) fn change(row: &Row, as_ratio: bool) -> String {
    let told = |figure: f64| match (row.metric.scale(), as_ratio) {
        (Scale::Ratio, true) => format!("{figure:.3}"),
        (Scale::Ratio, false) => percent(figure - 1.0),
        (Scale::Difference, _) => {
            let Unit { factor, name } = unit(row.metric);
            let sign = if figure < 0.0 { "-" } else { "+" };
            format!("{sign}{}{name}", significant((figure * factor).abs()))
        }
    };
    match row.judgement {
        Some(Judgement {
            estimate: Some(estimate),
            ..
        }) => match estimate.interval {
            Some((low, high)) => format!("{} [{}, {}]", told(estimate.point), told(low), told(high)),
            None => told(estimate.point),
        },
        Some(_) => "-".to_owned(),
        None => of_medians(row).map_or("-".to_owned(), told),
    }
}

fn of_medians(row: &Row) -> Option<f64> {
    let (base, candidate) = row.base.median.zip(row.candidate.median)?;
    let change = match row.metric.scale() {
        Scale::Ratio => candidate / base,
        Scale::Difference => candidate - base,
    };
    change.is_finite().then_some(change)
}

/// With a sign, and no digits that nobody reads.
pub(in crate::report) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let text = if percent.abs() < 1000.0 {
        format!("{percent:+.1}%")
    } else {
        format!("{percent:+.0}%")
    };
    if text == "-0.0%" { "+0.0%".to_owned() } else { text }
}

/// A p value: `0.0022`, `<0.0001`.
pub(in crate::report) fn p(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 0.0001 => "<0.0001".to_owned(),
        Some(value) => format!("{value:.4}"),
    }
}

/// How many runs there are of each side, or how many pairs.
pub(in crate::report) fn runs(row: &Row, paired: bool) -> String {
    let (base, candidate) = (row.base.values.len(), row.candidate.values.len());
    if paired {
        base.to_string()
    } else {
        format!("{base}+{candidate}")
    }
}

/// Four significant digits, without an exponent; at most nine decimals.
pub(super) fn significant(value: f64) -> String {
    const DIGITS: i32 = 4;
    const DECIMALS: i32 = 9;
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor().clamp(-300.0, 300.0) as i32;
    let decimals = (DIGITS - 1 - exponent).clamp(0, DECIMALS) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_four_digits_whatever_their_size() {
        let shown = [
            (0.0, "0"),
            (5.88569, "5.886"),
            (123_456.7, "123457"),
            (0.012_345, "0.01235"),
            (1e-12, "0.000000000"),
            (999.96, "1000.0"),
        ];
        for (value, text) in shown {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn percent_and_p_values_are_short() {
        assert_eq!(percent(-0.00001), "+0.0%");
        assert_eq!(percent(-0.1024), "-10.2%");
        assert_eq!(percent(12.0), "+1200%");
        assert_eq!(p(Some(0.00001)), "<0.0001");
        assert_eq!(p(Some(0.00216)), "0.0022");
        assert_eq!(p(None), "-");
    }
}
