//! File systems of a test's own, in a mount namespace that ends with the test, and with it its mounts and loop devices.

use crate::scratch::{Ran, Scratch, program};
use nix::unistd::geteuid;
use std::process::{Command, Stdio};

/// How a script says that its mounts could not be made.
const NOT_MOUNTED: i32 = 99;

/// Commands that make an ext4 of so many megabytes on a loop device, at `mounted`. Nothing else writes to it: the kernel
/// would initialise tables in the background.
pub(crate) fn ext4(megabytes: u32, features: &str) -> String {
    format!(
        "mkdir mounted && truncate -s {megabytes}M image && \
         mkfs.ext4 -q -F -O {features} -E lazy_itable_init=0,lazy_journal_init=0 image && \
         mount -o loop,noinit_itable image mounted"
    )
}

/// Runs a script in a scratch directory, as root, once others have mounted something for it; `$0` is rbench. None, with
/// a message, where that cannot be.
pub(crate) fn as_root(scratch: &Scratch, mount: &str, script: &str) -> Option<Ran> {
    if !geteuid().is_root() {
        eprintln!("skipped, only root can mount that");
        return None;
    }
    unshared(&["--mount", "--propagation", "private"], scratch, mount, script)
}

/// The same as anybody, in a user namespace too: for a tmpfs.
pub(crate) fn as_anybody(scratch: &Scratch, mount: &str, script: &str) -> Option<Ran> {
    unshared(&["-rm"], scratch, mount, script)
}

fn unshared(options: &[&str], scratch: &Scratch, mount: &str, script: &str) -> Option<Ran> {
    let mut command = Command::new("unshare");
    command
        .args(options)
        .args(["sh", "-c"])
        .arg(format!("{{ {mount}; }} || exit {NOT_MOUNTED}\n{script}"))
        .arg(program())
        .current_dir(scratch.path())
        .stdin(Stdio::null());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped, unshare cannot be run: {error}");
            return None;
        }
    };
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let ran = Ran {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    if ran.code == Some(NOT_MOUNTED) || ran.stderr.starts_with("unshare:") {
        eprintln!("skipped, nothing can be mounted: {}", ran.stderr.trim());
        return None;
    }
    Some(ran)
}
