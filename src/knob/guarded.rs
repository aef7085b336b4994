//! Kernel settings that may be changed, because their old values are in good hands.

use super::companions::{companions, partner};
use super::error::KnobError;
use super::guardian::Guardian;
use super::journal::Journal;
use super::lock::{Lock, is_alive};
use super::recover::put_back_journal;
use super::restore::{Saved, put_back, write_limit};
use super::setting::{Root, Setting};
use super::value::normalised;
use nix::unistd::geteuid;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The program that runs.
const ITSELF: &str = "/proc/self/exe";
/// How long a guardian whose rbench was killed is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(20);

/// Kernel settings that may be changed. Dropping it puts them back, as [`restore`](Guarded::restore) does; where
/// nothing is dropped (a signal, an abort) the guardian does.
#[derive(Debug)]
pub struct Guarded {
    /// None: there is nothing to do, or all is back.
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    program: PathBuf,
    settings: Vec<Setting>,
    journal: Journal,
    lock: Lock,
    guardian: Option<Guardian>,
}

impl Guarded {
    /// Saves the settings, starts the guardian, and then tries every value once: what the kernel would refuse halfway is
    /// found here. Where a killed rbench has left settings changed, they are put back first. With no value at all
    /// nothing is done, and no privilege needed.
    ///
    /// # Errors
    /// A setting is not there, may not be written, could not be put back, or a value is refused; another rbench changes
    /// settings; there can be no guardian. Everything is as before then.
    pub fn start(wanted: &[(Setting, Vec<String>)]) -> Result<Guarded, KnobError> {
        Guarded::start_by(Path::new(ITSELF), wanted)
    }

    /// The same, with the program that is to be the guardian: an rbench.
    ///
    /// # Errors
    /// As [`start`](Guarded::start).
    pub fn start_by(program: &Path, wanted: &[(Setting, Vec<String>)]) -> Result<Guarded, KnobError> {
        let wanted: Vec<_> = wanted.iter().filter(|(_, values)| !values.is_empty()).collect();
        if wanted.is_empty() {
            return Ok(Guarded { held: None });
        }
        let settings: Vec<Setting> = wanted.iter().map(|(setting, _)| setting.clone()).collect();
        check(&settings)?;
        let lock = take_lock()?;
        let journal = save_first(&settings, &lock).inspect_err(|_| lock.remove())?;
        // From here on dropping it cleans up.
        let mut guarded = Guarded {
            held: Some(Held {
                program: program.to_owned(),
                settings,
                journal,
                lock,
                guardian: None,
            }),
        };
        if let Some(held) = &mut guarded.held {
            held.ensure_guardian()?;
            for (setting, values) in wanted {
                held.try_values(setting, values)?;
            }
        }
        Ok(guarded)
    }

    /// Gives a setting a value, and checks that it reads back. If the guardian was killed meanwhile, another is started
    /// first.
    ///
    /// # Errors
    /// The setting was not among those that [`start`](Guarded::start) was given, the kernel refuses the value or makes
    /// another of it, or there is no guardian any more and none can be started.
    pub fn set(&mut self, setting: &Setting, value: &str) -> Result<(), KnobError> {
        let held = self.held.as_mut().filter(|held| held.settings.contains(setting));
        let held = held.ok_or_else(|| KnobError::NotHeld {
            setting: setting.clone(),
        })?;
        held.ensure_guardian()?;
        apply(setting, value)
    }

    /// Gives several settings their values, and sees to it that all hold at once: setting one may change another that was
    /// set before it, as a device's scheduler changes `nr_requests`.
    ///
    /// # Errors
    /// As [`set`](Guarded::set); the settings do not have these values at the same time.
    pub fn set_all(&mut self, wanted: &[(Setting, &str)]) -> Result<(), KnobError> {
        for (setting, value) in wanted {
            self.set(setting, value)?;
        }
        for (setting, value) in wanted {
            if !setting.reads(value) {
                self.set(setting, value)?;
            }
        }
        match wanted.iter().find(|(setting, value)| !setting.reads(value)) {
            None => Ok(()),
            Some((setting, value)) => Err(KnobError::Undone {
                setting: setting.clone(),
                value: (*value).to_owned(),
                reads: setting.read()?,
            }),
        }
    }

