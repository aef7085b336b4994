//! Directives: loops, numbers worked out afresh, random names, patterns, parameters, preparation, waiting.

use crate::scratch::Scratch;
use std::time::{Duration, Instant};

const OPEN: &str = r#"NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
"#;

/// How often each kind is executed by a load that goes well.
fn counts(load: &str) -> Vec<(String, u64)> {
    let ran = Scratch::new().run(load, &["1", "--machine-readable"]);
    let counts = ran.assert_well().counts();
    counts
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .collect()
}

fn count(load: &str, kind: &str) -> u64 {
    let counts = counts(load);
    let found = counts.iter().find(|(name, _)| name == kind);
    found.map_or(0, |&(_, count)| count)
}

/// The offsets at which one client has written single bytes with `digit`s, where a hole is a zero.
fn written(content: &[u8]) -> Vec<usize> {
    let bytes = content.iter().enumerate();
    bytes
        .filter(|(_, byte)| **byte != 0)
        .map(|(offset, _)| offset)
        .collect()
}

#[test]
fn loops_nest_and_multiply_and_repeat_repeats_one_operation() {
    let load = format!(
        "{OPEN}LOOP 3\nFlush 1 NT_STATUS_OK\nLOOP 4\nWriteX 1 0 1 1 NT_STATUS_OK\nREPEAT 5\nReadX 1 0 1 1 NT_STATUS_OK\n\
         ENDLOOP\nENDLOOP\nLOOP 0\nFlush 1 NT_STATUS_OK\nENDLOOP\nREPEAT 0\nFlush 1 NT_STATUS_OK\n"
    );
    assert_eq!(count(&load, "Flush"), 3);
    assert_eq!(count(&load, "WriteX"), 12);
    assert_eq!(count(&load, "ReadX"), 60);
}

#[test]
fn loops_of_millions_of_turns_are_not_unrolled_and_end_with_the_time() {
    let load = format!("{OPEN}LOOP 10000000\nREPEAT 10000000\nWriteX 1 0 1 1 NT_STATUS_OK\nENDLOOP\n");
    let scratch = Scratch::new();
    let ran = scratch.run(&load, &["1", "-t", "0.5"]);
    ran.assert_well();
    scratch.assert_clean();
}

#[test]
fn a_plus_adds_to_what_the_same_number_was_in_the_last_operation() {
    let load = format!(
        "WRITEPATTERN x\n{OPEN}WriteX 1 5 1 1 NT_STATUS_OK\nREPEAT 3\nWriteX 1 +10 1 1 NT_STATUS_OK\n\
         ReadX 1 100 1 0 NT_STATUS_OK\nWriteX 1 +7 1 1 NT_STATUS_OK\n"
    );
    let scratch = Scratch::after(&load);
    assert_eq!(written(&scratch.content0("f")), [5, 15, 25, 35, 107]);
}

#[test]
fn the_clients_number_and_how_many_there_are_can_be_added() {
    let load = format!(
        "WRITEPATTERN x\n{OPEN}WriteX 1 100 1 1 NT_STATUS_OK\nWriteX 1 +child 1 1 NT_STATUS_OK\n\
         WriteX 1 +num_children 1 1 NT_STATUS_OK\n"
    );
    let scratch = Scratch::new();
    scratch.run(&load, &["3", "--skip-cleanup"]).assert_well();
    for client in 0..3 {
        let path = scratch.clients().join(format!("client{client}/f"));
        let mut expected = vec![100, 100 + client, 103 + client];
        expected.dedup();
        assert_eq!(written(&std::fs::read(path).unwrap()), expected);
    }
}

#[test]
fn random_offsets_stay_below_their_modulus_and_on_their_multiples() {
    let load = format!("WRITEPATTERN x\n{OPEN}REPEAT 500\nWriteX 1 *%0x10000/4096 1 1 NT_STATUS_OK\n");
    let scratch = Scratch::after(&load);
    let offsets = written(&scratch.content0("f"));
    assert!(
        offsets
            .iter()
            .all(|offset| offset % 4096 == 0 && *offset < 0x10000)
    );
    assert_eq!(
        offsets.len(),
        16,
        "500 draws miss one of 16 places once in 10^12 times"
    );
    let load = format!("WRITEPATTERN x\n{OPEN}REPEAT 300\nWriteX 1 *%10+25 1 1 NT_STATUS_OK\n");
    let offsets = written(&Scratch::after(&load).content0("f"));
    assert_eq!(offsets, (25..35).collect::<Vec<_>>());
}

