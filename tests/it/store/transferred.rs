//! Results out of a store, and into one.

use super::{lines, run};
use crate::sample_result::full;
use crate::scratch::Scratch;
use rbench::store::Store;

fn count(scratch: &Scratch, file: &str) -> usize {
    let store = Store::open_existing(Some(&scratch.path().join(file))).unwrap();
    store.all_numbers().unwrap().len()
}

#[test]
fn what_is_exported_makes_an_equal_store_when_it_is_imported() {
    let scratch = Scratch::new();
    scratch.write("a.jsonl", &lines(&[run(5), full(), run(0)]));
    let import = |store: &str, file: &str| {
        let ran = scratch.rbench(&["history", "import", "--store", store, file]);
        ran.assert_code(0);
        ran.stdout
    };
    assert_eq!(
        import("one.db", "a.jsonl"),
        "a.jsonl: 3 runs added, 0 were there already\n"
    );
    assert_eq!(
        import("one.db", "a.jsonl"),
        "a.jsonl: 0 runs added, 3 were there already\n"
    );
    let export = |store: &str, arguments: &[&str]| {
        let ran = scratch.rbench(&[&["history", "export", "--store", store], arguments].concat());
        ran.assert_code(0);
        ran.stdout
    };
    assert_eq!(export("one.db", &["-o", "b.jsonl"]), "");
    import("two.db", "b.jsonl");
    let text = export("two.db", &[]);
    assert_eq!(
        text,
        std::fs::read_to_string(scratch.path().join("b.jsonl")).unwrap()
    );
    assert_eq!(text, lines(&[run(5), full(), run(0)]));
    assert_eq!(export("two.db", &["3"]), lines(&[run(0)]));
}

#[test]
fn the_same_result_in_another_form_is_known() {
    let scratch = Scratch::new();
    let pretty = serde_json::to_string_pretty(&full()).unwrap();
    scratch.write(
        "a.json",
        &format!("{{\"schema_version\": 1, \"runs\": [{pretty}], \"summary\": null}}"),
    );
    scratch.write("a.jsonl", &lines(&[full()]));
    let ran = scratch.rbench(&["history", "--store", "s.db", "import", "a.json", "a.jsonl"]);
    assert_eq!(
        ran.stdout,
        "a.json: 1 run added, 0 were there already\na.jsonl: 0 runs added, 1 were there already\n"
    );
}

#[test]
fn of_a_file_with_a_bad_line_nothing_is_added_and_of_the_others_all() {
    let scratch = Scratch::new();
    let good = lines(&[run(0), run(1)]);
    scratch.write("cut.jsonl", &good[..good.len() - 10]);
    scratch.write("other.jsonl", &format!("{}{{\"a\": 1}}\n", lines(&[run(2)])));
    scratch.write(
        "newer.jsonl",
        &good.replace("\"schema_version\":1", "\"schema_version\":2"),
    );
    scratch.write("good.jsonl", &lines(&[run(3)]));
    scratch.write("empty.jsonl", "");
    let arguments = [
        "cut.jsonl",
        "other.jsonl",
        "newer.jsonl",
        "empty.jsonl",
        "absent.jsonl",
        "good.jsonl",
    ];
    let ran = scratch.rbench(&[&["history", "--store", "s.db", "import"], &arguments[..]].concat());
    ran.assert_code(2);
    assert_eq!(ran.stdout, "good.jsonl: 1 run added, 0 were there already\n");
    ran.assert_says("cut.jsonl:2:");
    ran.assert_says("other.jsonl:2:1: is no result of rbench");
    ran.assert_says("newer.jsonl:1:1: has schema_version 2");
    ran.assert_says("nothing of this file was added");
    ran.assert_says("empty.jsonl: holds no result");
    ran.assert_says("absent.jsonl: cannot be read");
    assert_eq!(count(&scratch, "s.db"), 1);
}
