//! What a sound file system does raises no alarm.

use super::verified;
use crate::scratch::Scratch;

/// Runs a load, in which all outcomes are as the trace says, and answers how many reads were checked.
fn checked(load: &str, arguments: &[&str]) -> u64 {
    let scratch = Scratch::in_memory();
    let ran = scratch.run(load, &[arguments, &["--verify"]].concat());
    let (corrupt, checked) = verified(ran.assert_well());
    assert_eq!(corrupt, 0, "{ran}");
    scratch.assert_clean();
    checked
}

#[test]
fn the_bundled_load_is_read_as_it_was_written_by_many_clients_and_in_many_passes() {
    let scratch = Scratch::in_memory();
    for arguments in [&["8", "-t", "2"][..], &["1", "-t", "3", "--warmup", "0"]] {
        let ran = scratch.rbench(&[arguments, &["--verify"]].concat());
        let (corrupt, checked) = verified(ran.assert_well());
        assert!(corrupt == 0 && checked > 100, "{ran}");
        scratch.assert_clean();
    }
}

/// Files of all clients, written by all at random places, cut, emptied, replaced and removed.
const SHARED: &str = r#"LOOP 40
NTCreateX "\one" 0x40 0x3 1 *
NTCreateX "\two" 0x40 0x5 2 *
LOOP 5
WriteX 1 *%60000 *%5000 0 *
ReadX 1 *%60000 20000 0 *
WriteX 2 *%3000/100 1000 0 *
ReadX 2 0 5000 0 *
ENDLOOP
Rename "\two" "\three" *
NTCreateX "\three" 0x40 0x4 3 *
WriteX 3 0 3000 0 *
ReadX 1 0 60000 0 *
Unlink "\one" *
ReadX 1 0 60000 0 *
WriteX 1 *%60000 *%5000 0 *
ReadX 1 0 60000 0 *
Close 1 *
ReadX 3 0 5000 0 *
Close 2 *
Close 3 *
NTCreateX "\one" 0x40 0x2 1 *
ReadX 1 0 60000 0 *
WriteX 1 100 *%5000 0 *
ReadX 1 0 60000 0 *
Close 1 *
ENDLOOP
"#;

#[test]
fn files_that_several_clients_write_empty_rename_and_remove_at_once_are_as_written() {
    assert!(checked(SHARED, &["8"]) > 1000);
    assert!(checked(SHARED, &["8", "--seed", "1", "-S"]) > 1000);
}

/// smb5's and nfs's opens by path; appending, cutting, writing with names that come again.
const APPENDS: &str = r#"RANDOMSTRING 1 "n[0123456789]"
LOOP 100
RANDOMSTRING 1 "n[0123456789]"
OPEN "/$1" 0x4c *
WRITE "/$1" 0 700 *
WRITE "/$1" 100 300 *
READ "/$1" 0 20000 *
CLOSE "/$1" *
OPEN "/$1" 0x24 *
WRITE "/$1" 50 100 *
READ "/$1" 0 20000 *
CLOSE "/$1" *
OPEN "/clients/client1/$1" 0x2c *
WRITE "/clients/client1/$1" +50 500 *
READ "/clients/client1/$1" 0 20000 *
CLOSE "/clients/client1/$1" *
RANDOMSTRING 1 "n[0123456789]"
OPEN "/$1" 0x21 *
READ "/$1" 0 20000 *
UNLINK "/$1" *
READ "/$1" 0 20000 *
CLOSE "/$1" *
ENDLOOP
"#;

const BY_PATH: &str = r#"CREATE3 "/all" 0x00000000
LOOP 200
CREATE3 "/clients/client1/f" 0x00000000
WRITE3 "/clients/client1/f" *%40000 *%4000 1 *
READ3 "/clients/client1/f" 0 50000 *
WRITE3 "/all" *%40000/4096 4096 *
READ3 "/all" 0 50000 *
LINK3 "/clients/client1/g" "/clients/client1/f" *
REMOVE3 "/clients/client1/f" *
READ3 "/clients/client1/g" 0 50000 *
RENAME3 "/clients/client1/g" "/clients/client1/h" *
READ3 "/clients/client1/h" 0 50000 *
SYMLINK3 "/clients/client1/s" "/clients/client1/h" *
READ3 "/clients/client1/s" 0 50000 *
ENDLOOP
"#;

#[test]
fn files_that_are_opened_by_their_paths_and_appended_to_are_as_written() {
    assert!(checked(APPENDS, &["6"]) > 500);
    assert!(checked(BY_PATH, &["4"]) > 1000);
}

/// A recording of dbench 1: files are filled when they are opened, and kept short.
const FILLED: &str = r"SMBopenX REQUEST  Size 0 Path \CLIENTS\CLIENT1\a
SMBopenX REPLY  Handle 5 Size 100000
SMBreadbraw REQUEST  Handle 5 Offset 50000 MaxCount 65000
SMBwrite REQUEST  Handle 5 ByteCount 10 Offset 90
SMBwritebraw REQUEST  Handle 5 Offset 99900 DataSize 300 DataOff 60
SMBclose REQUEST  Handle 5
SMBopenX REQUEST  Size 0 Path \CLIENTS\CLIENT1\a
SMBopenX REPLY  Handle 5 Size 3000
SMBreadbraw REQUEST  Handle 5 Offset 0 MaxCount 65000
SMBopenX REQUEST  Size 0 Path \CLIENTS\CLIENT1\a
SMBopenX REPLY  Handle 6 Size 30000
SMBreadbraw REQUEST  Handle 6 Offset 0 MaxCount 65000
";

