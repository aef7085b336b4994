//! Symbolic links, made by the load or planted from outside: none leads out.

use super::site::Site;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Operations through a name that may be a link out of the tree; `n` keeps names apart.
fn through(link: &str, n: usize) -> String {
    format!(
        "READLINK3 \"{link}\" *\nGETATTR3 \"{link}/file\" *\nCREATE3 \"{link}\" *\nWRITE3 \"{link}\" 0 10 1 *\nWRITE3 \"{link}/file\" 0 10 1 *\n\
         CREATE3 \"{link}/new\" *\nCREATE3 \"{link}/made{n}\" *\nMKDIR3 \"{link}/dir{n}\" *\nMKDIR3 \"{link}\" *\nSETATTR3 \"{link}\" *\n\
         SETATTR3 \"{link}/file\" *\nREAD3 \"{link}/file\" 0 10 *\nCOMMIT3 \"{link}/file\" *\nLOCK4 \"{link}/file\" 0 1 *\n\
         READDIRPLUS3 \"{link}\" *\nPATHCONF3 \"{link}/file\" *\nACCESS3 \"{link}/file\" 0x1 0x1 *\nSYMLINK3 \"{link}/link{n}\" \"/x\" *\n\
         LINK3 \"{link}/hard{n}\" \"/clients/client1/own\" *\nLINK3 \"/clients/client1/hard{n}\" \"{link}/file\" *\n\
         LINK3 \"/clients/client1/hardlink{n}\" \"{link}\" *\nCREATE3 \"/clients/client1/hardlink{n}\" *\nWRITE3 \"/clients/client1/hardlink{n}\" 0 10 1 *\n\
         RENAME3 \"{link}/file\" \"{link}/moved{n}\" *\nRENAME3 \"{link}/sub\" \"/clients/client1/sub{n}\" *\n\
         RENAME3 \"/clients/client1/own\" \"{link}/own{n}\" *\nREMOVE3 \"{link}/x\" *\nRMDIR3 \"{link}/new\" *\n\
         Deltree \"{link}/d\" *\nDeltree \"{link}/client0\" *\n"
    )
}

/// Targets below the tree whose `../`s, once the link is moved up, lead to things outside.
const TARGETS: [&str; 7] = [
    "",
    "/file",
    "/elsewhere",
    "/elsewhere/file",
    "/elsewhere/nothing",
    "/dir/beside",
    "/beside",
];

/// Where the link is moved to: its parent's depth below `DIR/clients/clientN` is less than where it was made.
fn moved_links(depth: usize, own: &str) -> String {
    let deep: String = (0..depth).map(|level| format!("/d{level}")).collect();
    let mut load = String::new();
    for level in 0..depth {
        let above: String = (0..=level).map(|level| format!("/d{level}")).collect();
        load.push_str(&format!("MKDIR3 \"{own}{above}\" *\n"));
    }
    for (index, target) in TARGETS.iter().enumerate() {
        let target = if own.is_empty() && target.is_empty() {
            "/"
        } else {
            target
        };
        let n = depth * 100 + index;
        load.push_str(&format!(
            "CREATE3 \"/clients/client1/own\" *\n\
             SYMLINK3 \"{own}{deep}/l{n}\" \"{own}{target}\" *\nLINK3 \"{own}/k{n}\" \"{own}{deep}/l{n}\" *\n\
             RENAME3 \"{own}{deep}/l{n}\" \"{own}/l{n}\" *\n\
             MKDIR3 \"{own}{deep}/e{n}\" *\nSYMLINK3 \"{own}{deep}/e{n}/m\" \"{own}{target}\" *\nRENAME3 \"{own}{deep}/e{n}\" \"{own}/e{n}\" *\n"
        ));
        for (offset, link) in [
            format!("{own}/l{n}"),
            format!("{own}/k{n}"),
            format!("{own}/e{n}/m"),
        ]
        .iter()
        .enumerate()
        {
            load.push_str(&through(link, n * 10 + offset));
        }
        load.push_str(&format!(
            "RENAME3 \"{own}/l{n}\" \"/l{n}\" *\nRENAME3 \"{own}/k{n}\" \"/clients/client1/k{n}\" *\n"
        ));
        load.push_str(&through(&format!("/l{n}"), n * 10 + 3));
        load.push_str(&through(&format!("/clients/client1/k{n}"), n * 10 + 4));
        load.push_str(&format!("Deltree \"/l{n}\" *\nDeltree \"{own}/e{n}\" *\n"));
    }
    load
}

#[test]
fn links_that_are_moved_after_they_were_made_lead_nowhere() {
    let site = Site::new();
    for own in ["/clients/client1", "", "/clients/client2"] {
        let mut load: String = (1..=5).map(|depth| moved_links(depth, own)).collect();
        load.push_str("Deltree \"/clients/client1\" *\nDeltree \"/\" *\n");
        site.run(load, &["2", "--on-mismatch", "ignore"]).assert_code(0);
        site.assert_nothing_left();
    }
}

