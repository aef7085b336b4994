//! One client of rbench makes the file-system calls that one of dbench 4.0 makes, in the same order, on the same
//! files, with the same arguments and results: both are watched by strace, and nothing is taken from dbench but what
//! it does. Where dbench 4.0 or strace is not installed there is nothing to compare with, and the tests say so.

mod difference;
mod events;
mod load;
mod marks;
mod normaliser;
pub(crate) mod strace;
mod tools;

use load::Load;
use std::path::Path;

/// Every option of dbench that changes the calls, alone and with those that it meets.
const OPTIONS: [&[&str]; 14] = [
    &[],
    &["-s"],
    &["-S"],
    &["-F"],
    &["--no-resolve"],
    &["--stat-check"],
    &["--one-byte-write-fix"],
    &["--fake-io"],
    &["-s", "-S", "-F"],
    &["--stat-check", "-S"],
    &["--no-resolve", "--stat-check"],
    &["--one-byte-write-fix", "-F"],
    &["--one-byte-write-fix", "--fake-io"],
    &["--fake-io", "-F"],
];

/// Those with extended attributes, which not every file system has.
const ATTRIBUTES: [&[&str]; 4] = [
    &["-x"],
    &["-x", "--stat-check"],
    &["-x", "--no-resolve"],
    &["-x", "-s", "-S", "-F", "--one-byte-write-fix"],
];

fn compare(load: &Load, options: &[&str], within: &Path) -> Option<String> {
    let dbench = tools::dbench(load, options, within);
    let rbench = tools::rbench(load, options, within);
    difference::difference(&dbench, &rbench).map(|difference| format!("with {options:?} {difference}"))
}

/// Compares under each set of options, and tells all differences together.
fn assert_conforms(load: &Load, options: &[&[&str]]) {
    let compared = options
        .iter()
        .filter_map(|options| compare(load, options, tools::directory().path()));
    let differences: Vec<String> = compared.collect();
    assert!(
        differences.is_empty(),
        "rbench does not do what dbench 4.0 does\n{}",
        differences.join("\n")
    );
}

fn assert_conforms_with_attributes(load: &Load, options: &[&[&str]]) {
    for options in options {
        let Some(directory) = tools::directory_with_attributes() else {
            return;
        };
        if let Some(difference) = compare(load, options, directory.path()) {
            panic!("rbench does not do what dbench 4.0 does\n{difference}");
        }
    }
}

fn assert_everything_conforms(operations: &str) {
    if tools::is_missing() {
        return;
    }
    let load = Load::new(operations);
    assert_conforms(&load, &OPTIONS);
    assert_conforms_with_attributes(&load, &ATTRIBUTES);
}

fn assert_first_lines_conform(count: usize, options: &[&[&str]], attributes: &[&[&str]]) {
    if tools::is_missing() {
        return;
    }
    let Some(text) = tools::debian_load() else { return };
    let load = Load::first_lines(&text, count);
    assert_conforms(&load, options);
    assert_conforms_with_attributes(&load, attributes);
}

#[test]
fn files_are_opened_read_written_locked_and_closed_as_dbench_does() {
    assert_everything_conforms(include_str!("conformance/loads/files.txt"));
}

#[test]
fn directories_are_made_opened_and_removed_as_dbench_does() {
    assert_everything_conforms(include_str!("conformance/loads/directories.txt"));
}

#[test]
fn names_are_looked_up_changed_and_removed_as_dbench_does() {
    assert_everything_conforms(include_str!("conformance/loads/names.txt"));
}

/// Where -S finds no directory to sync dbench ends, so that there is nothing to compare.
#[test]
fn names_in_directories_that_are_not_there_fail_as_in_dbench() {
    if tools::is_missing() {
        return;
    }
    let load = Load::new(include_str!("conformance/loads/nowhere.txt"));
    assert_conforms(&load, &[&[], &["--no-resolve"], &["--stat-check"], &["-s", "-F"]]);
    assert_conforms_with_attributes(&load, &ATTRIBUTES[..2]);
}

#[test]
fn the_first_600_lines_of_debians_load_make_the_same_calls() {
    assert_first_lines_conform(600, &OPTIONS, &ATTRIBUTES);
}

#[test]
fn the_first_5000_lines_of_debians_load_make_the_same_calls() {
    let options: [&[&str]; 4] = [
        &[],
        &["-s", "-S", "-F"],
        &["--stat-check", "--fake-io"],
        &["--no-resolve"],
    ];
    let attributes: [&[&str]; 2] = [
        &["-x"],
        &["-x", "-s", "-S", "-F", "--stat-check", "--one-byte-write-fix"],
    ];
    assert_first_lines_conform(5_000, &options, &attributes);
}

#[test]
fn the_first_20000_lines_of_debians_load_make_the_same_calls() {
    assert_first_lines_conform(20_000, &[&[]], &[]);
}
