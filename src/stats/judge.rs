//! From the figures of two sets of runs to verdicts.

use super::correction::{benjamini_hochberg, holm};
use super::hodges_lehmann::{shift_of_pairs, shift_of_sides};
use super::mann_whitney::mann_whitney;
use super::median::MedianInterval;
use super::signed_rank::signed_rank;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Adjusted p values up to it count as significant.
pub const SIGNIFICANT: f64 = 0.05;
/// The least runs on each side, unpaired, for a verdict.
pub const LEAST_RUNS: usize = 6;
/// The least pairs for a verdict.
pub const LEAST_PAIRS: usize = 8;
/// The effect floor where none is given: 3 %.
pub const FLOOR: f64 = 0.03;

/// How the difference of two figures is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// candidate / base, tested on logarithms: figures that are always above 0.
    Ratio,
    /// candidate - base: figures that can be zero or negative.
    Difference,
}

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Higher,
    Lower,
}

/// A Hodges-Lehmann estimate, in the unit of its [`Scale`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub point: f64,
    /// The exact interval of (at least) 95 %; absent where there are too few figures for one.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// In another unit; None where it does not fit into numbers.
    fn map(self, unit: impl Fn(f64) -> f64) -> Option<Estimate> {
        let point = unit(self.point);
        let interval = self.interval.map(|(low, high)| (unit(low), unit(high)));
        let fits = interval.is_none_or(|(low, high)| low.is_finite() && high.is_finite());
        (point.is_finite() && fits).then_some(Estimate { point, interval })
    }
}

/// The figures of one metric on two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// One a run. Paired: of the same length as `candidate`, pair by pair.
    pub base: Vec<f64>,
    pub candidate: Vec<f64>,
    pub paired: bool,
    pub scale: Scale,
    pub better: Better,
    /// The least difference that matters: a share for [`Scale::Ratio`] (0.03 is 3 %), an amount for [`Scale::Difference`].
    pub floor: f64,
    /// Whether the verdict counts (corrected after Holm), or is shown beside (after Benjamini and Hochberg).
    pub gated: bool,
}

/// What became of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Significantly worse, beyond the floor.
    Regressed,
    /// Significantly better, beyond the floor.
    Improved,
    /// The whole interval lies within the floor.
    Unchanged,
    /// Significant, but below the floor.
    Small,
    /// None of these: there may be a change that so few or so scattered runs do not show.
    Inconclusive,
    /// Too few runs to judge.
    Insufficient,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Regressed => "regressed",
            Verdict::Improved => "improved",
            Verdict::Unchanged => "unchanged",
            Verdict::Small => "small",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Insufficient => "insufficient",
        })
    }
}

/// The answer to a [`Question`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Absent where a side has no figures.
    pub estimate: Option<Estimate>,
    /// Of the exact test, two-sided; absent where there are too few runs.
    pub p: Option<f64>,
    /// Corrected for all metrics that were judged together.
    pub adjusted_p: Option<f64>,
    pub verdict: Verdict,
    /// How many more runs (pairs) at least are needed on the side that has fewer; 0 where there are enough.
    pub more_needed: u32,
}

/// Answers questions together: the gated ones are corrected after Holm, the others after Benjamini and Hochberg.
///
/// The floor of a ratio is meant as it is shown: 3 % is everything from 0.97 to 1.03. A significant difference is never
/// called unchanged: it is small even where its whole interval lies within the floor.
///
/// Runs whose figure is not a number are left out, with their pair. Where a figure of [`Scale::Ratio`] is not above 0 (a
/// run that did nothing has a throughput of 0), there are no logarithms: the plain figures are tested, and their
/// difference is told as a ratio to the baseline's median.
pub fn judge(questions: &[Question]) -> Vec<Judgement> {
    let answers: Vec<Answer> = questions.iter().map(Answer::to).collect();
    let mut adjusted_p = vec![None; questions.len()];
    for (gated, correct) in [
        (true, holm as fn(&[f64]) -> Vec<f64>),
        (false, benjamini_hochberg),
    ] {
        let tested = answers.iter().zip(questions).enumerate();
        let (places, p): (Vec<usize>, Vec<f64>) = tested
            .filter(|(_, (_, question))| question.gated == gated)
            .filter_map(|(at, (answer, _))| Some((at, answer.p?)))
            .unzip();
        for (at, adjusted) in places.into_iter().zip(correct(&p)) {
            adjusted_p[at] = Some(adjusted);
        }
    }
    let all = questions.iter().zip(answers).zip(adjusted_p);
    all.map(|((question, answer), adjusted_p)| Judgement {
        estimate: answer.estimate,
        p: answer.p,
        adjusted_p,
        verdict: verdict(question, answer.estimate, adjusted_p),
        more_needed: answer.more_needed,
    })
    .collect()
}