#[test]
fn links_planted_while_a_run_makes_links_itself_lead_nowhere() {
    let site = Site::new();
    let links: String = ["p0", "p1", "p2/q"]
        .iter()
        .enumerate()
        .map(|(n, name)| through(&format!("/clients/client1/{name}"), n))
        .collect();
    let load = format!(
        "SYMLINK3 \"/clients/client1/mine\" \"/clients/client1/p2\" *\nMKDIR3 \"/clients/client1/p2\" *\n{links}\
         Deltree \"/clients/client1/p2\" *\nREMOVE3 \"/clients/client1/mine\" *\nDeltree \"/clients/client1\" *\n"
    );
    let run = site.start(
        load,
        &["2", "-t", "1.5", "--warmup", "0", "--on-mismatch", "ignore"],
    );
    let stop = AtomicBool::new(false);
    let planted = std::thread::scope(|scope| {
        let plant = || {
            let tree = site.clients().join("client0");
            let mut planted = 0u32;
            while !stop.load(Relaxed) {
                let targets = [
                    site.elsewhere(),
                    "../../../elsewhere".into(),
                    site.elsewhere().join("file"),
                ];
                for (name, target) in ["p0", "p1", "p2"].iter().zip(&targets) {
                    let path = tree.join(name);
                    let _ = fs::remove_file(&path);
                    planted += u32::from(symlink(target, &path).is_ok());
                    let _ = fs::rename(tree.join("p2"), tree.join("p0"));
                }
                let _ = symlink(site.elsewhere(), tree.join("p2/q"));
            }
            planted
        };
        let planter = scope.spawn(plant);
        let ended = run.wait();
        stop.store(true, Relaxed);
        ended.assert_code(0);
        planter.join().unwrap()
    });
    assert!(planted > 100, "only {planted} links were planted");
    site.assert_outside_intact();
    site.clean();
    site.assert_nothing_left();
}

#[test]
fn links_planted_into_a_kept_tree_are_neither_followed_nor_entered() {
    let site = Site::new();
    let first = "NTCreateX \"\\clients\\client1\\kept\" 0x0 0x2 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";
    site.run(first, &["2", "--skip-cleanup"]).assert_code(0);
    for client in ["client0", "client1", "shared"] {
        let tree = site.clients().join(client);
        symlink(site.elsewhere(), tree.join("out")).unwrap();
        symlink("../../../elsewhere", tree.join("up")).unwrap();
        symlink(site.elsewhere().join("file"), tree.join("outfile")).unwrap();
        symlink(site.elsewhere().join("nothing"), tree.join("dangling")).unwrap();
    }
    let mut load =
        "NTCreateX \"\\clients\\client1\\kept\" 0x0 0x1 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n".to_owned();
    for own in ["\\clients\\client1", ""] {
        for link in ["out", "up"] {
            load.push_str(&format!(
                "NTCreateX \"{own}\\{link}\\made\" 0x0 0x5 2 ERROR\nNTCreateX \"{own}\\{link}\\file\" 0x0 0x5 2 ERROR\n\
                 NTCreateX \"{own}\\{link}\\dir\" 0x1 0x2 2 ERROR\nNTCreateX \"{own}\\{link}\" 0x1 0x1 2 ERROR\nMkdir \"{own}\\{link}\\dir\" ERROR\n\
                 Unlink \"{own}\\{link}\\file\" ERROR\nRmdir \"{own}\\{link}\\sub\" ERROR\nRename \"{own}\\{link}\\file\" \"{own}\\{link}\\f2\" ERROR\n\
                 Rename \"{own}\\kept\" \"{own}\\{link}\\kept\" ERROR\nFIND_FIRST \"{own}\\{link}\\*\" 1 10 1 *\n\
                 QUERY_PATH_INFORMATION \"{own}\\{link}\\file\" 1 ERROR\nDeltree \"{own}\\{link}\\sub\" *\nDeltree \"{own}\\{link}\" *\n"
            ));
        }
        load.push_str(&format!(
            "NTCreateX \"{own}\\outfile\" 0x0 0x5 2 ERROR\nNTCreateX \"{own}\\dangling\" 0x0 0x2 2 ERROR\nNTCreateX \"{own}\\dangling\" 0x0 0x5 2 ERROR\n\
             Deltree \"{own}\\dangling\" *\n"
        ));
    }
    site.run(&load, &["1", "--skip-cleanup"]).assert_code(0);
    load.push_str("Deltree \"\\clients\\client1\" NT_STATUS_OK\nDeltree \"\\\" NT_STATUS_OK\n");
    site.run(load, &["2", "--on-mismatch", "ignore"]).assert_code(0);
    site.assert_nothing_left();
}
