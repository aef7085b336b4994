//! How often verdicts on two sides are wrong, and how often they find what is there. In full only on demand; a small
//! part with wider limits always.

use super::chance::{Chance, Effort, FULL, Frequency};
use rbench::stats::{Better, Judgement, Question, Scale, Verdict, judge};

/// The coefficient of variation of a run.
const VARIATION: f64 = 0.03;
/// Runs on each side.
const RUNS: usize = 10;

fn question(base: Vec<f64>, candidate: Vec<f64>, paired: bool) -> Question {
    Question {
        base,
        candidate,
        paired,
        scale: Scale::Ratio,
        better: Better::Higher,
        floor: 0.03,
        gated: true,
    }
}

fn runs(level: f64, mut noise: impl FnMut() -> f64) -> Vec<f64> {
    (0..RUNS).map(|_| level * (VARIATION * noise()).exp()).collect()
}

fn answer(base: Vec<f64>, candidate: Vec<f64>, paired: bool) -> Judgement {
    judge(&[question(base, candidate, paired)])[0]
}

fn significant(judgement: &Judgement) -> bool {
    judgement.p.unwrap() <= 0.05
}

fn decided(judgement: &Judgement) -> bool {
    matches!(judgement.verdict, Verdict::Regressed | Verdict::Improved)
}

/// Judges many comparisons of two equal sides: how often p is small, how often there is a verdict beyond the floor, and
/// how often the interval holds the truth.
fn equal_sides(times: u32, paired: bool, mut noise: impl FnMut() -> f64) -> [Frequency; 3] {
    let judgements: Vec<Judgement> = (0..times)
        .map(|_| answer(runs(5e8, &mut noise), runs(5e8, &mut noise), paired))
        .collect();
    let holds = |judgement: &Judgement| {
        let (low, high) = judgement.estimate.unwrap().interval.unwrap();
        low <= 1.0 && 1.0 <= high
    };
    [significant, decided, holds].map(|what: fn(&Judgement) -> bool| {
        let mut each = judgements.iter();
        Frequency::of(times, || each.next().is_some_and(what))
    })
}

fn equal_sides_are_seldom_told_apart(effort: Effort) {
    let mut chance = Chance::seeded(2);
    let times = effort.times(20_000);
    let [small_p, beyond_floor, covered] = equal_sides(times, false, || chance.normal());
    effort.between("equal sides, p <= 0.05", (0.038, 0.048), small_p);
    effort.between("equal sides, beyond the floor", (0.016, 0.024), beyond_floor);
    // The exact interval holds the truth with 95.7 %, the next narrower one with less than 95 %.
    let error = Effort { slack: 3.0, ..effort };
    error.at_least("equal sides, interval", 0.95, covered);

    let [small_p, _, covered] = equal_sides(times, true, || chance.normal());
    // (Ten pairs come to 4.88 % at most.)
    error.at_most("equal pairs, p <= 0.05", 0.05, small_p);
    error.at_least("equal pairs, interval", 0.95, covered);

    let [small_p, beyond_floor, _] = equal_sides(times, false, || chance.t3());
    effort.at_most("heavy tails, p <= 0.05", 0.05, small_p);
    effort.at_most("heavy tails, beyond the floor", 0.05, beyond_floor);

    // One run in five is 20 % slower.
    let two_modes = || chance.normal() - if chance.happens(0.2) { 0.2 / VARIATION } else { 0.0 };
    let [small_p, beyond_floor, _] = equal_sides(times, false, two_modes);
    effort.at_most("a second mode, p <= 0.05", 0.05, small_p);
    effort.at_most("a second mode, beyond the floor", 0.05, beyond_floor);
}

