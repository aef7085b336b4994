//! smb1: requests and replies, by what is left on disk and counted.

use crate::scratch::Scratch;

const LOAD: &str = r"SMBmkdir REQUEST Path \CLIENTS\CLIENT1\docs
SMBmkdir REQUEST Path \CLIENTS\CLIENT1\docs
SMBopenX REQUEST  Size 0 Path \CLIENTS\CLIENT1\docs\read.doc
SMBopenX REPLY  Handle 5 Size 100000
SMBread REQUEST  Handle 5 ByteCount 4096 Offset 99000
SMBreadbraw REQUEST  Handle 5 Offset 0 MaxCount 65000
SMBopenX REQUEST  Size 0 Path \CLIENTS\CLIENT1\new
SMBopenX REPLY  Handle 6 Size 0
SMBwrite REQUEST  Handle 6 ByteCount 10 Offset 90
SMBwritebraw REQUEST  Handle 6 Offset 200 DataSize 300 DataOff 60
SMBclose REQUEST  Handle 6
SMBopenX REQUEST  Size 0 Path \CLIENTS\CLIENT1\no
SMBopenX REPLY  ERRbadfile
SMBgetatr REQUEST  Path \CLIENTS\CLIENT1\new
SMBgetatr REPLY  Size 2048
";

/// The bytes that [`LOAD`] asks for; one of its reads meets the end of the file.
const REQUESTED: u64 = 4096 + 65_000 + 10 + 300;

#[test]
fn a_file_that_the_trace_reads_gets_the_size_that_its_reply_tells() {
    let scratch = Scratch::after(LOAD);
    assert_eq!(scratch.tree0(), ["DOCS/", "DOCS/READ.DOC", "NEW"]);
    assert_eq!(scratch.content0("DOCS/READ.DOC"), vec![0; 100_000]);
    assert_eq!(scratch.size0("NEW"), 500);
}

#[test]
fn requested_bytes_count_and_neither_a_short_read_nor_a_size_nor_a_mkdir_is_a_mismatch() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["1", "--per-client-results"]);
    assert_eq!(ran.assert_well().per_client(), [(REQUESTED, 1)]);
}

#[test]
fn check_warns_where_a_recording_does_not_agree_with_itself() {
    let scratch = Scratch::new();
    scratch.write("x.load", LOAD);
    let ran = scratch.rbench(&["check", "x.load"]);
    let warnings = ran
        .assert_code(0)
        .stdout
        .lines()
        .filter(|line| line.starts_with("warning: "));
    assert_eq!(
        warnings.collect::<Vec<_>>(),
        [
            "warning: x.load:2: the directory is there already",
            "warning: x.load:4: handle 5, opened here, is left open at the end",
            "warning: x.load:5: a read meets the end of its file: 3096 of the bytes asked for are not there",
            "warning: x.load:15: the reply tells another size than the file has by then",
        ]
    );
}

#[test]
fn an_open_extends_cuts_or_empties_what_is_there() {
    for (size, expected) in [(5_000, 5_000), (100, 100), (0, 0)] {
        let scratch = Scratch::after(&format!(
            "{LOAD}SMBopenX REQUEST  Size 0 Path \\CLIENTS\\CLIENT1\\NEW\nSMBopenX REPLY  Handle 9 Size {size}\n"
        ));
        assert_eq!(scratch.size0("NEW"), expected);
    }
}

#[test]
fn create_opens_and_closes_mv_renames_and_a_successful_unlink_removes() {
    let scratch = Scratch::after(&format!(
        r"{LOAD}CREATE REQUEST Path \CLIENTS\CLIENT1\SALES.XLS Size 70000
SMBmv REQUEST  OldPath \CLIENTS\CLIENT1\SALES.XLS NewPath \CLIENTS\CLIENT1\OLD.XLS
SMBmv REPLY 
SMBunlink REQUEST  Path \CLIENTS\CLIENT1\OLD.XLS
SMBunlink REPLY  ERRbadfile
SMBunlink REQUEST  Path \CLIENTS\CLIENT1\NEW
SMBunlink REPLY 
SMBmkdir REQUEST Path \CLIENTS\CLIENT1\gone
SMBrmdir REQUEST Path \CLIENTS\CLIENT1\gone
"
    ));
    assert_eq!(scratch.tree0(), ["DOCS/", "DOCS/READ.DOC", "OLD.XLS"]);
    assert_eq!(scratch.size0("OLD.XLS"), 70_000);
}

#[test]
fn replies_with_errors_and_packets_that_do_nothing_execute_nothing() {
    let scratch = Scratch::new();
    let ran = scratch.run(LOAD, &["1", "--machine-readable"]);
    let counts = ran.assert_well().counts();
    let expected = [
        ("SMBclose", 1),
        ("SMBgetatr", 1),
        ("SMBmkdir", 2),
        ("SMBopenX", 2),
        ("SMBread", 1),
        ("SMBreadbraw", 1),
        ("SMBwrite", 1),
        ("SMBwritebraw", 1),
    ];
    assert!(counts.into_iter().eq(expected), "{ran}");
}
