//! Real loadfiles, where they are at hand: the folder that `RBENCH_CORPUS` names, and Debian's client.txt.

use rbench::loadfile::write::{WriteOptions, write};
use rbench::loadfile::{Dialect, Loadfile, ReadOptions, Source, parse, read};
use rbench::op::{Action, Kind, Number, Status};
use rbench::program::{CompileOptions, compile};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const CLIENT: &str = "/usr/share/dbench/client.txt";

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("RBENCH_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: RBENCH_CORPUS is not set");
    }
    folder
}

fn client() -> Option<Loadfile> {
    if !Path::new(CLIENT).exists() {
        eprintln!("skipped: {CLIENT} is not installed");
        return None;
    }
    Some(read(Path::new(CLIENT), &ReadOptions::default()).unwrap())
}

fn kind(action: &Action) -> Option<Kind> {
    match *action {
        Action::Create { .. } => Some(Kind::NtCreateX),
        Action::SmbOpen { .. } => Some(Kind::SmbOpenX),
        Action::Find { .. } => Some(Kind::FindFirst),
        Action::Handle { kind, .. }
        | Action::Transfer { kind, .. }
        | Action::Lock { kind, .. }
        | Action::Path { kind, .. }
        | Action::Sized { kind, .. }
        | Action::TwoPaths { kind, .. }
        | Action::FileSystem { kind, .. } => Some(kind),
        _ => None,
    }
}

/// How often each kind occurs, and the bytes that reads and writes of it return.
fn totals(loadfile: &Loadfile) -> BTreeMap<Kind, (u64, u64)> {
    let mut totals = BTreeMap::new();
    for line in &loadfile.lines {
        let Some(kind) = kind(&line.action) else { continue };
        let entry: &mut (u64, u64) = totals.entry(kind).or_default();
        entry.0 += 1;
        if let Action::Transfer {
            returned: Number::Fixed(bytes),
            ..
        } = line.action
        {
            entry.1 += bytes;
        }
    }
    totals
}

#[test]
fn the_corpus_is_read_in_its_dialects_or_refused() {
    let Some(folder) = corpus() else { return };
    let nfs = [
        "dbench5-nfs",
        "dbench5-nfs_2",
        "dbench5-nfs_3",
        "dbench5-nfs_lock",
    ];
    let smb5 = ["dbench5-smb", "dbench5-smb_1", "dbench5-smb_2", "dbench5-smb_3"];
    for (names, dialect) in [(nfs, Dialect::Nfs), (smb5, Dialect::Smb5)] {
        for name in names {
            let loadfile = read(&folder.join(format!("{name}.load")), &ReadOptions::default());
            let loadfile = loadfile.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(loadfile.dialect, dialect, "{name}");
            assert!(!loadfile.lines.is_empty());
        }
    }
    for name in ["dbench5-scsi.load", "dbench5-block1G4krw.load"] {
        let error = read(&folder.join(name), &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("not a file-system trace"), "{error}");
    }
}

#[test]
fn the_real_1_x_file_executes_what_dbench_1_executed() {
    let Some(folder) = corpus() else { return };
    let loadfile = read(&folder.join("dbench1-client.txt.gz"), &ReadOptions::default()).unwrap();
    assert_eq!(loadfile.dialect, Dialect::Smb1);
    assert_eq!(loadfile.total_lines, 96_535);
    let totals = totals(&loadfile);
    let count = |kinds: &[Kind]| -> (u64, u64) {
        let each = kinds
            .iter()
            .map(|kind| totals.get(kind).copied().unwrap_or_default());
        each.fold((0, 0), |sum, (count, bytes)| (sum.0 + count, sum.1 + bytes))
    };
    let (writes, written) = count(&[Kind::SmbWrite, Kind::SmbWriteBraw]);
    let (reads, wanted) = count(&[Kind::SmbRead, Kind::SmbReadBraw]);
    assert_eq!((writes, reads), (23_287, 4_698));
    assert_eq!((written + 5_000) / 10_000, 9_470);
    assert_eq!((wanted + 5_000) / 10_000, 3_795);
    assert_eq!((written + wanted + 5_000) / 10_000, 13_265);
    for (kind, times) in [
        (Kind::SmbOpenX, 3_624),
        (Kind::SmbGetatr, 6_393),
        (Kind::SmbClose, 3_617),
        (Kind::SmbUnlink, 961),
        (Kind::SmbMv, 195),
        (Kind::SmbMkdir, 15),
        (Kind::SmbRmdir, 10),
        (Kind::SmbCreate, 2),
    ] {
        assert_eq!(count(&[kind]).0, times, "{kind}");
    }
}