#[test]
fn a_pattern_is_repeated_to_the_length_of_each_write_that_follows_it() {
    let load = format!(
        "{OPEN}WriteX 1 0 4 4 NT_STATUS_OK\nWRITEPATTERN 123\nWriteX 1 4 7 7 NT_STATUS_OK\n\
         WRITEPATTERN ab cd\nWriteX 1 11 6 6 NT_STATUS_OK\nWriteX 1 17 2 2 NT_STATUS_OK\n"
    );
    let scratch = Scratch::after(&load);
    assert_eq!(scratch.content0("f"), b"\0\0\0\x001231231ab cdaab");
}

#[test]
fn random_strings_take_one_of_each_set_and_stay_until_they_are_drawn_again() {
    let load = r#"LOOP 40
        RANDOMSTRING 3 "n[abc][xy]-"
        NTCreateX "/clients/client1/$3" 0x40 0x2 1 NT_STATUS_OK
        WriteX 1 0 3 3 NT_STATUS_OK
        Close 1 NT_STATUS_OK
        QUERY_PATH_INFORMATION "/clients/client1/$3" 1004 NT_STATUS_OK
        SLEEP 1
        ENDLOOP
        NTCreateX "/clients/client1/$3$3.z" 0x40 0x2 1 NT_STATUS_OK
        SET_FILE_INFORMATION 1 1004 NT_STATUS_OK
        "#;
    let scratch = Scratch::after(load);
    let all = ["ax", "ay", "bx", "by", "cx", "cy"].map(|pair| format!("n{pair}-"));
    let names = scratch.tree0();
    let (doubled, single): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.ends_with(".z"));
    assert!(
        single.len() > 1 && single.iter().all(|name| all.contains(name)),
        "{single:?}"
    );
    let last = doubled[0].strip_suffix(".z").unwrap();
    assert!(
        single.iter().any(|name| last == format!("{name}{name}")),
        "{last}"
    );
}

#[test]
fn the_same_seed_makes_the_same_names_for_each_client_and_another_seed_others() {
    let load = "RANDOMSTRING 1 \"[abcdefgh][abcdefgh][abcdefgh][abcdefgh][abcdefgh][abcdefgh]\"\n\
        CREATE3 \"/clients/client1/$1\" 0x00000000\n";
    let names = |seed: &[&str]| {
        let scratch = Scratch::new();
        scratch
            .run(load, &[&["2", "--skip-cleanup"], seed].concat())
            .assert_well();
        [scratch.tree("clients/client0"), scratch.tree("clients/client1")]
    };
    let first = names(&["--seed", "7"]);
    assert_eq!(names(&["--seed", "7"]), first);
    assert_ne!(first[0], first[1]);
    let other = names(&["--seed", "8"]);
    assert!(other[0] != first[0] && other[1] != first[1]);
    assert_eq!(names(&[]), names(&["--seed", "0"]));
}

const PARAMETERS: &str = r#"PARAM size 1K "of each write"
    PARAM name f "of the file"
    PARAM turns 2 "of the loop"
    NTCreateX "\clients\client1\${name}" 0x40 0x2 1 NT_STATUS_OK
    WriteX 1 0 ${size} ${size} NT_STATUS_OK
    LOOP ${turns}
    WriteX 1 +${size} ${size} ${size} NT_STATUS_OK
    ENDLOOP
    "#;

#[test]
fn parameters_have_defaults_and_set_changes_them() {
    let scratch = Scratch::after(PARAMETERS);
    assert_eq!(scratch.size0("f"), 3 * 1024);
    let scratch = Scratch::new();
    let set = ["--set", "size=2KB", "--set", "name=g h", "--set=turns=5"];
    scratch
        .run(PARAMETERS, &[&["1", "--skip-cleanup"], &set[..]].concat())
        .assert_well();
    assert_eq!(scratch.size0("g h"), 6 * 2000);
}

#[test]
fn a_parameter_that_there_is_not_or_that_leads_out_is_refused() {
    let scratch = Scratch::new();
    scratch
        .run(PARAMETERS, &["1", "--set", "sise=1"])
        .assert_refused("sise");
    scratch
        .run(PARAMETERS, &["1", "--set", "size=x"])
        .assert_refused("x");
    scratch
        .run(PARAMETERS, &["1", "--set", "name=../../f"])
        .assert_refused("..");
    scratch
        .run(PARAMETERS, &["1", "--set", "name"])
        .assert_refused("NAME=VALUE");
    scratch.assert_clean();
}

