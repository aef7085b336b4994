//! README.md and docs/ tell the truth: their commands work, their loadfiles are loadfiles, and their options are those
//! of the program, all of them.
//!
//! A block of commands starts with one of
//! - ` ```sh `: run here, in a scratch directory that the blocks of a document share;
//! - ` ```sh checkout `: needs cargo and the sources, ` ```sh ci `: needs dbench or takes long, ` ```sh root `:
//!   needs root; `.ci/run` runs these.
//!
//! A block that starts with ` ```load ` is a whole loadfile.

use regex::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};
use tempfile::TempDir;

const RBENCH: &str = env!("CARGO_BIN_EXE_rbench");
/// Infos of blocks that `.ci/run` runs.
const ELSEWHERE: [&str; 3] = ["sh checkout", "sh ci", "sh root"];
/// Options of cargo and of other programs that the documents name.
const OF_OTHERS: [&str; 2] = ["--release", "--now"];

/// A fenced block of a document.
struct Block {
    /// What stands behind the fence.
    info: String,
    /// Its first line's number, from 1.
    line: usize,
    text: String,
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = vec![root.join("README.md")];
    let docs = fs::read_dir(root.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    all.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    all.sort();
    all
}

fn blocks(document: &Path) -> Vec<Block> {
    let text = fs::read_to_string(document).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => {
                let info = info.trim().to_owned();
                open = Some(Block {
                    info,
                    line: index + 2,
                    text: String::new(),
                });
            }
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{}: a block is not closed", document.display());
    blocks
}

/// A directory for the blocks' files, and the value of PATH that makes `rbench` the program under test.
fn scratch() -> (TempDir, TempDir, String) {
    let program = TempDir::new().unwrap();
    std::os::unix::fs::symlink(RBENCH, program.path().join("rbench")).unwrap();
    let path = format!("{}:{}", program.path().display(), env::var("PATH").unwrap());
    (TempDir::new().unwrap(), program, path)
}

fn texts(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn every_command_in_the_documents_works() {
    for document in documents() {
        let (directory, _program, path) = scratch();
        for block in blocks(&document).iter().filter(|block| block.info == "sh") {
            let script = block.text.replace("cargo run --release --", "rbench");
            let mut shell = Command::new("sh");
            shell.args(["-euc", &script]).env("PATH", &path);
            let output = shell.current_dir(directory.path()).output().unwrap();
            assert!(
                output.status.success(),
                "{}:{}: {}\n{script}{}",
                document.display(),
                block.line,
                output.status,
                texts(&output)
            );
        }
    }
}

#[test]
fn every_block_of_commands_is_run_somewhere() {
    for document in documents() {
        for Block { info, line, .. } in blocks(&document) {
            let known = !info.starts_with("sh") || info == "sh" || ELSEWHERE.contains(&info.as_str());
            assert!(
                known,
                "{}:{line}: nothing runs blocks of `{info}`",
                document.display()
            );
            let shell = ["bash", "shell", "console"].contains(&info.as_str());
            assert!(
                !shell,
                "{}:{line}: commands stand in blocks of sh",
                document.display()
            );
        }
    }
}

#[test]
fn every_loadfile_in_the_documents_is_one() {
    let (directory, ..) = scratch();
    let file = directory.path().join("block.load");
    let mut checked = 0;
    for document in documents() {
        for block in blocks(&document).iter().filter(|block| block.info == "load") {
            fs::write(&file, &block.text).unwrap();
            let output = Command::new(RBENCH).arg("check").arg(&file).output().unwrap();
            let place = format!("{}:{}", document.display(), block.line);
            assert!(output.status.success(), "{place}:\n{}", texts(&output));
            assert!(
                !texts(&output).contains("warning"),
                "{place}:\n{}",
                texts(&output)
            );
            checked += 1;
        }
    }
    assert!(checked > 0);
}

/// All long options in a text.
fn options(text: &str) -> BTreeSet<String> {
    let option = Regex::new(r"(?:^|[\s`|(/])(--[a-z][a-z0-9-]*)").unwrap();
    let found = option.captures_iter(text).map(|found| found[1].to_owned());
    found.collect()
}

fn help() -> String {
    let jobs: [&[&str]; 18] = [
        &["--help"],
        &["check", "--help"],
        &["convert", "--help"],
        &["clean", "--help"],
        &["report", "--help"],
        &["sweep", "--help"],
        &["mix", "--help"],
        &["ab", "--help"],
        &["loads", "--help"],
        &["compare", "--help"],
        &["history", "--help"],
        &["history", "list", "--help"],
        &["history", "show", "--help"],
        &["history", "pin", "--help"],
        &["history", "export", "--help"],
        &["history", "import", "--help"],
        &["history", "prune", "--help"],
        &["history", "check", "--help"],
    ];
    let texts = jobs.map(|job| texts(&Command::new(RBENCH).args(job).output().unwrap()));
    texts.concat()
}

#[test]
fn the_documents_name_the_options_that_the_program_has_and_all_of_them() {
    let texts: String = documents()
        .iter()
        .map(|document| fs::read_to_string(document).unwrap())
        .collect();
    let mut documented = options(&texts);
    for other in OF_OTHERS {
        documented.remove(other);
    }
    documented.extend(["--help".to_owned(), "--version".to_owned()]);
    let real = options(&help());
    let invented: Vec<_> = documented.difference(&real).collect();
    let untold: Vec<_> = real.difference(&documented).collect();
    assert!(invented.is_empty(), "documented, but no options: {invented:?}");
    assert!(untold.is_empty(), "options that no document tells: {untold:?}");
}
