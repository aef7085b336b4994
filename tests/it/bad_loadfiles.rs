//! Loadfiles that must be refused: text, where the first problem stands, and what is said.

use rbench::loadfile::{ReadOptions, Source, parse};

/// Text, expected `line:column`, a part of the message or of its help.
pub(crate) const BAD: &[(&str, &str, &str)] = &[
    // Files that are none.
    ("", "0:0", "the file is empty"),
    ("# only a comment\n\n", "0:0", "no line holds an operation"),
    ("LOOP 5\nENDLOOP\n", "0:0", "no line holds an operation"),
    (
        "SMBflush REQUEST  Handle 5\n",
        "0:0",
        "no line holds an operation",
    ),
    (
        "\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0",
        "0:0",
        "binary data",
    ),
    ("N\0T\0C\0r\0e\0a\0t\0e\0X\0", "0:0", "binary data"),
    ("0.000 TESTUNITREADY 0x00\n", "1:7", "SCSI"),
    ("READ10 0 256 0 0 0x00\n", "1:1", "READ10"),
    (
        "# x\nLOOP 9\nWRITE */0x1000%0x40000000 4096 0x00000000\nENDLOOP\n",
        "3:1",
        "block devices",
    ),
    ("READ 0 4096 0x00000000\n", "1:1", "block devices"),
    ("hello world\n", "1:1", "unknown operation `hello`"),
    // nb3: operations and parameters.
    (
        "Close 1 NT_STATUS_OK\nNTCreatX \"\\a\" 0x1 0x2 5 NT_STATUS_OK\n",
        "2:1",
        "did you mean NTCreateX?",
    ),
    (
        "Close 1 NT_STATUS_OK\nclose 1 NT_STATUS_OK\n",
        "2:1",
        "did you mean Close?",
    ),
    (
        "Close 1 NT_STATUS_OK\n1.5 Foo 1 NT_STATUS_OK\n",
        "2:5",
        "unknown operation `Foo`",
    ),
    (
        "Close 1 NT_STATUS_OK\n1.5\n",
        "2:4",
        "a timestamp without an operation",
    ),
    (
        "Close 1 NT_STATUS_OK\n1.x Close 1 NT_STATUS_OK\n",
        "2:1",
        "neither an operation nor a timestamp",
    ),
    (
        "Close 1 NT_STATUS_OK\n18446744073710 Close 1 NT_STATUS_OK\n",
        "2:1",
        "does not fit",
    ),
    ("Close NT_STATUS_OK\n", "1:19", "expected: Close handle status"),
    (
        "Close 1 NT_STATUS_OK\nClose 1\n",
        "2:8",
        "too few parameters for Close",
    ),
    ("Close 1 2 NT_STATUS_OK\n", "1:9", "too many parameters for Close"),
    (
        "ReadX 1 0 4096 NT_STATUS_OK\n",
        "1:28",
        "ReadX handle offset size returned status",
    ),
    (
        "ReadX 1 0 4096 4096 7 NT_STATUS_OK\n",
        "1:21",
        "too many parameters for ReadX",
    ),
    ("Unlink \"\\a\" 0x6 0x7 NT_STATUS_OK\n", "1:17", "[attributes]"),
    (
        "ReadX x 0 1 1 NT_STATUS_OK\n",
        "1:7",
        "the handle `x` is no number",
    ),
    ("ReadX \"1\" 0 1 1 NT_STATUS_OK\n", "1:7", "is no number"),
    (
        "ReadX -1 0 1 1 NT_STATUS_OK\n",
        "1:7",
        "the handle `-1` is no number",
    ),
    (
        "ReadX 4294967296 0 1 1 NT_STATUS_OK\n",
        "1:7",
        "does not fit in 32 bits",
    ),
    (
        "ReadX 1 18446744073709551616 1 1 NT_STATUS_OK\n",
        "1:9",
        "does not fit in 64 bits",
    ),
    (
        "ReadX 1 0 0x10000000000000000 1 NT_STATUS_OK\n",
        "1:11",
        "does not fit in 64 bits",
    ),
    (
        "ReadX * 0 1 1 NT_STATUS_OK\n",
        "1:7",
        "no expression is possible for the handle",
    ),
    (
        "NTCreateX \"\\a\" 0x1 0x100000000 5 NT_STATUS_OK\n",
        "1:20",
        "the disposition",
    ),
    // nb3: expressions.
    ("ReadX 1 *%0 1 1 NT_STATUS_OK\n", "1:11", "modulo by zero"),
    ("ReadX 1 */0x0 1 1 NT_STATUS_OK\n", "1:11", "division by zero"),
    ("ReadX 1 0 +5%foo 1 NT_STATUS_OK\n", "1:14", "`foo` is no number"),
    ("ReadX 1 *5 1 1 NT_STATUS_OK\n", "1:9", "bad expression"),
    (
        "ReadX 1 *+99999999999999999999 1 1 NT_STATUS_OK\n",
        "1:11",
        "does not fit",
    ),
    // nb3: paths and quotes.
    ("Unlink \"\\a NT_STATUS_OK\n", "1:8", "the quote is not closed"),
    (
        "Unlink \"\\a\"NT_STATUS_OK\n",
        "1:12",
        "no blank after the closing quote",
    ),
    (
        "Close 1 NT_STATUS_OK\nUnlink \\a NT_STATUS_OK\n",
        "2:8",
        "is not in quotes",
    ),
    (
        "Close 1 NT_STATUS_OK\nUnlink $1 NT_STATUS_OK\n",
        "2:8",
        "is not in quotes",
    ),
    ("Unlink \"\" NT_STATUS_OK\n", "1:9", "the path is empty"),
    (
        "Unlink \"\\clients\\..\\x\" NT_STATUS_OK\n",
        "1:18",
        "`..` in the path",
    ),
    (
        "Rename \"\\a\" \"/b/..\" NT_STATUS_OK\n",
        "1:17",
        "`..` in the path",
    ),
    ("Unlink \"\\clients\\a\0b\" NT_STATUS_OK\n", "1:19", "a NUL byte"),
    // nb3: statuses.
    ("Unlink \"\\a\" OK\n", "1:13", "`OK` is no status"),
    (
        "Close 1 nt_status_ok\nClose 1 NT_STATUS_OK\n",
        "1:9",
        "is no status",
    ),
    ("Close 1 NT_STATUS_OK\nClose 1 0\n", "2:9", "`0` is no status"),
    (
        "Close 1 NT_STATUS_OK\nClose 1 \"NT_STATUS_OK\"\n",
        "2:9",
        "is no status",
    ),
    // nb3: mixed dialects.
    (
        "Close 1 NT_STATUS_OK\nCREATE3 \"/f\" 0x0\n",
        "2:1",
        "CREATE3 is an operation of nfs",
    ),
    (
        "Close 1 NT_STATUS_OK\nOPEN \"/f\" 0x1 SUCCESS\n",
        "2:1",
        "OPEN is an operation of smb5",
    ),
    (
        "Close 1 NT_STATUS_OK\nSMBclose REQUEST  Handle 1\n",
        "2:1",
        "SMBclose is an operation of smb1",
    ),
    (
        "Close 1 NT_STATUS_OK\nWRITE10 5000 1 0x06 0 0x00\n",
        "2:1",
        "WRITE10 is a SCSI operation",
    ),
    // Directives.
    ("LOOP\nClose 1 NT_STATUS_OK\n", "1:5", "expected: LOOP count"),
    (
        "LOOP 5 6\nClose 1 NT_STATUS_OK\n",
        "1:8",
        "`6` is no loop variable",
    ),
    (
        "LOOP 5 i 6\nClose 1 NT_STATUS_OK\n",
        "1:8",
        "too many parameters for LOOP",
    ),
    (
        "LOOP 5 ij\nClose 1 NT_STATUS_OK\n",
        "1:8",
        "`ij` is no loop variable",
    ),
    (
        "WRITE3 \"/f\" @i*4096 4096 0x0\n",
        "1:13",
        "the turn of a loop is not possible in the nfs dialect",
    ),
    (
        "LOOP *\nClose 1 NT_STATUS_OK\n",
        "1:6",
        "no expression is possible for the count",
    ),
    (
        "LOOP 1\nClose 1 NT_STATUS_OK\nENDLOOP 1\n",
        "3:9",
        "too many parameters for ENDLOOP",
    ),
    (
        "REPEAT x\nClose 1 NT_STATUS_OK\n",
        "1:8",
        "the count `x` is no number",
    ),
    (
        "SLEEP\nClose 1 NT_STATUS_OK\n",
        "1:6",
        "expected: SLEEP microseconds",
    ),
    ("Sleep 5 5\nClose 1 NT_STATUS_OK\n", "1:9", "`5` is no status"),
    (
        "Sleep 5\nClose 1 NT_STATUS_OK\n",
        "1:8",
        "too few parameters for Sleep",
    ),
    (
        "SETSP -5\nClose 1 NT_STATUS_OK\n",
        "1:7",
        "the sequence point `-5` is no number",
    ),
    (
        "WAITSP 1\nClose 1 NT_STATUS_OK\n",
        "1:9",
        "expected: WAITSP client point",
    ),
    (
        "WAITSP 4294967296 1\nClose 1 NT_STATUS_OK\n",
        "1:8",
        "does not fit in 32 bits",
    ),
    (
        "RANDOMSTRING 10 \"a\"\nClose 1 NT_STATUS_OK\n",
        "1:14",
        "there is no slot 10",
    ),
    (
        "RANDOMSTRING 1 \"a[]\"\nClose 1 NT_STATUS_OK\n",
        "1:18",
        "an empty set",
    ),
    (
        "RANDOMSTRING 1 \"ab[cd\"\nClose 1 NT_STATUS_OK\n",
        "1:19",
        "without a closing `]`",
    ),
    (
        "RANDOMSTRING 1 \"/../[ab]\"\nClose 1 NT_STATUS_OK\n",
        "1:17",
        "`..` in the path",
    ),
    (
        "RANDOMSTRING 1\nClose 1 NT_STATUS_OK\n",
        "1:15",
        "too few parameters for RANDOMSTRING",
    ),
    (
        "WRITEPATTERN  \nClose 1 NT_STATUS_OK\n",
        "1:13",
        "expected: WRITEPATTERN text",
    ),
    (
        "RESOLVE maybe\nClose 1 NT_STATUS_OK\n",
        "1:9",
        "RESOLVE is on or off",
    ),
    (
        "Close 1 NT_STATUS_OK\nRESOLVE\n",
        "2:8",
        "too few parameters for RESOLVE",
    ),
    (
        "PREPARE 1\nClose 1 NT_STATUS_OK\n",
        "1:9",
        "PREPARE may be followed by ONCE, not by `1`",
    ),
    (
        "PREPARE ONCE 1\nClose 1 NT_STATUS_OK\n",
        "1:14",
        "too many parameters for PREPARE",
    ),
    (
        "Close 1 NT_STATUS_OK\nENDPREPARE 1\n",
        "2:12",
        "too many parameters for ENDPREPARE",
    ),
    // Parameters.
    (
        "PARAM size 4K\nClose 1 NT_STATUS_OK\n",
        "1:14",
        "expected: PARAM name default \"help\"",
    ),
    (
        "PARAM size 4K \"help\" 5\nClose 1 NT_STATUS_OK\n",
        "1:22",
        "`4K` is no default of parameter `size`",
    ),
    (
        "PARAM size 4K \"help\" 4K|8K 5\nClose 1 NT_STATUS_OK\n",
        "1:28",
        "too many parameters for PARAM",
    ),
    (
        "PARAM size 4K \"help\" 4K||8K\nClose 1 NT_STATUS_OK\n",
        "1:22",
        "holds an empty value",
    ),
    (
        "PARAM n 4 \"\"\nLOOP ${n/0}\nClose 1 NT_STATUS_OK\nENDLOOP\n",
        "2:9",
        "division by zero",
    ),
    (
        "PARAM n 4 \"\" 4|8\nLOOP ${n==5}\nClose 1 NT_STATUS_OK\nENDLOOP\n",
        "2:11",
        "`5` is no value of parameter `n`",
    ),
    (
        "PARAM size 4K \"\"\nPARAM block 8K \"\"\nReadX 1 *%${size/block*block}/${block} 1 1 NT_STATUS_OK\n",
        "3:9",
        "modulo by zero",
    ),
    (
        "PARAM si.ze 4K \"help\"\nClose 1 NT_STATUS_OK\n",
        "1:7",
        "is no name for a parameter",
    ),
    (
        "PARAM a 1 \"\"\nPARAM a 2 \"\"\nClose 1 NT_STATUS_OK\n",
        "2:7",
        "declared twice",
    ),
    (
        "PARAM a 1 \"\"\nClose ${b} NT_STATUS_OK\n",
        "2:7",
        "it declares: a",
    ),
    (
        "PARAM a x \"\"\nClose ${a} NT_STATUS_OK\n",
        "2:7",
        "the value `x` of parameter `a` is no number",
    ),
    (
        "PARAM a 1 \"\"\nUnlink \"\\x${a\" NT_STATUS_OK\n",
        "2:11",
        "without a closing `}`",
    ),
    (
        "PARAM a .. \"\"\nUnlink \"\\x\\${a}\" NT_STATUS_OK\n",
        "2:8",
        "`..` in the path",
    ),
    (
        "PARAM a 0 \"\"\nReadX 1 *%${a} 1 1 NT_STATUS_OK\n",
        "2:9",
        "modulo by zero",
    ),
    (
        "PARAM a 5G \"\"\nClose ${a} NT_STATUS_OK\n",
        "2:7",
        "does not fit in 32 bits",
    ),
    (
        "Close 1 NT_STATUS_OK\nPARAM a 1 \"\"\n",
        "2:1",
        "PARAM after the first operation",
    ),
    // nb2.
    (
        "Unlink \\a\nClose 1 NT_STATUS_OK\n",
        "2:9",
        "too many parameters for Close",
    ),
    (
        "Unlink \\a\nUnlink \"\\b\"\n",
        "2:8",
        "mixed dialects: a quoted path",
    ),
    ("Unlink \\a\nDeltree \\b\n", "2:1", "unknown operation `Deltree`"),
    (
        "Unlink \\a\nLOOP 5\n",
        "2:1",
        "LOOP is not possible in the nb2 dialect",
    ),
    ("Unlink \\a\n1.0 Close 5\n", "2:1", "nb2 lines have no timestamps"),
    ("Unlink \\a\nClose -1\n", "2:7", "the handle `-1` is no number"),
    ("Unlink \\a\nReadX 1 * 4096 4096\n", "2:9", "no expression"),
    (
        "Unlink \\a\nNTCreateX \\b 0x1 0x2\n",
        "2:21",
        "expected: NTCreateX path options disposition handle",
    ),
    ("Unlink \\a\nRmdir \\b\\..\\c\n", "2:10", "`..` in the path"),
    ("Unlink \\a\nCREATE3 \"/f\" 0x0\n", "2:1", "mixed dialects"),
    // smb1.
    (
        "SMBclose REQUEST  Handle\n",
        "1:25",
        "too few parameters for SMBclose",
    ),
    (
        "SMBclose REQUEST  Handle 1 2\n",
        "1:28",
        "too many parameters for SMBclose",
    ),
    (
        "SMBclose REQUEST  Handle x\n",
        "1:26",
        "the handle `x` is no number",
    ),
    (
        "SMBclose REQUEST  Handle 4294967296\n",
        "1:26",
        "does not fit in 32 bits",
    ),
    ("SMBclose WRONG  Handle 1\n", "1:10", "neither REQUEST nor REPLY"),
    ("SMBclose\n", "1:9", "neither REQUEST nor REPLY"),
    ("SMBopenX REPLY  Handle 1 Size 5\n", "1:1", "no request before it"),
    ("SMBgetatr REPLY  Size 5\n", "1:1", "no request before it"),
    ("SMBunlink REPLY \n", "1:1", "no request before it"),
    (
        "SMBopenX REQUEST  Size 0 Path \\A\\..\\B\nSMBopenX REPLY  Handle 1 Size 1\n",
        "1:34",
        "`..` in the path",
    ),
    (
        "SMBread REQUEST  Handle 1 ByteCount 99999999999999999999 Offset 0\n",
        "1:37",
        "does not fit in 64 bits",
    ),
    ("SMBmv REQUEST  OldPath \\A\n", "1:26", "OldPath old NewPath new"),
    (
        "SMBmkdir REQUEST Path \\A\nSMBmkdri REQUEST Path \\A\n",
        "2:1",
        "did you mean SMBmkdir?",
    ),
    (
        "SMBmkdir REQUEST Path \\A\nLOOP 5\n",
        "2:1",
        "not possible in the smb1 dialect",
    ),
    (
        "SMBmkdir REQUEST Path \\A\nClose 5 NT_STATUS_OK\n",
        "2:1",
        "Close is an operation of nb3",
    ),
    // nfs.
    (
        "CREATE3 \"/f\" 0x0\nCREATE4 \"/f\" 0x0\n",
        "2:1",
        "did you mean CREATE3?",
    ),
    (
        "READ3 \"/f\" 0 0x0\n",
        "1:17",
        "expected: READ3 \"path\" offset size status",
    ),
    ("WRITE3 \"/f\" 0 1 0 0 0x0\n", "1:19", "[stable]"),
    ("WRITE3 \"/f\" *%0 1 0x0\n", "1:15", "modulo by zero"),
    ("LINK3 \"/f\" /g 0x0\n", "1:12", "is not in quotes"),
    ("GETATTR3 \"/f 0x0\n", "1:10", "the quote is not closed"),
    ("GETATTR3 \"/f\" fine\n", "1:15", "`fine` is no status"),
    ("FSSTAT3 \"/\" 0x0\n", "1:9", "too many parameters for FSSTAT3"),
    (
        "LOOKUP3 \"/f\" 0x0\nPREPARE\n",
        "2:1",
        "PREPARE is not possible in the nfs dialect",
    ),
    (
        "PARAM a 1 \"\"\nLOOKUP3 \"/f\" 0x0\n",
        "1:1",
        "PARAM is not possible in the nfs dialect",
    ),
    (
        "LOOKUP3 \"/f\" 0x0\nMKDIR \"/f\" SUCCESS\n",
        "2:1",
        "MKDIR is an operation of smb5",
    ),
    ("SYMLINK3 \"/l\" \"../../x\" 0x0\n", "1:16", "`..` in the path"),
    // smb5.
    (
        "OPEN \"/f\" SUCCESS\n",
        "1:18",
        "expected: OPEN \"path\" flags status",
    ),
    ("OPEN \"/f\" rw SUCCESS\n", "1:11", "the flags `rw` is no number"),
    (
        "OPEN \"/f\" 0x1 SUCCESS\nREAD \"/f\" 0 1 GOOD\n",
        "2:15",
        "`GOOD` is no status",
    ),
    (
        "OPEN \"/f\" 0x1 SUCCESS\nREADIR \"/f\" SUCCESS\n",
        "2:1",
        "did you mean READDIR?",
    ),
    (
        "OPEN \"/f\" 0x1 SUCCESS\nWRITE \"/f\" +4%0 1 SUCCESS\n",
        "2:15",
        "modulo by zero",
    ),
    (
        "OPEN \"/f\" 0x1 SUCCESS\nRESOLVE on\n",
        "2:1",
        "RESOLVE is not possible in the smb5 dialect",
    ),
    (
        "OPEN \"/f\" 0x1 SUCCESS\nREAD \"/f\" 0 SUCCESS\n",
        "2:20",
        "too few parameters for READ",
    ),
];

