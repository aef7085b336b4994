//! Any bytes at all as a loadfile: read, compiled and replayed without a panic.

use proptest::prelude::*;
use rbench::loadfile::{ReadOptions, Source, parse};
use rbench::program::{CompileOptions, compile};
use rbench::replay::null::Null;
use rbench::replay::pace::Pacing;
use rbench::replay::{DataKind, OnMismatch, Settings};
use rbench::result::{RunInfo, RunOptions};
use rbench::run::{Backend, Measurement, Pin, Plan, Silent, execute_with};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Buffers are as large as the largest transfer: such programs are compiled, but not run here.
const LARGEST: u32 = 1 << 20;

fn settings(seed: u64) -> Settings {
    Settings {
        sync_open: seed & 1 != 0,
        sync_dir: seed & 2 != 0,
        fsync: seed & 4 != 0,
        xattr: seed & 8 != 0,
        direct: false,
        stat_check: seed & 16 != 0,
        one_byte_write_fix: seed & 32 != 0,
        fake_io: seed & 64 != 0,
        on_mismatch: OnMismatch::Ignore,
        pacing: match seed >> 7 & 3 {
            0 => Pacing::Timestamps { scale: 1.0 },
            1 => Pacing::Rate {
                bytes_per_second: 1e9,
            },
            _ => Pacing::None,
        },
        data: if seed & 1 << 17 != 0 {
            DataKind::Random
        } else {
            DataKind::Zeros
        },
        verify: false,
        warmup: Duration::from_millis(seed >> 9 & 1),
        warmup_auto: seed & 1 << 18 != 0,
        time_limit: Some(Duration::from_millis(3)),
        loops: seed & 1024 == 0,
        seed,
        record_passes: seed & 2048 != 0,
    }
}

/// Reads, compiles and, if that goes well, replays for some milliseconds. Whether it was replayed.
fn survives(text: Vec<u8>, seed: u64) -> bool {
    let Ok(file) = parse(Source::new("any", text), &ReadOptions::default()) else {
        return false;
    };
    let options = CompileOptions {
        resolve: [None, Some(true), Some(false)][(seed >> 12) as usize % 3],
        flush_fsync: seed & 1 << 14 != 0,
        slice: seed & 1 << 15 != 0,
        trunc_io: (seed & 1 << 16 != 0).then_some(100),
    };
    let Ok(program) = compile(&file, options) else {
        return false;
    };
    if program.max_read > LARGEST || program.max_write > LARGEST {
        return false;
    }
    let plan = Plan {
        programs: vec![Arc::new(program)],
        clients: 2,
        clients_per_process: 1,
        directory: PathBuf::from("/nonexistent"),
        backend: Backend::Null,
        pin: Pin::None,
        settings: settings(seed),
        space_check: true,
        skip_cleanup: false,
        per_client: true,
        measurement: Measurement::default(),
        info: RunInfo::now(RunOptions::default()),
    };
    plan.space();
    plan.expected_operations();
    // A WAITSP for a client that is not there is an error.
    if plan.check().is_err() {
        return false;
    }
    execute_with(&plan, &mut Silent, &|_| Ok(Null::default())).unwrap();
    true
}

