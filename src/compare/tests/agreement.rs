use super::*;
use crate::compare::property::Tolerance;

fn with(mut runs: Vec<Observation>, change: impl Fn(&mut Observation)) -> Vec<Observation> {
    runs.iter_mut().for_each(change);
    runs
}

/// Two sides with properties of a kind.
fn sides(
    of: impl Fn(&mut Observation) -> &mut Vec<Property>,
    base: Property,
    candidate: Property,
) -> (Vec<Observation>, Vec<Observation>) {
    let (old, new) = interleaved(0.85);
    (
        with(old, |run| of(run).push(base.clone())),
        with(new, |run| of(run).push(candidate.clone())),
    )
}

fn options(options: &[&str]) -> Property {
    Property::items("mount options", options.iter().map(|&one| one.to_owned()))
}

#[test]
fn what_must_agree_and_does_not_is_refused_with_both_values_and_compared_by_force() {
    let pair = || {
        sides(
            |run| &mut run.identity,
            options(&["noatime", "rw"]),
            options(&["relatime", "rw"]),
        )
    };
    let refusal = compared(pair(), |_| ()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "these runs must not be compared, because they differ in\n  \
         mount options: old: noatime; new: relatime\n\
         make runs that agree in this, or compare all the same with --force, at the price of a footnote"
    );
    let comparison = compared(pair(), |settings| settings.force = true).unwrap();
    assert_eq!(
        texts(&comparison, NoteKind::Identity),
        ["compared by --force, though they differ in mount options: old: noatime; new: relatime"]
    );
    assert_eq!(comparison.rows[0].notes, [1]);
    assert_eq!(verdict(&comparison), Verdict::Regressed);
}

#[test]
fn differences_by_intention_are_what_is_varied_but_not_within_a_side() {
    let pair = sides(
        |run| &mut run.identity,
        options(&["noatime"]),
        options(&["relatime"]),
    );
    let by_intention = |settings: &mut Settings| settings.sides_differ_by_intention = true;
    let comparison = compared(pair.clone(), by_intention).unwrap();
    let varied = ["mount options", "noatime", "relatime"].map(str::to_owned);
    assert_eq!(comparison.varied, [varied.into()]);
    assert_eq!(comparison.notes, []);
    let (mut base, candidate) = pair;
    base[3].identity.pop();
    base[3].identity.push(options(&["noatime", "sync"]));
    let refusal = compared((base.clone(), candidate.clone()), by_intention).unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains("\n  mount options: within old: none of these and sync\n"),
        "{refusal}"
    );
    let forced = compared((base, candidate), |settings| {
        settings.sides_differ_by_intention = true;
        settings.force = true;
    });
    assert_eq!(texts(&forced.unwrap(), NoteKind::Identity).len(), 1);
}

#[test]
fn the_sides_of_a_campaign_differ_by_intention() {
    let (base, candidate) = turns(0.85);
    let pair = (
        with(base, |run| run.identity.push(options(&["noatime"]))),
        with(candidate, |run| run.identity.push(options(&["relatime"]))),
    );
    assert_eq!(compared(pair, |_| ()).unwrap().varied.len(), 1);
}

#[test]
fn kernels_are_varied_and_several_on_a_side_are_told() {
    let kernel = |release: &str| Property::text("kernel", release);
    let (mut base, candidate) = sides(|run| &mut run.axis, kernel("6.1"), kernel("6.2"));
    base[0].axis = vec![kernel("6.0")];
    let comparison = compared((base, candidate), |_| ()).unwrap();
    let varied = ["kernel", "6.0 and 6.1", "6.2"].map(str::to_owned);
    assert_eq!(comparison.varied, [varied.into()]);
    assert_eq!(
        texts(&comparison, NoteKind::Advice),
        ["old is of several: kernel: 6.0; 6.1: if that is not what you mean, keep them apart"]
    );
}

#[test]
fn what_disturbs_is_a_note_and_what_changes_with_each_run_only_by_its_median() {
    let governor = |name: &str| Property::text("governor", name);
    let pair = sides(
        |run| &mut run.nuisance,
        governor("performance"),
        governor("powersave"),
    );
    let comparison = compared(pair, |_| ()).unwrap();
    assert_eq!(
        texts(&comparison, NoteKind::Nuisance),
        [
            "governor: old: performance; new: powersave: this may be what differs; make it the same, and run again"
        ]
    );
    let load = |load: f64| Property::amount("load", load, Tolerance::Distance(0.5), load.to_string());
    let (mut base, candidate) = sides(|run| &mut run.moment, load(0.1), load(0.2));
    base[4].moment = vec![load(9.0)];
    assert_eq!(compared((base, candidate), |_| ()).unwrap().notes, []);
    let pair = sides(|run| &mut run.moment, load(0.1), load(2.5));
    assert!(
        texts(&compared(pair, |_| ()).unwrap(), NoteKind::Nuisance)[0]
            .starts_with("load: old: 0.1; new: 2.5")
    );
}

#[test]
fn what_one_side_does_not_know_is_a_note_and_no_refusal() {
    let (base, candidate) = interleaved(1.0);
    let candidate = with(candidate, |run| run.identity.push(options(&["rw"])));
    let comparison = compared((base, candidate), |_| ()).unwrap();
    let told = texts(&comparison, NoteKind::Advice);
    assert!(
        told[0].starts_with("old does not tell its mount options: make sure"),
        "{told:?}"
    );
}

#[test]
fn warnings_of_the_runs_are_counted_by_kind_on_each_side() {
    let (mut base, mut candidate) = interleaved(1.0);
    base[0].warnings = vec!["other_load".into(), "unsteady".into()];
    candidate[1].warnings = vec!["unsteady".into()];
    candidate[2].warnings = vec!["unsteady".into()];
    let comparison = compared((base, candidate), |_| ()).unwrap();
    assert_eq!(
        texts(&comparison, NoteKind::Runs),
        [
            "warnings of the runs (rbench report tells what to do): other load in 1 of 10 of old, 0 of 10 of new; \
             unsteady in 1 of 10 of old, 2 of 10 of new"
        ]
    );
}

#[test]
fn the_same_runs_on_both_sides_are_told() {
    let (base, _) = interleaved(1.0);
    let comparison = compared((base.clone(), base), |_| ()).unwrap();
    assert!(texts(&comparison, NoteKind::Advice)[0].starts_with("10 runs stand on both sides"));
}
