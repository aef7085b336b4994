//! `scripts/nightly.sh`: its configuration, and nights of which one is killed and one is worse.

use crate::mounted::as_root;
use crate::scratch::Scratch;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/nightly.sh")
}

/// Runs the job with a configuration; none where there is no Python that reads it.
fn job(scratch: &Scratch, options: &[&str], configuration: &str) -> Option<Output> {
    let mut command = Command::new("bash");
    command.arg(script()).args(options).arg("nightly.toml");
    output(&mut command, scratch, configuration)
}

fn output(command: &mut Command, scratch: &Scratch, configuration: &str) -> Option<Output> {
    let reads_toml = Command::new("python3").args(["-c", "import tomllib"]).output();
    if !reads_toml.is_ok_and(|python| python.status.success()) {
        eprintln!("skipped, there is no Python 3.11");
        return None;
    }
    scratch.write("nightly.toml", configuration);
    Some(command.current_dir(scratch.path()).output().unwrap())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn all_that_is_wrong_in_a_configuration_is_told_at_once_and_nothing_is_touched() {
    let scratch = Scratch::new();
    let configuration = r#"
state = "state"
runs = "six"
colour = "red"
[baseline]
pin = "a b"
[[file_system]]
name = "x/y"
directory = "/"
mkfs = "mkfs.ext4 $device"
fresh = "hour"
[[file_system.cell]]
name = "one"
options = "-D /tmp 4"
[[file_system.cell]]
name = "one"
options = "'4"
"#;
    let Some(output) = job(&scratch, &[], configuration) else {
        return;
    };
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    for problem in [
        "nightly.toml: there is no key `colour` here: state, rbench, runs,",
        "nightly.toml: `runs` must be a whole number",
        "nightly.toml: `state` must be an absolute path",
        "nightly.toml: baseline: `pin` is a name of letters",
        "nightly.toml: file_system `x/y`: a name has letters",
        "nightly.toml: file_system `x/y`: `mkfs` needs `device`, `mount` and `unmount`",
        "nightly.toml: file_system `x/y`: `fresh` is night or run",
        "nightly.toml: file_system `x/y`: `directory` cannot be the root",
        "nightly.toml: file_system.cell `one`: `options`: -D is given by the job itself",
        "nightly.toml: file_system.cell `one`: there is another of that name",
        "nightly.toml: file_system.cell `one`: `options`: No closing quotation",
    ] {
        assert!(told.contains(problem), "{problem}\n{told}");
    }
    assert_eq!(scratch.path().read_dir().unwrap().count(), 1);
}

#[test]
fn what_is_no_toml_or_not_there_is_told_with_its_place() {
    let scratch = Scratch::new();
    let Some(output) = job(&scratch, &[], "state = \n") else {
        return;
    };
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).starts_with("nightly.toml: is no TOML: Invalid value (at line 1, column 9)")
    );
    let output = job(&scratch, &["--night", "tomorrow"], "").unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--night tomorrow: expected a date, such as 2026-03-01"));
}

#[test]
fn a_job_that_is_stopped_in_a_run_ends_at_once_with_the_signals_exit_code() {
    let scratch = Scratch::new();
    let path = scratch.path().display();
    let rbench = crate::scratch::program();
    let configuration = format!(
        r#"
state = "{path}/state"
rbench = "{}"
[[file_system]]
name = "here"
directory = "{path}"
[[file_system.cell]]
name = "long"
options = "--store-anyway -t 600 1"
"#,
        rbench.display()
    );
    scratch.write(
        "stop.sh",
        r#"
        bash "$job" --night 2030-01-01 nightly.toml &
        for i in $(seq 600); do grep -qs 'MB/sec' state/nights/2030-01-01/last-run && break; sleep 0.1; done
        kill -TERM $!
        wait $!
        echo "stopped $?"
        flock --nonblock state/lock true && echo unlocked
        ls -A clients 2>&1
        "#,
    );
    let mut command = Command::new("timeout");
    command
        .args(["--kill-after=1", "120", "bash", "stop.sh"])
        .env("job", script());
    let Some(output) = output(&mut command, &scratch, &configuration) else {
        return;
    };
    let told = text(&output.stdout);
    assert!(told.contains("\nstopped 143\nunlocked\n"), "{told}");
    assert!(!scratch.clients().exists(), "{told}");
}