#[test]
fn files_that_an_open_fills_or_cuts_are_as_written() {
    assert_eq!(checked(FILLED, &["3"]), 9);
    assert!(checked(FILLED, &["2", "-t", "0.5", "--warmup", "0"]) > 20);
}

/// Files of a client's own, prepared before each pass, with holes; `PARAM`s and passes change what is where.
const OWN: &str = r#"PREPARE
Deltree "\clients\client1" NT_STATUS_OK
Mkdir "\clients\client1\d" NT_STATUS_OK
NTCreateX "\clients\client1\d\p" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 100000 8192 8192 NT_STATUS_OK
WriteX 1 3000 1 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
ENDPREPARE
NTCreateX "\clients\client1\d\p" 0x40 0x1 1 NT_STATUS_OK
ReadX 1 0 8192 8192 NT_STATUS_OK
ReadX 1 98304 9888 9888 NT_STATUS_OK
NTCreateX "\clients\client1\d\p" 0x40 0x1 2 NT_STATUS_OK
WriteX 2 99999 1 1 NT_STATUS_OK
WriteX 1 99998 4 4 NT_STATUS_OK
ReadX 2 98304 9888 9888 NT_STATUS_OK
NTCreateX "\clients\client1\d\p" 0x40 0x0 3 NT_STATUS_OK
ReadX 1 0 8192 0 NT_STATUS_OK
WriteX 3 1000 1 1 NT_STATUS_OK
WriteX 3 1001 1 1 NT_STATUS_OK
ReadX 2 0 8192 1002 NT_STATUS_OK
Flush 3 NT_STATUS_OK
SET_FILE_INFORMATION 3 1004 NT_STATUS_OK
Close 1 NT_STATUS_OK
Close 2 NT_STATUS_OK
Close 3 NT_STATUS_OK
LOOP 20
NTCreateX "\clients\client1\d\t" 0x40 0x2 4 NT_STATUS_OK
WriteX 4 0 3000 3000 NT_STATUS_OK
Close 4 NT_STATUS_OK
NTCreateX "\clients\client1\d\u" 0x40 0x2 4 NT_STATUS_OK
WriteX 4 2000 3000 3000 NT_STATUS_OK
Rename "\clients\client1\d\t" "\clients\client1\d\u" NT_STATUS_OK
ReadX 4 0 5000 5000 NT_STATUS_OK
Close 4 NT_STATUS_OK
NTCreateX "\clients\client1\d\u" 0x40 0x1 4 NT_STATUS_OK
ReadX 4 0 5000 3000 NT_STATUS_OK
Unlink "\clients\client1\d\u" NT_STATUS_OK
ReadX 4 0 5000 3000 NT_STATUS_OK
Close 4 NT_STATUS_OK
ENDLOOP
"#;

#[test]
fn options_that_change_how_files_are_written_change_nothing_of_what_is_checked() {
    for options in [
        &[][..],
        &["-s", "-S", "-F"],
        &["--stat-check"],
        &["--one-byte-write-fix"],
        &["--no-resolve"],
        &["-R", "1000"],
    ] {
        let checks = checked(OWN, &[&["2"], options].concat());
        // With the fix, the two single bytes at the end are a hole.
        let expected = if options == ["--one-byte-write-fix"] {
            2 * 62
        } else {
            2 * 64
        };
        assert_eq!(checks, expected, "{options:?}");
    }
    assert!(checked(OWN, &["2", "-t", "0.5", "--warmup", "0.1"]) > 64);
}

#[test]
fn attributes_beside_the_data_change_nothing() {
    let scratch = Scratch::new();
    let ran = scratch.run(OWN, &["1", "-x", "--verify"]);
    if ran.code == Some(1)
        && ran
            .stderr
            .contains("extended attributes of users do not work here")
    {
        eprintln!("skipped, nothing was verified with -x: there are no extended attributes here");
        return;
    }
    assert_eq!(verified(ran.assert_well()), (0, 64));
}

#[test]
fn transfers_that_are_cut_down_are_as_written() {
    let scratch = Scratch::in_memory();
    let ran = scratch.run(
        OWN,
        &["1", "--trunc-io", "100", "--verify", "--on-mismatch", "ignore"],
    );
    assert_eq!(verified(ran.assert_code(0)).0, 0, "{ran}");
}

#[test]
fn the_real_loads_are_read_as_they_were_written() {
    let Some(folder) = std::env::var_os("RBENCH_CORPUS") else {
        eprintln!("skipped, no real load was verified: RBENCH_CORPUS is not set");
        return;
    };
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut verifications = 0;
    for path in names {
        let scratch = Scratch::in_memory();
        let path = path.to_str().unwrap();
        if scratch.rbench(&["check", path]).code != Some(0) {
            continue;
        }
        let ran = scratch.rbench(&["-c", path, "3", "-t", "1", "--verify"]);
        assert_eq!(verified(&ran).0, 0, "{path}: {ran}");
        assert!(!ran.stderr.contains("not as written"), "{path}: {ran}");
        verifications += 1;
    }
    assert!(verifications > 5, "only {verifications} loads were found");
}

#[test]
fn a_file_that_all_clients_share_may_be_emptied_by_an_open_that_only_reads() {
    let load = r#"OPEN "/s" 0x0c *
WRITE "/s" 0 5000 *
READ "/s" 0 5000 *
CLOSE "/s" *
OPEN "/s" 0x21 *
CLOSE "/s" *
UNLINK "/s" *
"#;
    assert!(checked(load, &["8", "-t", "1", "--on-mismatch", "ignore"]) > 100);
}
