//! Why a kernel setting cannot be changed, or put back.

use super::restore::NotBack;
use super::setting::Setting;
use nix::errno::Errno;
use std::path::PathBuf;

/// Why a kernel setting cannot be changed, or put back.
#[derive(Debug, thiserror::Error)]
pub enum KnobError {
    #[error("{name:?} is no kernel setting: {why}")]
    BadName { name: String, why: &'static str },
    #[error("{setting}: {} cannot be read ({}){}", setting.path().display(), errno.desc(), if_missing(*errno))]
    Unreadable { setting: Setting, errno: Errno },
    #[error("{setting}: {} {why}: it cannot be swept", setting.path().display())]
    NoValue { setting: Setting, why: &'static str },
    #[error("only root may change kernel settings ({settings}): run `{command}`")]
    NotRoot { settings: String, command: String },
    #[error(
        "{setting}: {} is on a read-only mount, as in containers: run on the host, or in a container that may change kernel settings",
        setting.path().display()
    )]
    ReadOnly { setting: Setting },
    #[error(
        "{setting}: {} may not be written ({}): it is read-only, or this is a container whose root is not the machine's",
        setting.path().display(), errno.desc()
    )]
    Denied { setting: Setting, errno: Errno },
    #[error(
        "{setting}: the kernel does not take back even the present value `{value}` ({why}): it could not be put back, and is left alone"
    )]
    OneWay {
        setting: Setting,
        value: String,
        why: String,
    },
    #[error("{setting}: the kernel refuses the value `{value}` ({}): leave it out", errno.desc())]
    Refused {
        setting: Setting,
        value: String,
        errno: Errno,
    },
    #[error(
        "{setting}: `{value}` was written, and `{reads}` is read back: give the value as the kernel shows it"
    )]
    ReadsBack {
        setting: Setting,
        value: String,
        reads: String,
    },
    #[error(
        "{setting}: `{value}` was written, and reads `{reads}` when the other settings have their values: sweep it by itself"
    )]
    Undone {
        setting: Setting,
        value: String,
        reads: String,
    },
    #[error("{one} and {other} are the same setting: give it once, with all its values")]
    Same { one: Setting, other: Setting },
    #[error("{one} and {other} replace each other in the kernel (the one set last holds): sweep one of them")]
    Pair { one: Setting, other: Setting },
    #[error("{setting} is not among the settings whose values were saved")]
    NotHeld { setting: Setting },
    #[error("kernel settings are being changed by {}: wait until it has ended", holder(*pid))]
    Busy { pid: Option<u32> },
    #[error("{}: {why}", path.display())]
    Journal { path: PathBuf, why: String },
    #[error("the guardian, which puts kernel settings back, {why}: nothing is changed without it")]
    Guardian { why: String },
    #[error(
        "kernel settings were not put back: {}; set them by hand, as root (any `sudo rbench …` tries it again)",
        list(.0)
    )]
    NotBack(Vec<NotBack>),
}

fn if_missing(errno: Errno) -> &'static str {
    match errno {
        Errno::ENOENT | Errno::ENOTDIR => ": this kernel or machine has no such setting",
        Errno::EXDEV | Errno::ELOOP => ": it leads elsewhere",
        Errno::ENOSYS => ": Linux 5.6 is needed",
        _ => "",
    }
}

fn holder(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("another rbench (pid {pid})"),
        None => "another rbench".to_owned(),
    }
}

/// Several, with semicolons between them.
pub(super) fn list(failures: &[NotBack]) -> String {
    let texts: Vec<String> = failures.iter().map(NotBack::to_string).collect();
    texts.join("; ")
}
