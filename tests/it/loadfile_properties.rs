//! What holds for any loadfile.

use proptest::prelude::*;
use rbench::loadfile::write::{Target, WriteOptions, write};
use rbench::loadfile::{Dialect, Loadfile, ReadOptions, Source, parse};
use rbench::op::{Action, Kind, Number, Status};

fn read(text: impl Into<Vec<u8>>) -> Result<Loadfile, rbench::loadfile::Problems> {
    parse(Source::new("property", text), &ReadOptions::default())
}

fn path() -> impl Strategy<Value = String> {
    r#"[\\/]([a-zA-Z0-9~ @$<>*?{}.-]{1,12}[\\/]){0,3}[a-zA-Z0-9~ $<>*?]{0,12}"#
        .prop_filter("stays inside", |path| {
            !path.split(['/', '\\']).any(|name| name == "..")
        })
}

fn status() -> impl Strategy<Value = (&'static str, Status)> {
    prop::sample::select(vec![
        ("NT_STATUS_OK", Status::Ok),
        ("0x00000000", Status::Ok),
        ("SUCCESS", Status::Ok),
        ("NT_STATUS_NO_SUCH_FILE", Status::Fail),
        ("0x2", Status::Fail),
        ("ERROR", Status::Fail),
        ("*", Status::Any),
    ])
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<u64>().prop_map(|value| value.to_string()),
        any::<u64>().prop_map(|value| format!("{value:#x}")),
        r"[*+][1-9][0-9]{0,9}".prop_map(|text| text.replacen('*', "*%", 1)),
        Just("*%0x10000000/4096+1".to_owned()),
        Just("+child".to_owned()),
        (0u64..1 << 40, "[a-z]", "[a-z]").prop_map(|(y, a, b)| format!("@{a}*{y}+@{b}%4096")),
    ]
}

fn word() -> impl Strategy<Value = u32> {
    any::<u32>()
}

/// A timestamp or none.
fn due() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => (0u32..100_000, 0u32..1_000_000).prop_map(|(s, us)| format!("{s}.{us:06} ")),
    ]
}

fn nb3_line() -> impl Strategy<Value = String> {
    let on_path = prop::sample::select(vec!["Rmdir", "Mkdir", "Deltree", "Unlink"]);
    let on_handle = prop::sample::select(vec!["Close", "Flush"]);
    let with_level = prop::sample::select(vec!["QUERY_FILE_INFORMATION", "SET_FILE_INFORMATION"]);
    let operation = prop_oneof![
        (path(), word(), word(), word())
            .prop_map(|(p, o, d, h)| format!("NTCreateX \"{p}\" {o:#x} {d:#x} {h}")),
        (on_path, path()).prop_map(|(name, p)| format!("{name} \"{p}\"")),
        (path(), word()).prop_map(|(p, level)| format!("QUERY_PATH_INFORMATION \"{p}\" {level}")),
        (path(), path()).prop_map(|(old, new)| format!("Rename \"{old}\" \"{new}\"")),
        (path(), word(), word(), word()).prop_map(|(p, l, m, c)| format!("FIND_FIRST \"{p}\" {l} {m} {c}")),
        (on_handle, word()).prop_map(|(name, h)| format!("{name} {h}")),
        (with_level, word(), word()).prop_map(|(name, h, l)| format!("{name} {h} {l}")),
        (any::<bool>(), word(), number(), number(), number()).prop_map(|(reads, h, o, s, r)| format!(
            "{} {h} {o} {s} {r}",
            if reads { "ReadX" } else { "WriteX" }
        )),
        (any::<bool>(), word(), number(), number())
            .prop_map(|(locks, h, o, s)| format!("{} {h} {o} {s}", if locks { "LockX" } else { "UnlockX" })),
        word().prop_map(|level| format!("QUERY_FS_INFORMATION {level}")),
        number().prop_map(|us| format!("Sleep {us}")),
    ];
    let directive = prop_oneof![
        any::<u64>().prop_map(|n| format!("LOOP {n}")),
        (any::<u64>(), "[a-z]").prop_map(|(n, variable)| format!("LOOP {n} {variable}")),
        Just("ENDLOOP".to_owned()),
        any::<u64>().prop_map(|n| format!("REPEAT {n}")),
        number().prop_map(|us| format!("SLEEP {us}")),
        any::<u64>().prop_map(|n| format!("SETSP {n}")),
        (word(), any::<u64>()).prop_map(|(c, n)| format!("WAITSP {c} {n}")),
        (0..10, "[a-z]{0,5}(\\[[a-z0-9]{1,5}\\]){0,3}")
            .prop_map(|(i, t)| format!("RANDOMSTRING {i} \"{t}\"")),
        "[a-z\"]{1,9}( [a-z]{1,3})?".prop_map(|text| format!("WRITEPATTERN {text}")),
        Just("PREPARE".to_owned()),
        Just("PREPARE ONCE".to_owned()),
        Just("ENDPREPARE".to_owned()),
        Just("# a comment".to_owned()),
        Just(String::new()),
    ];
    prop_oneof![
        4 => (due(), operation, status()).prop_map(|(due, text, (status, _))| format!("{due}{text} {status}")),
        1 => directive,
    ]
}