fn first_problem(text: impl Into<Vec<u8>>, options: &ReadOptions) -> (String, String) {
    let problems = parse(Source::new("bad.load", text), options).unwrap_err();
    let first = &problems.list[0];
    let place = format!("{}:{}", first.line, first.column);
    (place, format!("{} ({})", first.what, first.help))
}

#[test]
fn every_bad_loadfile_is_refused_where_it_goes_wrong() {
    let mut wrong = Vec::new();
    for (text, place, part) in BAD {
        match parse(Source::new("bad.load", *text), &ReadOptions::default()) {
            Ok(_) => wrong.push(format!("{text:?}: taken")),
            Err(_) => {
                let (at, what) = first_problem(*text, &ReadOptions::default());
                if at != *place || !what.contains(part) {
                    wrong.push(format!("{text:?}: {at} {what}, expected {place} {part}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(BAD.len() >= 70);
}

#[test]
fn long_lines_names_and_paths_are_refused() {
    let line = |name: String| format!("Close 1 NT_STATUS_OK\nUnlink \"\\{name}\" NT_STATUS_OK\n");
    let refused = |name: String| first_problem(line(name), &ReadOptions::default());
    assert_eq!(refused("n".repeat(256)).0, "2:10");
    assert!(refused("n/".repeat(2048)).1.contains("4097 bytes long"));
    let (place, what) = refused("n".repeat(70_000));
    assert_eq!(place, "2:1");
    assert!(what.contains("the line is 70023 bytes long"), "{what}");
    let fits = line("n".repeat(255));
    assert!(parse(Source::new("good.load", fits), &ReadOptions::default()).is_ok());
}

#[test]
fn a_value_for_an_unknown_parameter_names_the_known_ones() {
    let mut options = ReadOptions::default();
    options.set.insert("sise".into(), "4K".into());
    let text = "PARAM size 1K \"of a write\"\nPARAM n 2 \"\"\nClose ${n} NT_STATUS_OK\n";
    let (place, what) = first_problem(text, &options);
    assert_eq!(place, "0:0");
    assert!(what.contains("`sise`") && what.contains("size, n"), "{what}");
    let (_, what) = first_problem("Unlink \\a\n", &options);
    assert!(what.contains("declares no parameters"), "{what}");
}

#[test]
fn reading_goes_on_after_a_bad_line_and_all_are_counted() {
    let text = "Close 1 NT_STATUS_OK\n".to_owned() + &"Clos 1 NT_STATUS_OK\n".repeat(300_000);
    let problems = parse(Source::new("bad.load", text), &ReadOptions::default()).unwrap_err();
    assert_eq!(problems.list.len() + problems.omitted, 300_000);
    assert!(problems.list.len() <= 1000, "memory is bounded");
    assert!(
        problems
            .list
            .iter()
            .zip(2..)
            .all(|(problem, line)| problem.line == line)
    );
    let shown = problems.to_string();
    assert_eq!(shown.matches("unknown operation").count(), 20);
    assert!(shown.ends_with("… and 299980 more"), "{shown}");
}

#[test]
fn lines_of_binary_data_make_one_problem() {
    let junk = "Close 1 NT_STATUS_OK\n".repeat(10_000) + &"\u{1}\u{2}\u{3}junk\n".repeat(5_000);
    let problems = parse(Source::new("bad.load", junk), &ReadOptions::default()).unwrap_err();
    assert_eq!((problems.list.len(), problems.omitted), (1, 0));
    assert!(problems.list[0].what.contains("5000 lines are no text"));
    assert_eq!(problems.list[0].line, 10_001);
}

#[test]
fn an_enormous_line_makes_one_short_problem() {
    for start in [
        "Close ",
        "\"",
        "*%",
        "Unlink \"$1$2",
        "SMBopenX REQUEST ",
        "# ",
        "PARAM a ",
    ] {
        let text = "Close 1 NT_STATUS_OK\n".to_owned() + start + &"$1 ".repeat(1 << 20);
        let problems = parse(Source::new("bad.load", text), &ReadOptions::default()).unwrap_err();
        assert_eq!((problems.list.len(), problems.omitted), (1, 0), "{start}");
        assert_eq!(
            (problems.list[0].line, problems.list[0].column),
            (2, 1),
            "{start}"
        );
        assert!(problems.to_string().len() < 1000, "{start}");
    }
}

#[test]
fn what_repeats_in_a_loadfile_is_kept_once() {
    let text = "RANDOMSTRING 1 \"a\"\n".to_owned() + &"Unlink $1 *\nReadX 1 *%8 +4 +4 *\n".repeat(100_000);
    let loadfile = parse(Source::new("good.load", text), &ReadOptions::default()).unwrap();
    assert_eq!((loadfile.lines.len(), loadfile.total_lines), (200_001, 200_001));
    assert_eq!((loadfile.paths.len(), loadfile.expressions.len()), (1, 2));
}

#[test]
fn values_put_in_cannot_make_a_line_grow_without_bound() {
    let value = "x".repeat(60_000);
    let references = "${a}".repeat(16_000);
    let text = format!("PARAM a {value} \"\"\nUnlink \"{references}\" *\n");
    let (place, what) = first_problem(text, &ReadOptions::default());
    assert_eq!(place.split(':').next(), Some("2"));
    assert!(
        what.contains("too long with the parameters' values put in"),
        "{what}"
    );
    let many: String = (0..1000)
        .map(|index| format!("PARAM a{index} 1 \"\"\n"))
        .collect();
    let problems = parse(
        Source::new("bad.load", many + "Close 1 NT_STATUS_OK\n"),
        &ReadOptions::default(),
    );
    let problems = problems.unwrap_err();
    assert_eq!(problems.list.len() + problems.omitted, 1000 - 256);
}
