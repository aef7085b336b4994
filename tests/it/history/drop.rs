//! Three months of nights with a drop.

use super::{Noise, checked, date, imported, judged, nights};
use rbench::store::Store;

/// 5 % less from night 60 on.
fn level(night: i64) -> f64 {
    if night < 60 { 1.0 } else { 0.95 }
}

#[test]
fn a_drop_of_five_percent_is_found_dated_and_told_when_it_shows() {
    let scratch = imported(&nights(&mut Noise::new(1), 0..90, level));
    let ran = checked(&scratch, &[]);
    ran.assert_code(0);
    let store = Store::open_existing(Some(&scratch.path().join("s.db"))).unwrap();
    let last = judged(&store, &date(89));
    assert_eq!(last.check.series.len(), 4, "{ran}");
    for series in &last.check.series[..2] {
        let changes = &series.change_points;
        assert_eq!(changes.len(), 1, "{series:?}");
        assert!((57..=63).contains(&changes[0].night), "{changes:?}");
        assert!(changes[0].worse && !changes[0].new_tonight, "{changes:?}");
        assert!((changes[0].size + 0.05).abs() < 0.015, "{changes:?}");
        assert!(ran.stdout.contains("changed: throughput -"), "{ran}");
    }
    // (The long test below walks through the nights.)
    checked(&scratch, &["--night", &date(59)]).assert_code(0);
    let told = date(62);
    let ran = checked(&scratch, &["--night", &told]);
    ran.assert_code(1);
    let last = ran.last_line();
    assert!(
        last.starts_with(&format!("night {told}: of 4 gated series ")),
        "{ran}"
    );
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn of_many_such_drops_nearly_all_are_told_within_a_week_and_few_nights_before_wrongly() {
    let (mut wrongly, mut quiet, mut soon, mut found) = (0, 0, 0, 0);
    let series = 40;
    for seed in 0..series {
        let scratch = imported(&nights(&mut Noise::new(seed), 0..90, level));
        let store = Store::open_existing(Some(&scratch.path().join("s.db"))).unwrap();
        let is_told = |night: &i64| judged(&store, &date(*night)).exit_code(false) == 1;
        let told: Vec<i64> = (30..75).filter(is_told).collect();
        eprintln!("seed {seed}: told on {told:?}");
        quiet += 30;
        wrongly += told.iter().filter(|&&night| night < 60).count();
        soon += usize::from(told.iter().any(|night| (60..68).contains(night)));
        let last = judged(&store, &date(89));
        let dated = last.check.series[0].change_points.iter();
        found += usize::from(dated.into_iter().any(|change| (57..=63).contains(&change.night)));
    }
    eprintln!("wrongly {wrongly} of {quiet} nights; told within a week {soon}, found {found} of {series}");
    assert!(wrongly * 50 <= quiet, "{wrongly} of {quiet}");
    assert!(soon * 10 >= series as usize * 9, "{soon}");
    assert!(found * 10 >= series as usize * 9, "{found}");
}
