//! Loadfiles written as nb3 for `rbench convert`.

use rbench::loadfile::write::{Target, WriteError, WriteOptions, WriteReport, write};
use rbench::loadfile::{Loadfile, ReadOptions, Source, parse};
use std::io::Write;

const FLAT: WriteOptions = WriteOptions {
    flatten: true,
    target: Target::Dbench4,
};

fn read(text: &str) -> Loadfile {
    parse(Source::new("in.load", text), &ReadOptions::default())
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn written(text: &str, options: &WriteOptions) -> (String, WriteReport) {
    let mut out = Vec::new();
    let report = write(&read(text), options, &mut out).unwrap_or_else(|error| panic!("{error}"));
    (String::from_utf8(out).unwrap(), report)
}

/// The refusal's text, after checking that nothing was written.
fn refused(text: &str, options: &WriteOptions) -> String {
    let mut out = Vec::new();
    let error = write(&read(text), options, &mut out).unwrap_err();
    assert!(out.is_empty());
    error.to_string()
}

#[test]
fn loops_are_unrolled_and_growing_offsets_worked_out() {
    let text = "PREPARE\nMkdir \"\\clients\" NT_STATUS_OK\nENDPREPARE\nRESOLVE off\nLOOP 2\nREPEAT 2\n\
                WriteX 1 +4096%12288 4096 4096 NT_STATUS_OK\nLOOP 2\nFlush 1 NT_STATUS_OK\nENDLOOP\nENDLOOP\n\
                SLEEP 500\nLOOP 0\nClose 1 NT_STATUS_OK\nENDLOOP\nREPEAT 0\nClose 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";
    let (out, report) = written(text, &FLAT);
    assert_eq!(
        out,
        "Mkdir \"\\clients\" NT_STATUS_OK\n\
         WriteX 1 4096 4096 4096 NT_STATUS_OK\nWriteX 1 8192 4096 4096 NT_STATUS_OK\n\
         Flush 1 NT_STATUS_OK\nFlush 1 NT_STATUS_OK\n\
         WriteX 1 0 4096 4096 NT_STATUS_OK\nWriteX 1 4096 4096 4096 NT_STATUS_OK\n\
         Flush 1 NT_STATUS_OK\nFlush 1 NT_STATUS_OK\n\
         Sleep 500 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n"
    );
    assert_eq!(report.lines, 11);
}

#[test]
fn directives_are_kept_where_nothing_is_to_be_flat() {
    let text = "PARAM size \"4K\" \"of a write\"\nRESOLVE off\nLOOP 2\nWriteX 1 *%${size} ${size} 1 NT_STATUS_OK\nENDLOOP\n";
    let (out, _) = written(text, &WriteOptions::default());
    assert_eq!(out, text);
    let text = "RESOLVE on\nRANDOMSTRING 1 \"a[bc]\"\nREPEAT 3\n0.500000 Unlink \"\\$1\" 0x0 *\nSLEEP 5\n";
    let (out, _) = written(text, &WriteOptions::default());
    assert_eq!(out, text);
}

/// Takes lines and keeps only how many and how much came at once.
#[derive(Default)]
struct Meter {
    lines: usize,
    largest: usize,
}

impl Write for Meter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
        self.largest = self.largest.max(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_loop_is_written_as_it_is_unrolled() {
    let loadfile = read("LOOP 100000\nFlush 1 NT_STATUS_OK\nENDLOOP\n");
    let mut meter = Meter::default();
    let report = write(&loadfile, &FLAT, &mut meter).unwrap();
    assert_eq!((meter.lines, report.lines), (100_000, 100_000));
    assert!(meter.largest <= 64 << 10);
}

#[test]
fn loops_that_write_nothing_are_not_gone_through() {
    let nested = "LOOP 18446744073709551615\n".repeat(1000) + &"ENDLOOP\n".repeat(1000);
    let idle = "LOOP 18446744073709551615\nLOOP 0\nFlush 1 NT_STATUS_OK\nENDLOOP\nENDLOOP\n";
    let (out, _) = written(&(nested + idle + "Close 1 NT_STATUS_OK\n"), &FLAT);
    assert_eq!(out, "Close 1 NT_STATUS_OK\n");
}

#[test]
fn what_dbench_4_lacks_is_refused_with_its_line() {
    for (line, what) in [
        ("SETSP 1", "no SETSP"),
        ("WAITSP 0 1", "no WAITSP"),
        ("RANDOMSTRING 1 \"a[bc]\"", "no RANDOMSTRING"),
        ("WRITEPATTERN abc", "no WRITEPATTERN"),
        ("WriteX 1 *%4096 1 1 NT_STATUS_OK", "no random numbers"),
        ("WriteX 1 +child 1 1 NT_STATUS_OK", "no +child"),
        ("Unlink \"\\a\" *", "no status `*`"),
    ] {
        let text = format!("Close 1 NT_STATUS_OK\n{line}\nClose 1 NT_STATUS_OK\n");
        let message = refused(&text, &FLAT);
        assert!(message.starts_with("in.load:2:1: dbench 4.0 has"), "{message}");
        assert!(message.contains(what), "{message}");
        let five = WriteOptions {
            flatten: true,
            target: Target::Dbench5,
        };
        assert!(written(&text, &five).0.contains(line.split(' ').next().unwrap()));
    }
}

#[test]
fn a_wrong_structure_is_refused_where_loops_are_unrolled() {
    for (text, what) in [
        (
            "Flush 1 NT_STATUS_OK\nENDLOOP\n",
            "in.load:2:1: ENDLOOP without LOOP",
        ),
        (
            "LOOP 2\nFlush 1 NT_STATUS_OK\n",
            "in.load:1:1: LOOP without ENDLOOP",
        ),
        (
            "Flush 1 NT_STATUS_OK\nREPEAT 2\n",
            "in.load:2:1: REPEAT without an operation",
        ),
        (
            "REPEAT 2\nLOOP 2\nFlush 1 NT_STATUS_OK\nENDLOOP\n",
            "in.load:1:1: REPEAT without",
        ),
    ] {
        let message = refused(text, &FLAT);
        assert!(message.starts_with(what), "{message}");
    }
}

#[test]
fn dialects_without_an_equivalent_are_refused() {
    for text in ["CREATE3 \"/f\" 0x0\n", "OPEN \"/f\" 0x1 SUCCESS\n"] {
        let message = refused(text, &WriteOptions::default());
        assert!(message.contains("have no equivalent in nb3"), "{message}");
    }
    let message = refused("Unlink \\a\"b\n", &WriteOptions::default());
    assert!(message.contains("holds a quote"), "{message}");
}

#[test]
fn nb2_gets_quotes_and_statuses() {
    let text = "NTCreateX \\clients\\client1\\f 0x40 0x2 5\nNTCreateX \\x 0x40 0x1 -1\nClose 5\n\
                FIND_FIRST \\clients\\client1\\FILLER\"* 260 1366 0\nQUERY_PATH_INFORMATION \\clients\\CLIENT1\\F 1004\n\
                Unlink \\clients\\client1\\f\nQUERY_PATH_INFORMATION \\clients\\client1\\f 1004\n";
    let (out, _) = written(text, &FLAT);
    assert_eq!(
        out,
        "Deltree \"\\clients\\client1\" NT_STATUS_OK\n\
         NTCreateX \"\\clients\\client1\\f\" 0x40 0x2 5 NT_STATUS_OK\n\
         NTCreateX \"\\x\" 0x40 0x1 0 NT_STATUS_OBJECT_NAME_NOT_FOUND\nClose 5 NT_STATUS_OK\n\
         FIND_FIRST \"\\clients\\client1\\FILLER?*\" 260 1366 0 NT_STATUS_OK\n\
         QUERY_PATH_INFORMATION \"\\clients\\CLIENT1\\F\" 1004 NT_STATUS_OK\n\
         Unlink \"\\clients\\client1\\f\" 0x0 NT_STATUS_OK\n\
         QUERY_PATH_INFORMATION \"\\clients\\client1\\f\" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND\n"
    );
    let (out, _) = written(text, &WriteOptions::default());
    assert!(out.starts_with("RESOLVE off\n"));
    assert_eq!(out.matches("1004 *\n").count(), 2);
}

#[test]
fn files_of_an_smb1_trace_get_the_sizes_that_their_opens_say() {
    let text = "SMBmkdir REQUEST Path \\d\nSMBopenX REQUEST  Size 0 Path \\d\\a\nSMBopenX REPLY  Handle 1 Size 70000\n\
                SMBread REQUEST  Handle 1 ByteCount 100 Offset 69950\nSMBwrite REQUEST  Handle 1 ByteCount 5 Offset 70000\n\
                SMBopenX REQUEST  Size 0 Path \\d\\A\nSMBopenX REPLY  Handle 1 Size 70005\n\
                SMBopenX REPLY  Handle 2 Size 10\nSMBread REQUEST  Handle 1 ByteCount 100 Offset 0\n\
                SMBopenX REPLY  ERRbadfile\nSMBopenX REPLY  Handle 3 Size 0\nSMBgetatr REQUEST  Path \\d\\none\n\
                SMBgetatr REPLY  Size 5\nCREATE REQUEST Path \\new\\c Size 3\n";
    let (out, report) = written(text, &FLAT);
    let expected = r#"Mkdir "\D" NT_STATUS_OK
NTCreateX "\D\A" 0x40 0x2 1 NT_STATUS_OK
WriteX 1 0 65535 65535 NT_STATUS_OK
WriteX 1 65535 4465 4465 NT_STATUS_OK
ReadX 1 69950 100 50 NT_STATUS_OK
WriteX 1 70000 5 5 NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "\D\A" 0x40 0x2 1 NT_STATUS_OK
NTCreateX "\D\A" 0x40 0x5 2 NT_STATUS_OK
WriteX 2 0 10 10 NT_STATUS_OK
ReadX 1 0 100 10 NT_STATUS_OK
NTCreateX "\D\A" 0x40 0x5 3 NT_STATUS_OK
QUERY_PATH_INFORMATION "\D\NONE" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND
Mkdir "\NEW" NT_STATUS_OK
NTCreateX "\NEW\C" 0x40 0x2 65535 NT_STATUS_OK
WriteX 65535 0 3 3 NT_STATUS_OK
Close 65535 NT_STATUS_OK
"#;
    let deltree = "Deltree \"\\clients\\client1\" NT_STATUS_OK\n";
    assert_eq!(out, format!("{deltree}{expected}"));
    assert_eq!(report.fill_bytes, 70_000 + 10 + 3);
    let (kept, _) = written(text, &WriteOptions::default());
    assert_eq!(
        kept,
        format!(
            "RESOLVE off\nPREPARE\n{deltree}ENDPREPARE\n{}",
            expected.replace(" 0x40 0x2 ", " 0x40 0x3 ")
        )
    );
}

#[test]
fn an_smb1_handle_that_no_open_gave_is_refused() {
    let message = refused(
        "SMBmkdir REQUEST Path \\d\nSMBread REQUEST  Handle 9 ByteCount 1 Offset 0\n",
        &FLAT,
    );
    assert!(
        message.starts_with("in.load:2:1: the handle 9 is used before any open gave it"),
        "{message}"
    );
}

/// A disk that is full.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failing_output_is_told_from_a_bad_loadfile() {
    let error = write(&read("Close 1 NT_STATUS_OK\n"), &FLAT, &mut Full).unwrap_err();
    assert!(matches!(error, WriteError::Io(error) if error.kind() == std::io::ErrorKind::StorageFull));
}

#[test]
fn more_lines_than_can_be_read_again_are_refused_where_they_become_too_many() {
    let loops = "LOOP 40000\nLOOP 40000\nClose 1 NT_STATUS_OK\nENDLOOP\nENDLOOP\n";
    let repeated = "Close 1 NT_STATUS_OK\nREPEAT 18446744073709551615\nClose 1 NT_STATUS_OK\n";
    for (text, line) in [(loops, 5), (repeated, 3)] {
        let message = refused(text, &FLAT);
        let start =
            format!("in.load:{line}:1: written out, the lines up to here are more than 1,073,741,824");
        assert!(message.starts_with(&start), "{message}");
    }
}

#[test]
fn a_quote_in_a_path_of_an_smb1_trace_is_refused() {
    let message = refused("SMBmkdir REQUEST  Path \\D\"\n", &FLAT);
    assert!(
        message.starts_with("in.load:1:1: the path `\\D\"` holds a quote"),
        "{message}"
    );
}
