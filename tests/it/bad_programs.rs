//! What lines show only together, and every bad loadfile as the program tells it.

use crate::bad_loadfiles::BAD;
use crate::scratch::Scratch;

/// A loadfile, `line:column` of its first problem (empty: the file as a whole), and a part of the message.
const TOGETHER: &[(&str, &str, &str)] = &[
    (
        "Close 1 NT_STATUS_OK\n",
        "1:7",
        "handle 1 is used before any open",
    ),
    (
        "NTCreateX \"/clients/client1/f\" 0x40 0x2 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n",
        "3:7",
        "handle 1 was closed at line 2",
    ),
    ("4.5 Close 1 NT_STATUS_OK\n", "1:11", "handle 1 is used before"),
    ("Close 1\n", "1:7", "handle 1 is used before"),
    ("SMBclose REQUEST Handle 7\n", "1:25", "handle 7 is used before"),
    ("READ \"/f\" 0 10 SUCCESS\n", "1:6", "this file is used before"),
    ("CLOSE \"/f\" SUCCESS\n", "1:7", "this file is used before"),
    (
        "OPEN \"/f\" 0x0c SUCCESS\nCLOSE \"/f\" SUCCESS\nREAD \"/f\" 0 10 SUCCESS\n",
        "3:6",
        "this file was closed at line 2",
    ),
    (
        "NTCreateX \"/clients/client1/f\" 0x40 0x2 1 NT_STATUS_OK\nLOOP 2\nClose 1 NT_STATUS_OK\nENDLOOP\n",
        "3:7",
        "handle 1 is closed when the loop runs again",
    ),
    (
        "LOOP 2 a\nLOOP 3 a\nUnlink \"/f@a\" *\nENDLOOP\nENDLOOP\n",
        "2:8",
        "`a` is the variable of the loop at line 1 already",
    ),
    (
        "LOOP 2 a\nUnlink \"/f@a.@b\" *\nENDLOOP\n",
        "2:14",
        "no loop around this line has the variable `b`",
    ),
    (
        "LOOP 2 a\nSLEEP @a\nENDLOOP\nLOOP 2 b\nSLEEP @b*2+@a\nENDLOOP\nUnlink \"/f\" *\n",
        "5:12",
        "no loop around this line has the variable `a`",
    ),
    (
        "ENDLOOP\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "1:1",
        "an ENDLOOP without a LOOP",
    ),
    (
        "LOOP 3\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "1:1",
        "a LOOP without an ENDLOOP",
    ),
    (
        "CREATE3 \"/f\" 0x0\nENDLOOP\n",
        "2:1",
        "an ENDLOOP without a LOOP",
    ),
    (
        "LOOP 2\nMKDIR \"/d\" SUCCESS\n",
        "1:1",
        "a LOOP without an ENDLOOP",
    ),
    (
        "QUERY_FS_INFORMATION 1 NT_STATUS_OK\nREPEAT 3\n",
        "2:1",
        "a REPEAT needs",
    ),
    (
        "REPEAT 2\nREPEAT 3\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "1:1",
        "a REPEAT needs",
    ),
    (
        "REPEAT 2\nSETSP 1\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "1:1",
        "a REPEAT needs",
    ),
    (
        "QUERY_FS_INFORMATION 1 NT_STATUS_OK\nPREPARE\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\nENDPREPARE\n",
        "2:1",
        "PREPARE must stand before",
    ),
    (
        "PREPARE\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "2:1",
        "a PREPARE without an ENDPREPARE",
    ),
    (
        "QUERY_FS_INFORMATION 1 NT_STATUS_OK\nENDPREPARE\n",
        "2:1",
        "an ENDPREPARE without",
    ),
    (
        "PREPARE\nPREPARE\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\nENDPREPARE\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "2:1",
        "a PREPARE inside a PREPARE",
    ),
    (
        "PREPARE\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\nENDPREPARE\n",
        "",
        "no operation outside PREPARE",
    ),
    (
        "NTCreateX \"/f\" 0x40 0x7 1 NT_STATUS_OK\n",
        "1:21",
        "disposition 7 is none",
    ),
    ("OPEN \"/f\" 0x80 SUCCESS\n", "1:11", "0x80 holds an unknown flag"),
    (
        "Deltree \"\\clients\" NT_STATUS_OK\n",
        "1:9",
        "Deltree of \\clients",
    ),
    (
        "Deltree \"/clients\" 0x0\nCREATE3 \"/f\" 0x0\n",
        "1:9",
        "Deltree of \\clients",
    ),
    (
        "Rename \"\\clients\\client1\" \"\\x\" NT_STATUS_OK\n",
        "1:8",
        "a client's own directory",
    ),
    (
        "Rename \"\\x\" \"\\clients\" NT_STATUS_OK\n",
        "1:13",
        "\\clients cannot be renamed",
    ),
    (
        "RENAME3 \"/clients/client1\" \"/x\" 0x0\n",
        "1:9",
        "a client's own directory",
    ),
    (
        "Rename \"\\x\" \"\\\" NT_STATUS_OK\n",
        "1:13",
        "the root cannot be renamed",
    ),
    (
        "NTCreateX \"/clients/client1/f\" 0x40 0x2 1 NT_STATUS_OK\nReadX 1 0 2000000000 0 NT_STATUS_OK\n",
        "2:11",
        "larger than 1 GiB",
    ),
    ("READ3 \"/f\" 0 * 0x0\n", "1:14", "larger than 1 GiB"),
    (
        "SETSP 4294967296\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "1:7",
        "a sequence point must be below",
    ),
    (
        "WAITSP 0 4294967296\nQUERY_FS_INFORMATION 1 NT_STATUS_OK\n",
        "1:10",
        "a sequence point must be below",
    ),
];

/// Runs a bad loadfile: exit code 2, the message at its place, a caret below the line, and nothing made.
fn is_refused(scratch: &Scratch, text: &str, place: &str, part: &str) {
    scratch.write("bad.load", text);
    let ran = scratch.rbench(&["-c", "bad.load", "1"]);
    ran.assert_code(2).assert_says(part);
    scratch.assert_clean();
    if place.is_empty() {
        return;
    }
    ran.assert_says(&format!("bad.load:{place}: "));
    // The line, then the caret under the place.
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let head = lines
        .iter()
        .position(|line| line.contains(&format!("bad.load:{place}: ")));
    let caret = head.and_then(|head| lines.get(head + 2));
    assert!(
        caret.is_some_and(|line| line.trim_start().starts_with('^')),
        "{ran}"
    );
}

#[test]
fn what_lines_show_only_together_is_told_at_its_place() {
    let scratch = Scratch::new();
    for (text, place, part) in TOGETHER {
        is_refused(&scratch, text, place, part);
    }
    let deep = format!(
        "{}QUERY_FS_INFORMATION 1 NT_STATUS_OK\n{}",
        "LOOP 1\n".repeat(65),
        "ENDLOOP\n".repeat(65)
    );
    is_refused(&scratch, &deep, "65:1", "loops nest deeper than 64");
}

#[test]
fn every_bad_loadfile_is_refused_by_the_program_with_its_place_and_a_caret() {
    let scratch = Scratch::new();
    for (text, place, part) in BAD {
        // A problem of a whole line is shown at its start, one of the whole file without a place.
        let place = match place.split_once(':') {
            Some(("0", _)) => String::new(),
            Some((line, "0")) => format!("{line}:1"),
            _ => (*place).to_owned(),
        };
        is_refused(&scratch, text, &place, part);
    }
}
