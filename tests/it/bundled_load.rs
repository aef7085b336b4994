//! Replays the bundled load `client` in memory and holds it to the totals of `loadfiles/README.md`.

mod flat;
mod tree;

use rbench::bundled;
use rbench::loadfile::{Dialect, Loadfile, ReadOptions, Source, parse};
use rbench::op::Kind;
use std::collections::{BTreeMap, BTreeSet};
use tree::{BLOCK, BOUNDS, Tree, parent};

fn client() -> Loadfile {
    let text = bundled::text("client").expect("the default load is bundled");
    parse(Source::new("client", text), &ReadOptions::default()).expect("the bundled load has no errors")
}

/// Asserts that a figure is within a part of the wanted one.
fn near(what: &str, got: u64, wanted: u64, part: f64) {
    let off = got.abs_diff(wanted) as f64 / wanted as f64;
    assert!(
        off <= part,
        "{what}: {got}, wanted {wanted} within {:.1} %",
        part * 100.0
    );
}

#[test]
fn the_client_load_is_nb3_without_warnings_and_without_the_search_for_names() {
    let load = client();
    assert_eq!(load.dialect, Dialect::Nb3);
    assert_eq!(load.resolve, Some(false));
    assert_eq!(load.warnings, []);
    assert!(!load.has_random_strings);
}

#[test]
fn every_outcome_of_the_client_load_is_as_it_says_pass_after_pass() {
    let tree = Tree::replay(&client(), 3);
    assert_eq!(tree.differed, [] as [String; 0]);
}

#[test]
fn the_client_load_moves_the_bytes_of_dbench_1() {
    let totals = Tree::replay(&client(), 1).totals;
    near("bytes written", totals.bytes_written, 94_700_000, 0.001);
    near("bytes read", totals.bytes_read, 37_950_000, 0.001);
    let both = totals.bytes_written + totals.bytes_read;
    near("bytes", both, 132_650_000, 0.001);
}

#[test]
fn the_client_load_executes_as_many_operations_of_each_kind_as_dbench_1() {
    let totals = Tree::replay(&client(), 1).totals;
    let wanted = BTreeMap::from([
        (Kind::NtCreateX, 3_624),
        (Kind::Close, 3_617),
        (Kind::Rename, 195),
        (Kind::Unlink, 961),
        (Kind::Mkdir, 15),
        (Kind::Rmdir, 10),
        (Kind::QueryPathInformation, 6_393),
        (Kind::WriteX, 23_287),
        (Kind::ReadX, 4_698),
    ]);
    assert!(totals.counts.keys().eq(wanted.keys()), "{:?}", totals.counts);
    for (kind, count) in wanted {
        near(kind.name(), totals.counts[&kind], count, 0.02);
    }
    assert!(totals.failed_stats < totals.counts[&Kind::QueryPathInformation] / 5);
}

#[test]
fn the_client_load_has_the_transfer_sizes_of_dbench_1() {
    let totals = Tree::replay(&client(), 1).totals;
    let writes = [7_591, 3_032, 528, 2_504, 8_016, 445, 441, 730];
    let reads = [323, 503, 203, 464, 2_445, 178, 244, 338];
    for (index, bound) in BOUNDS.iter().enumerate() {
        near(
            &format!("writes up to {bound}"),
            totals.write_sizes[index],
            writes[index],
            0.05,
        );
        near(
            &format!("reads up to {bound}"),
            totals.read_sizes[index],
            reads[index],
            0.05,
        );
    }
    near("sequential writes", totals.sequential_writes, 8_428, 0.05);
}

#[test]
fn the_client_load_has_the_open_files_of_dbench_1() {
    let tree = Tree::replay(&client(), 2);
    assert_eq!(tree.peak_handles, 26);
    let mut sizes = tree.totals.sizes_at_open;
    sizes.sort_unstable();
    let empty = sizes.iter().filter(|&&size| size == 0).count();
    near("opens of empty files", empty as u64, sizes.len() as u64 / 3, 0.05);
    near("median size at open", sizes[sizes.len() / 2], 85_515, 0.15);
    near(
        "90th percentile of sizes at open",
        sizes[sizes.len() * 90 / 100],
        260_096,
        0.15,
    );
    near(
        "99th percentile of sizes at open",
        sizes[sizes.len() * 99 / 100],
        1_867_776,
        0.15,
    );
}

#[test]
fn the_client_load_needs_at_most_25_mb_on_disk() {
    let tree = Tree::replay(&client(), 2);
    let peak = tree.peak_blocks * BLOCK;
    assert!((18_000_000..=25_000_000).contains(&peak), "{peak} bytes");
    near("distinct files", tree.names.len() as u64, 194, 0.15);
    let directories: BTreeSet<&str> = tree.names.iter().map(|name| parent(name)).collect();
    assert_eq!(directories.len(), 11, "{directories:?}");
}
