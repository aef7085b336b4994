//! What is to be run.

use super::limits::RunSpace;
use super::pin::Pin;
use crate::loadfile::{Problem, Problems};
use crate::program::{Code, Program};
use crate::replay::data::RANDOM_WINDOW;
use crate::replay::{DataKind, Settings};
use crate::result::RunInfo;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// With more clients a processor than this, clients take turns.
const CLIENTS_PER_PROCESSOR: usize = 50;

/// Which implementation of the calls a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    #[default]
    FileIo,
    /// Answers at once with what the trace expects.
    Null,
}

/// What is measured beside the clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measurement {
    /// `--vmstat`: a line so often; absent: only before and after.
    pub vmstat_every: Option<Duration>,
    /// `--final-sync`: bring all to the disk at the end, and time it.
    pub final_sync: bool,
    /// Find out what the run runs on (not with `--no-environment`).
    pub environment: bool,
    /// `--drop-caches`: empty the page cache also when the clients have prepared, if they prepare anything.
    pub drop_caches: bool,
    /// `--completions`: count on which processor requests to the block device end.
    pub completions: bool,
    /// `--probe`.
    pub probe: Option<ProbePlan>,
}

/// What a bystander does beside the clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbePlan {
    /// `--probe-dir`: `clients` is made in it, as for a run; absent: in the run's own `clients`.
    pub directory: Option<PathBuf>,
    /// `--probe-idle`: how long it is measured on the idle machine right before the run.
    pub idle: Duration,
    /// `--probe-think`: how long it thinks before a save and an append during the run, on average.
    pub think: Duration,
}

/// A run, ready to be executed. Nothing of it has touched the disk.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Client n replays program n modulo their number.
    pub programs: Vec<Arc<Program>>,
    pub clients: u32,
    pub clients_per_process: u32,
    /// `clients` is made in it.
    pub directory: PathBuf,
    pub backend: Backend,
    /// Which processors the clients are bound to.
    pub pin: Pin,
    pub settings: Settings,
    pub space_check: bool,
    pub skip_cleanup: bool,
    /// Keep each client's operations by kind.
    pub per_client: bool,
    pub measurement: Measurement,
    /// Goes into the result, with the time of the release.
    pub info: RunInfo,
}

impl Plan {
    /// The program of a client.
    pub fn program(&self, client: u32) -> &Arc<Program> {
        &self.programs[client as usize % self.programs.len()]
    }

    /// How many clients replay program number `index`.
    pub fn clients_of(&self, index: usize) -> u64 {
        let (clients, programs) = (self.clients as usize, self.programs.len());
        (clients / programs + usize::from(index < clients % programs)) as u64
    }

    /// Checks what only the number of clients shows.
    ///
    /// # Errors
    /// A WAITSP for a client that this run has not.
    pub fn check(&self) -> Result<(), Problems> {
        for program in &self.programs {
            let Some((awaited, line)) = program.highest_awaited else {
                continue;
            };
            if awaited < self.clients {
                continue;
            }
            return Err(Problems {
                source: program.source.clone(),
                list: vec![Problem {
                    line,
                    column: program.source.token_column(line, 1),
                    what: format!(
                        "waits for client {awaited}, but this run has only clients 0 to {}",
                        self.clients - 1
                    ),
                    help: format!("run at least {} clients", u64::from(awaited) + 1),
                }],
                omitted: 0,
            });
        }
        Ok(())
    }

    /// Operations that the whole run makes in one pass of each client; absent when it loops.
    pub fn expected_operations(&self) -> Option<u64> {
        if self.settings.loops {
            return None;
        }
        let totals = self.programs.iter().enumerate().map(|(index, program)| {
            let counts = crate::program::totals(program).operations;
            let one: u64 = counts
                .iter()
                .fold(0, |sum, &(_, count)| sum.saturating_add(count));
            one.saturating_mul(self.clients_of(index))
        });
        Some(totals.fold(0, u64::saturating_add))
    }

    /// Whether so many clients share a processor that they give it up by themselves.
    pub fn takes_turns(&self) -> bool {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        self.clients as usize > CLIENTS_PER_PROCESSOR * self.pin.width(processors)
    }

    /// What the run needs on the file system at its peak.
    pub fn space(&self) -> RunSpace {
        let needs = self.programs.iter().enumerate();
        needs.fold(RunSpace::default(), |sum, (index, program)| {
            let clients = self.clients_of(index);
            RunSpace {
                bytes: sum.bytes.saturating_add(program.space.bytes(clients)),
                inodes: sum.inodes.saturating_add(program.space.inodes(clients)),
            }
        })
    }

    /// Bytes of memory that reads and what is written take.
    pub fn buffers(&self) -> u64 {
        let longest = self
            .programs
            .iter()
            .map(|program| u64::from(program.max_write))
            .max();
        let plain = match self.settings.data {
            DataKind::Zeros => 0,
            DataKind::Random => RANDOM_WINDOW as u64,
        } + longest.unwrap_or_default();
        let programs = self.programs.iter().enumerate();
        programs.fold(plain, |sum, (index, program)| {
            let written = u64::from(program.max_write);
            let patterns = (program.patterns.len() as u64).saturating_mul(written);
            // With --verify each client puts together what it writes.
            let own = if self.settings.verify { written } else { 0 };
            let own = own.saturating_add(u64::from(program.max_read));
            let all = self.clients_of(index).saturating_mul(own);
            sum.saturating_add(patterns).saturating_add(all)
        })
    }

    /// Whether data are written at all, and nothing but zeros.
    pub fn writes_zeros(&self) -> bool {
        if self.settings.data != DataKind::Zeros || self.settings.verify {
            return false;
        }
        let writes = |code: Code| matches!(code, Code::Write | Code::WritePath | Code::WriteOpen);
        let any = |program: &Arc<Program>| program.ops.iter().any(|op| writes(op.code));
        self.programs.iter().any(any) && self.programs.iter().all(|program| program.patterns.is_empty())
    }

    /// Whether clients make anything before the release, which would be in memory then.
    pub fn prepares(&self) -> bool {
        let control_only = |program: &Arc<Program>| program.prepare.iter().all(|op| !op.code.is_operation());
        !self.programs.iter().all(control_only)
    }

    /// Whether the run can meet symbolic links that it makes itself.
    pub fn makes_symlinks(&self) -> bool {
        self.programs.iter().any(|program| program.makes_symlinks)
    }

    /// Directories that the loadfiles take for granted in the shared tree.
    pub fn shared_directories(&self) -> Vec<String> {
        let mut names = Vec::new();
        if self.programs.iter().any(|program| program.uses_shared_clients) {
            names.push("clients".to_owned());
        }
        let own = (0..self.clients).filter(|&client| self.program(client).uses_own_shared);
        names.extend(own.map(|client| format!("client{client}")));
        names
    }

    /// Descriptors that one client can need at once.
    pub fn descriptors_per_client(&self) -> u64 {
        let own = self.programs.iter().map(|program| {
            let by_path = if program.opens_by_path { 64 } else { 0 };
            u64::from(program.peak_handles) + by_path
        });
        // Its roots, a scan, and the directories of a Deltree.
        own.max().unwrap_or(0) + 64
    }
}
