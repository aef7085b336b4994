//! Loadfiles that try to get out of their directory, or at what keeps a run in order.

use super::site::Site;
use std::fs;

/// A run that is refused before anything is made.
fn is_bad(load: impl AsRef<[u8]>, arguments: &[&str], words: &[&str]) {
    let site = Site::new();
    site.run(load, arguments).assert_code(2).assert_says(words);
    site.assert_nothing_left();
}

#[test]
fn a_path_with_dot_dot_is_refused_in_every_dialect() {
    let loads = [
        "SMBmkdir REQUEST  Path \\..\\..\\x\n",
        "SMBopenX REQUEST  Size 0 Path \\A\\..\\..\\..\\x\nSMBopenX REPLY  Handle 1 Size 0\n",
        "SMBmv REQUEST  Path \\A Path \\..\\B\n",
        "NTCreateX \\clients\\client1\\..\\..\\..\\x 0x0 0x5 1\n",
        "Mkdir \"\\..\\x\" NT_STATUS_OK\n",
        "Mkdir \"\\clients\\client1/../../../x\" NT_STATUS_OK\n",
        "NTCreateX \"..\" 0x1 0x2 1 NT_STATUS_OK\n",
        "Rename \"\\clients\\client1\\a\" \"\\clients\\client1\\..\\..\\..\\a\" NT_STATUS_OK\n",
        "Deltree \"\\clients\\client1\\..\\..\" NT_STATUS_OK\n",
        "MKDIR3 \"/../x\" 0x0\n",
        "SYMLINK3 \"/clients/client1/l\" \"/../../elsewhere\" 0x0\n",
        "LINK3 \"/clients/client1/l\" \"/clients/../../file\" 0x0\n",
        "OPEN \"/../file\" 0xc SUCCESS\n",
        "RANDOMSTRING 0 \"a\"\nMKDIR3 \"/$0/../../x\" *\n",
        "MKDIR3 \"/../x\" 0x1\n",
        "LOOP 0\nMKDIR3 \"/../x\" 0x0\nENDLOOP\n",
    ];
    for load in loads {
        is_bad(load, &["2"], &["test.load:", "`..`"]);
    }
}

#[test]
fn dot_dot_put_together_from_random_strings_leads_nowhere() {
    let strings = [
        (
            "RANDOMSTRING 0 \".\"\n",
            "/clients/client1/$0./$0./$0./elsewhere/new2",
        ),
        (
            "RANDOMSTRING 0 \"..\"\n",
            "/clients/client1/$0/$0/$0/elsewhere/new2",
        ),
        ("RANDOMSTRING 0 \"[.][.]\"\n", "/$0/$0/$0/new2"),
        (
            "RANDOMSTRING 0 \".\"\nRANDOMSTRING 1 \".\"\n",
            "/clients/client1/$0$1/$0$1/x",
        ),
        (
            "RANDOMSTRING 0 \"a/../../..\"\n",
            "/clients/client1/$0/elsewhere/new2",
        ),
        ("RANDOMSTRING 0 \"\\..\\..\"\n", "/clients/client1$0\\new2"),
        ("RANDOMSTRING 0 \"/clients/client1/../../../new2\"\n", "$0"),
    ];
    for (slots, path) in strings {
        let quoted = if path == "$0" {
            path.to_owned()
        } else {
            format!("\"{path}\"")
        };
        let site = Site::new();
        let operations = [
            format!("CREATE3 {quoted} 0x1"),
            format!("MKDIR3 {quoted} 0x1"),
            format!("WRITE3 {quoted} 0 10 1 0x1"),
            format!("SETATTR3 {quoted} 0x1"),
            format!("REMOVE3 {quoted} 0x1"),
            format!("RMDIR3 {quoted} 0x1"),
            format!("Deltree {quoted} 0x1"),
            format!("SYMLINK3 {quoted} \"/x\" 0x1"),
            format!("SYMLINK3 \"/clients/client1/link\" {quoted} 0x1"),
            format!("RENAME3 \"/clients/client1/own\" {quoted} 0x1"),
            format!("RENAME3 {quoted} \"/clients/client1/own2\" 0x1"),
            format!("LINK3 {quoted} \"/clients/client1/own\" 0x1"),
            format!("LINK3 \"/clients/client1/link\" {quoted} 0x1"),
        ];
        let own = "CREATE3 \"/clients/client1/own\" 0x0\n";
        let load = format!("{slots}{own}{}\n", operations.join("\n"));
        let ended = site.run(load, &["2"]);
        match ended.code {
            // A string that shows it by itself is refused when it is read.
            Some(2) => ended.assert_says(&["test.load:1:", "`..`"]),
            _ => ended.assert_code(0),
        };
        site.assert_nothing_left();
    }
}

