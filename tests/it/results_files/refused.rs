//! Outputs that cannot be, or must not be: refused before the run.

use super::{run, scratch, text};
use crate::scratch::LOAD;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn an_output_that_cannot_be_is_refused_before_the_run_and_nothing_is_touched() {
    let scratch = scratch();
    scratch.write("other.csv", "a,b\n1,2\n");
    scratch.write("other.jsonl", "{\"a\":1}\n");
    symlink("other.csv", scratch.path().join("link.csv")).unwrap();
    fs::hard_link(scratch.path().join("other.csv"), scratch.path().join("hard.csv")).unwrap();
    symlink("loop", scratch.path().join("loop")).unwrap();
    fs::create_dir(scratch.path().join("directory")).unwrap();
    let before = scratch.tree("");
    let refused = |outputs: &[&str], reason: &str| {
        run(&scratch, outputs).assert_refused(reason);
        assert_eq!(scratch.tree(""), before);
        assert_eq!(text(&scratch, "other.csv"), "a,b\n1,2\n");
        assert_eq!(text(&scratch, "other.jsonl"), "{\"a\":1}\n");
    };
    refused(
        &["json=absent/r.json"],
        "absent/r.json: cannot be written: No such file",
    );
    refused(
        &["json=x.load/r.json"],
        "x.load/r.json: cannot be written: Not a directory",
    );
    refused(&["json=directory"], "directory: is a directory");
    refused(&["json=x.load"], "x.load: is the loadfile");
    refused(&["json=new/"], "new/: is not the name of a file");
    refused(&["json=.."], "..: is not the name of a file");
    refused(
        &["json=loop"],
        "loop: cannot be written: Too many levels of symbolic links",
    );
    refused(
        &["csv=other.csv"],
        "other.csv: its first line is not the header that this rbench writes (started_at,",
    );
    refused(&["csv=link.csv"], "link.csv: its first line is not the header");
    refused(&["jsonl=other.jsonl"], "other.jsonl: its first line is no result");
    refused(
        &["json=new", "jsonl=./new"],
        "names the same file twice (new and ./new)",
    );
    refused(&["json=other.csv", "json=link.csv"], "names the same file twice");
    refused(&["json=other.csv", "json=hard.csv"], "names the same file twice");
    refused(&["json=-", "csv=-"], "only one --output can be standard output");
    refused(
        &["json=-", "csv=/dev/stdout"],
        "only one --output can be standard output",
    );
    refused(
        &["json=clients/r.json", "csv=c"],
        "clients/r.json: cannot be written: No such file",
    );
    refused(&["json=clients"], "clients: is in ");
}

#[test]
fn tables_of_another_kind_are_not_added_to() {
    let scratch = scratch();
    run(
        &scratch,
        &["csv=a.csv", "ops-csv=b.csv", "jsonl=c.jsonl", "json=d.json"],
    )
    .assert_well();
    let before = text(&scratch, "a.csv");
    run(&scratch, &["ops-csv=a.csv"]).assert_refused("a.csv: its first line is not the header");
    run(&scratch, &["csv=b.csv"]).assert_refused("b.csv: its first line is not the header");
    run(&scratch, &["csv=c.jsonl"]).assert_refused("c.jsonl: its first line is not the header");
    run(&scratch, &["jsonl=d.json"]).assert_refused("d.json: its first line is no result");
    // A column more, as another version may have.
    let header = before.lines().next().unwrap();
    scratch.write("e.csv", &format!("{header},more\n"));
    run(&scratch, &["csv=e.csv"]).assert_refused("e.csv: its first line is not the header");
    assert_eq!(text(&scratch, "a.csv"), before);
}

#[test]
fn a_result_in_the_clients_directory_is_refused() {
    let scratch = scratch();
    fs::create_dir(scratch.path().join("clients")).unwrap();
    symlink("clients/r.json", scratch.path().join("link")).unwrap();
    for name in ["clients/r.json", "./clients/../clients/r.json", "link"] {
        let ran = run(&scratch, &[&format!("json={name}")]);
        ran.assert_refused(&format!("{name}: is in "))
            .assert_says("which the run removes");
    }
    assert_eq!(scratch.tree("clients"), [""; 0]);
    let beside = scratch.rbench(&["-c", LOAD, "1", "--output", "json=r.json"]);
    beside.assert_well();
}

#[test]
fn a_file_that_may_not_be_written_is_refused() {
    if nix::unistd::geteuid().is_root() {
        eprintln!("skipped, root may write every file");
        return;
    }
    let scratch = scratch();
    let old = scratch.write("old", "");
    fs::set_permissions(&old, Permissions::from_mode(0o444)).unwrap();
    run(&scratch, &["csv=old"]).assert_refused("old: cannot be written: Permission denied");
    let directory = scratch.path().join("directory");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, Permissions::from_mode(0o555)).unwrap();
    run(&scratch, &["csv=directory/new"]).assert_refused("directory/new: its directory cannot be written");
}