    /// Has everything put back. Once it is, it does nothing more.
    ///
    /// # Errors
    /// Something is not back; the next start of rbench tries again.
    pub fn restore(&mut self) -> Result<(), KnobError> {
        self.held.take().map_or(Ok(()), Held::restore)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        tell(self.restore().err().map(|error| error.to_string()));
    }
}

fn tell(text: Option<String>) {
    if let Some(text) = text {
        // Without standard error there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "rbench: {text}");
    }
}

impl Held {
    fn ensure_guardian(&mut self) -> Result<(), KnobError> {
        if self.guardian.as_mut().is_some_and(Guardian::is_alive) {
            return Ok(());
        }
        self.guardian = Some(Guardian::start(&self.program, &self.journal, &self.lock)?);
        Ok(())
    }

    /// Gives a setting each of its values, and its old one in the end.
    fn try_values(&self, setting: &Setting, values: &[String]) -> Result<(), KnobError> {
        let saved = &self.journal.saved;
        self.check_way_back(setting)?;
        let mut tried: Vec<&String> = values.iter().collect();
        tried.dedup();
        tried.into_iter().try_for_each(|value| apply(setting, value))?;
        let failed = put_back(saved).failed;
        match failed.is_empty() {
            true => Ok(()),
            false => Err(KnobError::NotBack(failed)),
        }
    }

    /// Writes the value that the setting has: what the kernel takes now it will take again.
    fn check_way_back(&self, setting: &Setting) -> Result<(), KnobError> {
        let value_of = |setting: &Setting| {
            let found = self.journal.saved.iter().find(|saved| saved.setting == *setting);
            found.map(|saved| saved.value.as_str())
        };
        let Some(value) = value_of(setting) else {
            return Ok(());
        };
        // Its limit is in the other form, which is what will be written.
        let other = partner(setting).filter(|other| value_of(other).is_some_and(|value| value != "0"));
        let (setting, value) = match &other {
            Some(other) => (other, value_of(other).unwrap_or(value)),
            None => (setting, value),
        };
        let one_way = |why| KnobError::OneWay {
            setting: setting.clone(),
            value: value.to_owned(),
            why,
        };
        match setting.write(value) {
            Err(KnobError::Refused { errno, .. }) => return Err(one_way(errno.desc().to_owned())),
            result => result?,
        }
        let now = setting.read()?;
        match now == value {
            true => Ok(()),
            false => Err(one_way(format!("it reads `{now}` after that"))),
        }
    }

    fn restore(mut self) -> Result<(), KnobError> {
        if let Some(failed) = self.guardian.take().and_then(Guardian::finish) {
            return match failed.is_empty() {
                true => Ok(()),
                false => Err(KnobError::NotBack(failed)),
            };
        }
        // The guardian was killed. If that was after all was done, others may be at work already.
        if !self.lock.is_current() {
            return put_back_without(&self.journal);
        }
        put_back_journal(&self.lock, &self.journal)?;
        self.lock.remove();
        Ok(())
    }
}

/// The guardian is gone and so is the lock's file: it has done its work, or someone has removed both. What is other than
/// saved is put back, unless another rbench is at work with settings of its own.
fn put_back_without(journal: &Journal) -> Result<(), KnobError> {
    let Some(lock) = Lock::try_take()? else {
        return Ok(());
    };
    let failed = put_back(&journal.saved).failed;
    lock.remove();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(KnobError::NotBack(failed)),
    }
}

/// Writes the journal, after what another one holds is put back.
fn save_first(settings: &[Setting], lock: &Lock) -> Result<Journal, KnobError> {
    if let Some(journal) = Journal::read()? {
        let back = put_back_journal(lock, &journal)?;
        tell(back.map(|back| back.to_string()));
    }
    let journal = Journal::new(save(settings)?)?;
    journal.write(lock)?;
    Ok(journal)
}