#[test]
fn equal_sides_are_seldom_told_apart_in_a_few_comparisons() {
    equal_sides_are_seldom_told_apart(Effort::small(0.05));
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn equal_sides_are_seldom_told_apart_in_full() {
    equal_sides_are_seldom_told_apart(FULL);
}

fn drops_are_found(effort: Effort) {
    let mut chance = Chance::seeded(3);
    for (drop, least) in [(0.03, 0.50), (0.05, 0.91), (0.08, 0.995)] {
        let found = Frequency::of(effort.times(20_000), || {
            let base = runs(100.0, || chance.normal());
            significant(&answer(
                base,
                runs(100.0 * (1.0 - drop), || chance.normal()),
                false,
            ))
        });
        effort.at_least(&format!("a drop of {drop}"), least, found);
    }
}

#[test]
fn drops_are_found_in_a_few_comparisons() {
    drops_are_found(Effort::small(0.05));
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn drops_are_found_in_full() {
    drops_are_found(FULL);
}

/// Twenty metrics of two sides, any two of them correlated by one half; the first is larger on the candidate's side.
fn twenty_metrics(chance: &mut Chance, first: f64) -> Vec<Judgement> {
    let mut side = |first: f64| {
        let mut metrics = vec![Vec::new(); 20];
        for _ in 0..RUNS {
            let common = chance.normal();
            for metric in &mut metrics {
                let noise = (common + chance.normal()) * 0.5f64.sqrt();
                metric.push((VARIATION * noise).exp());
            }
        }
        metrics[0].iter_mut().for_each(|figure| *figure *= first);
        metrics
    };
    let sides = side(1.0).into_iter().zip(side(first));
    let questions: Vec<Question> = sides
        .map(|(base, candidate)| question(base, candidate, false))
        .collect();
    judge(&questions)
}

fn twenty_metrics_are_judged_together(effort: Effort) {
    let mut chance = Chance::seeded(4);
    let times = effort.times(20_000);
    let wrong = Frequency::of(times, || twenty_metrics(&mut chance, 1.0).iter().any(decided));
    effort.at_most("twenty metrics, any false verdict", 0.04, wrong);
    let found = Frequency::of(times, || {
        twenty_metrics(&mut chance, 0.92)[0].verdict == Verdict::Regressed
    });
    effort.at_least("twenty metrics, the one that dropped by 8 %", 0.96, found);
}

#[test]
fn twenty_metrics_are_judged_together_in_a_few_comparisons() {
    twenty_metrics_are_judged_together(Effort::small(0.01));
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn twenty_metrics_are_judged_together_in_full() {
    twenty_metrics_are_judged_together(FULL);
}

/// In which order the runs of a pair are made.
#[derive(Debug, Clone, Copy)]
enum Turns {
    Random,
    Abba,
    AllOfAFirst,
}

/// Two equal sides on a machine that drifts by 3 standard deviations over the campaign.
fn drifting(chance: &mut Chance, turns: Turns) -> Judgement {
    let (mut base, mut candidate) = (Vec::new(), Vec::new());
    for run in 0..2 * RUNS {
        let drift = 3.0 * run as f64 / (2 * RUNS - 1) as f64;
        let figure = (VARIATION * (drift + chance.normal())).exp();
        let base_next = match turns {
            Turns::Random if base.len() == candidate.len() => chance.happens(0.5),
            Turns::Random => base.len() < candidate.len(),
            Turns::Abba => [0, 3].contains(&(run % 4)),
            Turns::AllOfAFirst => run < RUNS,
        };
        if base_next {
            base.push(figure);
        } else {
            candidate.push(figure);
        }
    }
    answer(base, candidate, !matches!(turns, Turns::AllOfAFirst))
}

fn pairs_stand_a_drift(effort: Effort) {
    let mut chance = Chance::seeded(5);
    let times = effort.times(20_000);
    for turns in [Turns::Random, Turns::Abba] {
        let judgements: Vec<Judgement> = (0..times).map(|_| drifting(&mut chance, turns)).collect();
        for (what, wrong) in [
            ("p <= 0.05", significant as fn(&Judgement) -> bool),
            ("verdicts", decided),
        ] {
            let mut each = judgements.iter();
            let found = Frequency::of(times, || each.next().is_some_and(wrong));
            effort.at_most(&format!("drift, {turns:?}, {what}"), 0.06, found);
        }
    }
    // What pairs are for: one side after the other, the drift is taken for a difference.
    let found = Frequency::of(times, || decided(&drifting(&mut chance, Turns::AllOfAFirst)));
    effort.at_least("drift, one side after the other", 0.5, found);
}

#[test]
fn pairs_stand_a_drift_in_a_few_campaigns() {
    pairs_stand_a_drift(Effort::small(0.05));
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn pairs_stand_a_drift_in_full() {
    pairs_stand_a_drift(FULL);
}
