//! Loops with variables, calculations with parameters, and preparations that are made once.

use crate::scratch::{LOAD, Scratch};

const TREE: &str = r#"PARAM width 3 "directories"
PARAM depth 1 "" 1|2
LOOP ${width} a
Mkdir "\clients\client1\d@a" NT_STATUS_OK
LOOP ${depth>=2}
LOOP 2 b
NTCreateX "\clients\client1\d@a\f@b.@a@" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 @a*10+@b*100 7 7 NT_STATUS_OK
Close 1 NT_STATUS_OK
ENDLOOP
ENDLOOP
ENDLOOP
"#;

#[test]
fn names_and_offsets_follow_the_turns_of_all_loops_around() {
    let scratch = Scratch::new();
    let ran = scratch.run(TREE, &["1", "--set", "depth=2", "--skip-cleanup"]);
    ran.assert_well();
    let expected = [
        "d0/", "d0/f0.0@", "d0/f1.0@", "d1/", "d1/f0.1@", "d1/f1.1@", "d2/", "d2/f0.2@", "d2/f1.2@",
    ];
    assert_eq!(scratch.tree0(), expected);
    assert_eq!(scratch.size0("d2/f1.2@"), (2 * 10 + 1) * 100 + 7);
}

#[test]
fn a_loop_that_runs_no_time_is_left_out() {
    let scratch = Scratch::new();
    scratch.run(TREE, &["1", "--skip-cleanup"]).assert_well();
    assert_eq!(scratch.tree0(), ["d0/", "d1/", "d2/"]);
    scratch.run(TREE, &["1", "--set", "width=0"]).assert_well();
    let check = scratch.rbench(&["check", "--set", "depth=2", LOAD]);
    check.assert_well();
    assert!(check.stdout.contains("operations: 21\n"), "{check}");
    assert!(
        check
            .stdout
            .contains("files and directories per client      10\n"),
        "{check}"
    );
}

#[test]
fn a_value_that_a_parameter_cannot_have_is_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let ran = scratch.run(TREE, &["1", "--set", "depth=3"]);
    ran.assert_refused("x.load:2:18: `3` is no value of parameter `depth`");
    ran.assert_says("one of: 1, 2");
    scratch.assert_clean();
}

#[test]
fn without_a_loop_variable_an_at_sign_is_one() {
    let scratch = Scratch::new();
    let load = "LOOP 2\nMkdir \"\\clients\\client1\\d@a\" NT_STATUS_OK\nENDLOOP\n";
    scratch.run(load, &["1", "--skip-cleanup"]).assert_well();
    assert_eq!(scratch.tree0(), ["d@a/"]);
}

#[test]
fn what_is_prepared_once_is_prepared_before_the_first_pass_only() {
    let scratch = Scratch::new();
    let load = r#"PREPARE ONCE
Mkdir "\clients\client1\once" NT_STATUS_OK
NTCreateX "\clients\client1\once\f" 0x40 0x2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
ENDPREPARE
PREPARE
Mkdir "\clients\client1\each" NT_STATUS_OK
ENDPREPARE
Rmdir "\clients\client1\each" NT_STATUS_OK
Unlink "\clients\client1\once\f" 0x0 *
SLEEP 20000
"#;
    let ran = scratch.run(
        load,
        &[
            "1",
            "-t",
            "0.3",
            "--warmup",
            "0",
            "--per-client-results",
            "--skip-cleanup",
        ],
    );
    ran.assert_well();
    assert!(ran.per_client()[0].1 > 2, "{ran}");
    // Made once, it is gone after the first pass.
    assert!(scratch.tree0().contains(&"once/".to_owned()));
    assert!(!scratch.client0("once/f").exists());
}

#[test]
fn files_that_are_renamed_or_removed_by_their_numbers_need_no_space_any_more() {
    let scratch = Scratch::new();
    let needed = |rest: &str| {
        let load = format!(
            "LOOP 100 i\nNTCreateX \"/clients/client1/a@i\" 0x40 0x2 1 NT_STATUS_OK\nWriteX 1 0 4096 4096 NT_STATUS_OK\n\
             Close 1 NT_STATUS_OK\nENDLOOP\n{rest}"
        );
        scratch.write(LOAD, &load);
        let check = scratch.rbench(&["check", "--json", LOAD]);
        let json: serde_json::Value = serde_json::from_str(&check.stdout).unwrap();
        json["inodes_per_client"].as_u64().unwrap()
    };
    let rename =
        "LOOP 100 i\nRename \"/clients/client1/a@i\" \"/clients/client1/b@i\" NT_STATUS_OK\nENDLOOP\n";
    let unlink = "LOOP 100 i\nUnlink \"/clients/client1/a@i\" 0x0 NT_STATUS_OK\nENDLOOP\n";
    let some = "LOOP 10 i\nUnlink \"/clients/client1/a@i\" 0x0 NT_STATUS_OK\nENDLOOP\n";
    let more = "LOOP 50 i\nMkdir \"/clients/client1/c@i\" NT_STATUS_OK\nENDLOOP\n";
    assert_eq!(needed(""), 101);
    assert_eq!(needed(rename), 101);
    assert_eq!(needed(&format!("{unlink}{more}")), 101);
    assert_eq!(needed(&format!("{some}{more}")), 151);
}