/// Settings that can be made stricter, but not loosened again before the machine is restarted
/// (Documentation/admin-guide/sysctl/kernel.rst, Documentation/admin-guide/LSM/Yama.rst).
const ONE_WAY: [&str; 7] = [
    "kernel/kexec_load_disabled",
    "kernel/kexec_load_limit_panic",
    "kernel/kexec_load_limit_reboot",
    "kernel/modules_disabled",
    "kernel/tainted",
    "kernel/unprivileged_bpf_disabled",
    "kernel/yama/ptrace_scope",
];

/// What can be checked without changing anything.
fn check(settings: &[Setting]) -> Result<(), KnobError> {
    let mut files = HashMap::new();
    for setting in settings {
        setting.read()?;
        if setting.root() == Root::Sysctl && ONE_WAY.contains(&setting.relative()) {
            return Err(KnobError::NoValue {
                setting: setting.clone(),
                why: "takes values from which the kernel allows no way back",
            });
        }
        let one = files.insert(setting.identity(), setting);
        if let Some(one) = one {
            let (one, other) = (one.clone(), setting.clone());
            return Err(KnobError::Same { one, other });
        }
        if let Some(other) = partner(setting).filter(|other| settings.contains(other)) {
            let one = setting.clone();
            return Err(KnobError::Pair { one, other });
        }
    }
    if !geteuid().is_root() {
        let names: Vec<String> = settings.iter().map(Setting::to_string).collect();
        return Err(KnobError::NotRoot {
            settings: names.join(", "),
            command: as_root(),
        });
    }
    settings.iter().try_for_each(Setting::check_writable)
}

/// Takes the lock. Where its holder was killed, its guardian is given time to end.
fn take_lock() -> Result<Lock, KnobError> {
    let start = Instant::now();
    loop {
        if let Some(lock) = Lock::try_take()? {
            return Ok(lock);
        }
        let journal = Journal::read().ok().flatten();
        let holder = journal.map(|journal| journal.pid).filter(|&pid| is_alive(pid));
        if holder.is_some() || start.elapsed() > PATIENCE {
            return Err(KnobError::Busy { pid: holder });
        }
        std::thread::sleep(LOOK);
    }
}

/// Reads all values that may change: those of the settings, and of what the kernel changes with them.
fn save(settings: &[Setting]) -> Result<Vec<Saved>, KnobError> {
    let mut saved: Vec<Saved> = settings.iter().map(Saved::now).collect::<Result<_, _>>()?;
    for companion in settings.iter().flat_map(companions) {
        let known = saved
            .iter()
            .any(|one| one.setting == companion || one.setting.identity() == companion.identity());
        if !known {
            saved.push(Saved::now(&companion)?);
        }
    }
    Ok(saved)
}

/// Writes a value, and checks that it reads back.
fn apply(setting: &Setting, value: &str) -> Result<(), KnobError> {
    write_limit(setting, value)?;
    let reads = setting.read()?;
    if normalised(&reads) == normalised(value) {
        return Ok(());
    }
    Err(KnobError::ReadsBack {
        setting: setting.clone(),
        value: value.to_owned(),
        reads,
    })
}

/// The present command, for root.
fn as_root() -> String {
    let words = std::env::args_os().map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("sudo".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as a shell needs it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("vm.dirty_ratio=60..90:10"), "vm.dirty_ratio=60..90:10");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn without_values_there_is_nothing_to_do() {
        let setting = Setting::sysctl("vm.dirty_ratio").unwrap();
        let mut guarded = Guarded::start(&[(setting.clone(), Vec::new())]).unwrap();
        assert!(matches!(
            guarded.set(&setting, "1"),
            Err(KnobError::NotHeld { .. })
        ));
        guarded.restore().unwrap();
    }

    #[test]
    fn what_is_given_twice_or_in_two_forms_is_refused_before_anything_else() {
        let setting = |name| Setting::sysctl(name).unwrap();
        let both = [setting("vm.dirty_ratio"), setting("vm/dirty_ratio")];
        assert!(matches!(check(&both), Err(KnobError::Same { .. })));
        let pair = [setting("vm.dirty_bytes"), setting("vm.dirty_ratio")];
        assert!(matches!(check(&pair), Err(KnobError::Pair { .. })));
        let missing = [setting("vm.no_such_setting")];
        assert!(matches!(check(&missing), Err(KnobError::Unreadable { .. })));
    }
}
