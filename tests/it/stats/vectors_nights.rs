//! How often nights are suspected wrongly, and how often what is there is found.

use super::chance::{Chance, Effort, FULL, Frequency};
use rbench::stats::{ChangePoint, Prediction, Scale, UNEXPECTED, change_points};

/// The median of five runs with a coefficient of variation of 3 %, in a night that lies off by 1 %.
fn night(chance: &mut Chance, level: f64) -> f64 {
    let tonight = 0.01 * chance.normal();
    let mut runs = [0.0; 5].map(|_| level * (tonight + 0.03 * chance.normal()).exp());
    runs.sort_by(f64::total_cmp);
    runs[2]
}

fn tonight_is_judged_by_twenty_nights(effort: Effort) {
    let mut chance = Chance::seeded(6);
    let mut judged = |level: f64, floor: f64| {
        Frequency::of(effort.times(20_000), || {
            let nights: Vec<f64> = (0..20).map(|_| night(&mut chance, 100.0)).collect();
            let tonight = night(&mut chance, level);
            let prediction = Prediction::of(&nights, tonight, Scale::Ratio).unwrap();
            let suspected = prediction.is_missed_by(tonight, Scale::Ratio, floor);
            assert_eq!(
                prediction.p <= UNEXPECTED,
                tonight < prediction.low || tonight > prediction.high
            );
            suspected
        })
    };
    effort.between("tonight, before the floor", (0.007, 0.013), judged(100.0, 0.0));
    effort.at_most("tonight, suspected wrongly", 0.013, judged(100.0, 0.03));
    effort.at_least("tonight, 10 % less", 0.97, judged(90.0, 0.03));
}

#[test]
fn tonight_is_judged_by_twenty_nights_a_few_times() {
    tonight_is_judged_by_twenty_nights(Effort::small(0.05));
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn tonight_is_judged_by_twenty_nights_in_full() {
    tonight_is_judged_by_twenty_nights(FULL);
}

const NIGHTS: usize = 110;

/// Nights with a coefficient of variation of 2 %, of which so many are a fifth lower or higher; 5 % lower from the night
/// `shift` on.
fn series(chance: &mut Chance, spikes: f64, shift: usize) -> Vec<f64> {
    let mut figure = |night| {
        let level = if night < shift { 100.0 } else { 95.0 };
        let spike = match chance.uniform() / spikes {
            0.0..0.5 => 0.8,
            0.5..1.0 => 1.2,
            _ => 1.0,
        };
        level * spike * (0.02 * chance.normal()).exp()
    };
    (0..NIGHTS).map(&mut figure).collect()
}

/// The change points that were known after so many nights.
fn known(series: &[f64], nights: usize) -> Vec<ChangePoint> {
    change_points(&series[..nights], Scale::Ratio, 0.03)
}

/// Looks at series after each of these nights, and at changes that come after so many.
fn changes_are_dated(effort: Effort, looked_at: &[usize], shifts: std::ops::Range<usize>) {
    let mut chance = Chance::seeded(7);
    let times = effort.times(2_000);
    for (what, spikes) in [("steady", 0.0), ("with spikes", 0.03)] {
        let alarms = Frequency::of(times, || {
            let series = series(&mut chance, spikes, NIGHTS);
            looked_at.iter().any(|&nights| !known(&series, nights).is_empty())
        });
        effort.at_most(&format!("nights, {what}, any false alarm"), 0.05, alarms);
    }
    let found = Frequency::of(times, || {
        let shift = chance.between(shifts.start, shifts.end);
        let series = series(&mut chance, 0.0, shift);
        let near = |change: &ChangePoint| change.night.abs_diff(shift) <= 3;
        // The first night of the new level is number `shift`: seven nights of it are stored.
        known(&series, shift + 7).iter().any(near)
    });
    effort.at_least("nights, 5 % less for seven nights", 0.85, found);
}

#[test]
fn changes_are_dated_in_a_few_series() {
    changes_are_dated(Effort::small(0.05), &[30, 60, 90], 60..61);
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn changes_are_dated_in_full() {
    let every: Vec<usize> = (20..=NIGHTS).collect();
    changes_are_dated(FULL, &every, 20..100);
}
