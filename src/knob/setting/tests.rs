//! Names, and where they lead.

use super::*;
use proptest::prelude::*;

fn path(setting: Result<Setting, KnobError>) -> String {
    setting.unwrap().path().display().to_string()
}

#[test]
fn a_sysctl_is_named_with_dots_with_slashes_or_by_its_path() {
    for name in ["vm.dirty_ratio", "vm/dirty_ratio", "/proc/sys/vm/dirty_ratio"] {
        let setting = Setting::sysctl(name);
        assert_eq!(path(setting), "/proc/sys/vm/dirty_ratio");
        assert_eq!(Setting::sysctl(name).unwrap().to_string(), "vm.dirty_ratio");
    }
}

#[test]
fn a_slash_stands_for_a_dot_where_dots_separate() {
    let file = "/proc/sys/net/ipv4/conf/eth0.100/rp_filter";
    for name in [
        "net.ipv4.conf.eth0/100.rp_filter",
        "net/ipv4/conf/eth0.100/rp_filter",
        file,
    ] {
        let setting = Setting::sysctl(name);
        assert_eq!(path(setting), file);
        assert_eq!(
            Setting::sysctl(name).unwrap().to_string(),
            "net.ipv4.conf.eth0/100.rp_filter"
        );
    }
}

#[test]
fn a_file_below_sys_is_named_from_there_or_by_its_path() {
    for name in ["block/vda/queue/rq_affinity", "/sys/block/vda/queue/rq_affinity"] {
        let setting = Setting::sysfs(name);
        assert_eq!(path(setting), "/sys/block/vda/queue/rq_affinity");
        assert_eq!(
            Setting::sysfs(name).unwrap().to_string(),
            "block/vda/queue/rq_affinity"
        );
    }
}

#[test]
fn names_that_would_lead_elsewhere_are_refused() {
    for name in [
        "",
        ".",
        "..",
        "/",
        "vm..dirty_ratio",
        "vm/../../etc/passwd",
        "/etc/passwd",
        "/proc/sys/",
        "a./.b",
        "/proc/sys/vm/..",
        "vm.dirty_ratio\0",
        "vm.dirty\n",
        "/proc/sys//vm",
        "/sys/block",
        "vm.",
    ] {
        assert!(Setting::sysctl(name).is_err(), "{name:?}");
    }
    for name in [
        "",
        "/",
        "/etc",
        "/sys/",
        "/sys//block",
        "../etc",
        "block/../../etc",
        "a\0",
        "/proc/sys/vm/x",
        "block/",
    ] {
        assert!(Setting::sysfs(name).is_err(), "{name:?}");
    }
}

#[test]
fn what_is_no_value_is_told() {
    let why = |setting: Result<Setting, KnobError>| setting.unwrap().read().unwrap_err().to_string();
    assert!(why(Setting::sysctl("vm")).contains("is a directory"));
    let missing = why(Setting::sysctl("vm.no_such_setting"));
    assert!(
        missing.contains("this kernel or machine has no such setting"),
        "{missing}"
    );
}

#[test]
fn a_link_within_sys_is_followed() {
    let Ok(entries) = std::fs::read_dir("/sys/class/net") else {
        eprintln!("skipped, /sys/class/net cannot be read");
        return;
    };
    let Some(entry) = entries.flatten().find(|entry| entry.path().is_symlink()) else {
        eprintln!("skipped, there is no network interface");
        return;
    };
    let name = format!("class/net/{}/mtu", entry.file_name().to_string_lossy());
    let mtu = Setting::sysfs(&name).unwrap().read().unwrap();
    assert!(mtu.parse::<u32>().is_ok(), "{mtu}");
}

/// Names made of what could lead out, and of what is there.
fn names() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("/".to_owned()),
        Just("\0".to_owned()),
        Just(String::new()),
        Just("/proc/sys/".to_owned()),
        Just("/sys/".to_owned()),
        Just("/etc/passwd".to_owned()),
        prop::sample::select(vec![
            "vm",
            "dirty_ratio",
            "kernel",
            "block",
            "vda",
            "device",
            "driver",
            "subsystem",
            "class",
            "module",
            "self",
            "root",
            "fd",
            "cwd",
            "exe",
            "etc",
            "hostname",
            "queue",
            "power",
            "bdi",
            "uevent",
        ])
        .prop_map(str::to_owned),
        "\\PC{1,4}",
    ];
    let separator = prop::sample::select(vec!["/", ".", ""]);
    prop::collection::vec((part, separator), 0..8).prop_map(|parts| {
        parts
            .into_iter()
            .map(|(part, separator)| part + separator)
            .collect()
    })
}

fn stays_below(setting: &Setting) {
    let root = setting.root.path();
    let path = setting.path();
    assert!(
        path.starts_with(root) && path != std::path::Path::new(root),
        "{path:?}"
    );
    assert!(path.components().all(|part| part.as_os_str() != ".."), "{path:?}");
    if let Ok(file) = setting.open(OFlag::O_RDONLY) {
        use std::os::fd::AsRawFd;
        let real = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
        assert!(real.starts_with(root), "{path:?} is {real:?}");
    }
}

proptest! {
    #[test]
    fn no_name_leads_out_of_proc_sys_and_sys(name in names()) {
        for setting in [Setting::sysctl(&name), Setting::sysfs(&name)].into_iter().flatten() {
            stays_below(&setting);
            prop_assert_eq!(&Setting::of(setting.root, &setting.to_string()).unwrap(), &setting);
        }
    }

    #[test]
    fn no_text_at_all_makes_it_panic(name in "\\PC*") {
        for setting in [Setting::sysctl(&name), Setting::sysfs(&name)].into_iter().flatten() {
            stays_below(&setting);
        }
    }
}