/// Lines of all dialects; `P` stands for a path, `N` a number or an expression, `D` a number, `K` and `Z` smaller
/// ones, `H` a handle, `S` a status.
const LINES: [&str; 73] = [
    "NTCreateX P K K H S",
    "NTCreateX P 0x0 0x2 H S",
    "NTCreateX P 0x1 0x2 H S",
    "Close H S",
    "ReadX H N Z D S",
    "WriteX H N Z D S",
    "Flush H S",
    "LockX H N N S",
    "UnlockX H N N S",
    "Rename P P S",
    "Unlink P S",
    "Rmdir P S",
    "Mkdir P S",
    "Deltree P S",
    "QUERY_PATH_INFORMATION P K S",
    "QUERY_FILE_INFORMATION H K S",
    "SET_FILE_INFORMATION H K S",
    "QUERY_FS_INFORMATION K S",
    "FIND_FIRST P K K K S",
    "Sleep N S",
    "NTCreateX \\clients\\client1\\f K K H",
    "ReadX H D Z D",
    "WriteX H D Z D",
    "Close H",
    "QUERY_PATH_INFORMATION \\clients\\client1\\x K",
    "FIND_FIRST \\clients\\client1\\x\"* K K K",
    "SMBopenX REQUEST  Size D Path \\A\\B",
    "SMBopenX REPLY  Handle H Size D",
    "SMBclose REQUEST  Handle H",
    "SMBread REQUEST  Handle H Size Z Offset D",
    "SMBreadbraw REQUEST  Handle H Offset D Size Z",
    "SMBwrite REQUEST  Handle H Size Z Offset D",
    "SMBwritebraw REQUEST  Handle H Offset D Size Z",
    "SMBgetatr REQUEST  Path \\A\\B",
    "SMBgetatr REPLY  Size D",
    "SMBmkdir REQUEST  Path \\A",
    "SMBrmdir REQUEST  Path \\A",
    "SMBmv REQUEST  Path \\A Path \\C",
    "SMBunlink REQUEST  Path \\A\\B",
    "SMBunlink REPLY  ",
    "CREATE REQUEST  Path \\A Size D",
    "GETATTR3 P S",
    "SETATTR3 P S",
    "LOOKUP3 P S",
    "ACCESS3 P K K S",
    "READLINK3 P S",
    "READ3 P N Z S",
    "WRITE3 P N Z K S",
    "CREATE3 P S",
    "MKDIR3 P S",
    "SYMLINK3 P P S",
    "REMOVE3 P S",
    "RMDIR3 P S",
    "RENAME3 P P S",
    "LINK3 P P S",
    "READDIRPLUS3 P S",
    "FSSTAT3 S",
    "PATHCONF3 P S",
    "COMMIT3 P S",
    "LOCK4 P N N S",
    "TEST4 P N N S",
    "OPEN P K S",
    "OPEN P 0xc S",
    "READ P N Z S",
    "WRITE P N Z S",
    "CLOSE P S",
    "UNLINK P S",
    "READDIR P S",
    "SETSP K",
    "WAITSP K K",
    "RANDOMSTRING 1 \"[ab.]./\"",
    "WRITEPATTERN xyz",
    "SLEEP N",
];

const PATHS: [&str; 9] = [
    "\"\\clients\\client1\\f\"",
    "\"\\clients\\client1\"",
    "\"\\clients\"",
    "\"/\"",
    "\"/clients/client2/x/y\"",
    "\"/f\"",
    "\"$1\"",
    "\"/$1/$2\"",
    "\"/clients/client1/d\"",
];
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "4096",
    "0xffff",
    "9223372036854775807",
    "18446744073709551615",
    "4294967295",
    "*",
    "*%100",
    "*%0x10000000/4096+7",
    "+1",
    "+18446744073709551615",
    "+child",
];
/// How many of them are no expressions.
const PLAIN: usize = 8;
const STATUSES: [&str; 5] = ["NT_STATUS_OK", "0x0", "SUCCESS", "ERROR", "*"];
const FRAMES: [&str; 8] = [
    "LOOP 3",
    "LOOP 18446744073709551615",
    "LOOP 0",
    "ENDLOOP",
    "ENDLOOP",
    "REPEAT 5",
    "REPEAT 18446744073709551615",
    "0.001 ",
];

fn line() -> impl Strategy<Value = String> {
    let picks = prop::collection::vec(any::<usize>(), 8);
    (0..LINES.len(), picks).prop_map(|(which, picks)| fill_in(LINES[which], &picks))
}