/// What the figures of one question say by themselves.
struct Answer {
    estimate: Option<Estimate>,
    p: Option<f64>,
    more_needed: u32,
}

impl Answer {
    fn to(question: &Question) -> Answer {
        let sides = Sides::of(question);
        let (runs, least) = if question.paired {
            (sides.base.len(), LEAST_PAIRS)
        } else {
            (sides.base.len().min(sides.candidate.len()), LEAST_RUNS)
        };
        let more_needed = least.saturating_sub(runs) as u32;
        Answer {
            estimate: sides.estimate(question),
            p: (more_needed == 0).then(|| sides.test(question)),
            more_needed,
        }
    }
}

/// The figures that are numbers, and the form in which they are subtracted.
struct Sides {
    base: Vec<f64>,
    candidate: Vec<f64>,
    /// Whether they are logarithms.
    logarithms: bool,
}

impl Sides {
    fn of(question: &Question) -> Sides {
        let finite = |figures: &[f64]| {
            figures
                .iter()
                .copied()
                .filter(|figure| figure.is_finite())
                .collect()
        };
        let (mut base, mut candidate): (Vec<f64>, Vec<f64>) = if question.paired {
            let pairs = question
                .base
                .iter()
                .copied()
                .zip(question.candidate.iter().copied());
            pairs
                .filter(|(base, candidate)| base.is_finite() && candidate.is_finite())
                .unzip()
        } else {
            (finite(&question.base), finite(&question.candidate))
        };
        let mut all = base.iter().chain(&candidate);
        let logarithms = question.scale == Scale::Ratio && all.all(|&figure| figure > 0.0);
        if logarithms {
            for figure in base.iter_mut().chain(&mut candidate) {
                *figure = figure.ln();
            }
        }
        Sides {
            base,
            candidate,
            logarithms,
        }
    }

    /// Pair by pair.
    fn differences(&self) -> Vec<f64> {
        let pairs = self.base.iter().zip(&self.candidate);
        pairs.map(|(base, candidate)| candidate - base).collect()
    }

    fn test(&self, question: &Question) -> f64 {
        if question.paired {
            signed_rank(&self.differences())
        } else {
            mann_whitney(&self.base, &self.candidate)
        }
    }

    /// In the unit of the question's scale.
    fn estimate(&self, question: &Question) -> Option<Estimate> {
        let difference = if question.paired {
            shift_of_pairs(&self.differences())
        } else {
            shift_of_sides(&self.base, &self.candidate)
        }?;
        match question.scale {
            Scale::Difference => Some(difference),
            Scale::Ratio if self.logarithms => difference.map(f64::exp),
            Scale::Ratio => {
                let median = MedianInterval::of(&self.base)?.median;
                let ratio = |difference: f64| 1.0 + difference / median;
                if median > 0.0 { difference.map(ratio) } else { None }
            }
        }
    }
}

fn verdict(question: &Question, estimate: Option<Estimate>, adjusted_p: Option<f64>) -> Verdict {
    let Some(adjusted_p) = adjusted_p else {
        return Verdict::Insufficient;
    };
    let Some(estimate) = estimate else {
        return Verdict::Inconclusive;
    };
    let change = |figure: f64| match question.scale {
        Scale::Ratio => figure - 1.0,
        Scale::Difference => figure,
    };
    let floor = question.floor.max(0.0);
    let size = change(estimate.point);
    if adjusted_p <= SIGNIFICANT {
        let rose = size > 0.0;
        return match question.better {
            _ if size.abs() <= floor => Verdict::Small,
            Better::Higher if rose => Verdict::Improved,
            Better::Lower if !rose => Verdict::Improved,
            _ => Verdict::Regressed,
        };
    }
    let within = |(low, high): (f64, f64)| change(low) >= -floor && change(high) <= floor;
    if estimate.interval.is_some_and(within) {
        Verdict::Unchanged
    } else {
        Verdict::Inconclusive
    }
}

#[cfg(test)]
mod tests;