#[test]
fn dot_dot_given_as_a_parameter_is_refused() {
    let load = "PARAM name sub \"a directory\"\nMkdir \"\\clients\\client1\\${name}\" NT_STATUS_OK\n";
    let site = Site::new();
    site.run(load, &["1"]).assert_code(0);
    for value in ["..", "a\\..\\..", "../..", "x/.."] {
        let set = format!("name={value}");
        site.run(load, &["1", "--set", &set])
            .assert_code(2)
            .assert_says(&["`..`"]);
        site.assert_nothing_left();
    }
    let dotted = load.replace("${name}", ".${name}\\..${name}x");
    site.run(dotted, &["1", "--set", "name=."])
        .assert_code(2)
        .assert_says(&["`..`"]);
    site.assert_nothing_left();
}

#[test]
fn a_nul_and_names_that_are_too_long_are_refused() {
    is_bad(
        b"Mkdir \"\\clients\\client1\\a\0b\" NT_STATUS_OK\n",
        &["1"],
        &["test.load"],
    );
    let long = "x".repeat(300);
    is_bad(
        format!("Mkdir \"\\clients\\client1\\{long}\" NT_STATUS_OK\n"),
        &["1"],
        &["255 bytes"],
    );
    is_bad(
        format!(
            "Mkdir \"\\clients\\client1{}\" NT_STATUS_OK\n",
            "\\abc".repeat(2000)
        ),
        &["1"],
        &["4095 bytes"],
    );
}

