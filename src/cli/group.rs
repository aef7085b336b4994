//! A group of a mix, as typed: `reader=seqrd@/a,clients=2,start=-30s,loop,set.size=64K,sync`.

use super::option_takes_value;
use crate::units::Span;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// `--group`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSpec {
    pub name: String,
    /// A loadfile or bundled load.
    pub load: String,
    pub directory: PathBuf,
    pub clients: u32,
    /// When it starts, nanoseconds from the start of the groups that say nothing of it.
    pub start: i64,
    /// It repeats its load until all groups that do not have ended.
    pub loops: bool,
    /// Of a run, as arguments.
    pub options: Vec<OsString>,
}

/// What holds for the whole mix, and is no group's.
const OF_THE_MIX: [&str; 11] = [
    "output",
    "store",
    "store-anyway",
    "runs",
    "drop-caches",
    "sync-before",
    "settle",
    "before",
    "after",
    "skip-cleanup",
    "probe",
];

const FORM: &str = "expected NAME=LOAD@DIR, then options with commas between them: clients=N, start=SECS, loop, \
                    set.NAME=VALUE, and those of a run, such as timelimit=10 or sync";

impl FromStr for GroupSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<GroupSpec, String> {
        let mut parts = text.split(',');
        let first = parts.next().unwrap_or_default();
        let (name, place) = first.split_once('=').ok_or(FORM)?;
        let (load, directory) = place.split_once('@').ok_or(FORM)?;
        if [name, load, directory].contains(&"") {
            return Err(FORM.to_owned());
        }
        let mut group = GroupSpec {
            name: name.to_owned(),
            load: load.to_owned(),
            directory: directory.into(),
            clients: 1,
            start: 0,
            loops: false,
            options: Vec::new(),
        };
        for part in parts {
            group.add(part)?;
        }
        Ok(group)
    }
}

impl GroupSpec {
    fn add(&mut self, part: &str) -> Result<(), String> {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (part, None),
        };
        let wrong = |what: &str| format!("{part}: {what}");
        match (name, value) {
            ("clients", Some(value)) => {
                let clients = value
                    .parse()
                    .ok()
                    .filter(|clients| (1..=100_000).contains(clients));
                self.clients = clients.ok_or_else(|| wrong("expected a number from 1 to 100,000"))?;
            }
            ("start", Some(value)) => self.start = offset(value).map_err(|error| wrong(&error))?,
            ("loop", None) => self.loops = true,
            ("loop", Some(_)) => return Err(wrong("loop has no value")),
            ("directory" | "loadfile", _) => {
                return Err(wrong("the load and the directory are those of NAME=LOAD@DIR"));
            }
            ("set", _) => return Err(wrong("expected set.NAME=VALUE, such as set.size=64K")),
            _ if OF_THE_MIX.contains(&name) || name.starts_with("probe-") => {
                return Err(wrong(
                    "this is for all groups together: give it as an option of its own",
                ));
            }
            _ => self
                .options
                .push(argument(name, value).map_err(|what| wrong(&what))?),
        }
        Ok(())
    }
}

/// An option of a run as its argument.
fn argument(name: &str, value: Option<&str>) -> Result<OsString, String> {
    if let Some(parameter) = name.strip_prefix("set.") {
        let value = value.ok_or("expected set.NAME=VALUE, such as set.size=64K")?;
        return Ok(format!("--set={parameter}={value}").into());
    }
    // It stands beside the options that sweeps and mixes take from runs as they are.
    let takes_value = match name {
        "pin" => Some(true),
        _ => option_takes_value(name),
    };
    match (takes_value, value) {
        (Some(true), Some(value)) => Ok(format!("--{name}={value}").into()),
        (Some(false), None) => Ok(format!("--{name}").into()),
        (Some(true), None) => Err(format!("needs a value: {name}=VALUE")),
        (Some(false), Some(_)) => Err(format!("{name} has no value: leave out what stands behind it")),
        (None, _) => Err("a run has no option of this (long) name; \
                          in a value, commas cannot stand (processors: pin=0+2-3)"
            .to_owned()),
    }
}

/// A duration with a sign, in nanoseconds.
fn offset(text: &str) -> Result<i64, String> {
    let (sign, span) = match text.strip_prefix('-') {
        Some(span) => (-1, span),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let span: Span = span
        .parse()
        .map_err(|error| format!("{error}; or -30s for earlier"))?;
    let nanoseconds = i64::try_from(span.0.as_nanos()).map_err(|_| "too long".to_owned())?;
    Ok(sign * nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> GroupSpec {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> String {
        text.parse::<GroupSpec>().unwrap_err()
    }

    #[test]
    fn a_group_has_a_name_a_load_a_directory_and_what_follows() {
        let group =
            parsed("reader=seqrd@/a@b,clients=2,start=-30s,loop,set.size=64K,sync,timelimit=1.5,pin=0+2");
        let expected = GroupSpec {
            name: "reader".into(),
            load: "seqrd".into(),
            directory: "/a@b".into(),
            clients: 2,
            start: -30_000_000_000,
            loops: true,
            options: ["--set=size=64K", "--sync", "--timelimit=1.5", "--pin=0+2"]
                .map(OsString::from)
                .to_vec(),
        };
        assert_eq!(group, expected);
        let plain = parsed("w=x.load@.");
        assert_eq!(
            (plain.clients, plain.start, plain.loops, plain.options.len()),
            (1, 0, false, 0)
        );
        assert_eq!(parsed("w=x@.,start=+500ms").start, 500_000_000);
    }

    #[test]
    fn what_is_no_group_is_told_with_what_is_expected() {
        for text in ["", "x", "x=y", "=y@z", "x=@z", "x=y@", "x=y@,loop"] {
            assert!(refused(text).contains("expected NAME=LOAD@DIR"), "{text}");
        }
        for (part, expected) in [
            ("clients=0", "from 1 to"),
            ("clients=x", "from 1 to"),
            ("clients", "no option"),
            ("start=soon", "-30s for earlier"),
            ("start=--1", "-30s for earlier"),
            ("loop=yes", "no value"),
            ("sync=on", "sync has no value"),
            ("timelimit", "timelimit=VALUE"),
            ("nosuch=1", "no option"),
            ("", "no option"),
            ("set=a=1", "set.NAME=VALUE"),
            ("set.a", "set.NAME=VALUE"),
            ("directory=/x", "NAME=LOAD@DIR"),
            ("runs=3", "for all groups"),
            ("probe", "for all groups"),
        ] {
            let error = refused(&format!("g=l@d,{part}"));
            assert!(error.contains(expected) && error.starts_with(part), "{error}");
        }
    }
}
