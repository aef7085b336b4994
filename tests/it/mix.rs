//! `rbench mix`: each group alone, then all together.

use crate::mounted::as_root;
use crate::safety::process::{Ended, Running};
use crate::scratch::{Scratch, plan, program};
use nix::sys::signal::Signal;
use rbench::result::{End, RunResult};
use rbench::run::{Member, execute_together};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// Some writes that reach the disk, or memory.
const WRITES: &str = "NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\nLOOP 200\n\
                      WriteX 1 0 4096 4096 NT_STATUS_OK\nFlush 1 NT_STATUS_OK\nENDLOOP\nClose 1 NT_STATUS_OK\n";
const SLEEPS: &str = "NTCreateX \"\\clients\\client1\\started\" 0x0 0x5 1 NT_STATUS_OK\nSLEEP 3600000000\n";
/// A time that no machine can make shorter.
const SHORT: &str =
    "NTCreateX \"\\clients\\client1\\s\" 0x0 0x5 1 NT_STATUS_OK\nSLEEP 400000\nClose 1 NT_STATUS_OK\n";

/// A scratch directory with `a`, `b` and loads.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for name in ["a", "b"] {
        fs::create_dir(scratch.path().join(name)).unwrap();
    }
    for (name, load) in [("w.load", WRITES), ("sleep.load", SLEEPS), ("short.load", SHORT)] {
        scratch.write(name, load);
    }
    scratch
}

fn assert_nothing_left(scratch: &Scratch) {
    for name in ["a", "b"] {
        assert!(scratch.tree(name).is_empty(), "{:?}", scratch.tree(name));
    }
}

/// Starts a mix.
fn start(scratch: &Scratch, arguments: &[&str]) -> Running {
    let mut command = Command::new(program());
    command.current_dir(scratch.path()).arg("mix").args(arguments);
    Running::start(&mut command)
}

fn mix(scratch: &Scratch, arguments: &[&str]) -> Ended {
    start(scratch, arguments).wait()
}

/// Rows of the table in CSV: cells by heading.
fn rows(stdout: &str) -> Vec<Vec<(String, String)>> {
    let mut reader = csv::Reader::from_reader(stdout.as_bytes());
    let headers: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        let cells = row.iter().map(str::to_owned);
        headers.iter().cloned().zip(cells).collect()
    });
    rows.collect()
}

fn cell<'r>(row: &'r [(String, String)], heading: &str) -> &'r str {
    &row.iter()
        .find(|(name, _)| name == heading)
        .unwrap_or_else(|| panic!("{heading}: {row:?}"))
        .1
}

/// The runs that --output jsonl=runs.jsonl has kept.
fn kept(scratch: &Scratch) -> Vec<RunResult> {
    let text = fs::read_to_string(scratch.path().join("runs.jsonl")).unwrap();
    let runs = text.lines().map(|line| serde_json::from_str(line).unwrap());
    runs.collect()
}

fn run_of<'r>(runs: &'r [RunResult], group: &str, phase: &str) -> &'r RunResult {
    let of = |run: &&RunResult| run.info.tags["group"] == group && run.info.tags["phase"] == phase;
    runs.iter().find(of).unwrap()
}

#[test]
fn two_groups_are_measured_alone_and_together_and_leave_nothing() {
    let scratch = scratch();
    let ended = mix(
        &scratch,
        &[
            "--group",
            "one=w.load@a",
            "--group",
            "two=w.load@b,clients=2",
            "--form",
            "csv",
            "--output",
            "jsonl=runs.jsonl",
            "--label",
            "x",
        ],
    );
    ended.assert_code(0);
    let rows = rows(&ended.stdout);
    assert_eq!(rows.len(), 2, "{ended:?}");
    for (row, (name, clients)) in rows.iter().zip([("one", "1"), ("two", "2")]) {
        assert_eq!((cell(row, "group"), cell(row, "clients")), (name, clients));
        assert_eq!(cell(row, "unit"), "s");
        for figure in ["together", "expected"] {
            assert!(cell(row, figure).parse::<f64>().unwrap() > 0.0, "{row:?}");
        }
        assert!(cell(row, "factor").parse::<f64>().is_ok(), "{row:?}");
    }
    let runs = kept(&scratch);
    assert_eq!(runs.len(), 4);
    assert!(
        runs.iter()
            .all(|run| run.info.label.as_deref() == Some("x") && run.end == End::Completed)
    );
    for group in ["one", "two"] {
        // What the process used is that of both groups.
        assert!(run_of(&runs, group, "alone").counters.is_some());
        assert!(run_of(&runs, group, "together").counters.is_none());
    }
    assert_nothing_left(&scratch);
}