#[test]
fn a_long_name_put_together_from_random_strings_fails_and_makes_nothing() {
    let half = "x".repeat(150);
    let site = Site::new();
    let load = format!(
        "RANDOMSTRING 0 \"{half}\"\nCREATE3 \"/clients/client1/$0$0\" 0x1\nMKDIR3 \"/clients/client1/$0\" 0x0\n\
         MKDIR3 \"/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0/$0\" 0x1\n"
    );
    site.run(load, &["1"]).assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn a_line_of_64_kib_is_read_and_a_longer_one_refused() {
    let line = |length: usize| {
        let (start, end) = ("Mkdir \"\\clients\\client1\\d\"", "NT_STATUS_OK");
        format!("{start}{}{end}\n", " ".repeat(length - start.len() - end.len()))
    };
    let site = Site::new();
    site.run(line(65536), &["1"]).assert_code(0);
    site.run(line(65537), &["1"])
        .assert_code(2)
        .assert_says(&["test.load:1:", "65536 bytes"]);
    site.run("x".repeat(20_000_000), &["1"]).assert_code(2);
    site.assert_nothing_left();
}

#[test]
fn renaming_a_clients_root_or_onto_it_and_deltree_of_all_are_refused() {
    let loads = [
        "Rename \"\\clients\\client1\" \"\\clients\\client1\\x\" NT_STATUS_OK\n",
        "Rename \"\\clients\\client1\\x\" \"\\clients\\client1\" NT_STATUS_OK\n",
        "Rename \"\\clients\\client1\" \"\\other\" ERROR\n",
        "Rename \"\\clients\" \"\\other\" NT_STATUS_OK\n",
        "Rename \"\\other\" \"\\CLIENTS/\" NT_STATUS_OK\n",
        "RENAME3 \"/clients/client1/.\" \"/x\" 0x0\n",
        "Deltree \"\\clients\" NT_STATUS_OK\n",
        "Deltree \"/clients/\" NT_STATUS_OK\n",
        "Deltree \"/Clients/./\" 0x0\nMKDIR3 \"/x\" 0x0\n",
    ];
    for load in loads {
        is_bad(load, &["2"], &["test.load:1:"]);
    }
}

#[test]
fn the_directories_of_a_run_outlast_every_attempt_to_remove_them() {
    let fixed = "Unlink \"\\clients\" ERROR\nUnlink \"\\clients\\client1\" ERROR\nUnlink \"\\\" ERROR\n\
                 Rmdir \"\\clients\" *\nRmdir \"\\clients\\client1\" *\nRmdir \"\\\" *\n\
                 Mkdir \"\\clients\" *\nMkdir \"\\clients\\client1\" *\nMkdir \"\\\" *\n\
                 NTCreateX \"\\clients\" 0x0 0x5 1 *\nNTCreateX \"\\clients\\client1\" 0x0 0x2 2 *\nNTCreateX \"\\\" 0x1 0x2 3 *\n\
                 Deltree \"\\clients\\client1\" NT_STATUS_OK\nDeltree \"\\\" NT_STATUS_OK\n\
                 NTCreateX \"\\clients\\client1\\end\" 0x0 0x2 4 NT_STATUS_OK\nNTCreateX \"\\clients\\client2\" 0x1 0x3 5 *\n";
    let names = ["/clients", "/clients/client1", "/", "/clients/./client1/"];
    let random: String = names
        .iter()
        .map(|name| {
            format!(
                "RANDOMSTRING 0 \"{name}\"\nREMOVE3 $0 *\nRMDIR3 $0 *\nRENAME3 $0 \"/away\" *\nCREATE3 \"/clients/client1/f\" *\n\
                 RENAME3 \"/clients/client1/f\" $0 *\nMKDIR3 \"/clients/client1/g\" *\nRENAME3 \"/clients/client1/g\" $0 *\n\
                 SYMLINK3 $0 \"/x\" *\nLINK3 $0 \"/clients/client1/f\" *\nLINK3 \"/clients/client1/h\" $0 *\nCREATE3 $0 *\nDeltree $0 *\nMKDIR3 $0 *\n"
            )
        })
        .collect();
    for load in [
        fixed.to_owned(),
        format!("{random}CREATE3 \"/clients/client1/end\" 0x0\n"),
    ] {
        let site = Site::new();
        site.run(load, &["2", "--skip-cleanup", "--on-mismatch", "ignore"])
            .assert_code(0);
        for client in ["client0", "client1"] {
            assert!(site.clients().join(client).join("end").exists());
        }
        assert!(site.clients().join("shared").is_dir());
        let marker = fs::read_to_string(site.clients().join(".rbench")).unwrap();
        assert!(marker.contains("state kept"), "{marker}");
        site.clean().assert_code(0);
        site.assert_nothing_left();
    }
}

#[test]
fn the_marker_and_other_clients_trees_are_out_of_reach() {
    let targets = [
        "\\clients\\.rbench",
        "\\clients\\client0\\x",
        "\\clients\\client2\\x",
        "\\clients\\shared\\x",
    ];
    let mut load =
        "NTCreateX \"\\clients\\client1\\x\" 0x0 0x5 9 NT_STATUS_OK\nClose 9 NT_STATUS_OK\nSLEEP 50000\n"
            .to_owned();
    for directory in ["\\clients\\client0", "\\clients\\client2", "\\clients\\shared"] {
        load.push_str(&format!("Mkdir \"{directory}\" *\n"));
    }
    for target in targets {
        load.push_str(&format!(
            "NTCreateX \"{target}\" 0x0 0x5 1 *\nWriteX 1 0 100 100 *\nClose 1 *\nRename \"{target}\" \"{target}2\" *\n\
             Rename \"{target}2\" \"{target}\" *\n"
        ));
    }
    let site = Site::new();
    let kept = ["2", "--skip-cleanup", "--on-mismatch", "ignore"];
    site.run(&load, &kept).assert_code(0);
    let marker = || fs::read_to_string(site.clients().join(".rbench")).unwrap();
    assert!(marker().starts_with("rbench marker 1\nstate kept"));
    for inside in [".rbench", "client0/x", "client2/x", "shared/x"] {
        assert!(
            site.clients().join("shared/clients").join(inside).exists(),
            "{inside}"
        );
    }
    for other in ["client0/x", "client1/x"] {
        assert_eq!(
            fs::metadata(site.clients().join(other)).unwrap().len(),
            0,
            "{other} was written"
        );
    }
    assert!(!site.clients().join("shared/x").exists());
    let removing = targets.map(|target| format!("Unlink \"{target}\" *\n")).concat()
        + "Deltree \"\\clients\\client0\" *\nDeltree \"\\clients\\client2\" *\nDeltree \"\\clients\\shared\" *\n";
    site.run(removing, &kept).assert_code(0);
    assert!(marker().starts_with("rbench marker 1\nstate kept"));
    for other in ["client0/x", "client1/x"] {
        assert!(site.clients().join(other).exists(), "{other} was removed");
    }
    site.clean().assert_code(0);
    site.assert_nothing_left();
}