/// Puts something in each place of a line.
fn fill_in(line: &str, picks: &[usize]) -> String {
    let words = line.split(' ').zip(picks.iter().cycle());
    let filled: Vec<&str> = words
        .map(|(word, &pick)| match word {
            "P" => PATHS[pick % PATHS.len()],
            "N" => NUMBERS[pick % NUMBERS.len()],
            "D" => NUMBERS[pick % PLAIN],
            "Z" => ["0", "1", "4096", "0xffff", "70000", "2"][pick % 6],
            "K" => ["0", "1", "0x2", "3", "5"][pick % 5],
            "H" => ["1", "2"][pick % 2],
            "S" => STATUSES[pick % STATUSES.len()],
            word => word,
        })
        .collect();
    filled.join(" ")
}

/// Lines that give the handles (smb5: open the paths) which the others use.
fn openings(dialect: usize) -> String {
    match dialect {
        0 => "NTCreateX \"\\clients\\client1\\a\" 0x0 0x2 1 *\nNTCreateX \"\\b\" 0x0 0x2 2 *\n".to_owned(),
        1 => "NTCreateX \\clients\\client1\\a 0x0 0x2 1\nNTCreateX \\b 0x0 0x2 2\n".to_owned(),
        2 => ["1", "2"]
            .map(|handle| {
                format!("SMBopenX REQUEST  Size 0 Path \\A{handle}\nSMBopenX REPLY  Handle {handle} Size 0\n")
            })
            .concat(),
        4 => PATHS.map(|path| format!("OPEN {path} 0xc *\n")).concat(),
        _ => String::new(),
    }
}

/// A few lines, mostly of one dialect, with loops that close.
fn loadfile() -> impl Strategy<Value = String> {
    let dialects = [0..20usize, 20..26, 26..41, 41..61, 61..68];
    let block = (
        0..dialects.len(),
        prop::collection::vec((any::<usize>(), prop::collection::vec(any::<usize>(), 8)), 1..12),
    );
    let frame = prop::option::weighted(0.3, prop::sample::select(FRAMES.to_vec()));
    (block, frame, prop::option::weighted(0.3, line()), any::<bool>()).prop_map(
        move |((dialect, lines), frame, stray, opens)| {
            let range = dialects[dialect].clone();
            let mut text = String::new();
            if opens {
                text.push_str(&openings(dialect));
            }
            let frame = frame.unwrap_or("");
            text.push_str(frame);
            text.push_str(if frame.ends_with(' ') { "" } else { "\n" });
            for (which, picks) in lines {
                let which = range.start + which % (range.end - range.start);
                text.push_str(&fill_in(LINES[which], &picks));
                text.push('\n');
            }
            if frame.starts_with("LOOP") {
                text.push_str("ENDLOOP\n");
            }
            text.push_str(&stray.unwrap_or_default());
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_compiled_and_replayed_without_a_panic(
        text in prop::collection::vec(any::<u8>(), 0..2000),
        seed in any::<u64>(),
    ) {
        survives(text, seed);
    }

    #[test]
    fn any_lines_are_read_compiled_and_replayed_without_a_panic(
        lines in prop::collection::vec(line(), 0..12),
        seed in any::<u64>(),
    ) {
        survives(lines.join("\n").into_bytes(), seed);
    }

    #[test]
    fn any_damage_to_a_loadfile_is_read_compiled_and_replayed_without_a_panic(
        text in loadfile(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        seed in any::<u64>(),
    ) {
        let mut text = text.into_bytes();
        for (place, byte) in damage {
            let place = place.index(text.len());
            text[place] = byte;
        }
        survives(text, seed);
    }
}

#[test]
fn most_loadfiles_of_the_property_are_replayed() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut replayed = 0;
    for seed in 0..100 {
        let text = loadfile().new_tree(&mut runner).unwrap().current();
        replayed += u32::from(survives(text.into_bytes(), seed));
    }
    assert!(replayed >= 30, "only {replayed} of 100");
}