fn texts(loadfile: &Loadfile) -> Vec<&[u8]> {
    loadfile.paths.iter().map(|path| &*path.text).collect()
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(text).map_err(|problems| problems.to_string());
    }

    #[test]
    fn any_mixture_of_tokens_is_read_or_refused(
        words in prop::collection::vec(prop_oneof![
            prop::sample::select(Kind::ALL.map(Kind::name).to_vec()).prop_map(str::to_owned),
            prop::sample::select(vec![
                "REQUEST", "REPLY", "LOOP", "ENDLOOP", "REPEAT", "RANDOMSTRING", "ONCE", "LOOP 2 a", "@a", "\"\\@a\"", "@a*2+@b", "WRITEPATTERN", "PARAM", "PREPARE",
                "RESOLVE", "\n", "\r\n", "\"", "\"\\a b\"", "$1", "${a}", "\"${a}\"", "[", "\"[]\"", "-1", "4.7", "*",
                "\\clients", "NT_STATUS_OK", "0x0", "ERRbad", "a", "on", "SLEEP", "Sleep", "SETSP", "WAITSP",
            ]).prop_map(str::to_owned),
            number(),
            "[ -~]{0,6}",
        ], 0..60)
    ) {
        let text = words.join(" ").replace(" \n ", "\n");
        if let Ok(loadfile) = read(text) {
            for flatten in [false, true] {
                for target in [Target::Dbench4, Target::Dbench5] {
                    let small = loadfile.lines.iter().all(|line| !matches!(
                        line.action,
                        Action::Loop { count, .. } | Action::Repeat { count } if count > 9
                    ));
                    if small || !flatten {
                        let _ = write(&loadfile, &WriteOptions { flatten, target }, &mut std::io::sink());
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_written_reads_the_same(lines in prop::collection::vec(nb3_line(), 1..40)) {
        let text = lines.join("\n") + "\nUnlink \"\\last\" NT_STATUS_OK\n";
        let first = read(text.clone()).unwrap_or_else(|problems| panic!("{text}\n{problems}"));
        let mut written = Vec::new();
        write(&first, &WriteOptions::default(), &mut written).unwrap();
        let second = read(written).unwrap();
        // Comments and empty lines are gone, and the lines numbered anew.
        prop_assert_eq!(first.lines.len(), second.lines.len());
        for (one, other) in first.lines.iter().zip(&second.lines) {
            prop_assert_eq!(&one.action, &other.action);
            prop_assert_eq!((one.status, one.due), (other.status, other.due));
        }
        prop_assert_eq!(texts(&first), texts(&second));
        prop_assert_eq!(&first.expressions, &second.expressions);
        prop_assert_eq!(&first.texts, &second.texts);
        prop_assert_eq!(first.has_random_strings, second.has_random_strings);
        prop_assert_eq!(first.has_loop_variables, second.has_loop_variables);
    }

    #[test]
    fn nfs_lines_are_read_as_they_are_written(
        due in due(), p in path(), offset in any::<u64>(), size in any::<u64>(), stable in word(), status in status()
    ) {
        let text = format!("{due}WRITE3 \"{p}\" {offset} {size:#x} {stable} {}\r\n", status.0);
        let loadfile = read(text).unwrap();
        prop_assert_eq!(loadfile.dialect, Dialect::Nfs);
        let line = &loadfile.lines[0];
        prop_assert_eq!(line.status, status.1);
        prop_assert_eq!(line.due.is_some(), !due.is_empty());
        prop_assert_eq!(texts(&loadfile), [p.as_bytes()]);
        let Action::PathTransfer { kind, offset: o, size: s, stable: st, .. } = line.action else {
            panic!("{line:?}")
        };
        prop_assert_eq!((kind, o, s, st), (Kind::Write3, Number::Fixed(offset), Number::Fixed(size), stable));
    }

    #[test]
    fn smb5_lines_are_read_as_they_are_written(p in path(), flags in word(), status in status()) {
        let text = format!("\tOPEN   \"{p}\"  {flags:#x}\t{}", status.0);
        let loadfile = read(text).unwrap();
        prop_assert_eq!(loadfile.dialect, Dialect::Smb5);
        prop_assert_eq!(texts(&loadfile), [p.as_bytes()]);
        prop_assert_eq!(loadfile.warnings.len(), 1, "no newline at the end");
        let Action::Open { flags: read, .. } = loadfile.lines[0].action else {
            panic!("{:?}", loadfile.lines)
        };
        prop_assert_eq!((read, loadfile.lines[0].status), (flags, status.1));
    }

    #[test]
    fn parameters_are_written_as_they_are_read(
        choices in prop::collection::vec("[a-z0-9-]{1,6}", 1..4), chosen in any::<prop::sample::Index>(), help in "[a-z ]{0,9}"
    ) {
        let default = &choices[chosen.index(choices.len())];
        let text = format!(
            "PARAM p {default} \"{help}\" {}\nLOOP ${{p=={default}}}\nUnlink \"/x${{p}}\" NT_STATUS_OK\nENDLOOP\n",
            choices.join("|")
        );
        let first = read(text).unwrap();
        let mut written = Vec::new();
        write(&first, &WriteOptions::default(), &mut written).unwrap();
        let second = read(written).unwrap();
        prop_assert_eq!(&first.params, &second.params);
        prop_assert_eq!(&first.params[0].choices, &choices);
        prop_assert_eq!(&first.lines, &second.lines);
        prop_assert_eq!(&first.lines[0].action, &Action::Loop { count: 1, variable: None });
    }

    #[test]
    fn unrolled_loops_name_and_number_every_turn(outer in 0u64..4, inner in 0u64..4, size in 1u64..1 << 32) {
        let text = format!(
            "PREPARE ONCE\nMkdir \"/d\" NT_STATUS_OK\nENDPREPARE\n\
             NTCreateX \"/f\" 0x0 0x2 1 NT_STATUS_OK\nLOOP {outer} a\nLOOP {inner} b\n\
             WriteX 1 @a*{inner}+@b*{size} 1 1 NT_STATUS_OK\nUnlink \"/d@b.@a@\" NT_STATUS_OK\nENDLOOP\nENDLOOP\n"
        );
        let loadfile = read(text).unwrap();
        let mut written = Vec::new();
        write(&loadfile, &WriteOptions { flatten: true, target: Target::Dbench4 }, &mut written).unwrap();
        let mut expected = "Mkdir \"/d\" NT_STATUS_OK\nNTCreateX \"/f\" 0x0 0x2 1 NT_STATUS_OK\n".to_owned();
        for (a, b) in (0..outer).flat_map(|a| (0..inner).map(move |b| (a, b))) {
            expected += &format!("WriteX 1 {} 1 1 NT_STATUS_OK\n", (a * inner + b) * size);
            expected += &format!("Unlink \"/d{b}.{a}@\" 0x0 NT_STATUS_OK\n");
        }
        prop_assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
