//! `--probe`: what a bystander waits for, and that nothing of it is left.

use crate::mounted::{as_anybody, as_root, ext4};
use crate::safety::process::Running;
use crate::safety::site::{Site, wait_until};
use crate::scratch::Scratch;
use nix::sys::signal::Signal;
use rbench::result::{Activity, ProbeResult, Warning};
use rbench::run::ProbePlan;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Works for ever.
const WRITES: &str = "NTCreateX \"\\clients\\client1\\f\" 0x0 0x5 1 NT_STATUS_OK\nLOOP 1000000000\n\
                      WriteX 1 0 4096 4096 NT_STATUS_OK\nENDLOOP\n";

/// Loads nothing.
fn sleeps(milliseconds: u64) -> String {
    format!(
        "Sleep {} NT_STATUS_OK\nQUERY_PATH_INFORMATION \"\\clients\\client1\\x\" 1 ERROR\n",
        milliseconds * 1000
    )
}

fn probe(idle: Duration) -> Option<ProbePlan> {
    Some(ProbePlan {
        directory: None,
        idle,
        think: Duration::from_millis(100),
    })
}

/// How many figures there are of each activity, on the idle machine and under load.
fn counts(probe: &ProbeResult) -> Vec<(u64, u64)> {
    let activities = Activity::ALL.map(|activity| probe.activity(activity).unwrap());
    activities.map(|one| (one.idle.len(), one.loaded.len())).to_vec()
}

#[test]
fn all_four_have_figures_with_the_bundled_load_and_nothing_is_left() {
    let scratch = Scratch::new();
    let arguments = [
        "--probe",
        "--probe-think",
        "0.1",
        "--probe-idle",
        "1",
        "-t",
        "2",
        "2",
    ];
    let ran = scratch.rbench(
        &[
            &["--output", "json=r.json", "--output", "csv=r.csv"],
            &arguments[..],
        ]
        .concat(),
    );
    ran.assert_code(0);
    scratch.assert_clean();
    let document: Value = serde_json::from_slice(&fs::read(scratch.path().join("r.json")).unwrap()).unwrap();
    let run = &document["runs"][0];
    assert_eq!(run["info"]["options"]["probe"], true);
    assert!(run["probe"]["idle_ns"].as_u64().unwrap() >= 1_000_000_000);
    let mut csv = csv::Reader::from_path(scratch.path().join("r.csv")).unwrap();
    let (headers, row) = (
        csv.headers().unwrap().clone(),
        csv.records().next().unwrap().unwrap(),
    );
    for (number, activity) in Activity::ALL.iter().enumerate() {
        let one = &run["probe"]["activities"][number];
        assert_eq!(one["activity"], activity.to_string());
        assert_eq!(one["errors"], 0, "{ran}");
        for phase in ["idle", "loaded"] {
            assert!(one[phase]["count"].as_u64().unwrap() > 0, "{phase} {one}");
        }
        let shown = format!(
            "{:<9} {:6} ",
            activity.to_string(),
            one["loaded"]["count"].as_u64().unwrap()
        );
        assert!(ran.stdout.contains(&shown), "no {shown:?} in {ran}");
        for what in ["p50_ns", "max_ns", "p99_factor"] {
            let name = format!("{activity}_{what}");
            let column = headers.iter().position(|header| header == name).unwrap();
            assert!(row[column].parse::<f64>().unwrap() > 0.0, "{name}");
        }
    }
    let report = scratch.rbench(&["report", "r.json"]);
    let of_report: Vec<_> = report
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("bystander"))
        .collect();
    assert!(ran.stdout.contains(&of_report[..5].join("\n")), "{ran}\n{report}");
}

#[test]
fn only_the_measured_window_counts() {
    let scratch = Scratch::new();
    let result = scratch.execute(
        &format!("PREPARE\n{}ENDPREPARE\n{}", sleeps(1500), sleeps(10)),
        |plan| {
            plan.measurement.probe = probe(Duration::ZERO);
            plan.settings.loops = true;
            plan.settings.warmup = SECOND * 2;
            plan.settings.time_limit = Some(SECOND);
        },
    );
    let probe = result.probe.unwrap();
    assert!(probe.idle_length < SECOND);
    // A wait of 10 ms begins at most 100 times a second, and one of at least 50 ms at most 20 times.
    for (activity, (idle, loaded)) in Activity::ALL.into_iter().zip(counts(&probe)) {
        let most = match activity {
            Activity::Save | Activity::Browse | Activity::Append => 21,
            Activity::Timer => 102,
        };
        assert_eq!(idle, 0, "{activity}");
        assert!(loaded <= most, "{activity} {loaded}");
        assert_eq!(probe.activity(activity).unwrap().factor(0.5), None);
    }
}