#[test]
fn preparation_is_executed_before_each_pass_and_not_counted() {
    let load = r#"PREPARE
        Deltree "\clients\client1" NT_STATUS_OK
        NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
        WriteX 1 0 5000 5000 NT_STATUS_OK
        Close 1 NT_STATUS_OK
        ENDPREPARE
        NTCreateX "\clients\client1\f" 0x40 0x1 1 NT_STATUS_OK
        ReadX 1 0 5000 5000 NT_STATUS_OK
        Close 1 NT_STATUS_OK
        Unlink "\clients\client1\f" NT_STATUS_OK
        "#;
    let expected = ["Close", "NTCreateX", "ReadX", "Unlink"].map(|kind| (kind.to_owned(), 1));
    assert_eq!(counts(load), expected);
    let scratch = Scratch::new();
    let ran = scratch.run(load, &["2", "-t", "1", "--per-client-results"]);
    for (bytes, passes) in ran.assert_well().per_client() {
        assert!(passes > 1, "{ran}");
        assert!((bytes / 5000).abs_diff(passes) <= 1, "{ran}");
    }
}

#[test]
fn a_preparation_that_differs_from_the_trace_is_told() {
    let load = "PREPARE\nUnlink \"\\clients\\client1\\f\" NT_STATUS_OK\nENDPREPARE\n\
        Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    let ran = Scratch::new().run(load, &["1"]);
    ran.assert_code(1);
    assert_eq!(ran.mismatches().len(), 1);
    assert!(
        ran.mismatches()[0].starts_with("x.load:2 Unlink client0/f: "),
        "{ran}"
    );
}

#[test]
fn a_sleep_lasts_at_least_so_long_and_is_in_the_elapsed_time() {
    for sleep in ["SLEEP 200000", "Sleep 200000 NT_STATUS_OK"] {
        let scratch = Scratch::new();
        let load = format!("{OPEN}WriteX 1 0 1000 1000 NT_STATUS_OK\n{sleep}\n{sleep}\n");
        let result = scratch.execute(&load, |_| {});
        assert!(
            result.elapsed >= Duration::from_millis(400),
            "{:?}",
            result.elapsed
        );
        assert!(result.max_latency() < result.elapsed - Duration::from_millis(390));
        assert_eq!(result.total_operations(), 2);
    }
}

#[test]
fn clients_in_lockstep_see_what_the_other_has_done_before_its_point() {
    // Each makes what the other then removes, ten times in turn.
    let (mut first, mut second) = (String::new(), String::new());
    for turn in 1..=10 {
        first.push_str(&format!(
            "Mkdir \"/made\" NT_STATUS_OK\nSETSP {turn}\nWAITSP 1 {turn}\n\
             QUERY_PATH_INFORMATION \"/made\" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND\n"
        ));
        second.push_str(&format!(
            "WAITSP 0 {turn}\nRmdir \"/made\" NT_STATUS_OK\nSETSP {turn}\n"
        ));
    }
    let scratch = Scratch::new();
    scratch.write("a.load", &first);
    scratch.write("b.load", &second);
    for _ in 0..5 {
        scratch.rbench(&["-c", "a.load,b.load", "2"]).assert_well();
    }
}

#[test]
fn a_point_of_a_client_that_the_run_has_not_is_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let load = "Mkdir \"/d\" NT_STATUS_OK\nWAITSP 2 1\n";
    let ran = scratch.run(load, &["2"]);
    ran.assert_refused("x.load:2:8: waits for client 2, but this run has only clients 0 to 1");
    ran.assert_says("at least 3 clients");
    scratch.assert_clean();
}

#[test]
fn a_point_that_never_comes_ends_the_run_and_says_so() {
    let scratch = Scratch::new();
    scratch.write("a.load", "Mkdir \"/clients/client1/d\" NT_STATUS_OK\nSETSP 1\n");
    scratch.write(
        "b.load",
        "WAITSP 0 2\nMkdir \"/clients/client1/d\" NT_STATUS_OK\n",
    );
    let started = Instant::now();
    let ran = scratch.rbench(&["-c", "a.load", "-c", "b.load", "2"]);
    ran.assert_code(1)
        .assert_says("client 1 waits for point 2 of client 0");
    assert!(started.elapsed() < Duration::from_secs(120));
    scratch.assert_clean();
}

#[test]
fn resolve_lines_and_options_change_how_names_are_searched_and_no_outcome() {
    let load = r#"RESOLVE on
        NTCreateX "\clients\client1\f" 0x40 0x2 1 NT_STATUS_OK
        NTCreateX "\clients\client1\F" 0x40 0x1 2 NT_STATUS_OBJECT_NAME_NOT_FOUND
        QUERY_PATH_INFORMATION "\clients\client1\F" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND
        "#;
    for load in [load.to_owned(), load.replace("RESOLVE on", "RESOLVE off")] {
        for option in ["--resolve", "--no-resolve"] {
            Scratch::new().run(&load, &["1", option]).assert_well();
        }
    }
}
