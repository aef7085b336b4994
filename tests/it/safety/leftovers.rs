//! What a killed run leaves, and what a run keeps on purpose.

use super::site::{Site, TRIES, many_files, sees_cleanup, wait_until};
use std::time::Duration;

const BUSY: &str = "LOOP 1000000000\nMkdir \"\\clients\\client1\\d\" NT_STATUS_OK\nNTCreateX \"\\clients\\client1\\d\\f\" 0x0 0x5 1 NT_STATUS_OK\n\
                    WriteX 1 0 4096 4096 NT_STATUS_OK\nClose 1 NT_STATUS_OK\nRename \"\\clients\\client1\\d\\f\" \"\\clients\\client1\\d\\g\" NT_STATUS_OK\n\
                    Deltree \"\\clients\\client1\\d\" NT_STATUS_OK\nENDLOOP\n";
const SHORT: &str = "NTCreateX \"\\clients\\client1\\f\" 0x0 0x2 1 NT_STATUS_OK\nClose 1 NT_STATUS_OK\n";

#[test]
fn a_run_killed_at_any_moment_is_cleared_away_by_the_next_one_or_by_clean() {
    let site = Site::new();
    // From before there is a directory to well into the run.
    for (round, millis) in [0, 1, 2, 4, 6, 9, 13, 20, 35, 60].into_iter().enumerate() {
        let run = site.start(BUSY, &["4", "--on-mismatch", "ignore"]);
        if millis >= 35 {
            wait_until("clients work", || site.clients().join("client3").exists());
        }
        std::thread::sleep(Duration::from_millis(millis));
        let pid = run.pid();
        run.kill();
        site.assert_outside_intact();
        let marked = site.clients().join(".rbench").exists();
        if round % 2 == 0 {
            let ended = site.run(SHORT, &["2"]);
            ended.assert_code(0);
            if marked {
                let says = format!("removed what a killed run (pid {pid}) had left");
                ended.assert_says(&[&says]);
            }
        } else {
            let cleaned = site.clean();
            cleaned.assert_code(0);
            assert!(!marked || cleaned.stdout.contains("removed"), "{cleaned:?}");
        }
        site.assert_nothing_left();
    }
}

#[test]
fn a_run_killed_while_it_cleans_up_is_cleared_away_too() {
    let site = Site::new();
    // The cleanup may end before the kill comes: once more then.
    let caught = (0..TRIES).any(|_| {
        let mut run = site.start(many_files(""), &["1"]);
        let seen = sees_cleanup(&site, &mut run);
        run.kill();
        seen && site.clients().join("client0").exists()
    });
    assert!(caught, "the cleanup had ended each time");
    site.run(SHORT, &["2"])
        .assert_code(0)
        .assert_says(&["removed what a killed run"]);
    site.assert_nothing_left();
}

#[test]
fn a_kept_tree_is_used_by_the_next_run_and_removed_by_clean() {
    let site = Site::new();
    let kept = ["2", "--skip-cleanup"];
    site.run(SHORT, &kept).assert_code(0);
    let open = SHORT.replace("0x0 0x2", "0x0 0x1");
    site.run(&open, &kept).assert_code(0);
    // A run that is refused spoils nothing.
    let large = "NTCreateX \"\\clients\\client1\\g\" 0x0 0x2 1 NT_STATUS_OK\nLOOP 1000000000\n\
                 WriteX 1 +1048576 1048576 1048576 NT_STATUS_OK\nENDLOOP\n";
    site.run(large, &kept).assert_code(1).assert_says(&["are free"]);
    site.run(&open, &kept).assert_code(0);
    let cleaned = site.clean();
    cleaned.assert_code(0);
    assert!(cleaned.stdout.contains("removed"), "{cleaned:?}");
    site.assert_nothing_left();
    // Nothing is kept of it.
    site.run(&open, &["2"]).assert_code(1).assert_says(&["ENOENT"]);
    site.assert_nothing_left();
    site.run(SHORT, &kept).assert_code(0);
    site.run(&open, &["2"]).assert_code(0);
    site.assert_nothing_left();
}

#[test]
fn a_kept_tree_whose_next_run_is_killed_is_not_taken_for_a_kept_one() {
    let site = Site::new();
    site.run(SHORT, &["1", "--skip-cleanup"]).assert_code(0);
    let run = site.start(BUSY, &["1", "--on-mismatch", "ignore"]);
    wait_until("the second run works", || {
        site.clients().join("client0/d").exists()
    });
    run.kill();
    site.run(SHORT, &["1"])
        .assert_code(0)
        .assert_says(&["removed what a killed run"]);
    site.assert_nothing_left();
}
