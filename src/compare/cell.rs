//! Which runs measure the same thing, and belong together.

use crate::result::{RunOptions, RunResult};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What tells one series of runs from another: loads with their parameters, clients, options, the place in a sweep, the
/// kind of file system, the machine, the tag `cell`, and the group and phase of a mix. Runs of one cell are comparable unless what must agree beyond
/// that (the load's text, features and options of the file system, devices) differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellKey {
    /// For people: `client 4 clients on ext4`. Two cells may share it.
    pub name: String,
    /// 64 hexadecimal digits; the same for the same cell.
    pub sha256: String,
    /// The first 12 digits of the machine's hashed id; empty where it is not known.
    pub machine: String,
}

/// Tags that `rbench mix` gives: a group alone is another thing than beside others.
pub(super) const OF_A_MIX: [&str; 2] = ["group", "phase"];

/// What is hashed. (A change of its form makes other cells of the same runs: it needs a migration of the store.)
#[derive(Serialize)]
struct Hashed<'r> {
    loads: Vec<(&'r str, &'r BTreeMap<String, String>)>,
    clients: u32,
    options: RunOptions,
    coordinates: Vec<(String, &'r str)>,
    file_system: Option<&'r str>,
    machine: Option<&'r str>,
    tag: Option<&'r str>,
    /// Of a mix: the group, and whether it is alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mix: Vec<&'r str>,
}

impl CellKey {
    /// Of a run.
    pub fn of(run: &RunResult) -> CellKey {
        let identity = run.environment.as_ref().map(|environment| &environment.identity);
        let file_system = identity.and_then(|identity| identity.file_system.as_ref());
        let machine = identity.and_then(|identity| identity.machine_id_sha256.as_deref());
        let cell = run.info.cell.as_ref();
        let hashed = Hashed {
            loads: run
                .loadfiles
                .iter()
                .map(|load| (load.name.as_str(), &load.params))
                .collect(),
            clients: run.clients,
            options: RunOptions {
                // Another seed, and what becomes of the files at the end, make no other cell.
                seed: 0,
                skip_cleanup: false,
                ..run.info.options.clone()
            },
            coordinates: cell
                .iter()
                .flat_map(|cell| &cell.coordinates)
                .map(|at| (at.axis.to_string(), at.value.as_str()))
                .collect(),
            file_system: file_system.map(|of| of.kind.as_str()),
            machine,
            tag: run.info.tags.get("cell").map(String::as_str),
            mix: OF_A_MIX
                .iter()
                .filter_map(|tag| run.info.tags.get(*tag))
                .map(String::as_str)
                .collect(),
        };
        let text = serde_json::to_vec(&hashed).unwrap_or_default();
        let sha256 = Sha256::digest(&text)
            .iter()
            .fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            });
        CellKey {
            name: name(run, &hashed),
            sha256,
            machine: machine.unwrap_or_default().chars().take(12).collect(),
        }
    }
}

/// Adds the first digits of what tells cells apart to the names that several have.
pub fn tell_apart(cells: Vec<&mut CellKey>) {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for cell in &cells {
        let name = (cell.name.clone(), cell.machine.clone());
        *counts.entry(name).or_default() += 1;
    }
    for cell in cells {
        let name = (cell.name.clone(), cell.machine.clone());
        if counts.get(&name).is_some_and(|&count| count > 1) {
            let digits: String = cell.sha256.chars().take(6).collect();
            let _ = write!(cell.name, " #{digits}");
        }
    }
}

/// The load, the clients, the file system, the tag, and the axes that it does not tell by those.
fn name(run: &RunResult, hashed: &Hashed<'_>) -> String {
    let loads: Vec<&str> = hashed.loads.iter().map(|(name, _)| *name).collect();
    let clients = if run.clients == 1 { "client" } else { "clients" };
    let mut name = format!("{} {} {clients}", loads.join("+"), run.clients);
    if let Some(kind) = hashed.file_system {
        let _ = write!(name, " on {kind}");
    }
    if let Some(tag) = hashed.tag {
        let _ = write!(name, " {tag}");
    }
    for tag in &hashed.mix {
        let _ = write!(name, " {tag}");
    }
    for (axis, value) in &hashed.coordinates {
        if !["clients", "load"].contains(&axis.as_str()) {
            let _ = write!(name, " {axis}={value}");
        }
    }
    name
}