#[test]
fn single_passes_paced_runs_and_a_warm_up_of_unknown_length_have_it_too() {
    let scratch = Scratch::new();
    let cases: [&[&str]; 3] = [
        &["-R", "0.1", "-t", "1"],
        &["-t", "1", "--warmup", "auto", "--warmup-max", "3"],
        &["--run-once"],
    ];
    scratch.write("sleep.load", &sleeps(1000));
    for case in cases {
        let all = [
            &[
                "-c",
                "sleep.load",
                "--probe",
                "--probe-think",
                "0.1",
                "--probe-idle",
                "0.2",
                "1",
            ],
            case,
        ]
        .concat();
        let ran = scratch.rbench(&all);
        ran.assert_code(0);
        assert!(ran.stdout.contains("\ntimer "), "{ran}");
        scratch.assert_clean();
    }
}

#[test]
fn a_signal_in_the_idle_phase_ends_it_at_once_and_leaves_nothing() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let site = Site::new();
        let other = tempfile::tempdir().unwrap();
        let elsewhere = other.path().to_str().unwrap();
        for more in [&[][..], &["--probe-dir", elsewhere]] {
            let run = site.start(
                WRITES,
                &[
                    &["1", "--probe", "--probe-think", "0.1", "--probe-idle", "1h"],
                    more,
                ]
                .concat(),
            );
            let home = if more.is_empty() {
                site.clients()
            } else {
                other.path().join("clients")
            };
            wait_until("the idle phase", || home.join(".probe/log").exists());
            run.signal(signal);
            let ended = run.wait();
            ended.assert_code(code);
            ended.assert_says(&["before the clients were released"]);
            assert_eq!(ended.stdout, "");
            site.assert_nothing_left();
            assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn a_signal_in_the_run_leaves_nothing_and_tells_what_was_felt() {
    let site = Site::new();
    let other = tempfile::tempdir().unwrap();
    let directory = other.path().to_str().unwrap();
    let run = site.start(
        WRITES,
        &[
            "1",
            "--probe",
            "--probe-think",
            "0.1",
            "--probe-idle",
            "0",
            "--probe-dir",
            directory,
        ],
    );
    wait_until("the client works", || site.clients().join("client0/f").exists());
    std::thread::sleep(SECOND / 2);
    run.signal(Signal::SIGINT);
    let ended = run.wait();
    ended.assert_code(130);
    assert!(ended.stdout.contains("\ntimer "), "{ended:?}");
    site.assert_nothing_left();
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
}

/// Runs for a moment; with a probe.
fn moment(site: &Site, arguments: &[&str]) -> crate::safety::process::Ended {
    let load = "Mkdir \"\\clients\\client1\\kept\" *\nSLEEP 300000\n";
    site.run(
        load,
        &[
            &["1", "--probe", "--probe-think", "0.1", "--probe-idle", "0.1"],
            arguments,
        ]
        .concat(),
    )
}

#[test]
fn of_a_tree_that_is_kept_only_the_bystanders_part_goes_and_an_old_one_is_replaced() {
    let site = Site::new();
    moment(&site, &["--skip-cleanup"]).assert_code(0);
    assert!(site.clients().join("client0/kept").exists());
    let probe = site.clients().join(".probe");
    assert!(!probe.exists());
    // As a run that was killed has left it.
    fs::create_dir_all(probe.join("tree/d00/f00")).unwrap();
    fs::write(probe.join("document"), "old").unwrap();
    moment(&site, &["--skip-cleanup"]).assert_code(0);
    assert!(site.clients().join("client0/kept").exists() && !probe.exists());
    // Interrupted before the release, the tree stays a kept one.
    let run = site.start(
        WRITES,
        &["1", "--probe", "--probe-think", "0.1", "--probe-idle", "1h"],
    );
    wait_until("the idle phase", || probe.join("log").exists());
    run.signal(Signal::SIGINT);
    run.wait().assert_code(130);
    assert!(site.clients().join("client0/kept").exists() && !probe.exists());
    moment(&site, &[]).assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn a_link_in_its_place_is_removed_and_not_followed() {
    let site = Site::new();
    moment(&site, &["--skip-cleanup"]).assert_code(0);
    std::os::unix::fs::symlink(site.elsewhere(), site.clients().join(".probe")).unwrap();
    moment(&site, &[]).assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn another_directory_is_used_and_given_back() {
    let site = Site::new();
    let other = tempfile::tempdir().unwrap();
    let directory = other.path().to_str().unwrap();
    moment(&site, &["--probe-dir", directory]).assert_code(0);
    site.assert_nothing_left();
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    // The run's own is no other.
    let own = site.dir();
    moment(&site, &["--probe-dir", own.to_str().unwrap()]).assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn a_kept_tree_in_another_directory_stays() {
    let (site, other) = (Site::new(), Site::new());
    moment(&other, &["--skip-cleanup"]).assert_code(0);
    let directory = other.dir();
    moment(&site, &["--probe-dir", directory.to_str().unwrap()]).assert_code(0);
    site.assert_nothing_left();
    assert!(other.clients().join("client0/kept").exists() && !other.clients().join(".probe").exists());
    // And it is a kept one: the next run goes on with it.
    let next = moment(&other, &[]);
    next.assert_code(0);
    assert!(!next.stderr.contains("killed run"), "{next:?}");
}

#[test]
fn a_directory_that_is_not_ours_or_not_there_is_refused_before_anything_starts() {
    let site = Site::new();
    let other = tempfile::tempdir().unwrap();
    let clients = other.path().join("clients");
    fs::create_dir(&clients).unwrap();
    fs::write(clients.join("precious"), "mine").unwrap();
    let directory = other.path().to_str().unwrap();
    let refused = moment(&site, &["--probe-dir", directory]);
    refused.assert_code(1);
    refused.assert_says(&["--probe-dir: ", directory, "precious"]);
    site.assert_nothing_left();
    assert_eq!(fs::read_dir(&clients).unwrap().count(), 1);
    let absent = moment(&site, &["--probe-dir", "/nowhere/at/all"]);
    absent.assert_code(1);
    absent.assert_says(&["--probe-dir: ", "/nowhere/at/all"]);
    site.assert_nothing_left();
}

#[test]
fn a_directory_in_use_is_refused_and_left_to_its_run() {
    let (site, other) = (Site::new(), Site::new());
    let run = other.start(WRITES, &["1"]);
    wait_until("the other works", || other.clients().join("client0/f").exists());
    let refused = moment(&site, &["--probe-dir", other.dir().to_str().unwrap()]);
    refused.assert_code(1);
    refused.assert_says(&["--probe-dir: ", &run.pid().to_string()]);
    run.signal(Signal::SIGTERM);
    run.wait().assert_code(143);
    site.assert_nothing_left();
}

#[test]
fn the_null_backend_is_refused() {
    let scratch = Scratch::new();
    scratch
        .rbench(&["--probe", "--probe-think", "0.1", "-B", "null", "1"])
        .assert_refused("--probe cannot be used with -B null");
    scratch.assert_clean();
}

#[test]
fn its_directory_needs_the_bystander_and_a_sweep_can_have_it_in_some_cells() {
    let scratch = Scratch::new();
    scratch
        .rbench(&["--probe-dir", ".", "1"])
        .assert_refused("give --probe too");
    let sweep = ["sweep", "--clients", "1", "--list", "--probe-dir", "."];
    let axis = [
        "--order",
        "typed",
        "--axis",
        "probe=off,on",
        "--probe-think",
        "0.1",
    ];
    let listed = scratch.rbench(&[&sweep[..], &axis].concat());
    listed.assert_well();
    let commands = listed.stdout.lines().filter(|line| line.contains(" rbench "));
    let named: Vec<bool> = commands.map(|line| line.contains("--probe-dir")).collect();
    assert_eq!(named, [false, true], "{listed}");
    scratch.rbench(&sweep).assert_refused(
        "cell 1 (clients=1): --probe-dir, --probe-idle and --probe-think are options of the bystander",
    );
}

#[test]
fn its_directory_is_only_ours() {
    let site = Site::new();
    let run = site.start(
        WRITES,
        &["1", "--probe", "--probe-think", "0.1", "--probe-idle", "1h"],
    );
    let probe = site.clients().join(".probe");
    wait_until("the idle phase", || probe.join("log").exists());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&probe), 0o700);
    run.signal(Signal::SIGINT);
    run.wait().assert_code(130);
    site.assert_nothing_left();
}

fn with_load(load: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write(crate::scratch::LOAD, load);
    fs::create_dir(scratch.path().join("small")).unwrap();
    scratch
}

#[test]
fn on_a_full_file_system_failures_are_counted_and_the_run_goes_on() {
    // Others fill the disk while the bystander is at work.
    let script = "{ tries=0; until [ -e small/clients/.probe/log ] || [ $tries = 3000 ]; do sleep 0.01; tries=$((tries + 1)); done; cat /dev/zero >small/fill; } 2>/dev/null &\n\
                  \"$0\" -c x.load --probe --probe-think 0.1 --probe-idle 1 --probe-dir small --output json=r.json 1; code=$?\n\
                  wait; ls -A small >left; exit $code";
    let scratch = with_load(&sleeps(2000));
    let Some(ran) = as_anybody(&scratch, "mount -t tmpfs -o size=8m none small", script) else {
        return;
    };
    ran.assert_code(0)
        .assert_says("the bystander's save: cannot write the new file: No space left on device (ENOSPC)");
    assert!(ran.stdout.contains("\nsave failed "), "{ran}");
    assert_eq!(fs::read_to_string(scratch.path().join("left")).unwrap(), "fill\n");
    let document: Value = serde_json::from_slice(&fs::read(scratch.path().join("r.json")).unwrap()).unwrap();
    let activities = &document["runs"][0]["probe"]["activities"];
    assert!(activities[0]["errors"].as_u64().unwrap() > 0);
    assert_eq!(activities[1]["errors"], 0);
}

#[test]
fn where_it_has_no_room_the_run_does_not_start() {
    let script = |more: &str| {
        format!(
            "\"$0\" -c x.load --probe --probe-think 0.1 --probe-dir small {more} 1; code=$?; ls -A small; exit $code"
        )
    };
    for (more, told) in [("", "MB are free"), ("--no-space-check", "ENOSPC")] {
        let scratch = with_load(&sleeps(10));
        let mount = "mount -t tmpfs -o size=1m none small";
        let Some(ran) = as_anybody(&scratch, mount, &script(more)) else {
            return;
        };
        ran.assert_code(1).assert_says("--probe").assert_says(told);
        assert_eq!(ran.stdout, "", "nothing ran and nothing is left");
    }
}

#[test]
fn a_load_of_synced_writes_on_ext4_is_felt_when_saving() {
    let load = "NTCreateX \"\\clients\\client1\\f\" 0x0 0x5 1 NT_STATUS_OK\nLOOP 1000000000\n\
                WriteX 1 0 1048576 1048576 NT_STATUS_OK\nFlush 1 NT_STATUS_OK\nENDLOOP\n";
    let script = "\"$0\" -D mounted -c x.load --probe --probe-think 0.2 -t 5 --output json=r.json 8";
    let scratch = with_load(load);
    let Some(ran) = as_root(&scratch, &ext4(300, "has_journal"), script) else {
        return;
    };
    ran.assert_code(0);
    let document = fs::read_to_string(scratch.path().join("r.json")).unwrap();
    let result = rbench::output::document::results(&document)
        .next()
        .unwrap()
        .unwrap();
    let probe = result.probe.as_ref().unwrap();
    let factor = probe.activity(Activity::Save).unwrap().factor(0.5).unwrap();
    eprintln!("{ran}");
    // Where others load the machine too, the idle machine is none.
    let idle = !result
        .warnings
        .iter()
        .any(|warning| matches!(warning, Warning::ProbeNotIdle { .. }));
    if !idle {
        eprintln!(
            "skipped, others use the machine, so that there is no idle one to compare with: factor {factor}"
        );
        return;
    }
    assert!(factor > 1.5, "{factor}\n{ran}");
}

#[test]
fn a_result_in_the_bystanders_clients_directory_is_refused() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("d2")).unwrap();
    let arguments = [
        "--probe",
        "--probe-think",
        "0.1",
        "--probe-dir",
        "d2",
        "--output",
        "json=d2/clients/r.json",
    ];
    fs::create_dir(scratch.path().join("d2/clients")).unwrap();
    scratch
        .run(&sleeps(1), &[&arguments[..], &["1"]].concat())
        .assert_refused("d2/clients");
}

#[test]
fn a_run_that_was_killed_leaves_what_the_next_one_and_clean_remove() {
    let site = Site::new();
    let run: Running = site.start(
        WRITES,
        &["1", "--probe", "--probe-think", "0.1", "--probe-idle", "1h"],
    );
    wait_until("the idle phase", || site.clients().join(".probe/log").exists());
    run.kill();
    assert!(site.clients().join(".probe").exists());
    site.clean().assert_code(0);
    site.assert_nothing_left();
}
