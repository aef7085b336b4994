//! What a page says, and that it says it by itself.

use super::{comparison_page, page, page_of, runs, sweep, three_months};
use crate::store::{lines, run};
use regex::Regex;
use std::collections::BTreeSet;

const SVG: &str = "http://www.w3.org/2000/svg";

/// Everything in the page is in the page; its pictures are documents, and all of its links lead somewhere.
fn assert_sound(page: &str) {
    // Name spaces are names, not places.
    let rest = page.replace(SVG, "");
    for outside in [
        "http:", "https:", "//cdn", "@import", "url(", "<iframe", "<object", "<base",
    ] {
        assert!(!rest.contains(outside), "{outside}");
    }
    let attributes = Regex::new(r#" (?:src|href|xlink:href|srcset|action)="([^"]*)""#).unwrap();
    let ids = Regex::new(r#" id="([^"]*)""#).unwrap();
    let all: Vec<&str> = ids
        .captures_iter(page)
        .map(|id| id.get(1).unwrap().as_str())
        .collect();
    let known: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(known.len(), all.len(), "two elements have one id: {all:?}");
    for found in attributes.captures_iter(page) {
        let to = &found[1];
        let leads = to.strip_prefix('#').is_some_and(|id| known.contains(id));
        assert!(leads || to == "data:,", "{to}");
    }
    let pictures: Vec<&str> = page
        .split("<svg")
        .skip(1)
        .map(|from| from.split("</svg>").next().unwrap())
        .collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let whole = format!("<svg{picture}</svg>");
        let document = roxmltree::Document::parse(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"), "{whole}");
        for told in ["title", "desc"] {
            let child = root.children().find(|child| child.has_tag_name((SVG, told)));
            let text = child.and_then(|child| child.text()).unwrap_or_default();
            assert!(!text.is_empty(), "no {told}: {whole}");
        }
        assert!(!whole.contains("NaN") && !whole.contains("inf\""), "{whole}");
    }
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

fn assert_says(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text:?} is missing");
    }
}

#[test]
fn runs_are_shown_with_their_pictures_environment_and_warnings() {
    let page = page_of("run", &runs(3, 60));
    assert_sound(&page);
    assert_says(
        &page,
        &[
            "rbench: 3 runs",
            "Throughput over time",
            "Latencies of ",
            "Environment",
            "Warnings",
            "The slowest operations of run 1",
            "What a bystander waited for in run 1",
            "ext4",
        ],
    );
}

#[test]
fn a_sweep_is_shown_as_heat_maps_and_as_spots() {
    let page = page_of("sweep", &sweep());
    assert_sound(&page);
    assert_says(
        &page,
        &["vm.dirty_ratio", "vm.dirty_background_ratio", "MB/sec", "save"],
    );
    assert!(
        page.matches("<svg").count() >= 3,
        "{}",
        page.matches("<svg").count()
    );
}

#[test]
fn a_comparison_names_what_has_regressed() {
    let page = comparison_page("comparison", "old.jsonl", 0.9);
    assert_sound(&page);
    assert_says(
        &page,
        &[
            "▼ new.jsonl beside old.jsonl has regressed",
            "throughput of ",
            "▼ regressed",
        ],
    );
    let page = comparison_page("equal", "old.jsonl", 1.0);
    assert!(page.contains("● new.jsonl beside old.jsonl: no regression"));
    assert!(!page.contains("has regressed"));
}

#[test]
fn history_names_what_has_changed_and_when() {
    let scratch = three_months();
    let page = page(&scratch, "history", &["--store", "s.db", "--history"]);
    assert_sound(&page);
    assert_says(
        &page,
        &["The night of 2026-04-01", "▼ worse", "Changes", "2026-03-0"],
    );
}

#[test]
fn what_is_not_comparable_is_said_and_shown_only_when_forced() {
    let scratch = crate::scratch::Scratch::new();
    let mut other = runs(8, 2);
    for run in &mut other {
        run.loadfiles[0].sha256 = "1".repeat(64);
    }
    scratch.write("old.jsonl", &lines(&runs(8, 2)));
    scratch.write("new.jsonl", &lines(&other));
    let compared = ["--compare", "old.jsonl", "new.jsonl"];
    let refused = page(&scratch, "refused", &compared);
    assert_says(&refused, &["? Not comparable"]);
    assert!(!refused.contains("adjusted p"), "a table is there");
    let forced = page(&scratch, "forced", &[&compared[..], &["--force"]].concat());
    assert_sound(&forced);
    assert!(forced.contains("adjusted p"));
}

#[test]
fn a_run_that_knows_little_has_a_page_too() {
    let mut bare = run(0);
    bare.operations.clear();
    bare.latency.reset();
    bare.end = rbench::result::End::Failed("no space is left".into());
    let page = page_of("bare", &[bare]);
    assert!(page.contains("failed: no space is left"));
    assert!(!page.contains("NaN"));
}

#[test]
fn names_in_results_are_text_and_nothing_else() {
    let hostile = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\u{1b}[2J\u{202e}&amp;\"'";
    let mut all = runs(2, 4);
    for run in &mut all {
        run.info.label = Some(hostile.into());
        run.loadfiles[0].name = hostile.into();
        run.slowest[0].path = hostile.into();
        run.info.tags.insert(hostile.into(), hostile.into());
    }
    let page = page_of("hostile", &all);
    assert_sound(&page);
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("<img"));
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    assert!(page.contains("&lt;script&gt;alert(1)"));
}
