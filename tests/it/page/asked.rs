//! What is asked for, and what comes of what cannot be had.

use super::{refused, runs, sweep};
use crate::scratch::Scratch;
use crate::store::lines;

#[test]
fn options_of_a_page_need_one() {
    for option in [
        &["--history"][..],
        &["--force"],
        &["--gate", "p99"],
        &["--floor", "2%"],
        &["--store", "s.db"],
        &["--compare", "results.jsonl", "results.jsonl"],
    ] {
        let ran = refused(&[option, &["results.jsonl"]].concat());
        assert!(ran.stderr.contains(option[0]), "{ran}");
        assert!(ran.stderr.contains("--html FILE"), "{ran}");
    }
    let ran = refused(&["--html", "page.html", "--ratio", "results.jsonl"]);
    assert!(ran.stderr.contains("--ratio"), "{ran}");
}

#[test]
fn what_cannot_be_read_is_named_and_no_page_is_written() {
    let ran = refused(&["--html", "page.html", "absent.json"]);
    assert!(ran.stderr.contains("absent.json"), "{ran}");
    let ran = refused(&["--html", "page.html", "--store", "absent.db", "--history"]);
    assert!(ran.stderr.contains("absent.db"), "{ran}");
    let ran = refused(&["--html", "absent/page.html", "results.jsonl"]);
    assert!(ran.stderr.contains("absent"), "{ran}");
    refused(&["--html", "page.html"]);
}

#[test]
fn a_page_goes_to_standard_output() {
    let scratch = Scratch::new();
    scratch.write("results.jsonl", &lines(&runs(1, 3)));
    let ran = scratch.rbench(&["report", "--html", "-", "results.jsonl"]);
    ran.assert_code(0);
    assert!(ran.stdout.starts_with("<!DOCTYPE html>"), "{ran}");
    assert!(ran.stdout.trim_end().ends_with("</html>"), "{ran}");
}

#[test]
fn pictures_are_files_of_their_own_and_others_stay() {
    let scratch = Scratch::new();
    scratch.write("runs.jsonl", &lines(&runs(2, 5)));
    scratch.write("sweep.jsonl", &lines(&sweep()));
    std::fs::create_dir(scratch.path().join("pictures")).unwrap();
    scratch.write("pictures/mine.txt", "mine");
    let ran = scratch.rbench(&["report", "--svg", "pictures", "runs.jsonl", "sweep.jsonl"]);
    ran.assert_code(0);
    let names = scratch.tree("pictures");
    assert!(
        names.iter().any(|name| *name == "throughput-over-time.svg"),
        "{names:?}"
    );
    let pictures: Vec<_> = names.iter().filter(|name| name.ends_with(".svg")).collect();
    assert!(pictures.len() >= 7, "{names:?}");
    assert_eq!(pictures.len() + 1, names.len(), "{names:?}");
    for name in pictures {
        let text = std::fs::read_to_string(scratch.path().join("pictures").join(name)).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(document.root_element().tag_name().name(), "svg");
        assert!(
            document.descendants().any(|node| node.is_text()),
            "{name} says nothing"
        );
    }
    let again = scratch.rbench(&["report", "--svg", "pictures", "runs.jsonl", "sweep.jsonl"]);
    again.assert_code(0);
    assert_eq!(scratch.tree("pictures"), names);
}
