//! What was saved, for whoever comes after rbench and its guardian have both been killed: `/run/rbench/journal.json`.

use super::error::KnobError;
use super::lock::{DIRECTORY, DRAFT, Lock, check_owner, failed, open_directory};
use super::restore::Saved;
use super::setting::{Root, Setting};
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fchmod, fstat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};

/// The version of the form.
const VERSION: u32 = 1;
pub(super) const NAME: &str = "journal.json";
/// No journal of ours is longer.
const LONGEST: u64 = 1 << 20;

/// Who changes settings, and the values that they had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Journal {
    /// Which start of the machine it was: the kernel forgets settings.
    pub boot: String,
    pub pid: u32,
    pub saved: Vec<Saved>,
}

/// The form on disk and on the way to the guardian.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    version: u32,
    boot_id: String,
    pid: u32,
    settings: Vec<WireSetting>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSetting {
    root: Root,
    name: String,
    value: String,
}

/// Which start of the machine this is.
fn boot_id() -> Result<String, KnobError> {
    Setting::sysctl("kernel.random.boot_id")?.read()
}

impl Journal {
    /// Of this process.
    pub(super) fn new(saved: Vec<Saved>) -> Result<Journal, KnobError> {
        Ok(Journal {
            boot: boot_id()?,
            pid: std::process::id(),
            saved,
        })
    }

    /// Whether it is of the present start of the machine.
    pub(super) fn is_of_this_boot(&self) -> bool {
        boot_id().is_ok_and(|boot| boot == self.boot)
    }

    /// As a line of JSON.
    pub(super) fn to_json(&self) -> Result<String, KnobError> {
        let settings = self.saved.iter().map(|Saved { setting, value }| WireSetting {
            root: setting.root(),
            name: setting.to_string(),
            value: value.clone(),
        });
        let wire = Wire {
            version: VERSION,
            boot_id: self.boot.clone(),
            pid: self.pid,
            settings: settings.collect(),
        };
        serde_json::to_string(&wire).map_err(|error| failed(NAME, error.to_string()))
    }

    /// Reads it, and checks every name.
    pub(super) fn from_json(text: &[u8]) -> Result<Journal, String> {
        let wire: Wire = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if wire.version != VERSION {
            return Err(format!(
                "it is of version {}, and this rbench knows {VERSION}",
                wire.version
            ));
        }
        let saved = wire
            .settings
            .into_iter()
            .map(|WireSetting { root, name, value }| {
                let setting = Setting::of(root, &name).map_err(|error| error.to_string())?;
                if value.contains(['\n', '\0']) {
                    return Err(format!("the value of {setting} has several lines"));
                }
                Ok(Saved { setting, value })
            });
        Ok(Journal {
            boot: wire.boot_id,
            pid: wire.pid,
            saved: saved.collect::<Result<_, String>>()?,
        })
    }

    /// Writes it whole, or not at all. Others may read it only if they may read all the settings.
    pub(super) fn write(&self, lock: &Lock) -> Result<(), KnobError> {
        let text = self.to_json()?;
        let public = self.saved.iter().all(|saved| saved.setting.is_public());
        let mode = Mode::from_bits_truncate(if public { 0o644 } else { 0o600 });
        let written = || -> std::io::Result<()> {
            match unlinkat(lock.directory(), DRAFT, UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(errno) => return Err(errno.into()),
            }
            let flags =
                OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            let mut file = File::from(openat(
                lock.directory(),
                DRAFT,
                flags,
                Mode::S_IRUSR | Mode::S_IWUSR,
            )?);
            file.write_all(text.as_bytes())?;
            fchmod(&file, mode)?;
            file.sync_all()?;
            nix::fcntl::renameat(lock.directory(), DRAFT, lock.directory(), NAME)?;
            nix::unistd::fsync(lock.directory())?;
            Ok(())
        };
        written().map_err(|error| {
            failed(
                NAME,
                format!("it cannot be written ({error}): nothing is changed"),
            )
        })
    }

