//! Runs that must not be compared.

use super::{Scratch, compared, lines, runs};
use rbench::result::{FileSystem, RunResult};

fn with(mut runs: Vec<RunResult>, change: impl Fn(&mut RunResult)) -> Vec<RunResult> {
    runs.iter_mut().for_each(change);
    runs
}

fn file_system(run: &mut RunResult) -> &mut FileSystem {
    let environment = run.environment.as_mut().unwrap();
    environment.identity.file_system.as_mut().unwrap()
}

#[test]
fn another_mount_option_is_exit_code_4_that_names_both_values() {
    let scratch = Scratch::new();
    let old = lines(&runs(0, 1.0));
    scratch.write("old.jsonl", &old);
    let new = lines(&runs(30, 0.5)).replace("\"relatime\"", "\"noatime\"");
    scratch.write("new.jsonl", &new);
    let ran = scratch.rbench(&["compare", "old.jsonl", "new.jsonl"]);
    ran.assert_code(4);
    assert_eq!(ran.stdout, "");
    assert_eq!(
        ran.stderr,
        "rbench: these runs must not be compared, because they differ in\n  \
         mount options: old.jsonl: relatime; new.jsonl: noatime\n\
         make runs that agree in this, or compare all the same with --force, at the price of a footnote\n"
    );
    let forced = scratch.rbench(&["compare", "old.jsonl", "new.jsonl", "--force"]);
    forced.assert_code(1);
    let note = "(1) compared by --force, though they differ in mount options: old.jsonl: relatime; new.jsonl: noatime";
    assert!(forced.stdout.contains(note), "{forced}");
    // The mark stands at what it puts in doubt.
    assert!(forced.stdout.contains("  regressed  (1)\n"), "{forced}");
}

#[test]
fn all_that_differs_is_told_at_once() {
    let new = with(runs(30, 1.0), |run| {
        run.clients = 2;
        run.loadfiles[0].sha256 = "1".repeat(64);
        run.info.options.fsync = true;
        let environment = run.environment.as_mut().unwrap();
        environment.identity.machine_id_sha256 = Some("f".repeat(64));
        environment.identity.devices[0].size_bytes = Some(1 << 40);
        file_system(run).features.push("inline_data".into());
    });
    let ran = compared(&runs(0, 1.0), &new, &[]);
    ran.assert_code(4);
    for line in [
        "  loadfile (SHA-256): old.jsonl: client 000000000000; new.jsonl: client 111111111111",
        "  clients: old.jsonl: 1; new.jsonl: 2",
        "  fsync: old.jsonl: off; new.jsonl: on",
        "  features of the file system: old.jsonl: none of these; new.jsonl: inline_data",
        "  devices: old.jsonl: partition a model of 16G; new.jsonl: partition a model of 1T",
        "  machine: old.jsonl: 000000000000; new.jsonl: ffffffffffff",
    ] {
        assert!(ran.stderr.contains(&format!("{line}\n")), "no {line:?} in\n{ran}");
    }
}

#[test]
fn runs_of_a_side_that_differ_among_themselves_are_refused() {
    let mut old = runs(0, 1.0);
    file_system(&mut old[4]).super_options = vec!["errors=panic".into()];
    compared(&old, &runs(30, 1.0), &[]).assert_code(4).assert_says(
        "  mount options of the super block: within old.jsonl: errors=remount-ro and errors=panic\n",
    );
}

#[test]
fn another_kernel_is_what_is_compared_and_another_governor_a_footnote() {
    let new = with(runs(30, 0.9), |run| {
        let environment = run.environment.as_mut().unwrap();
        environment.axis.kernel_release = Some("6.2.0".into());
        environment.axis.kernel_command_line = Some("quiet mitigations=off".into());
        environment.nuisance.cpu_governor = Some("powersave".into());
        environment.nuisance.load_average_before = Some(0.3);
        environment.identity.devices[0].name = "vdb1".into();
        run.info.label = Some("new".into());
    });
    let ran = compared(&runs(0, 1.0), &new, &[]);
    ran.assert_code(1);
    assert!(
        ran.stdout.contains("\nvaried     kernel: 6.1.0 → 6.2.0\n"),
        "{ran}"
    );
    let line = "\nvaried     kernel's command line: none of these → mitigations=off\n";
    assert!(ran.stdout.contains(line), "{ran}");
    assert!(
        ran.stdout
            .contains("(1) governor: old.jsonl: performance; new.jsonl: powersave: this may be what differs"),
        "{ran}"
    );
    assert!(!ran.stdout.contains("load average"), "{ran}");
}

#[test]
fn a_side_without_its_environment_is_compared_with_a_footnote() {
    let new = with(runs(30, 1.0), |run| run.environment = None);
    let ran = compared(&runs(0, 1.0), &new, &[]);
    ran.assert_code(0);
    assert!(
        ran.stdout
            .contains("new.jsonl does not tell its file system, mount options,"),
        "{ran}"
    );
}

#[test]
fn names_from_files_neither_steer_the_terminal_nor_leave_their_cell() {
    let hostile = |run: &mut RunResult| {
        run.loadfiles[0].name = "a\x1b[2J|b\n### c Throughput 9 MB/sec".into();
        run.info.label = Some("<script>\r*x*".into());
    };
    let old = with(runs(0, 1.0), hostile);
    let new = with(runs(30, 0.9), |run| {
        hostile(run);
        run.info.label = Some("|\x07".into());
    });
    for form in ["text", "markdown", "csv"] {
        let ran = compared(&old, &new, &["--form", form]);
        ran.assert_code(1);
        let ours = |c: char| c.is_control() && c != '\n';
        assert!(!ran.stdout.contains(ours), "{ran}");
        assert!(!ran.stdout.contains("Throughput"), "{ran}");
        assert!(!ran.stdout.lines().any(|line| line.starts_with("### c")), "{ran}");
    }
    let markdown = compared(&old, &new, &["--form", "markdown"]);
    assert!(!markdown.stdout.contains(" <script>"), "{markdown}");
    let unlike = with(new, |run| run.loadfiles[0].sha256 = "1".repeat(64));
    let refused = compared(&old, &unlike, &[]);
    refused
        .assert_code(4)
        .assert_says("a\\u{1b}[2J|b\\n### c Throughpu\\u{74} 9 MB/sec 000000000000");
}
