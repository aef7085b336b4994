//! nb2: what differs from nb3, by what is left on disk and counted.

use crate::scratch::Scratch;

const LOAD: &str = r"NTCreateX \clients 0x1 0x2 10
Mkdir \clients\client1
Mkdir \clients\client1\D
NTCreateX \clients\client1\D\F 0x40 0x2 11
WriteX 11 0 1000 1000
ReadX 11 500 4096 4096
QUERY_FILE_INFORMATION 11 258
SET_FILE_INFORMATION 11 1004
LockX 11 0 10
UnlockX 11 0 10
Flush 11
QUERY_FS_INFORMATION 1
QUERY_PATH_INFORMATION \clients\client1\NONE 1004
FIND_FIRST \clients\client1\FILLER<* 260 512 0
NTCreateX \clients\client1\NONE 0x40 0x1 -1
Close 11
Close 10
Rename \clients\client1\D\F \clients\client1\D\G
";

#[test]
fn unquoted_paths_without_statuses_do_what_they_say() {
    let scratch = Scratch::after(LOAD);
    assert_eq!(scratch.tree0(), ["D/", "D/G"]);
    assert_eq!(scratch.content0("D/G"), vec![0; 1000]);
}

#[test]
fn requested_bytes_count_and_a_short_read_is_no_mismatch() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["1", "--per-client-results"]);
    assert_eq!(ran.assert_well().per_client(), [(1000 + 4096, 1)]);
}

#[test]
fn operations_without_calls_of_their_own_count_all_the_same() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["1", "--machine-readable"]);
    let counts = ran.assert_well().counts();
    for (name, count) in [
        ("Flush", 1),
        ("QUERY_FS_INFORMATION", 1),
        ("NTCreateX", 3),
        ("Mkdir", 2),
    ] {
        assert_eq!(counts[name], count, "{name}");
    }
    let ran = scratch.run(
        LOAD,
        &["1", "--machine-readable", "--flush", "fsync", "--resolve"],
    );
    assert_eq!(ran.assert_well().counts(), counts);
}

#[test]
fn either_outcome_of_a_query_or_a_search_is_right_and_every_other_operation_must_succeed() {
    let scratch = Scratch::new();
    let load = r"Unlink \clients\client1\A
        QUERY_PATH_INFORMATION \clients\client1\A 1004
        FIND_FIRST \clients\client1\NO\* 260 512 0
        ";
    let ran = scratch.run(load, &["1"]);
    ran.assert_code(1);
    let expected = "x.load:1 Unlink client0/A: expected success, got ENOENT (No such file or directory)";
    assert_eq!(ran.mismatches(), [expected]);
}

#[test]
fn an_open_of_handle_minus_1_must_fail() {
    let scratch = Scratch::new();
    let ran = scratch.run(r"NTCreateX \clients\client1\A 0x40 0x5 -1", &["1"]);
    ran.assert_code(1);
    assert_eq!(
        ran.mismatches(),
        ["x.load:1 NTCreateX client0/A: expected failure, got success"]
    );
}

#[test]
fn the_clients_directory_is_emptied_between_passes_and_the_shared_tree_is_not() {
    // A pass that found the last one's D could not remove it.
    let load = r"NTCreateX \clients\client1\A 0x40 0x2 11
        Close 11
        Mkdir \clients\client1\D
        Rmdir \clients\client1\D
        Mkdir \clients\client1\D
        Rename \clients\client1\A \clients\client1\D\A
        Mkdir \NBSIMULD
        ";
    let scratch = Scratch::new();
    let ran = scratch.run(load, &["2", "-t", "1", "--per-client-results", "--skip-cleanup"]);
    let passes = ran.assert_well().per_client();
    assert!(passes.iter().all(|&(_, passes)| passes > 1), "{ran}");
    assert!(scratch.shared("NBSIMULD").is_dir());
}