    /// Reads what lies there; none if nothing does.
    ///
    /// # Errors
    /// It is torn, or not root's alone.
    pub(super) fn read() -> Result<Option<Journal>, KnobError> {
        let Some(directory) = open_directory()? else {
            return Ok(None);
        };
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let file = match openat(&directory, NAME, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::ENOENT) => return Ok(None),
            Err(Errno::ELOOP) => {
                return Err(failed(NAME, "it is a symbolic link: it is not heeded; remove it"));
            }
            Err(errno) => return Err(failed(NAME, format!("it cannot be read ({})", errno.desc()))),
        };
        let stat = fstat(&file).map_err(|errno| failed(NAME, errno.desc()))?;
        if SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT != SFlag::S_IFREG {
            return Err(failed(NAME, "it is no file: it is not heeded; remove it"));
        }
        check_owner(&stat, NAME)?;
        let mut text = Vec::new();
        let read = file.take(LONGEST + 1).read_to_end(&mut text);
        read.map_err(|error| failed(NAME, format!("it cannot be read ({error})")))?;
        if text.len() as u64 > LONGEST {
            return Err(torn("it is too long"));
        }
        Journal::from_json(&text).map(Some).map_err(|why| torn(&why))
    }

    /// Removes it: all is back.
    pub(super) fn remove(lock: &Lock) -> Result<(), KnobError> {
        match unlinkat(lock.directory(), NAME, UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => Ok(()),
            Err(errno) => Err(failed(NAME, format!("it cannot be removed ({})", errno.desc()))),
        }
    }
}

/// A journal that says nothing sure.
fn torn(why: &str) -> KnobError {
    let why = format!(
        "it is no journal of kernel settings ({why}), and nothing was put back: look at the settings, then remove it \
         (rm -r {DIRECTORY})"
    );
    failed(NAME, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn journal() -> Journal {
        let saved = |setting: Setting, value: &str| Saved {
            setting,
            value: value.to_owned(),
        };
        Journal {
            boot: "0f".into(),
            pid: 42,
            saved: vec![
                saved(Setting::sysctl("vm.dirty_ratio").unwrap(), "20"),
                saved(Setting::sysctl("kernel.core_pattern").unwrap(), "|/x  %p \"é\""),
                saved(Setting::sysctl("net.ipv4.conf.eth0/1.rp_filter").unwrap(), "0"),
                saved(
                    Setting::sysfs("block/vda/queue/scheduler").unwrap(),
                    "mq-deadline",
                ),
            ],
        }
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let text = journal().to_json().unwrap();
        assert!(!text.contains('\n'));
        assert_eq!(Journal::from_json(text.as_bytes()), Ok(journal()));
    }

    #[test]
    fn one_that_is_torn_at_any_place_is_refused() {
        let text = journal().to_json().unwrap();
        for length in 0..text.len() {
            assert!(
                Journal::from_json(&text.as_bytes()[..length]).is_err(),
                "{length}"
            );
        }
    }

    #[test]
    fn one_that_names_what_is_no_setting_or_is_of_another_version_is_refused() {
        let text = journal().to_json().unwrap();
        for (from, to, why) in [
            ("vm.dirty_ratio", "/etc/passwd", "is no kernel setting"),
            ("block/vda", "block/../../etc", "is no kernel setting"),
            ("\"version\":1", "\"version\":2", "version 2"),
            ("\"20\"", "\"20\\n\"", "several lines"),
            ("sysctl", "file", "unknown variant"),
            ("\"pid\"", "\"pld\"", "unknown field"),
        ] {
            let hostile = text.replacen(from, to, 1);
            let error = Journal::from_json(hostile.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Journal::from_json(&text);
        }

        #[test]
        fn no_name_in_it_leads_out(name in "[./a-z\\PC]{0,20}", sysfs in any::<bool>()) {
            let root = if sysfs { "sysfs" } else { "sysctl" };
            let text = serde_json::json!({
                "version": 1, "boot_id": "", "pid": 1, "settings": [{"root": root, "name": name, "value": "1"}],
            });
            if let Ok(journal) = Journal::from_json(text.to_string().as_bytes()) {
                let path = journal.saved[0].setting.path();
                let root = if sysfs { "/sys" } else { "/proc/sys" };
                prop_assert!(path.starts_with(root));
                prop_assert!(path.components().all(|part| part.as_os_str() != ".."));
            }
        }
    }
}
