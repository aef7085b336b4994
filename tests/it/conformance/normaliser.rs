//! The comparison itself: it sees every difference that matters, and none of those that do not.

use super::difference::difference;
use super::events::{Event, first_pass};
use super::load::Load;
use super::{marks, strace};

/// As dbench does it: absolute paths.
const BY_PATH: [&str; 14] = [
    r#"1 write(1<pipe:[5]>, "ready"..., 5) = 5"#,
    r#"2 newfstatat(AT_FDCWD</w>, "/w/clients/client0/pass-begins", 0x7, 0) = -1 ENOENT (No such file or directory)"#,
    r#"2 kill(1, 0) = 0"#,
    r#"2 newfstatat(AT_FDCWD</w>, "/w/clients/client0/d/f", 0x7, 0) = -1 ENOENT (No such file or directory)"#,
    r#"2 openat(AT_FDCWD</w>, "/w/clients/client0/d", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY) = 5</w/clients/client0/d>"#,
    r#"2 newfstatat(5</w/clients/client0/d>, "", {st_mode=S_IFDIR|0700, st_size=60, ...}, AT_EMPTY_PATH) = 0"#,
    r#"2 getdents64(5</w/clients/client0/d>, 0x5 /* 2 entries */, 32768) = 48"#,
    r#"2 getdents64(5</w/clients/client0/d>, 0x5 /* 0 entries */, 32768) = 0"#,
    r#"2 close(5</w/clients/client0/d>) = 0"#,
    r#"2 openat(AT_FDCWD</w>, "/w/clients/client0/d/f", O_RDWR|O_CREAT, 0600) = 5</w/clients/client0/d/f>"#,
    r#"2 pwrite64(5</w/clients/client0/d/f>, "\0"..., 100, 20) = 100"#,
    r#"2 getxattr("/w/clients/client0/d/f", "user.DosAttrib", 0x7, 44) = -1 ENODATA (No data available)"#,
    r#"2 rename("/w/clients/client0/d/f", "/w/clients/client0/g") = 0"#,
    r#"2 newfstatat(AT_FDCWD</w>, "/w/clients/client0/pass-ends", 0x7, 0) = -1 ENOENT (No such file or directory)"#,
];

/// As rbench does the same: paths below descriptors, on a thread among others.
const BY_DESCRIPTOR: [&str; 14] = [
    r#"8 openat(AT_FDCWD</w>, "/w/clients", O_RDONLY|O_DIRECTORY) = 3</w/clients>"#,
    r#"9 newfstatat(4</w/clients/client0>, "pass-begins", 0x7, 0) = -1 ENOENT (No such file or directory)"#,
    r#"8 futex(0x7, FUTEX_WAIT, 0, NULL <unfinished ...>"#,
    r#"9 newfstatat(4</w/clients/client0>, "d/f", 0x7, 0) = -1 ENOENT (No such file or directory)"#,
    r#"9 openat(4</w/clients/client0>, "d", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY) = 6</w/clients/client0/d>"#,
    r#"9 getdents64(6</w/clients/client0/d>, 0x5 /* 2 entries */, 32768) = 48"#,
    r#"9 getdents64(6</w/clients/client0/d>, 0x5 /* 0 entries */, 32768) = 0"#,
    r#"9 close(6</w/clients/client0/d>) = 0"#,
    r#"9 openat(4</w/clients/client0>, "d/f", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 6</w/clients/client0/d/f>"#,
    r#"9 pwrite64(6</w/clients/client0/d/f>, "\0"..., 100, 20) = 100"#,
    r#"9 getxattr("/proc/self/fd/4/d/f", "user.DosAttrib", 0x7, 44) = -1 ENODATA (No data available)"#,
    r#"9 renameat(4</w/clients/client0>, "d/f", 4</w/clients/client0>, "g") = 0"#,
    r#"9 newfstatat(4</w/clients/client0>, "pass-ends", 0x7, 0) = -1 ENOENT (No such file or directory)"#,
    r#"9 unlinkat(4</w/clients/client0>, "g", 0) = 0"#,
];

fn events(lines: &[impl AsRef<str>]) -> Vec<Event> {
    let calls = strace::calls(lines.iter().map(|line| line.as_ref().to_owned()));
    first_pass(&calls, "/w/clients", "/w/load").expect("the lines hold a whole pass")
}

/// The events of a pass of these calls of one client.
fn pass_of(lines: &[&str]) -> Vec<Event> {
    let mut pass = vec![BY_PATH[1]];
    pass.extend(lines);
    pass.push(BY_PATH[13]);
    let events = events(&pass);
    events[1..events.len() - 1].to_vec()
}