/// A program in place of rbench: it writes down what it is asked for, and answers what files of its directory say.
const STAND_IN: &str = r#"#!/bin/sh
cd -- "$(dirname -- "$0")" || exit 9
echo "$*" >>asked
answer() {
    cat -- "$1" 2>/dev/null
    exit "$(cat -- "$1.code" 2>/dev/null || echo 0)"
}
case "$*" in
history*' list '*) answer listed ;;
history*' check '*json*) answer check ;;
history*' check '*) exit 0 ;;
history*) exit 0 ;;
compare*json*) answer compare ;;
compare*fresh:*) answer compare-fresh ;;
compare*) answer compare-night ;;
report*) exit 0 ;;
esac
store=${1#--store=} && touch "$store"
cell=${*##*cell=} && cell=${cell%% *}
fresh=
case "$*" in *fresh=1*) fresh=',"fresh":"1"' ;; esac
echo "{\"completed\":true,\"pins\":[],\"tags\":{\"night\":\"2030-01-01\",\"cell\":\"$cell\"$fresh}}" >>listed
"#;

/// A night of the cells x and y whose runs and judgements are made up; what was asked for is in `asked`.
fn made_up_night(answers: &[(&str, &str)]) -> Option<(Scratch, Output, String)> {
    let scratch = Scratch::new();
    let path = scratch.path().display();
    let program = scratch.write("stand-in", STAND_IN);
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    for (name, answer) in answers {
        scratch.write(name, answer);
    }
    let configuration = format!(
        r#"
state = "{path}/state"
rbench = "{}"
label_command = "echo build"
[baseline]
pin = "base"
pin_first = true
[[file_system]]
name = "here"
directory = "{path}"
[[file_system.cell]]
name = "x"
options = "1"
[[file_system.cell]]
name = "y"
options = "2"
"#,
        program.display()
    );
    let output = job(&scratch, &["--night", "2030-01-01"], &configuration)?;
    let asked = std::fs::read_to_string(scratch.path().join("asked")).unwrap();
    Some((scratch, output, asked))
}

/// A run that the pin names.
const PINNED: &str = r#"{"completed":true,"pins":["base"],"tags":{}}"#;
const X_SUSPECTED: &str = r#"{"series":[{"gated":true,"cell":"client 1 client on ext4 x","tonight":{"verdict":"suspected_worse"}}]}"#;
const Y_REGRESSED: &str =
    r#"{"rows":[{"gated":true,"cell":"x 2 clients on x y","judgement":{"verdict":"regressed"}}]}"#;

#[test]
fn what_the_baseline_alone_finds_worse_is_confirmed_too() {
    let pinned = format!("{PINNED}\n");
    let answers = [
        ("listed", pinned.as_str()),
        ("check", X_SUSPECTED),
        ("check.code", "1"),
        ("compare", Y_REGRESSED),
        ("compare.code", "1"),
        ("compare-night.code", "1"),
    ];
    let Some((_scratch, output, asked)) = made_up_night(&answers) else {
        return;
    };
    let told = text(&output.stdout);
    assert!(
        told.contains("suspected to be worse, 6 fresh runs each: x y"),
        "{told}"
    );
    for cell in ["x", "y"] {
        let fresh = format!("--tag cell={cell} --tag fresh=1");
        assert_eq!(
            asked.lines().filter(|line| line.contains(&fresh)).count(),
            6,
            "{asked}"
        );
    }
    assert_eq!(output.status.code(), Some(0), "{told}");
}

#[test]
fn a_regression_stands_when_the_fresh_runs_cannot_be_compared_and_nothing_else_runs_again() {
    let pinned = format!("{PINNED}\n");
    let answers = [
        ("listed", pinned.as_str()),
        ("check", ""),
        ("check.code", "4"),
        ("compare", Y_REGRESSED),
        ("compare.code", "1"),
        ("compare-night.code", "1"),
        ("compare-fresh.code", "4"),
    ];
    let Some((_scratch, output, asked)) = made_up_night(&answers) else {
        return;
    };
    let told = text(&output.stdout);
    assert!(
        told.contains("suspected to be worse, 6 fresh runs each: y"),
        "{told}"
    );
    assert!(!told.contains("Traceback"), "{told}");
    assert!(!asked.contains("--tag cell=x --tag fresh=1"), "{asked}");
    assert_eq!(output.status.code(), Some(1), "{told}");
}

#[test]
fn without_a_baseline_the_first_night_becomes_it_but_not_where_the_store_cannot_be_read() {
    let Some((_scratch, output, asked)) = made_up_night(&[]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(asked.contains(" pin base night:2030-01-01"), "{asked}");
    let answers = [("listed", "{\"completed\":true}\n"), ("listed.code", "1")];
    let (_scratch, output, asked) = made_up_night(&answers).unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(!asked.contains(" pin base "), "{asked}");
}

/// Nights on an ext4 of their own. `$0` is rbench, `$job` the script.
fn nights(script_text: &str) -> Option<(Scratch, crate::scratch::Ran)> {
    let scratch = Scratch::new();
    let path = scratch.path().display();
    let rbench = crate::scratch::program();
    let configuration = format!(
        r#"
state = "{path}/state"
rbench = "{}"
runs = 6
label_command = "echo build"
[thresholds]
gate = "throughput"
floor = "8%"
[baseline]
pin = "baseline"
pin_first = true
[[file_system]]
name = "ext4"
device = "{path}/disk"
directory = "{path}/mnt"
mkfs = "mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 $device"
mount = "mount -o loop,noinit_itable $device $directory"
unmount = "umount $directory"
[[file_system.cell]]
name = "ext4-client"
options = "-t 0.5 --warmup 0.1 2"
"#,
        rbench.display()
    );
    scratch.write("nightly.toml", &configuration);
    let text = format!("job={}\n{script_text}", script().display());
    let ran = as_root(&scratch, "truncate -s 512M disk", &text)?;
    Some((scratch, ran))
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn a_night_that_is_killed_is_gone_on_with_and_one_that_is_slower_ends_with_1() {
    let Some((scratch, ran)) = nights(
        r#"
        setsid bash "$job" --night 2030-01-01 nightly.toml >killed 2>&1 &
        for i in $(seq 600); do grep -q 'night run 3 of 6' killed && break; sleep 0.1; done
        kill -9 -$!
        wait $!
        echo "first $?"
        for night in 01 02; do
            bash "$job" --night 2030-01-$night nightly.toml >$night 2>&1
            echo "night $night $?"
        done
        # What else works on the processors is not in the options, nor in the identity of what is compared.
        for i in 1 2 3 4 5 6; do (while :; do :; done) & hogs="$hogs $!"; done
        bash "$job" --night 2030-01-03 nightly.toml >03 2>&1
        echo "night 03 $?"
        kill $hogs
        mountpoint -q mnt && echo 'still mounted'
        losetup -j disk
        cat 01 02 03 >&2
        "#,
    ) else {
        return;
    };
    let told = &ran.stderr;
    assert_eq!(
        ran.stdout, "first 137\nnight 01 0\nnight 02 0\nnight 03 1\n",
        "{told}"
    );
    assert!(
        told.contains("the night of 2030-01-01 was interrupted: going on with it"),
        "{told}"
    );
    assert!(
        told.contains("the night of 2030-01-01 is the baseline now: baseline"),
        "{told}"
    );
    assert!(
        told.contains("suspected to be worse, 6 fresh runs each: ext4-client"),
        "{told}"
    );
    let stored = scratch.rbench(&[
        "history",
        "--store=state/history.db",
        "export",
        "night:2030-01-01",
    ]);
    assert_eq!(
        stored.stdout.lines().count(),
        6,
        "what was stored before the kill is not run again"
    );
    let page = std::fs::read_to_string(scratch.path().join("state/nights/2030-01-03/page.html")).unwrap();
    assert!(page.contains("regressed") && page.contains("ext4-client"));
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn a_device_that_holds_what_is_not_the_jobs_own_is_left_alone() {
    let Some((_scratch, ran)) = nights(
        r#"
        mkfs.ext4 -q -F disk
        sha256sum <disk >before
        bash "$job" --night 2030-01-01 nightly.toml >&2
        echo "foreign $?"
        sha256sum <disk | cmp - before && echo same
        mkdir -p state/made && printf 'making %s\n1\n' "$PWD/disk" >state/made/ext4
        bash "$job" --night 2030-01-01 nightly.toml >&2
        echo "another of that name $?"
        sha256sum <disk | cmp - before && echo same
        printf 'making %s\n%s\n' "$(readlink -f disk)" "$(stat -c %s disk)" >state/made/ext4
        timeout -s KILL 8 bash "$job" --night 2030-01-01 nightly.toml >&2
        echo "own $?"
        "#,
    ) else {
        return;
    };
    assert!(
        ran.stdout
            .starts_with("foreign 2\nsame\nanother of that name 2\nsame\n"),
        "{}\n{}",
        ran.stdout,
        ran.stderr
    );
    assert!(
        ran.stderr.contains("holds something that this job has not made"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("night run 1 of 6"), "{}", ran.stderr);
}
