//! Programs as a whole: loops, space, slots, look-ups.

use super::*;
use crate::loadfile::{ReadOptions, parse};

fn compiled(text: &str) -> Program {
    let file = parse(Source::new("test", text), &ReadOptions::default()).expect("it parses");
    compile(&file, CompileOptions::default()).expect("it compiles")
}

#[test]
fn a_loop_needs_the_space_of_its_second_turn() {
    let program = compiled(
        "LOOP 3\nNTCreateX \"\\clients\\client1\\new\" 0x40 0x2 1 NT_STATUS_OK\nWriteX 1 0 8192 8192 NT_STATUS_OK\n\
         Close 1 NT_STATUS_OK\nRename \"\\clients\\client1\\new\" \"\\clients\\client1\\old\" NT_STATUS_OK\nENDLOOP\n",
    );
    assert_eq!(program.space.bytes_per_client, 16_384);
}

#[test]
fn offsets_that_grow_in_loops_are_followed_to_their_ends() {
    let program = compiled(
        "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\nLOOP 5\nREPEAT 2\n\
         WriteX 1 0 100 100 NT_STATUS_OK\nREPEAT 7\nWriteX 1 +4096 4096 4096 NT_STATUS_OK\nENDLOOP\n",
    );
    assert_eq!(program.space.bytes_per_client, 8 * 4096);
}

#[test]
fn resolve_makes_nb2_look_up_and_follow_up_as_nb3_does_and_changes_no_other_dialect() {
    let flags = |text: &str, resolve| {
        let file = parse(Source::new("test", text), &ReadOptions::default()).expect("it parses");
        let options = CompileOptions {
            resolve,
            ..CompileOptions::default()
        };
        let ops = compile(&file, options).expect("it compiles").ops;
        ops[0].flags & (flag::STAT_FIRST | flag::SCAN | flag::FOLLOW_UP | flag::NO_CALL)
    };
    let open = r"NTCreateX \clients\client1\f 0x40 0x2 1";
    assert_eq!(flags(open, None), 0);
    assert_eq!(
        flags(open, Some(true)),
        flag::STAT_FIRST | flag::SCAN | flag::FOLLOW_UP
    );
    let query = "QUERY_FS_INFORMATION 1\nUnlink \\f\n";
    assert_eq!(flags(query, None), flag::NO_CALL);
    assert_eq!(flags(query, Some(true)), 0);
    for other in [
        "SMBmkdir REQUEST Path \\D\n",
        "REMOVE3 \"/f\" 0x0\n",
        "UNLINK \"/f\" SUCCESS\n",
    ] {
        assert_eq!(flags(other, Some(true)), 0, "{other}");
    }
}

#[test]
fn the_shared_clients_directory_is_there_for_every_path_that_can_lead_below_it() {
    let uses = |path: &str| {
        let text = format!("RANDOMSTRING 1 \"d[ab]\"\nMKDIR3 {path} 0x0\n");
        compiled(&text).uses_shared_clients
    };
    for path in [
        "$1",
        "\"/clients/$1/x\"",
        "\"\\Clients\\client2\"",
        "\"/clients/client1$1\"",
    ] {
        assert!(uses(path), "{path}");
    }
    for path in [
        "\"/clients/Client1/$1\"",
        "\"/clientsx/$1\"",
        "\"/x/$1\"",
        "\"/clients\"",
    ] {
        assert!(!uses(path), "{path}");
    }
}

#[test]
fn loops_are_kept_and_never_unrolled() {
    let program = compiled("REPEAT 10000000\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n");
    assert!(program.ops.len() < 8, "{} operations", program.ops.len());
    assert_eq!(totals(&program).count(Kind::QueryFsInformation), 10_000_000);
}

#[test]
fn a_loop_without_operations_is_passed_once() {
    let program =
        compiled("LOOP 18446744073709551615\nSETSP 1\nENDLOOP\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n");
    let starts = program.ops.iter().filter(|op| op.code == Code::LoopStart);
    assert!(starts.clone().all(|op| op.offset == 1) && starts.count() == 1);
}

#[test]
fn a_client_needs_no_more_slots_than_handles_are_open_at_once() {
    let mut text = String::new();
    for handle in 0..1000 {
        text.push_str(&format!(
            "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 {handle} NT_STATUS_OK\nClose {handle} NT_STATUS_OK\n"
        ));
    }
    let program = compiled(&text);
    assert_eq!((program.slots, program.peak_handles), (1, 1));
}

#[test]
fn reads_and_writes_that_must_fail_move_no_bytes() {
    let program = compiled(
        "NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 1 NT_STATUS_OK\nWriteX 1 0 10 10 NT_STATUS_OK\n\
         WriteX 1 0 100 100 NT_STATUS_DISK_FULL\nReadX 1 0 100 100 NT_STATUS_FILE_LOCK_CONFLICT\n",
    );
    let totals = totals(&program);
    assert_eq!((totals.bytes_read, totals.bytes_written), (0, 10));
    assert_eq!(totals.expected_failures, 2);
}

#[test]
fn resolve_off_leaves_no_look_up_and_the_options_win() {
    let lookup = |text: &str, resolve| {
        let text = format!("{text}Unlink \"\\clients\\client1\\f\" NT_STATUS_OK\n");
        let file = parse(Source::new("test", text), &ReadOptions::default()).expect("it parses");
        let options = CompileOptions {
            resolve,
            ..CompileOptions::default()
        };
        let program = compile(&file, options).expect("it compiles");
        program.ops[0].flags & (flag::STAT_FIRST | flag::SCAN)
    };
    let whole = flag::STAT_FIRST | flag::SCAN;
    assert_eq!(lookup("", None), whole);
    assert_eq!(lookup("", Some(false)), flag::STAT_FIRST);
    assert_eq!(lookup("RESOLVE off\n", None), 0);
    assert_eq!(lookup("RESOLVE off\n", Some(true)), whole);
    assert_eq!(lookup("RESOLVE off\n", Some(false)), flag::STAT_FIRST);
}