#[test]
fn a_looped_group_runs_until_the_others_have_ended_and_is_compared_by_its_rate() {
    let scratch = scratch();
    let ended = mix(
        &scratch,
        &[
            "--group",
            "loop=w.load@a,loop,warmup=0",
            "--group",
            "short=short.load@b",
            "--form",
            "csv",
            "--output",
            "jsonl=runs.jsonl",
        ],
    );
    ended.assert_code(0);
    let rows = rows(&ended.stdout);
    assert_eq!(cell(&rows[0], "unit"), "MB/sec");
    assert!(
        cell(&rows[0], "together").parse::<f64>().unwrap() > 0.0,
        "{ended:?}"
    );
    let runs = kept(&scratch);
    let looped = run_of(&runs, "loop", "together");
    assert_eq!(
        (&looped.end, looped.info.options.time_limit),
        (&End::Completed, None)
    );
    assert!(
        looped.elapsed >= Duration::from_millis(400),
        "{:?}",
        looped.elapsed
    );
    let alone = run_of(&runs, "loop", "alone");
    assert_eq!(alone.elapsed, Duration::from_secs(1), "at least a second");
    // How long that was is another in each round, and makes no other options.
    assert_eq!(alone.info.options.time_limit, None);
    // Those that have an end of their own come first, since others need to know how long they take.
    assert_eq!(runs[0].info.tags["group"], "short");
    assert_nothing_left(&scratch);
}

#[test]
fn a_looped_client_in_a_long_sleep_is_woken_when_the_others_have_ended() {
    let scratch = scratch();
    let (looped, mut short) = (plan(SLEEPS), plan(SHORT));
    let mut looped = looped;
    looped.directory = scratch.path().join("a");
    looped.settings.loops = true;
    short.directory = scratch.path().join("b");
    let member = |name, plan, loops| Member {
        name,
        plan,
        start: Duration::ZERO,
        loops,
    };
    let members = [member("looped", &looped, true), member("short", &short, false)];
    let done = execute_together(&members);
    let [Ok(looped), Ok(short)] = &done[..] else {
        panic!("{done:?}");
    };
    assert_eq!((&looped.end, &short.end), (&End::Completed, &End::Completed));
    assert!(looped.elapsed < Duration::from_secs(3000));
    // The only operation that has ended; the rate is of the whole window.
    assert_eq!(looped.total_operations(), 1);
    let rate = looped.operations_per_second().unwrap();
    assert!(
        (rate * looped.elapsed.as_secs_f64() - 1.0).abs() < 1e-6,
        "{rate} {looped:?}"
    );
    assert_nothing_left(&scratch);
}

#[test]
fn the_group_with_the_earliest_start_starts_first() {
    let scratch = scratch();
    let ended = mix(
        &scratch,
        &[
            "--group",
            "late=short.load@a",
            "--group",
            "early=short.load@b,start=-2s",
            "--output",
            "jsonl=runs.jsonl",
        ],
    );
    ended.assert_code(0);
    let runs = kept(&scratch);
    let (early, late) = (
        run_of(&runs, "early", "together"),
        run_of(&runs, "late", "together"),
    );
    assert!(early.info.started_at < late.info.started_at);
    assert_nothing_left(&scratch);
}

