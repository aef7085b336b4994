//! `rbench loads`.

use crate::scratch::Scratch;
use rbench::bundled;

#[test]
fn a_load_is_listed_with_its_parameters_their_defaults_and_what_they_can_be() {
    let listed = Scratch::new().rbench(&["loads", "seqwr", "mdtree"]);
    listed.assert_well();
    insta::assert_snapshot!(listed.stdout, @r"
    seqwr
        Sequential writes: each client writes a file of its own, block after block from the start to
        the end.
          size=32M      of each client's file; whole blocks only
          block=4K      size of a write
          fsync=never   when the file is synced: never, at the end of each pass, or after each write
                        (never, end, each)
          layout=grown  whether each pass starts with an empty file, or writes over one that is
                        there (grown, contiguous)

    mdtree
        A tree of directories and files: made, looked at, listed, removed.
          width=8   directories in each directory, the top included
          depth=2   levels of directories below the top (1, 2, 3, 4)
          files=16  files in each directory below the top
          size=0    of each file; at most 1 GiB, written at once
    ");
}

#[test]
fn all_are_listed_the_default_first_and_no_line_is_too_long() {
    let listed = Scratch::new().rbench(&["loads"]);
    listed.assert_well();
    let names = listed
        .stdout
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(' '));
    assert!(names.eq(bundled::names()), "{listed}");
    assert!(
        listed.stdout.lines().all(|line| line.chars().count() <= 100),
        "{listed}"
    );
}

#[test]
fn as_json_each_is_an_object() {
    let listed = Scratch::new().rbench(&["loads", "--json"]);
    listed.assert_well();
    let loads: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&listed.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(loads.len(), bundled::names().count());
    let load = loads.iter().find(|load| load["name"] == "seqwr").unwrap();
    assert_eq!(load["params"][2]["name"], "fsync");
    assert_eq!(
        load["params"][2]["choices"],
        serde_json::json!(["never", "end", "each"])
    );
    assert_eq!(load["params"][0]["default"], "32M");
    assert_eq!(load["params"][0].get("choices"), None);
}

#[test]
fn an_unknown_name_is_refused_with_those_there_are() {
    let refused = Scratch::new().rbench(&["loads", "seqwr", "seqrx"]);
    refused.assert_refused("seqrx: no bundled load of that name (there is: client, seqrd,");
}
