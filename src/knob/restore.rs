//! Saved values, and how they are put back.

use super::companions::{is_ratio, partner};
use super::error::KnobError;
use super::setting::Setting;
use nix::errno::Errno;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// How often all is tried: a value may only be accepted once another is back.
const ROUNDS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);
/// How the kernel shows a limit that holds in its other form.
const ZERO: &str = "0";

/// A setting and the value that it had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub setting: Setting,
    /// As read, byte for byte, without the end of the line.
    pub value: String,
}

/// The setting and its old value, as messages show them.
impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.setting, self.value)
    }
}

/// A setting that could not be put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotBack {
    pub setting: String,
    /// What it had.
    pub value: String,
    /// What it reads now, or why that is not known.
    pub now: String,
    /// What the kernel said.
    pub why: Option<String>,
}

impl fmt::Display for NotBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotBack {
            setting,
            value,
            now,
            why,
        } = self;
        write!(f, "{setting} is `{now}` and was `{value}`")?;
        match why {
            Some(why) => write!(f, " ({why})"),
            None => Ok(()),
        }
    }
}

impl Saved {
    /// Reads what a setting has.
    pub(super) fn now(setting: &Setting) -> Result<Saved, KnobError> {
        let value = setting.read()?;
        let setting = setting.clone();
        Ok(Saved { setting, value })
    }

    /// Whether it has it again. One that is gone, with its device or network interface, has nothing to be put back.
    pub(super) fn is_back(&self) -> bool {
        match self.setting.read() {
            Ok(now) => now == self.value,
            Err(KnobError::Unreadable { errno, .. }) => errno == Errno::ENOENT || errno == Errno::ENODEV,
            Err(_) => false,
        }
    }
}

/// What putting back came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PutBack {
    /// Those that were other than saved, and are not any more.
    pub changed: Vec<Saved>,
    pub failed: Vec<NotBack>,
}

/// Writes back all that is other than saved, checks that it reads back, and tries several times. One that fails does
/// not keep the others from being tried.
pub(super) fn put_back(saved: &[Saved]) -> PutBack {
    let is_away = |one: &&Saved| !one.is_back();
    let mut away: Vec<&Saved> = saved.iter().filter(is_away).collect();
    let mut changed: Vec<&Saved> = Vec::new();
    let mut errors: Vec<(&Saved, KnobError)> = Vec::new();
    for round in 0..ROUNDS {
        if away.is_empty() {
            break;
        }
        std::thread::sleep(PAUSE * round);
        let new = away.iter().filter(|one| !changed.contains(one));
        changed.extend(new.copied().collect::<Vec<_>>());
        let failed = away
            .iter()
            .filter_map(|one| Some((*one, write_back(one, saved).err()?)));
        errors = failed.collect();
        // All are looked at: one may have been changed by another's coming back.
        away = saved.iter().filter(is_away).collect();
    }
    changed.retain(|one| !away.contains(one));
    let not_back = |one: &Saved| NotBack {
        setting: one.setting.to_string(),
        value: one.value.clone(),
        now: one.setting.read().unwrap_or_else(|error| error.to_string()),
        why: errors
            .iter()
            .find(|(failed, _)| *failed == one)
            .map(|(_, error)| error.to_string()),
    };
    PutBack {
        failed: away.into_iter().map(not_back).collect(),
        changed: changed.into_iter().cloned().collect(),
    }
}

/// Writes one back. Of two forms of a limit the one that was not 0 is written: the other then reads 0 by itself.
fn write_back(one: &Saved, all: &[Saved]) -> Result<(), KnobError> {
    if one.value != ZERO {
        return one.setting.write(&one.value);
    }
    let Some(partner) = partner(&one.setting) else {
        return one.setting.write(&one.value);
    };
    match all.iter().find(|saved| saved.setting == partner) {
        Some(saved) if saved.value != ZERO => Ok(()),
        Some(_) if !is_ratio(&one.setting) => write_limit(&partner, ZERO),
        _ => write_limit(&one.setting, &one.value),
    }
}

/// Writes a setting; and where it is a form of a limit that was 0 and is to be 0, so that its other form ends all the
/// same: the kernel ends that only when this one changes.
pub(super) fn write_limit(setting: &Setting, value: &str) -> Result<(), KnobError> {
    let other_holds = || partner(setting).is_some_and(|other| other.read().is_ok_and(|now| now != ZERO));
    if value.trim() == ZERO && is_ratio(setting) && setting.reads(ZERO) && other_holds() {
        setting.write("1")?;
    }
    setting.write(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_need_not_be_put_back() {
        let gone = Saved {
            setting: Setting::sysctl("net.ipv4.conf.no_such_interface.rp_filter").unwrap(),
            value: "0".into(),
        };
        assert_eq!(put_back(&[gone]), PutBack::default());
    }

    #[test]
    fn what_has_its_value_is_left_alone_and_what_cannot_be_written_is_told() {
        let release = Saved::now(&Setting::sysctl("kernel.ostype").unwrap()).unwrap();
        assert_eq!(put_back(std::slice::from_ref(&release)), PutBack::default());
        let other = Saved {
            value: "Unix".into(),
            ..release.clone()
        };
        let done = put_back(&[release, other]);
        assert!(done.changed.is_empty());
        let [failed] = &done.failed[..] else {
            panic!("{done:?}")
        };
        let text = failed.to_string();
        assert!(
            text.starts_with("kernel.ostype is `Linux` and was `Unix` ("),
            "{text}"
        );
    }
}