#[test]
fn the_real_1_x_file_disagrees_with_itself_where_packets_were_lost() {
    let Some(folder) = corpus() else { return };
    let loadfile = read(&folder.join("dbench1-client.txt.gz"), &ReadOptions::default()).unwrap();
    let program = compile(&loadfile, CompileOptions::default()).unwrap();
    let warnings = program
        .warnings
        .iter()
        .filter(|warning| !warning.what.starts_with("handle "));
    let warnings: Vec<_> = warnings
        .map(|warning| (warning.line, &warning.what[..]))
        .collect();
    assert_eq!(
        warnings,
        [
            (
                35,
                "a read meets the end of its file (and 83 more): 883403 of the bytes asked for are not there"
            ),
            (79, "the directory is there already"),
            (
                37_911,
                "the reply tells another size than the file has by then (and 5 more)"
            ),
        ]
    );
}

#[test]
fn the_real_1_x_file_written_as_nb3_states_that_every_operation_succeeds() {
    let Some(folder) = corpus() else { return };
    let loadfile = read(&folder.join("dbench1-client.txt.gz"), &ReadOptions::default()).unwrap();
    for flatten in [false, true] {
        let options = WriteOptions {
            flatten,
            ..WriteOptions::default()
        };
        let mut text = Vec::new();
        let report = write(&loadfile, &options, &mut text).unwrap();
        let written = parse(Source::new("written", text), &ReadOptions::default()).unwrap();
        assert_eq!(u64::from(written.total_lines), report.lines);
        assert!(written.lines.iter().all(|line| line.status == Status::Ok));
        let totals = totals(&written);
        assert_eq!(totals[&Kind::NtCreateX].0, 3_624 + 2);
        assert_eq!(
            totals[&Kind::Close].0,
            totals[&Kind::NtCreateX].0,
            "also of the 7 that are opened again"
        );
        assert_eq!(totals[&Kind::ReadX].0, 4_698);
        assert_eq!(totals[&Kind::QueryPathInformation].0, 6_393);
    }
}

#[test]
fn debians_client_txt_has_the_known_totals() {
    let Some(loadfile) = client() else { return };
    assert_eq!(loadfile.dialect, Dialect::Nb3);
    assert_eq!((loadfile.total_lines, loadfile.lines.len()), (458_344, 458_344));
    assert_eq!(loadfile.paths.len(), 261);
    let expected = [
        (Kind::ReadX, (124_199, 1_472_088_767)),
        (Kind::WriteX, (39_502, 1_015_974_170)),
        (Kind::NtCreateX, (79_230, 0)),
        (Kind::QueryPathInformation, (71_814, 0)),
        (Kind::Close, (58_200, 0)),
        (Kind::FindFirst, (27_765, 0)),
        (Kind::Unlink, (16_000, 0)),
        (Kind::QueryFsInformation, (13_168, 0)),
        (Kind::QueryFileInformation, (12_585, 0)),
        (Kind::SetFileInformation, (6_454, 0)),
        (Kind::Flush, (5_553, 0)),
        (Kind::Rename, (3_355, 0)),
        (Kind::LockX, (258, 0)),
        (Kind::UnlockX, (258, 0)),
        (Kind::Deltree, (2, 0)),
        (Kind::Mkdir, (1, 0)),
    ];
    assert_eq!(totals(&loadfile), BTreeMap::from(expected));
    let failing = loadfile.lines.iter().filter(|line| line.status == Status::Fail);
    assert_eq!(failing.count(), 59_743);
    let numbers = loadfile.lines.iter().map(|line| line.number);
    assert!(numbers.eq(1..=458_344), "every line has its number");
}

#[test]
fn debians_client_txt_comes_out_as_it_went_in() {
    let Some(loadfile) = client() else { return };
    let mut text = Vec::new();
    write(&loadfile, &WriteOptions::default(), &mut text).unwrap();
    let again = parse(Source::new("again", text), &ReadOptions::default()).unwrap();
    assert_eq!(again.lines, loadfile.lines);
    assert!(
        again
            .paths
            .iter()
            .map(|p| &p.text)
            .eq(loadfile.paths.iter().map(|p| &p.text))
    );
}