fn shown(lines: &[&str]) -> Vec<String> {
    pass_of(lines).iter().map(Event::to_string).collect()
}

/// Whether a change of one of rbench's calls makes a difference.
fn notices(from: &str, to: &str) -> bool {
    let changed = BY_DESCRIPTOR.map(|line| line.replace(from, to));
    assert!(
        changed.iter().zip(BY_DESCRIPTOR).any(|(new, old)| new != old),
        "{from} is in the lines"
    );
    difference(&events(&BY_PATH), &events(&changed)).is_some()
}

#[test]
fn the_same_work_by_path_and_by_descriptor_makes_the_same_events() {
    let expected = [
        "stat pass-begins -> ENOENT",
        "stat d/f -> ENOENT",
        "scan d O_DIRECTORY|O_RDONLY -> read",
        "open d/f O_CREAT|O_RDWR 0600 -> opened",
        "pwrite d/f 20+100 -> 100",
        "getxattr d/f \"user.DosAttrib\" 44 -> ENODATA",
        "rename d/f to g -> 0",
        "stat pass-ends -> ENOENT",
    ];
    let by_path = events(&BY_PATH);
    assert_eq!(by_path.iter().map(Event::to_string).collect::<Vec<_>>(), expected);
    assert_eq!(difference(&by_path, &events(&BY_DESCRIPTOR)), None);
}

#[test]
fn a_missing_call_is_noticed() {
    for missing in (2..12).filter(|index| BY_DESCRIPTOR[*index].starts_with("9 ")) {
        let mut lines = BY_DESCRIPTOR.to_vec();
        let line = lines.remove(missing);
        // A scan may take one read more or less.
        let counts = !line.contains("getdents64");
        assert_eq!(
            difference(&events(&BY_PATH), &events(&lines)).is_some(),
            counts,
            "without {line}"
        );
    }
}

#[test]
fn a_call_too_many_is_noticed_whatever_it_is() {
    for more in [
        r#"9 newfstatat(4</w/clients/client0>, "d/f", {st_mode=S_IFREG|0600, st_size=120, ...}, 0) = 0"#,
        r#"9 fadvise64(6</w/clients/client0/d/f>, 0, 0, POSIX_FADV_DONTNEED) = 0"#,
        r#"9 write(1</dev/null>, "tick", 4) = 4"#,
        r#"9 statx(4</w/clients/client0>, "d/f", 0, STATX_ALL, 0x7) = 0"#,
        r#"9 read(7</w/other>, "", 4096) = 0"#,
    ] {
        let mut lines = BY_DESCRIPTOR.to_vec();
        lines.insert(10, more);
        assert!(
            difference(&events(&BY_PATH), &events(&lines)).is_some(),
            "with {more}"
        );
    }
}

#[test]
fn other_offsets_lengths_and_byte_counts_are_noticed() {
    assert!(notices("100, 20) = 100", "100, 21) = 100"));
    assert!(notices("100, 20) = 100", "101, 20) = 100"));
    assert!(notices("100, 20) = 100", "100, 20) = 99"));
}

#[test]
fn other_flags_and_modes_are_noticed_unless_they_change_nothing() {
    assert!(notices("O_CREAT", "O_CREAT|O_EXCL"));
    assert!(notices("O_CREAT", "O_CREAT|O_TRUNC"));
    assert!(notices("O_CREAT", "O_CREAT|O_SYNC"));
    assert!(notices("O_RDWR", "O_WRONLY"));
    assert!(notices("0600", "0644"));
    assert!(!notices("O_RDWR|O_CREAT|O_CLOEXEC", "O_RDWR|O_LARGEFILE|O_CREAT"));
}

#[test]
fn other_paths_and_errors_are_noticed() {
    assert!(notices("\"d/f\"", "\"d/e\""));
    assert!(notices("\"g\"", "\"h\""));
    assert!(notices("/proc/self/fd/4/d/f", "/proc/self/fd/4/d"));
    assert!(notices("ENODATA", "EOPNOTSUPP"));
    assert!(notices("user.DosAttrib", "user.DOSATTRIB"));
    assert!(notices("-1 ENODATA (No data available)", "44"));
}

#[test]
fn calls_in_another_order_are_noticed() {
    let mut lines = BY_DESCRIPTOR;
    lines.swap(9, 10);
    assert!(difference(&events(&BY_PATH), &events(&lines)).is_some());
}

