//! What fresh runs say of what others have flagged.

use super::{Comparison, Metric, Note, NoteKind, Row};
use crate::stats::{Scale, Verdict};

impl Comparison {
    /// The metrics that decide and are better or worse: what fresh runs are to confirm.
    pub fn flagged(&self) -> Vec<Metric> {
        let flagged = self.rows.iter().filter(|row| row.is_flagged());
        let mut metrics: Vec<Metric> = flagged.map(|row| row.metric).collect();
        metrics.sort_unstable();
        metrics.dedup();
        metrics
    }

    /// What is left of what it has flagged beside as many fresh runs, which were compared by themselves for those metrics
    /// only (absent: that could not be done). Only what both flag in the same direction stays; the rest is inconclusive.
    /// A footnote of each row tells it.
    pub fn confirmed_by(mut self, fresh: Option<&Comparison>) -> Comparison {
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            if !row.is_flagged() {
                continue;
            }
            let same = |other: &&Row| other.metric == row.metric && other.cell == row.cell;
            let beside = fresh.and_then(|fresh| fresh.rows.iter().find(same));
            let (is_confirmed, text) = told(row, beside);
            self.notes.push(Note {
                kind: NoteKind::Confirmation,
                text,
            });
            let number = u32::try_from(self.notes.len()).unwrap_or(u32::MAX);
            let row = &mut self.rows[index];
            row.notes.push(number);
            if let Some(judgement) = row.judgement.as_mut().filter(|_| !is_confirmed) {
                judgement.verdict = Verdict::Inconclusive;
            }
        }
        self
    }
}

impl Row {
    fn verdict(&self) -> Option<Verdict> {
        self.judgement.map(|judgement| judgement.verdict)
    }

    fn is_flagged(&self) -> bool {
        let verdict = self.verdict();
        self.gated
            && verdict.is_some_and(|verdict| [Verdict::Regressed, Verdict::Improved].contains(&verdict))
    }
}

/// Whether a row is confirmed by the one of the fresh runs, and a line that says so.
fn told(row: &Row, fresh: Option<&Row>) -> (bool, String) {
    let metric = row.metric;
    let verdict = row
        .verdict()
        .map(|verdict| verdict.to_string())
        .unwrap_or_default();
    let Some(fresh) = fresh else {
        return (
            false,
            format!("{metric}: {verdict}, but not confirmed: there are no fresh pairs to judge it by"),
        );
    };
    let pairs = fresh.base.values.len();
    let difference = difference(fresh);
    match fresh.verdict() {
        Some(other) if Some(other) == row.verdict() => (
            true,
            format!("{metric}: {verdict}, confirmed by {pairs} fresh pairs{difference}"),
        ),
        Some(other) => (
            false,
            format!("{metric}: {verdict}, but not confirmed: {pairs} fresh pairs say {other}{difference}"),
        ),
        None => (
            false,
            format!("{metric}: {verdict}, but not confirmed: the fresh pairs could not be judged"),
        ),
    }
}

/// The estimate of a row in brackets.
fn difference(row: &Row) -> String {
    let point = row
        .judgement
        .and_then(|judgement| judgement.estimate)
        .map(|estimate| estimate.point);
    match (row.metric.scale(), point) {
        (_, None) => String::new(),
        (Scale::Ratio, Some(ratio)) => format!(" ({:+.1} %)", (ratio - 1.0) * 100.0),
        (Scale::Difference, Some(amount)) => format!(" ({:+.2} percentage points)", amount * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Sample, Side};
    use super::*;
    use crate::stats::{Estimate, Judgement};

    fn row(metric: &str, verdict: Verdict, ratio: f64) -> Row {
        let sample = || Sample {
            values: vec![1.0; 10],
            median: Some(1.0),
            spread: None,
        };
        Row {
            cell: "client 1 client".into(),
            metric: metric.parse().unwrap(),
            gated: true,
            base: sample(),
            candidate: sample(),
            floor: 0.03,
            judgement: Some(Judgement {
                estimate: Some(Estimate {
                    point: ratio,
                    interval: None,
                }),
                p: Some(0.001),
                adjusted_p: Some(0.001),
                verdict,
                more_needed: 0,
            }),
            notes: Vec::new(),
        }
    }

    fn comparison(rows: Vec<Row>) -> Comparison {
        let side = |name: &str| Side {
            name: name.into(),
            runs: 10,
            first_started_at: None,
            last_started_at: None,
        };
        Comparison {
            base: side("a"),
            candidate: side("b"),
            paired: true,
            floor: 0.03,
            varied: Vec::new(),
            rows,
            notes: Vec::new(),
        }
    }

    #[test]
    fn only_what_both_flag_in_the_same_direction_stays() {
        let first = comparison(vec![
            row("throughput", Verdict::Regressed, 0.9),
            row("operations", Verdict::Regressed, 0.91),
            row("p99:WriteX", Verdict::Improved, 0.8),
            row("p99:ReadX", Verdict::Unchanged, 1.0),
        ]);
        assert_eq!(first.flagged().len(), 3);
        let fresh = comparison(vec![
            row("throughput", Verdict::Regressed, 0.88),
            row("operations", Verdict::Improved, 1.1),
            row("p99:WriteX", Verdict::Inconclusive, 0.97),
        ]);
        let both = first.confirmed_by(Some(&fresh));
        let verdicts: Vec<_> = both.rows.iter().map(|row| row.verdict().unwrap()).collect();
        use Verdict::{Inconclusive, Regressed, Unchanged};
        assert_eq!(verdicts, [Regressed, Inconclusive, Inconclusive, Unchanged]);
        let notes: Vec<&str> = both.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(
            notes,
            [
                "throughput: regressed, confirmed by 10 fresh pairs (-12.0 %)",
                "operations: regressed, but not confirmed: 10 fresh pairs say improved (+10.0 %)",
                "p99:WriteX: improved, but not confirmed: 10 fresh pairs say inconclusive (-3.0 %)",
            ]
        );
        assert_eq!(both.rows[2].notes, [3]);
        assert!(both.has_regressed());
    }

    #[test]
    fn what_no_fresh_pairs_were_made_for_is_not_confirmed() {
        let first = comparison(vec![row("throughput", Verdict::Regressed, 0.9)]);
        let both = first.confirmed_by(None);
        assert!(!both.has_regressed() && both.is_inconclusive());
        assert!(both.notes[0].text.contains("no fresh pairs"));
    }
}
