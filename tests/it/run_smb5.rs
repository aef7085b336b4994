//! smb5: files that are open by their paths.

use crate::scratch::Scratch;

#[test]
fn each_operation_does_what_its_name_says() {
    let scratch = Scratch::after(
        r#"MKDIR "/d" SUCCESS
           MKDIR "/d" ERROR
           MKDIR "/gone" SUCCESS
           RMDIR "/gone" SUCCESS
           RMDIR "/gone" ERROR
           OPEN "/d/f" 0x0c SUCCESS
           WRITE "/d/f" 0 50 SUCCESS
           WRITE "/d/f" 50 50 SUCCESS
           READ "/d/f" 0 100 SUCCESS
           CLOSE "/d/f" SUCCESS
           OPEN "/x" 0x0c SUCCESS
           CLOSE "/x" SUCCESS
           UNLINK "/x" SUCCESS
           UNLINK "/x" ERROR
           READDIR "/" SUCCESS
           READDIR "/x" ERROR"#,
    );
    assert_eq!(scratch.tree("clients/shared"), ["d/", "d/f"]);
    assert_eq!(std::fs::metadata(scratch.shared("d/f")).unwrap().len(), 100);
}

#[test]
fn open_flags_are_read_write_create_exclusive_truncate_and_append() {
    let scratch = Scratch::after(
        r#"OPEN "/clients/client1/f" 0x04 ERROR
           OPEN "/clients/client1/f" 0x1c SUCCESS
           WRITE "/clients/client1/f" 0 100 SUCCESS
           CLOSE "/clients/client1/f" SUCCESS
           OPEN "/clients/client1/f" 0x1c ERROR
           OPEN "/clients/client1/f" 0x01 SUCCESS
           READ "/clients/client1/f" 0 100 SUCCESS
           WRITE "/clients/client1/f" 0 1 ERROR
           CLOSE "/clients/client1/f" SUCCESS
           OPEN "/clients/client1/f" 0x02 SUCCESS
           READ "/clients/client1/f" 0 1 ERROR
           WRITE "/clients/client1/f" 100 1 SUCCESS
           CLOSE "/clients/client1/f" SUCCESS
           OPEN "/clients/client1/f" 0x44 SUCCESS
           WRITE "/clients/client1/f" 0 9 SUCCESS
           CLOSE "/clients/client1/f" SUCCESS
           OPEN "/clients/client1/g" 0x0c SUCCESS
           WRITE "/clients/client1/g" 0 100 SUCCESS
           CLOSE "/clients/client1/g" SUCCESS
           OPEN "/clients/client1/g" 0x24 SUCCESS"#,
    );
    assert_eq!(scratch.size0("f"), 110);
    assert_eq!(scratch.size0("g"), 0);
}

#[test]
fn a_file_is_found_by_any_spelling_of_its_path_and_one_that_is_not_open_by_none() {
    let scratch = Scratch::after(
        r#"OPEN "\clients\CLIENT1\f" 0x0c SUCCESS
           WRITE "//clients/client1//f" 0 5 SUCCESS
           CLOSE "/Clients/Client1/f" SUCCESS"#,
    );
    assert_eq!(scratch.size0("f"), 5);
    let ran = Scratch::new().run("OPEN \"/f\" 0x0c SUCCESS\nREAD \"/F\" 0 5 SUCCESS\n", &["1"]);
    ran.assert_refused("x.load:2:");
}

#[test]
fn every_outcome_is_checked_in_smb5() {
    let scratch = Scratch::new();
    let load = r#"MKDIR "/d" ERROR
        OPEN "/no/f" 0x0c SUCCESS
        WRITE "/no/f" 0 5 SUCCESS
        CLOSE "/no/f" SUCCESS
        UNLINK "/no/f" SUCCESS
        READDIR "/no" *
        "#;
    let ran = scratch.run(load, &["1"]);
    ran.assert_code(1).assert_says("2 operations were skipped");
    let lines: Vec<_> = ran
        .mismatches()
        .iter()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(lines, ["x.load:1", "x.load:2", "x.load:5"], "{ran}");
}

#[test]
fn a_random_name_is_open_under_its_name_of_the_moment() {
    let scratch = Scratch::after(
        r#"LOOP 20
           RANDOMSTRING 1 "f[0123456789][0123456789]"
           OPEN "/clients/client1/$1" 0x2c SUCCESS
           WRITE "/clients/client1/$1" 0 50 SUCCESS
           CLOSE "/clients/client1/$1" SUCCESS
           OPEN "/clients/client1/$1" 0x04 SUCCESS
           READ "/clients/client1/$1" 0 50 SUCCESS
           ENDLOOP
           CLOSE "/clients/client1/$1" SUCCESS
           UNLINK "/clients/client1/$1" SUCCESS"#,
    );
    let names = scratch.tree0();
    assert!(names.len() > 1, "{names:?}");
    for name in names {
        assert!(name.starts_with('f') && name.len() == 3, "{name}");
        assert_eq!(scratch.size0(&name), 50);
    }
}

#[test]
fn an_open_file_stays_open_when_its_name_goes_however_the_name_came_about() {
    let load = r#"OPEN "/clients/client1/f" 0x0c SUCCESS
        UNLINK "/clients/client1/f" SUCCESS
        WRITE "/clients/client1/f" 0 50 SUCCESS
        CLOSE "/clients/client1/f" SUCCESS"#;
    for load in [load.to_owned(), format!("RANDOMSTRING 1 \"g[ab]\"\n{load}")] {
        let ran = Scratch::new().run(&load, &["1", "--per-client-results"]);
        assert_eq!(ran.assert_well().per_client(), [(50, 1)]);
        assert!(!ran.stderr.contains("skipped"), "{ran}");
    }
}
