//! Where a loadfile's paths lead on disk.

use crate::scratch::Scratch;
use std::collections::BTreeSet;

#[test]
fn client1_in_any_case_and_with_either_slash_is_the_clients_own_directory() {
    let scratch = Scratch::new();
    let load = r#"
        NTCreateX "\clients\client1\a" 0x40 0x2 1 NT_STATUS_OK
        NTCreateX "/CLIENTS/Client1/b" 0x40 0x2 2 NT_STATUS_OK
        NTCreateX "\Clients/CLIENT1\\.\c" 0x40 0x2 3 NT_STATUS_OK
        NTCreateX "\clients\client1\client1" 0x40 0x2 4 NT_STATUS_OK
        NTCreateX "\clients\client1\client10" 0x40 0x2 5 NT_STATUS_OK"#;
    scratch.run(load, &["3", "--skip-cleanup"]).assert_well();
    for client in 0..3 {
        let own = format!("client{client}");
        let tree = scratch.tree(&format!("clients/{own}"));
        let expected: BTreeSet<_> = ["a", "b", "c", &own, "client10"].map(String::from).into();
        assert_eq!(tree.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn every_other_path_leads_into_the_tree_that_all_clients_share() {
    let scratch = Scratch::new();
    let load = r#"
        Mkdir "\clients" NT_STATUS_OK
        Mkdir "\foo" NT_STATUS_OK
        Mkdir "\foo\client1" NT_STATUS_OK
        NTCreateX "\foo\client1\f" 0x40 0x2 1 NT_STATUS_OK
        NTCreateX "\clients\client7" 0x40 0x2 2 NT_STATUS_OK
        Mkdir "\client1" NT_STATUS_OK
        NTCreateX "\client1\g" 0x40 0x2 3 NT_STATUS_OK
        NTCreateX "h" 0x40 0x2 4 NT_STATUS_OK
        NTCreateX "\foo\xclient1" 0x40 0x2 5 NT_STATUS_OK
        FIND_FIRST "\*" 260 1366 1 NT_STATUS_OK
        QUERY_PATH_INFORMATION "\" 1004 NT_STATUS_OK"#;
    scratch.run(load, &["2", "--skip-cleanup"]).assert_well();
    let expected = [
        "client0/",
        "client0/g",
        "client1/",
        "client1/g",
        "clients/",
        "clients/client7",
        "foo/",
        "foo/client0/",
        "foo/client0/f",
        "foo/client1/",
        "foo/client1/f",
        "foo/xclient1",
        "h",
    ];
    assert_eq!(scratch.tree("clients/shared"), expected);
}

#[test]
fn a_bare_dollar_and_blanks_in_names_are_names() {
    let scratch = Scratch::after(
        r##"NTCreateX "\clients\client1\a $1 ${x} b" 0x40 0x2 1 NT_STATUS_OK
           NTCreateX "\clients\client1\#é" 0x40 0x2 2 NT_STATUS_OK"##,
    );
    assert_eq!(scratch.tree0(), ["#é", "a $1 ${x} b"]);
}

#[test]
fn names_that_differ_in_case_are_two_files() {
    let scratch = Scratch::after(
        r#"NTCreateX "\clients\client1\a" 0x40 0x2 1 NT_STATUS_OK
           NTCreateX "\clients\client1\A" 0x40 0x1 2 NT_STATUS_OBJECT_NAME_NOT_FOUND
           NTCreateX "\clients\client1\A" 0x40 0x2 2 NT_STATUS_OK"#,
    );
    assert_eq!(scratch.tree0(), ["A", "a"]);
}

#[test]
fn a_random_part_that_leads_up_is_refused_when_it_is_put_together() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("x")).unwrap();
    let load = r#"RANDOMSTRING 1 "[.]."
        NTCreateX "/clients/client1/$1/f" 0x40 0x2 1 NT_STATUS_OK
        Unlink "/$1/$1/x.load" NT_STATUS_OK
        Deltree "/$1/$1/x" NT_STATUS_OK"#;
    let ran = scratch.run(load, &["1"]);
    ran.assert_code(1);
    assert!(
        ran.mismatches().iter().all(|line| line.contains("got EINVAL")),
        "{ran}"
    );
    assert_eq!(ran.mismatches().len(), 2, "{ran}");
    assert_eq!(scratch.tree(""), ["x/", "x.load"]);
}

#[test]
fn a_run_leaves_its_directory_as_it_was() {
    let scratch = Scratch::new();
    scratch.write("other", "kept");
    let load = r#"NTCreateX "\clients\client1\a" 0x40 0x2 1 NT_STATUS_OK
        NTCreateX "\other" 0x40 0x5 1 NT_STATUS_OK"#;
    scratch.run(load, &["2"]).assert_well();
    assert_eq!(scratch.tree(""), ["other", "x.load"]);
    assert_eq!(std::fs::read(scratch.path().join("other")).unwrap(), b"kept");
}

#[test]
fn another_directory_is_used_with_d_and_none_is_made_for_it() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("there")).unwrap();
    let load = r#"NTCreateX "\clients\client1\a" 0x40 0x2 1 NT_STATUS_OK"#;
    scratch
        .run(load, &["1", "-D", "there", "--skip-cleanup"])
        .assert_well();
    assert!(scratch.path().join("there/clients/client0/a").exists());
    scratch.assert_clean();
    let ran = scratch.run(load, &["1", "--directory", "nowhere"]);
    ran.assert_code(1).assert_says("nowhere");
    assert!(!scratch.path().join("nowhere").exists());
}

#[test]
fn a_random_path_that_cannot_be_put_together_is_shown_as_the_loadfile_has_it() {
    let load = "RANDOMSTRING 1 \"[.].\"\nUnlink \"/$1/f\" NT_STATUS_OK\n";
    let ran = Scratch::new().run(load, &["1"]);
    ran.assert_code(1);
    assert_eq!(
        ran.mismatches(),
        ["x.load:2 Unlink /$1/f: expected success, got EINVAL (Invalid argument)"]
    );
}

#[test]
fn a_handle_that_was_opened_by_a_random_path_and_then_by_a_fixed_one_is_the_latter() {
    let scratch = Scratch::after(
        r#"RANDOMSTRING 1 "[ab]"
           NTCreateX "/clients/client1/$1" 0x40 0x2 1 NT_STATUS_OK
           Close 1 NT_STATUS_OK
           NTCreateX "/clients/client1/fixed" 0x40 0x2 1 NT_STATUS_OK
           Unlink "/clients/client1/$1" NT_STATUS_OK
           SET_FILE_INFORMATION 1 1004 NT_STATUS_OK"#,
    );
    assert_eq!(scratch.tree0(), ["fixed"]);
}
