//! Giving a client's thread kernel objects of its own.
//!
//! Threads of one process share the descriptor table, the fs struct and the credentials, and every open and close
//! bounces their reference counts between cores.

use nix::errno::Errno;
use nix::sched::CloneFlags;

/// What could not be made private, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    pub what: &'static str,
    pub errno: Errno,
}

/// Gives the calling thread a descriptor table, an fs struct and credentials that no other shares.
///
/// # Errors
/// A sandbox forbids it; the thread can go on with what it shares. A descriptor table that stays shared is told first.
pub fn isolate() -> Result<(), Shared> {
    let shared = |what| move |errno| Shared { what, errno };
    nix::sched::unshare(CloneFlags::CLONE_FILES).map_err(shared("their descriptor table"))?;
    nix::sched::unshare(CloneFlags::CLONE_FS).map_err(shared("their working directory"))?;
    own_credentials().map_err(shared("their credentials"))
}

/// Whether threads of this process can have descriptor tables of their own, tried in a thread that ends at once.
pub fn can_isolate_descriptors() -> bool {
    let tried = std::thread::Builder::new().spawn(|| nix::sched::unshare(CloneFlags::CLONE_FILES).is_ok());
    tried.is_ok_and(|thread| thread.join().unwrap_or(false))
}

/// Sets the capabilities to what they are, which gives the thread a private copy of its credentials.
fn own_credentials() -> nix::Result<()> {
    /// `_LINUX_CAPABILITY_VERSION_3` of linux/capability.h.
    const VERSION_3: u32 = 0x2008_0522;
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct Sets {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    let mut header = Header {
        version: VERSION_3,
        pid: 0,
    };
    let mut sets = [Sets::default(); 2];
    // SAFETY: version 3 has two elements of `Sets`; both pointers are valid for writing. (nix has no capget.)
    Errno::result(unsafe { libc::syscall(libc::SYS_capget, &mut header, sets.as_mut_ptr()) })?;
    // SAFETY: as above; the kernel only reads the sets, which it has just given. (nix has no capset.)
    Errno::result(unsafe { libc::syscall(libc::SYS_capset, &mut header, sets.as_ptr()) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_descriptor_opened_in_an_isolated_thread_is_not_seen_outside() {
        let number = std::thread::spawn(|| {
            isolate().ok()?;
            let file = std::fs::File::open("/proc/self/status").ok()?;
            let number = file.as_raw_fd();
            std::mem::forget(file);
            Some(number)
        });
        let Some(number) = number.join().expect("the thread ends") else {
            eprintln!("skipped: a sandbox forbids private descriptor tables");
            return;
        };
        let path = format!("/proc/self/fd/{number}");
        let seen = std::fs::read_link(path).ok();
        assert!(seen.is_none_or(|target| !target.ends_with("status")));
    }
}
