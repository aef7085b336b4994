use super::*;

/// Ten figures that scatter by 2 % around a level, without ties.
fn side(level: f64) -> Vec<f64> {
    (0..10)
        .map(|run| level * (0.98 + f64::from(run) * 0.004))
        .collect()
}

fn question(base: Vec<f64>, candidate: Vec<f64>) -> Question {
    Question {
        base,
        candidate,
        paired: false,
        scale: Scale::Ratio,
        better: Better::Higher,
        floor: FLOOR,
        gated: true,
    }
}

fn one(question: Question) -> Judgement {
    judge(&[question])[0]
}

fn verdict_of(question: Question) -> Verdict {
    one(question).verdict
}

#[test]
fn verdicts_follow_from_p_the_floor_and_what_is_better() {
    let verdict = |candidate: f64| verdict_of(question(side(100.0), side(candidate)));
    assert_eq!(verdict(110.0), Verdict::Improved);
    assert_eq!(verdict(90.0), Verdict::Regressed);
    assert_eq!(verdict(100.1), Verdict::Unchanged);
    assert_eq!(verdict(97.5), Verdict::Small);
    let lower = |candidate: f64| {
        let better = Better::Lower;
        verdict_of(Question {
            better,
            ..question(side(100.0), side(candidate))
        })
    };
    assert_eq!(
        (lower(110.0), lower(90.0)),
        (Verdict::Regressed, Verdict::Improved)
    );
    let scattered = question(vec![60.0, 80.0, 90.0, 100.0, 120.0, 140.0], side(99.0));
    assert_eq!(verdict_of(scattered), Verdict::Inconclusive);
}

#[test]
fn ratios_are_told_as_ratios_and_differences_in_their_unit() {
    let ratio = one(question(side(200.0), side(220.0))).estimate.unwrap();
    assert!((ratio.point - 1.1).abs() < 1e-9, "{ratio:?}");
    let (low, high) = ratio.interval.unwrap();
    assert!(1.08 < low && low < 1.1 && 1.1 < high && high < 1.12, "{ratio:?}");
    let scale = Scale::Difference;
    let difference = one(Question {
        scale,
        floor: 5.0,
        ..question(side(200.0), side(220.0))
    });
    assert!(
        (difference.estimate.unwrap().point - 20.0).abs() < 0.5,
        "{difference:?}"
    );
    assert_eq!(difference.verdict, Verdict::Improved);
    let below = Question {
        scale,
        floor: 25.0,
        ..question(side(200.0), side(220.0))
    };
    assert_eq!(verdict_of(below), Verdict::Small);
}

#[test]
fn pairs_show_what_their_scatter_hides() {
    let base: Vec<f64> = (0..10).map(|pair| 100.0 * 1.5f64.powi(pair)).collect();
    let candidate: Vec<f64> = side(0.95)
        .iter()
        .zip(&base)
        .map(|(ratio, base)| ratio * base)
        .collect();
    let unpaired = question(base, candidate);
    let paired = Question {
        paired: true,
        ..unpaired.clone()
    };
    assert_eq!(verdict_of(unpaired), Verdict::Inconclusive);
    let judgement = one(paired);
    assert_eq!(
        (judgement.verdict, judgement.p),
        (Verdict::Regressed, Some(2.0 / 1024.0))
    );
}

#[test]
fn too_few_runs_say_how_many_more_are_needed() {
    let few = one(question(side(100.0), side(90.0)[..4].to_vec()));
    assert_eq!(
        (few.verdict, few.p, few.adjusted_p, few.more_needed),
        (Verdict::Insufficient, None, None, 2)
    );
    assert!((few.estimate.unwrap().point - 0.89).abs() < 0.01, "{few:?}");
    let pairs = Question {
        paired: true,
        ..question(side(1.0)[..7].to_vec(), side(1.0))
    };
    assert_eq!(one(pairs).more_needed, 1);
    let none = one(question(side(1.0), vec![f64::NAN; 9]));
    assert_eq!((none.estimate, none.more_needed), (None, 6));
}

#[test]
fn gated_questions_are_corrected_among_themselves_and_by_those_that_were_tested() {
    let apart = question(side(100.0), side(90.0));
    let shown = Question {
        gated: false,
        ..apart.clone()
    };
    let few = question(vec![1.0], vec![2.0]);
    let judgements = judge(&[apart.clone(), shown.clone(), few, apart, shown]);
    let p = 2.0 / 184_756.0;
    let factors: Vec<Option<f64>> = judgements
        .iter()
        .map(|one| one.adjusted_p.map(|of| of / p))
        .collect();
    for (factor, expected) in factors
        .iter()
        .zip([Some(2.0), Some(1.0), None, Some(2.0), Some(1.0)])
    {
        match (factor, expected) {
            (Some(factor), Some(expected)) => assert!((factor - expected).abs() < 1e-9, "{factors:?}"),
            _ => assert_eq!(*factor, expected),
        }
    }
}

#[test]
fn runs_that_did_nothing_are_judged_without_logarithms() {
    let mut idle = side(90.0);
    idle[0] = 0.0;
    let judgement = one(question(side(100.0), idle.clone()));
    assert_eq!(judgement.verdict, Verdict::Regressed);
    assert!(
        (judgement.estimate.unwrap().point - 0.9).abs() < 0.02,
        "{judgement:?}"
    );
    // A baseline of nothing has no ratio.
    let from_nothing = one(question(vec![0.0; 10], idle));
    assert_eq!(
        (from_nothing.estimate, from_nothing.verdict),
        (None, Verdict::Inconclusive)
    );
    assert!(from_nothing.p.is_some_and(|p| p < 0.01));
}
