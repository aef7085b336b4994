use super::*;
use proptest::prelude::*;

#[test]
fn a_clear_drop_of_a_metric_that_decides_is_a_regression_and_exit_code_1() {
    let comparison = compared(interleaved(0.85), |_| ()).unwrap();
    assert_eq!(verdict(&comparison), Verdict::Regressed);
    assert!(comparison.rows[0].gated && !comparison.rows[1].gated);
    assert_eq!((comparison.exit_code(false), comparison.exit_code(true)), (1, 1));
    assert_eq!((comparison.base.runs, comparison.candidate.runs), (10, 10));
    assert!(!comparison.paired);
}

#[test]
fn equal_runs_and_better_ones_are_exit_code_0() {
    for factor in [1.0, 1.2] {
        let comparison = compared(interleaved(factor), |_| ()).unwrap();
        assert_eq!(comparison.exit_code(true), 0, "{factor}");
    }
}

#[test]
fn too_few_runs_are_exit_code_3_only_where_that_counts_and_say_how_many_more() {
    let (mut base, mut candidate) = interleaved(0.5);
    base.truncate(4);
    candidate.truncate(5);
    let comparison = compared((base, candidate), |_| ()).unwrap();
    assert_eq!(verdict(&comparison), Verdict::Insufficient);
    assert_eq!((comparison.exit_code(false), comparison.exit_code(true)), (0, 3));
    assert_eq!(
        texts(&comparison, NoteKind::Insufficient),
        ["too few runs for a verdict: need at least 2 more of old and 1 more of new (--runs)"]
    );
}

#[test]
fn a_metric_that_does_not_decide_changes_no_exit_code() {
    let (base, mut candidate) = interleaved(1.0);
    for run in &mut candidate {
        run.figures[1].value = 0.9;
    }
    let comparison = compared((base, candidate), |_| ()).unwrap();
    let processor = comparison.rows[1].judgement.unwrap();
    assert_eq!(processor.verdict, Verdict::Regressed);
    assert_eq!(comparison.exit_code(true), 0);
}

#[test]
fn a_metric_that_was_to_decide_and_was_not_measured_is_told_and_without_any_nothing_is() {
    let gate: Gate = "save:p99,max".parse().unwrap();
    let (base, candidate) = interleaved(0.5);
    let settings = Settings::new(&gate);
    let comparison = super::super::compare(side("old", base), side("new", candidate), &settings).unwrap();
    let told = texts(&comparison, NoteKind::Advice);
    assert!(told[0].starts_with("save:p99 was to decide") && told[1].starts_with("max was to decide"));
    assert_eq!((comparison.exit_code(false), comparison.exit_code(true)), (0, 3));
}

#[test]
fn a_side_that_ran_before_the_other_is_told_and_one_that_took_turns_is_not() {
    let comparison = compared((runs(0, 1, 1.0), runs(100, 1, 0.85)), |_| ()).unwrap();
    let told = texts(&comparison, NoteKind::Drift);
    assert!(
        told[0].starts_with("all runs of old came before those of new: what drifts"),
        "{told:?}"
    );
    assert!(told[0].contains("rbench ab"), "{told:?}");
    // It stands at the verdict that it puts in doubt.
    assert_eq!(comparison.rows[0].notes, [1]);
    assert_eq!(comparison.rows[1].notes, [] as [u32; 0]);
    let backwards = compared((runs(100, 1, 1.0), runs(0, 1, 1.0)), |_| ()).unwrap();
    assert!(texts(&backwards, NoteKind::Drift)[0].starts_with("all runs of new came before those of old"));
    let interleaved = compared(interleaved(0.85), |_| ()).unwrap();
    assert_eq!(interleaved.notes, []);
}

#[test]
fn the_floor_is_raised_to_what_equal_runs_differ_by_even_one_that_was_asked_for() {
    fn equal(_: &CellKey, metric: Metric) -> Vec<f64> {
        match metric {
            Metric::Throughput => vec![0.2_f64.ln_1p(); 12],
            _ => vec![0.9; 9],
        }
    }
    let comparison = compared(interleaved(0.85), |settings| {
        settings.floor = Some(0.01);
        settings.equal_runs = Some(&equal);
    })
    .unwrap();
    assert_eq!(verdict(&comparison), Verdict::Small);
    assert!((comparison.rows[0].floor - 0.2).abs() < 1e-9);
    assert_eq!((comparison.floor, comparison.rows[1].floor), (0.01, 0.01));
    let told = texts(&comparison, NoteKind::Floor);
    assert!(
        told[0].contains("raised to 20.0 %") && told[0].contains("of 12 comparisons"),
        "{told:?}"
    );
    let greater = compared(interleaved(0.85), |settings| {
        settings.floor = Some(0.3);
        settings.equal_runs = Some(&equal);
    });
    assert_eq!(greater.unwrap().rows[0].floor, 0.3);
}

