//! Loadfiles that cannot be used: nothing on disk is touched.

use super::process::Running;
use super::site::{Site, describe};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;

/// A run that ends with 2, names the loadfile, and leaves DIR as it was, its times included.
fn touches_nothing(site: &Site, load: &Path, arguments: &[&str]) {
    let before = describe(&site.dir());
    let ended = Running::start(&mut site.command_of(load, arguments)).wait();
    ended.assert_code(2).assert_says(&[load.to_str().unwrap()]);
    assert_eq!(ended.stdout, "");
    assert_eq!(describe(&site.dir()), before, "DIR has changed");
    site.assert_nothing_left();
}

#[test]
fn a_loadfile_with_an_error_touches_nothing() {
    let site = Site::new();
    let good = "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n";
    let bad: [&[u8]; 18] = [
        b"",
        b"\n\n# only a comment\n",
        b"Mkdri \"\\x\" NT_STATUS_OK\n",
        b"Mkdir NT_STATUS_OK\n",
        b"Mkdir \"\\x\" \"\\y\" NT_STATUS_OK\n",
        b"Mkdir \"\\x NT_STATUS_OK\n",
        b"Mkdir \"\\x\" PERHAPS\n",
        b"ReadX 1 0 10 10 NT_STATUS_OK\n",
        b"NTCreateX \"\\x\" 0x0 0x1 99999999999999999999 NT_STATUS_OK\n",
        b"ENDLOOP\n",
        b"LOOP 3\n",
        b"REPEAT 3\n",
        b"LOOP *%0\n",
        b"MKDIR3 \"/x\" 0x0\nNTCreateX \"\\x\" 0x0 0x1 1 NT_STATUS_OK\n",
        b"READ10 0 0 0 0x0\n",
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0",
        b"WAITSP 7 1\n",
        b"PREPARE\n",
    ];
    for text in bad {
        // A good line before it does not run.
        for lead in ["", good] {
            let mut whole = lead.as_bytes().to_vec();
            whole.extend_from_slice(text);
            if !lead.is_empty() && (text.is_empty() || text.starts_with(b"\n")) {
                continue;
            }
            let load = site.load("bad.load", whole);
            touches_nothing(&site, &load, &["2"]);
        }
    }
}

#[test]
fn one_bad_loadfile_among_good_ones_touches_nothing() {
    let site = Site::new();
    let good = site.load("good.load", "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n");
    let bad = site.load("bad.load", "Mkdir\n");
    touches_nothing(&site, &bad, &["-c", good.to_str().unwrap(), "4"]);
}

#[test]
fn what_is_no_loadfile_at_all_touches_nothing() {
    let site = Site::new();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(
        "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n"
            .repeat(1000)
            .as_bytes(),
    )
    .unwrap();
    let gzip = gzip.finish().unwrap();
    let whole = site.load("whole.gz", &gzip);
    Running::start(&mut site.command_of(&whole, &["1"]))
        .wait()
        .assert_code(0);
    site.assert_nothing_left();
    for length in [2, 9, 20, gzip.len() / 2, gzip.len() - 1] {
        let cut = site.load("cut.gz", &gzip[..length]);
        touches_nothing(&site, &cut, &["1"]);
    }
    let mut damaged = gzip.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let damaged = site.load("damaged.gz", damaged);
    touches_nothing(&site, &damaged, &["1"]);
    touches_nothing(&site, Path::new("/dev/null"), &["1"]);
    touches_nothing(&site, &site.dir().join("missing.load"), &["1"]);
    touches_nothing(&site, &site.dir().join("beside"), &["1"]);
    let secret = site.load("names", fs::read("/proc/self/exe").unwrap());
    touches_nothing(&site, &secret, &["1"]);
}

#[test]
fn bad_usage_touches_nothing() {
    let site = Site::new();
    let load = site.load("good.load", "Mkdir \"\\clients\\client1\\d\" NT_STATUS_OK\n");
    let wrong: [&[&str]; 10] = [
        &[],
        &["0"],
        &["-1"],
        &["many"],
        &["99999999999"],
        &["1", "--no-such-option"],
        &["1", "-t", "soon"],
        &["1", "-B", "scsi"],
        &["1", "--set", "unknown=1"],
        &["60000", "--clients-per-process", "60000"],
    ];
    for arguments in wrong {
        let before = describe(&site.dir());
        let ended = Running::start(&mut site.command_of(&load, arguments)).wait();
        ended.assert_code(2);
        assert!(!ended.stderr.is_empty(), "{arguments:?}");
        assert_eq!(describe(&site.dir()), before, "{arguments:?}");
        site.assert_nothing_left();
    }
}