/// Waits until something is there.
fn wait_for(scratch: &Scratch, path: &str) {
    let patience = Instant::now();
    while !scratch.path().join(path).exists() {
        assert!(patience.elapsed() < Duration::from_secs(120), "no {path}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_signal_ends_all_groups_and_leaves_nothing() {
    let alone = ["--group", "one=sleep.load@a", "--group", "two=sleep.load@b"];
    let scratch = scratch();
    let run = start(&scratch, &alone);
    wait_for(&scratch, "a/clients/client0/started");
    run.signal(Signal::SIGINT);
    run.wait().assert_code(130);
    assert_nothing_left(&scratch);

    let together = [
        "--group",
        "one=sleep.load@a,timelimit=0.2",
        "--group",
        "two=sleep.load@b,loop,timelimit=0.2,start=1h",
    ];
    let run = start(&scratch, &together);
    // In both at once there are clients only when all run together.
    let patience = Instant::now();
    while !["a", "b"]
        .iter()
        .all(|name| scratch.path().join(name).join("clients/client0").exists())
    {
        assert!(patience.elapsed() < Duration::from_secs(120), "never together");
        std::thread::sleep(Duration::from_millis(1));
    }
    run.signal(Signal::SIGTERM);
    let ended = run.wait();
    ended.assert_code(143);
    assert_nothing_left(&scratch);
}

#[test]
fn groups_in_the_same_directory_or_in_one_anothers_clients_are_refused() {
    let scratch = scratch();
    fs::create_dir_all(scratch.path().join("a/clients/inner")).unwrap();
    for second in ["a", "a/../a", "a/clients/inner"] {
        let ended = mix(
            &scratch,
            &[
                "--group",
                "one=w.load@a",
                "--group",
                &format!("two=w.load@{second}"),
            ],
        );
        ended
            .assert_code(2)
            .assert_says(&["one and two", "a directory of its own"]);
    }
    assert_eq!(scratch.tree("a"), ["clients/", "clients/inner/"]);
}

#[test]
fn what_is_wrong_with_one_group_is_told_with_its_name_before_anything_is_touched() {
    let scratch = scratch();
    scratch.write("bad.load", "NoSuchOperation 1\n");
    let good = "one=w.load@a";
    for (bad, says) in [
        ("two=bad.load@b", "bad.load:1"),
        ("two=nosuch@b", "no bundled load"),
        ("two=w.load@b,timelimit=x", "--timelimit"),
        ("two=w.load@b,set.nosuch=1", "nosuch"),
        ("two=w.load@b,pin=65000", "processor 65000"),
        ("two=w.load@b,run-once,loop", "leave one of them out"),
        ("one=w.load@b", "another group of this name"),
    ] {
        let before = ["--before", "touch made", "--group", good, "--group", bad];
        let ended = mix(&scratch, &before);
        let name = bad.split('=').next().unwrap();
        ended
            .assert_code(2)
            .assert_says(&[says, &format!("--group {name}")]);
        assert_eq!(ended.stdout, "", "{ended:?}");
    }
    for arguments in [
        &["--group", "one=w.load@a,loop"][..],
        &["--group", good, "--skip-cleanup"],
        &["--group", good, "--directory", "b"],
        &["--group", good, "--probe"],
        &["--group", "nonsense"],
        &[],
    ] {
        mix(&scratch, arguments).assert_code(2);
    }
    assert!(!scratch.path().join("made").exists());
    assert_nothing_left(&scratch);
}

#[test]
fn several_rounds_are_made_with_their_commands_and_the_medians_shown() {
    let scratch = scratch();
    let ended = mix(
        &scratch,
        &[
            "--runs",
            "2",
            "--before",
            "echo $RBENCH_RUN >>before",
            "--group",
            "one=w.load@a",
            "--group",
            "two=w.load@b",
            "--output",
            "jsonl=runs.jsonl",
        ],
    );
    ended.assert_code(0);
    // Two groups alone, and once together, in each round.
    let before = fs::read_to_string(scratch.path().join("before")).unwrap();
    assert_eq!(before, "1\n1\n1\n2\n2\n2\n");
    let numbers: Vec<u32> = kept(&scratch).iter().map(|run| run.info.run_number).collect();
    assert_eq!(numbers, [1, 1, 1, 1, 2, 2, 2, 2]);
    assert!(ended.stdout.contains("factor"), "{ended:?}");
}

#[test]
fn a_group_that_fails_beside_the_others_stops_them_and_is_marked() {
    let scratch = scratch();
    // Each fits alone. Together the second is there first, in what it prepares.
    let fill = "NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\nWriteX 1 0 1048576 1048576 NT_STATUS_OK\n\
                LOOP 20\nWriteX 1 +1048576 1048576 1048576 NT_STATUS_OK\nENDLOOP\nClose 1 NT_STATUS_OK\n";
    scratch.write("fill.load", fill);
    scratch.write("held.load", &format!("PREPARE\n{fill}ENDPREPARE\n{SHORT}"));
    let script = "\"$0\" mix --form csv --no-space-check --group one=fill.load@a/x --group two=held.load@a/y; code=$?; \
                  ls a/x a/y >left; exit $code";
    let mount = "mount -t tmpfs -o size=32m none a && mkdir a/x a/y";
    let Some(ended) = as_root(&scratch, mount, script) else {
        return;
    };
    ended
        .assert_code(1)
        .assert_says("ENOSPC")
        .assert_says("because group one has failed");
    for row in rows(&ended.stdout) {
        assert!(cell(&row, "expected").parse::<f64>().unwrap() > 0.0, "{ended:?}");
        assert_eq!(
            (cell(&row, "together"), cell(&row, "factor")),
            ("", ""),
            "{ended:?}"
        );
    }
    let left = fs::read_to_string(scratch.path().join("left")).unwrap();
    assert!(!left.contains("clients"), "{left}");
}