#[test]
fn a_stat_tells_type_and_size_and_a_fstat_is_no_stat() {
    let lines = [
        r#"2 newfstatat(AT_FDCWD</w>, "/w/clients/client0/f", {st_mode=S_IFREG|0600, st_size=12, ...}, 0) = 0"#,
        r#"2 newfstatat(5</w/clients/client0/f>, "", {st_mode=S_IFREG|0600, st_size=12, ...}, AT_EMPTY_PATH) = 0"#,
        r#"2 fstat(5</w/clients/client0/f>, {st_mode=S_IFREG|0600, st_size=13, ...}) = 0"#,
        r#"2 stat("/w/clients/client0/d", {st_mode=S_IFDIR|0700, st_size=40, ...}) = 0"#,
    ];
    let expected = [
        "stat f -> S_IFREG 12",
        "fstat f -> S_IFREG 12",
        "fstat f -> S_IFREG 13",
        "stat d -> S_IFDIR 40",
    ];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn a_stat_that_does_not_follow_links_is_another_call() {
    let line =
        r#"2 newfstatat(AT_FDCWD</w>, "/w/clients/client0/f", 0x7, AT_SYMLINK_NOFOLLOW) = -1 ENOENT (None)"#;
    assert!(shown(&[line])[0].starts_with("newfstatat "));
}

#[test]
fn locks_tell_their_type_and_range() {
    let line = r#"2 fcntl(5</w/clients/client0/f>, F_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=1, l_len=2}) = 0"#;
    let expected = "fcntl f F_SETLKW {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=1, l_len=2} -> 0";
    assert_eq!(shown(&[line]), [expected]);
}

#[test]
fn removals_have_one_name_whichever_call_makes_them() {
    let by_path = [
        r#"2 unlink("/w/clients/client0/f") = 0"#,
        r#"2 rmdir("/w/clients/client0/d") = 0"#,
    ];
    let by_descriptor = [
        r#"2 unlinkat(4</w/clients/client0>, "f", 0) = 0"#,
        r#"2 unlinkat(4</w/clients/client0>, "d", AT_REMOVEDIR) = 0"#,
    ];
    assert_eq!(shown(&by_path), ["unlink f -> 0", "rmdir d -> 0"]);
    assert_eq!(pass_of(&by_path), pass_of(&by_descriptor));
}

#[test]
fn making_directories_counts_except_those_that_hold_the_run() {
    let lines = [
        r#"2 mkdir("/w/clients", 0777) = -1 EEXIST (File exists)"#,
        r#"2 mkdir("/w/clients/client0", 0700) = 0"#,
        r#"2 mkdirat(4</w/clients/client0>, "d", 0700) = 0"#,
        r#"2 mkdir("/w/clients/client0/e", 0777) = 0"#,
    ];
    assert_eq!(shown(&lines), ["mkdir d 0700 -> 0", "mkdir e 0777 -> 0"]);
}

#[test]
fn a_scan_that_fails_or_reads_nothing_is_told_from_one_that_reads() {
    let opened =
        r#"2 openat(4</w/clients/client0>, "d", O_RDONLY|O_NONBLOCK|O_DIRECTORY) = 5</w/clients/client0/d>"#;
    let close = "2 close(5</w/clients/client0/d>) = 0";
    let failed =
        r#"2 openat(4</w/clients/client0>, "d", O_RDONLY|O_NONBLOCK|O_DIRECTORY) = -1 ENOENT (None)"#;
    assert_eq!(shown(&[opened, close]), ["scan d O_DIRECTORY|O_RDONLY -> unread"]);
    assert_eq!(shown(&[opened]), ["scan d O_DIRECTORY|O_RDONLY -> left open"]);
    assert_eq!(shown(&[failed]), ["scan d O_DIRECTORY|O_RDONLY -> ENOENT"]);
}

#[test]
fn a_scan_hides_no_other_call_on_its_descriptor() {
    let lines = [
        r#"2 openat(4</w/clients/client0>, "d", O_RDONLY|O_NONBLOCK|O_DIRECTORY) = 5</w/clients/client0/d>"#,
        r#"2 fstat(5</w/clients/client0/d>, {st_mode=S_IFDIR|0700, st_size=60, ...}) = 0"#,
        r#"2 fstat(5</w/clients/client0/d>, {st_mode=S_IFDIR|0700, st_size=60, ...}) = 0"#,
        "2 fdatasync(5</w/clients/client0/d>) = 0",
        "2 close(5</w/clients/client0/d>) = 0",
        "2 close(5</w/clients/client0/f>) = 0",
    ];
    let expected = [
        "scan d O_DIRECTORY|O_RDONLY -> unread",
        "fstat d -> S_IFDIR 60",
        "fdatasync d -> 0",
        "close f -> 0",
    ];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn a_deltree_is_one_event_and_ends_where_its_mark_stands() {
    let lines = [
        r#"2 stat("/w/clients/client0/deltree-begins", 0x7) = -1 ENOENT (None)"#,
        r#"2 openat(4</w/clients/client0>, "d", O_RDONLY|O_NONBLOCK|O_DIRECTORY) = 5</w/clients/client0/d>"#,
        r#"2 unlink("/w/clients/client0/d/f") = 0"#,
        r#"2 stat("/w/clients/client0/deltree-ends", 0x7) = -1 ENOENT (None)"#,
        r#"2 unlink("/w/clients/client0/g") = 0"#,
    ];
    assert_eq!(shown(&lines), ["stat deltree-begins -> ENOENT", "unlink g -> 0"]);
}

#[test]
fn the_file_system_may_be_asked_for_at_any_directory_of_the_run() {
    let lines = [
        r#"2 statfs("/w", {f_type=TMPFS_MAGIC, f_bsize=4096, ...}) = 0"#,
        "2 fstatfs(4</w/clients/client0>, {f_type=TMPFS_MAGIC, f_bsize=4096, ...}) = 0",
    ];
    assert_eq!(shown(&lines), ["statfs the run's -> 0", "statfs the run's -> 0"]);
    let elsewhere = shown(&[r#"2 statfs("/world", {f_type=TMPFS_MAGIC, ...}) = 0"#]);
    assert_ne!(elsewhere, ["statfs the run's -> 0"]);
}

#[test]
fn only_the_loadfile_may_be_read_on_the_way() {
    let load = r#"2 read(4</w/load>, "Close 1"..., 4096) = 4096"#;
    assert!(shown(&[load]).is_empty());
    assert_eq!(shown(&[&load.replace("/w/load", "/w/loads")]).len(), 1);
}

#[test]
fn paths_outside_the_clients_directory_show_where_they_lead() {
    let lines = [
        r#"2 unlink("/w/clients/client1/f") = 0"#,
        r#"2 unlink("/w/clients/client00") = 0"#,
        r#"2 unlink("/etc/f") = 0"#,
        r#"2 stat("/w/clients/client0/", 0x7) = -1 EACCES (None)"#,
        r#"2 stat("/w/clients", 0x7) = -1 EACCES (None)"#,
    ];
    let expected = [
        "unlink ../client1/f -> 0",
        "unlink ../client00 -> 0",
        "unlink /etc/f -> 0",
        "stat . -> EACCES",
        "stat .. -> EACCES",
    ];
    assert_eq!(shown(&lines), expected);
}

#[test]
fn a_pass_without_its_end_is_no_pass() {
    let calls = strace::calls(BY_PATH[..13].iter().map(|line| (*line).to_owned()));
    assert_eq!(first_pass(&calls, "/w/clients", "/w/load"), None);
}

#[test]
fn a_difference_is_shown_with_what_comes_before_and_after_on_both_sides() {
    let changed = BY_DESCRIPTOR.map(|line| line.replace("100, 20)", "100, 24)"));
    let shown = difference(&events(&BY_PATH), &events(&changed)).expect("a difference");
    let part = |from: &str, to: &str| {
        let start = shown.find(from).expect("the part begins");
        shown[start..].split(to).next().unwrap_or_default().to_owned()
    };
    assert!(part("both:", "dbench:").contains("open d/f"));
    assert!(part("dbench:", "rbench:").contains("pwrite d/f 20+100"));
    assert!(part("rbench:", "~").contains("pwrite d/f 24+100"));
    assert!(
        shown.starts_with("the first 4 events are the same, of 8 (dbench) and 8 (rbench)"),
        "{shown}"
    );
}

#[test]
fn a_side_that_has_no_more_is_shown_as_such() {
    let all = events(&BY_PATH);
    let shown = difference(&all, &all[..3]).expect("a difference");
    assert!(shown.contains("rbench:\n    (no more)"), "{shown}");
}

#[test]
fn every_deltree_of_a_load_stands_between_its_marks() {
    let load = Load::new("Deltree \"\\clients\\client1\\d\" NT_STATUS_OK\n");
    let begins = load.once().find(marks::DELTREE_BEGINS).expect("a mark");
    let ends = load.once().find(marks::DELTREE_ENDS).expect("a mark");
    assert!(load.once()[begins..ends].contains("client1\\d\""));
    assert!(
        load.once()
            .trim_end()
            .lines()
            .last()
            .is_some_and(|line| line.contains(marks::PASS_ENDS))
    );
    assert!(load.then_a_pause().starts_with(load.once()));
}