#[test]
fn runs_that_took_turns_are_judged_pair_by_pair_and_without_a_partner_not_at_all() {
    let (mut base, mut candidate) = turns(0.9);
    base.remove(3);
    candidate[7].figures.clear();
    candidate[7].end = End::Failed("no space".into());
    candidate.reverse();
    let comparison = compared((base, candidate), |_| ()).unwrap();
    assert!(comparison.paired);
    assert_eq!((comparison.base.runs, comparison.candidate.runs), (8, 8));
    assert_eq!(verdict(&comparison), Verdict::Regressed);
    for (base, candidate) in comparison.rows[0]
        .base
        .values
        .iter()
        .zip(&comparison.rows[0].candidate.values)
    {
        assert!((candidate / base - 0.9).abs() < 1e-9);
    }
    assert_eq!(
        texts(&comparison, NoteKind::Runs),
        [
            "new: 1 run left out (1 failed): only runs that were completed are compared",
            "2 pairs of client 2 clients on ext4 left out: the other run of the pair is missing or failed",
        ]
    );
    assert_eq!(
        comparison.varied,
        [] as [(String, String, String); 0],
        "what is compared is an axis of results, not of these"
    );
}

#[test]
fn without_a_whole_pair_nothing_is_compared() {
    let (base, candidate) = turns(0.9);
    let pair = (base[..2].to_vec(), candidate[2..4].to_vec());
    let refusal = compared(pair, |_| ()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "old, new: of no pair both runs were completed; run again"
    );
}

#[test]
fn fresh_runs_that_confirm_are_not_mixed_with_the_others() {
    let (mut base, mut candidate) = turns(1.0);
    for run in base[8..].iter_mut().chain(&mut candidate[8..]) {
        run.turn.as_mut().unwrap().confirms = true;
    }
    let fresh = (base[8..].to_vec(), candidate[8..].to_vec());
    let comparison = compared((base, candidate), |_| ()).unwrap();
    assert_eq!(comparison.base.runs, 8);
    assert!(texts(&comparison, NoteKind::Runs)[0].starts_with("old: 2 fresh runs that confirm"));
    assert_eq!(compared(fresh, |_| ()).unwrap().base.runs, 2);
}

#[test]
fn so_many_metrics_that_nothing_can_be_significant_are_told() {
    let all = (0..30).map(|n| {
        let (mut base, mut candidate) = interleaved(0.5);
        base.truncate(6);
        candidate.truncate(6);
        for run in base.iter_mut().chain(&mut candidate) {
            run.cell = key(&format!("load {n}"), &n.to_string());
        }
        (base, candidate)
    });
    let (base, candidate): (Vec<_>, Vec<_>) = all.unzip();
    let comparison = compared((base.concat(), candidate.concat()), |_| ()).unwrap();
    assert_eq!(verdict(&comparison), Verdict::Inconclusive);
    let told = texts(&comparison, NoteKind::Advice);
    assert!(
        told[0].starts_with("30 gated metrics are judged together: with 6 runs a side")
            && told[0].contains("; 7 runs a side are the least"),
        "{told:?}"
    );
}

proptest! {
    #[test]
    fn with_the_sides_swapped_what_was_worse_is_better(
        old in prop::collection::vec(0.5f64..2.0, 0..12),
        new in prop::collection::vec(0.5f64..2.0, 0..12),
        factor in 0.5f64..2.0,
    ) {
        let of = |figures: &[f64], start: i64, factor: f64| -> Vec<Observation> {
            (start..).step_by(2).zip(figures).map(|(at, figure)| run(at, figure * factor)).collect()
        };
        let (base, candidate) = (of(&old, 0, 1.0), of(&new, 1, factor));
        let there = compared((base.clone(), candidate.clone()), |_| ());
        let back = compared((candidate, base), |_| ());
        prop_assert_eq!(there.is_err(), old.is_empty() || new.is_empty());
        if let (Ok(there), Ok(back)) = (there, back) {
            let mirrored = match verdict(&there) {
                Verdict::Regressed => Verdict::Improved,
                Verdict::Improved => Verdict::Regressed,
                same => same,
            };
            // The floor of 3 % is not the same from both sides: 1 / 0.97 is above 1.03.
            let near = |verdict| [Verdict::Small, Verdict::Inconclusive, Verdict::Unchanged].contains(&verdict);
            prop_assert!(verdict(&back) == mirrored || near(verdict(&back)) || near(mirrored));
            prop_assert!(there.exit_code(true) != 1 || back.exit_code(true) != 1);
        }
    }
}
