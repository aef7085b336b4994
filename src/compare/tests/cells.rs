use super::*;

/// Runs of another cell.
fn of_cell(mut runs: Vec<Observation>, name: &str, sha256: &str) -> Vec<Observation> {
    for run in &mut runs {
        run.cell = key(name, sha256);
        run.load = name.into();
    }
    runs
}

#[test]
fn cells_of_the_same_key_are_compared_and_those_of_one_side_are_told() {
    let (a, b) = interleaved(0.85);
    let base = [of_cell(a.clone(), "x", "1"), of_cell(a, "only old", "2")].concat();
    let candidate = [of_cell(b.clone(), "only new", "3"), of_cell(b, "x", "1")].concat();
    let comparison = compared((base, candidate), |_| ()).unwrap();
    assert!(comparison.rows.iter().all(|row| row.cell == "x"));
    let told = texts(&comparison, NoteKind::Runs);
    assert!(told[0].starts_with("only old has runs of only old: they are left out"));
    assert!(told[1].starts_with("only new has runs of only new: they are left out"));
    assert_eq!(comparison.base.runs, 10);
}

#[test]
fn one_cell_on_each_side_is_matched_whatever_its_key() {
    let (a, b) = interleaved(1.0);
    let comparison = compared(
        (of_cell(a, "x on ext4", "1"), of_cell(b, "x on xfs", "2")),
        |_| (),
    )
    .unwrap();
    assert_eq!(comparison.rows[0].cell, "x on ext4 → x on xfs");
}

#[test]
fn cells_of_another_machine_are_matched_by_their_loads() {
    let (a, b) = interleaved(1.0);
    let base = [of_cell(a.clone(), "x", "1"), of_cell(a, "y", "2")].concat();
    let candidate = [of_cell(b.clone(), "x", "3"), of_cell(b, "y", "4")].concat();
    let comparison = compared((base, candidate), |_| ()).unwrap();
    let mut cells: Vec<&str> = comparison.rows.iter().map(|row| row.cell.as_str()).collect();
    cells.dedup();
    assert_eq!(cells, ["x", "y"]);
}

#[test]
fn no_cell_on_both_sides_is_refused_with_the_cells_that_there_are() {
    let (a, b) = interleaved(1.0);
    let base = [of_cell(a.clone(), "x", "1"), of_cell(a, "y", "2")].concat();
    let refusal = compared((base, of_cell(b, "z", "3")), |_| ()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "no cell has runs on both sides: compare runs of the same load with as many clients\n  \
         old has x; y\n  new has z"
    );
}

#[test]
fn two_cells_of_the_same_name_are_told_apart_by_what_they_differ_in() {
    let (a, b) = interleaved(1.0);
    let with = |runs: Vec<Observation>, number: u32| {
        let mut runs = of_cell(runs, "x", &number.to_string());
        for run in &mut runs {
            run.identity
                .push(Property::text("time limit", format!("{number} s")));
        }
        runs
    };
    let base = [with(a.clone(), 10), with(a, 20)].concat();
    let candidate = [with(b.clone(), 10), with(b, 20)].concat();
    let comparison = compared((base, candidate), |_| ()).unwrap();
    let mut cells: Vec<&str> = comparison.rows.iter().map(|row| row.cell.as_str()).collect();
    cells.dedup();
    assert_eq!(cells, ["x (time limit 10 s)", "x (time limit 20 s)"]);
}

#[test]
fn a_side_without_completed_runs_is_refused() {
    let (base, mut candidate) = interleaved(1.0);
    candidate.truncate(2);
    for run in &mut candidate {
        run.figures.clear();
        run.end = End::Interrupted(2);
    }
    let refusal = compared((base.clone(), candidate), |_| ()).unwrap_err();
    assert_eq!(
        refusal,
        Refusal::NoRuns {
            side: "new".into(),
            left_out: 2
        }
    );
    assert!(compared((base, Vec::new()), |_| ()).is_err());
}
